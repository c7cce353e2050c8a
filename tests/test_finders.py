"""One contract for every finder, and each fast finder compared with its slow, obvious version."""

import itertools
import math
from collections import Counter, defaultdict
from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import tiny

from regis import text
from regis.candidates.finder import MAX_PAST_CLUES, FinderResult
from regis.candidates.finders import FINDERS, blanks, keywords, nearby
from regis.candidates.settings import CANDIDATES
from regis.corpora.entry import Entry
from regis.index import Index
from regis.models.text import clue_features
from regis.puzzle.alphabet import pattern_mask

ROOT = Path(__file__).parent.parent
ENTRIES = [row for row in corpus.rows() if isinstance(row, Entry) and row.clue]
KNOWN = next(e for e in ENTRIES if e.answer == "OTTER").clue
CLUES = [
    KNOWN, KNOWN.upper() + "?!", "river player of old", "Player: river", "sweet ___", "striped", "the of a", "___", "",
    " ", "?!...", "&", "мышь и кот", "東京", "🦦 river", "\0\ud800", "e\u0301" * 40, "word " * 2000, "x" * 10_000,
    "''''", "____ _ ___",
]  # fmt: skip
RANGE = {"meaning": (-1e6, 0)}
"""Where a score is not 0 to 1, as the finder's docstring says."""

EACH = pytest.mark.parametrize("name", FINDERS)


def find(name: str, clue: str, pattern: str, index: Index, limit: int = MAX_PAST_CLUES) -> FinderResult:
    with pytest.MonkeyPatch.context() as patch:
        for finder in (nearby, keywords, blanks):
            patch.setattr(finder, "MAX_PAST_CLUES", limit)
        return tiny.findings(clue, pattern, index, {name: FINDERS[name]}).results[name]


@EACH
@pytest.mark.parametrize("clue", CLUES, ids=range(len(CLUES)))
def test_contract(name: str, clue: str, whole: Index):
    for pattern in ("???", "?????", "?A???", "ZZZZZ", "???????????"):
        for limit in (0, 3, MAX_PAST_CLUES):
            keeps_the_contract(name, clue, pattern, limit, whole)


def keeps_the_contract(name: str, clue: str, pattern: str, limit: int, whole: Index) -> None:
    part = whole[len(pattern)]
    found = find(name, clue, pattern, whole, limit)
    plain = {feature for feature in FINDERS[name].feature_names if ", " not in feature}
    assert set(found.feature_columns) == plain or not len(found.answer_rows)
    assert all(len(found.answer_rows) == len(column) for column in found.feature_columns.values())
    assert len(set(found.answer_rows.tolist())) == len(found.answer_rows), "each answer once"
    assert ((found.answer_rows >= 0) & (found.answer_rows < len(part.answer_letters))).all()
    assert pattern_mask(part.answer_letters[found.answer_rows], pattern).all() and part.is_live[found.answer_rows].all()
    low, high = RANGE.get(name, (0, 1))
    score = found.feature_columns.get(name, np.empty(0))
    assert ((score >= low) & (score <= high + 1e-5)).all()
    assert all(np.isfinite(column).all() for column in found.feature_columns.values())
    texts = list(part.clue_texts) if FINDERS[name].uses_past_clues else []
    for row in found.answer_rows.tolist():
        reasons = found.explain(row)
        assert all(reason.finder == name for reason in reasons)
        for reason in reasons if FINDERS[name].uses_past_clues else ():
            own = [at for at, text in enumerate(texts) if text == reason.text and part.clue_answer_rows[at] == row]
            assert own and (part.clue_counts[own] > 0).all(), "a past clue speaks for its own answer"
    again = find(name, clue, pattern, whole, limit)
    assert all(np.array_equal(a, b) for a, b in zip(found_arrays(found), found_arrays(again), strict=True))


def column(found: FinderResult, name: str) -> dict[int, float]:
    """Return a feature by answer row."""
    return dict(zip(found.answer_rows.tolist(), found.feature_columns.get(name, np.empty(0)).tolist(), strict=True))


def found_arrays(found: FinderResult) -> tuple[np.ndarray, ...]:
    return found.answer_rows, *found.feature_columns.values()


@EACH
@pytest.mark.parametrize("pattern", ["?A???", "??GER", "OTTER"])
def test_a_pattern_only_takes_away(name: str, pattern: str, whole: Index):
    part = whole[5]
    everything, some = find(name, "striped hunter", "?????", whole), find(name, "striped hunter", pattern, whole)
    kept = everything.keep_marked(pattern_mask(part.answer_letters[everything.answer_rows], pattern))
    assert all(np.array_equal(a, b) for a, b in zip(found_arrays(kept), found_arrays(some), strict=True))


@EACH
@pytest.mark.parametrize(
    "rows",
    [
        [corpus.entry("OSLO", "___", 2001)],
        [corpus.entry("OSLO", "?", 2001), corpus.entry("LIMA", "!", 2001)],
        [corpus.entry("OSLO", "Fjord city", 2001)],
        [corpus.entry("OSLO", weight=0.5)],
        [corpus.entry("OSLO", weight=0.0)],
        [corpus.entry("OSLO", "See 17-Across", year) for year in (2001, 2002)],
    ],
)  # fmt: skip
def test_very_small_indexes(name: str, rows: list[corpus.Row]):
    index = shared.index(rows)
    for at in (index, index.before_newest_year()):
        for clue in CLUES:
            found = find(name, clue, "????", at)
            part = at[4]
            assert part.is_live[found.answer_rows].all()


@EACH
def test_the_hidden_year_is_not_found(name: str, whole: Index):
    before = whole.before_newest_year()
    for entry in [e for e in ENTRIES if e.year == corpus.YEARS[-1] and len(e.answer) == 6]:
        part = before[6]
        found = find(name, entry.clue, "??????", before)
        assert part.is_live[found.answer_rows].all()
        for row in found.answer_rows.tolist():
            assert all((reason.last_year or 0) < corpus.YEARS[-1] for reason in found.explain(row))


def distance(a: str, b: str) -> int:
    """Return Levenshtein's distance, as in a textbook."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, old = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(old[j] + 1, row[j - 1] + 1, old[j - 1] + (x != y)))
    return row[-1]


def past(index: Index, length: int) -> list[tuple[str, int, int]]:
    part = index[length]
    return list(zip(list(part.clue_keys), part.clue_answer_rows.tolist(), part.clue_counts.tolist(), strict=True))


@pytest.mark.parametrize(
    "clue", [KNOWN, "Striped hunters", "honey eater", "A golden egg layers, say", "word of the year", "zzz"]
)
@pytest.mark.parametrize("limit", [8, 40, 10**6])
def test_nearby_is_a_full_scan_of_its_window(clue: str, limit: int, whole: Index):
    rows, key = past(whole, 5), text.clue_key(clue)
    window = {i for i, row in enumerate(rows) if row[0] == key}
    for turn in (str, text.reverse_key):
        order = sorted(range(len(rows)), key=lambda i: (turn(rows[i][0]).encode(), i))
        at = sum(turn(row[0]).encode() < turn(key).encode() for row in rows)
        window |= set(order[max(at - limit // 4, 0) : at + limit // 4])
    best: dict[int, float] = defaultdict(float)
    for i in window:
        alike = 1 - distance(key, rows[i][0]) / max(len(key), len(rows[i][0]))
        if alike >= CANDIDATES.min_similarity - 1e-9:
            best[rows[i][1]] = max(best[rows[i][1]], alike)
    found = find("nearby", clue, "?????", whole, limit)
    assert column(found, "nearby") == pytest.approx(best, abs=1e-6)
    uses = Counter({row[1]: row[2] for row in rows if row[0] == key})
    for answer, share in column(found, "share of same clue").items():
        assert share == pytest.approx(uses[answer] / max(uses.total(), 1))


def bag(key: str) -> set[tuple[int, tuple[str, ...]]]:
    words = key.split()
    plain_words = [word for word in words if word != text.BLANK_TOKEN]
    features = {(clue_features.WORD, (word,)) for word in plain_words}
    features |= {(clue_features.STEM, (text.stem_word(word),)) for word in plain_words}
    return features | {(clue_features.PAIR, pair) for pair in itertools.pairwise(words)}


@pytest.mark.parametrize(
    "clue", [KNOWN, "striped hunters", "the city", "___ bamboo eater", "A player on the river", "old old metal"]
)
def test_keywords_is_the_cosine_of_a_plain_loop(clue: str, whole: Index):
    rows = past(whole, 5)
    bags = [bag(key) for key, _, _ in rows]
    among = Counter(feature for one in bags for feature in one)

    def weight(feature: tuple[int, tuple[str, ...]]) -> float:
        rarity = max(math.log((len(rows) + 1) / (among[feature] + 0.5)), 0)
        return rarity * float(clue_features.KIND_WEIGHTS[feature[0]])

    asked = bag(text.clue_key(clue))
    known = {f for f in asked if among[f]}
    use = {f for f in known if among[f] <= CANDIDATES.max_feature_share * len(rows)} or known
    best: dict[int, float] = defaultdict(float)
    total: dict[int, float] = defaultdict(float)
    covered: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    whole_clue = sum(weight(f) ** 2 for f in asked)
    for (_, answer, _), one in zip(rows, bags, strict=True):
        dot, itself = sum(weight(f) ** 2 for f in use & one), sum(weight(f) ** 2 for f in one)
        if dot:
            covered[answer] = [
                max(*pair) for pair in zip(covered[answer], (dot / whole_clue, dot / itself), strict=True)
            ]
            cosine = dot / math.sqrt(itself) / math.sqrt(whole_clue)
            best[answer] = max(best[answer], cosine)
            total[answer] += cosine
    assert best, "a test that finds nothing tests nothing"
    found = find("keywords", clue, "?????", whole, 10**6)
    assert column(found, "keywords") == pytest.approx(best, rel=1e-4)
    seen = np.expm1(list(column(found, "keywords sum").values()))
    assert seen == pytest.approx([total[row] for row in found.answer_rows.tolist()], rel=1e-4)
    right = np.array([covered[row] for row in found.answer_rows.tolist()])
    for i, name in enumerate(("clue covered", "past clue covered")):
        assert found.feature_columns[name] == pytest.approx(right[:, i], rel=1e-4)


@pytest.mark.parametrize(
    "clue",
    [KNOWN, "striped hunters", "the city pyramids", "___ bamboo eater", "A player on the river", "old old eater"],
)
def test_vocabulary_is_what_all_clues_of_an_answer_say(clue: str, whole: Index):
    rows = past(whole, 5)
    documents: dict[int, set[tuple[int, tuple[str, ...]]]] = defaultdict(set)
    for key, answer, _ in rows:
        documents[answer] |= bag(key)
    among = Counter(feature for one in documents.values() for feature in one)
    assert documents.keys() == set(np.flatnonzero(whole[5].use_counts).tolist())

    def rarity(feature: tuple[int, tuple[str, ...]]) -> float:
        return max(math.log((len(documents) + 1) / (among[feature] + 0.5)), 0)

    right: dict[int, list[float]] = {}
    for answer, document in documents.items():
        columns = []
        for kind in (clue_features.STEM, clue_features.PAIR):
            asked = [f for f in bag(text.clue_key(clue)) if f[0] == kind]
            shared = [
                rarity(f) for f in asked if f in document and among[f] <= CANDIDATES.max_feature_share * len(documents)
            ]
            columns += [sum(r**2 for r in shared) / max(sum(rarity(f) ** 2 for f in asked), 1e-9), sum(shared) / 10]
        if any(columns):
            right[answer] = columns
    found = find("vocabulary", clue, "?????", whole)
    assert found.answer_rows.tolist() == sorted(right) and right, "a test that finds nothing tests nothing"
    for i, name in enumerate(keywords.VOCABULARY_FEATURES):
        assert column(found, name) == pytest.approx({row: columns[i] for row, columns in right.items()}, rel=1e-4)


def said_by(name: str, clue: str, length: int, index: Index) -> dict[str, tuple[float, str]]:
    """Return answer -> score and the first reason."""
    part = index[length]
    found = find(name, clue, "?" * length, index)
    return {
        part.answers[row].decode(): (score, found.explain(row)[0].text) for row, score in column(found, name).items()
    }


@pytest.mark.parametrize(
    ("clue", "answer", "reason"),
    [
        ("Runner", "HARE", 'kind of "runner", in dictionary'),
        ("A runner, say", "HARE", 'kind of "runner", in dictionary'),
        ("Zzz: swift", "HARE", 'related to "swift", in dictionary'),
        ("Hunters", "TIGERS", 'kind of "hunters", in dictionary'),
        ("Look hard at it", "STARE", 'synonym of "look hard", in dictionary'),
        ("Long old river", "NILE", "its definition shares words with the clue"),
        ("Not slow, but fast", "SLOW", 'antonym of "fast", in dictionary'),
    ],
)
def test_reference_says_how_it_came_to_an_answer(clue: str, answer: str, reason: str):
    index = shared.index([*corpus.rows(), corpus.entry("SLOW", weight=0.5), corpus.entry("STARE", weight=0.5)])
    assert said_by("reference", clue, len(answer), index)[answer][1] == reason


def test_reference_wants_the_ending_of_the_clue(whole: Index):
    assert "TIGERS" not in said_by("reference", "Hunter", 6, whole)
    assert "TIGER" not in {a for a, (score, _) in said_by("reference", "Hunters", 5, whole).items() if score}


@pytest.mark.parametrize(
    ("clue", "answer", "phrase"),
    [
        ("___ Beta Kappa", "PHI", "Phi Beta Kappa"),
        ('"Phi ___ Kappa" (honor society)', "BETA", "Phi Beta Kappa"),
        ("Phi Beta ___", "KAPPA", "Phi Beta Kappa"),
        ("Sacred river ___", "GANGES", "sacred river ganges"),
        ("Lightning ___", "ROD", "lightning rod"),
        ("___ in the dark", "SHOT", "shot in the dark"),
        ("A ___ the dark", "SHOTIN", "a shot in the dark"),
    ],
)
def test_blanks_completes_titles_and_clues(clue: str, answer: str, phrase: str):
    texts = [Entry("PHIBETAKAPPA", "", "Phi Beta Kappa", "titles", None, 0.5)]
    listed = [corpus.entry(word, weight=0.5) for word in ("PHI", "BETA", "KAPPA", "ROD", "SHOT", "SHOTIN", "GANGES")]
    clues = [
        corpus.entry("INDIA", "Sacred river Ganges is there", 2001),
        corpus.entry("WILD", "Like a shot in the dark", 2001),
        corpus.entry("LIGHTNING", "___ rod (it is struck)", 2001),
    ]  # fmt: skip
    index = shared.index([*texts, *listed, *clues])
    assert said_by("blanks", clue, len(answer), index)[answer][1] == phrase


def test_blanks_is_a_full_scan_of_the_answers(whole: Index):
    """For any clue, an answer of the index is found by its beginning and its end."""
    for length in whole.lengths:
        part = whole[length]
        for name in (answer.decode() for answer in part.answers[::9]):
            for start, end in ((0, 3), (3, len(name)), (1, len(name) - 2)):
                middle = name[start:end]
                shorter = whole[len(middle)]
                if len(name) - len(middle) < 3 or shorter.answer_row(middle) < 0:
                    continue
                clue = f"{name[:start]} ___ {name[end:]}".lower()
                assert middle in said_by("blanks", clue, len(middle), whole)
