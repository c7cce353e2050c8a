"""One contract for every finder, and each fast finder against its slow obvious version."""

import itertools
import math
from collections import Counter, defaultdict

import corpus
import numpy as np
import pytest

from regis import text, words
from regis.candidates import Found, fits
from regis.corpus import Entry
from regis.finders import FINDERS, keywords, nearby
from regis.index import Index

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


def find(name: str, clue: str, pattern: str, index: Index, limit: int = 400) -> Found:
    return FINDERS[name](clue, pattern, index, limit)


@EACH
@pytest.mark.parametrize("clue", CLUES, ids=range(len(CLUES)))
def test_contract(name: str, clue: str, whole: Index):
    for pattern in ("???", "?????", "?A???", "ZZZZZ", "???????????"):
        for limit in (0, 3, 400):
            keeps_the_contract(name, clue, pattern, limit, whole)


def keeps_the_contract(name: str, clue: str, pattern: str, limit: int, whole: Index) -> None:
    part = whole[len(pattern)]
    assert part is not None
    found = find(name, clue, pattern, whole, limit)
    assert found.finder == name
    assert len(found.answers) == len(found.score) == len(found.support) == len(found.clues)
    assert len(set(found.answers.tolist())) == len(found.answers), "each answer once"
    assert ((found.answers >= 0) & (found.answers < len(part.letters))).all()
    assert fits(part.letters[found.answers], pattern).all() and part.exists[found.answers].all()
    low, high = RANGE.get(name, (0, 1))
    assert ((found.score >= low) & (found.score <= high + 1e-5)).all() and np.isfinite(found.support).all()
    spoken = found.clues >= 0
    assert (part.clue_answer[found.clues[spoken]] == found.answers[spoken]).all(), (
        "a past clue speaks for its own answer"
    )
    assert (part.clue_count[found.clues[spoken]] > 0).all()
    again = find(name, clue, pattern, whole, limit)
    assert all(np.array_equal(a, b) for a, b in zip(found_arrays(found), found_arrays(again), strict=True))


def found_arrays(found: Found) -> tuple[np.ndarray, ...]:
    return found.answers, found.score, found.support, found.clues


@EACH
@pytest.mark.parametrize("length", [1, 30, 200])
def test_lengths_that_no_index_has(name: str, length: int, whole: Index):
    assert len(find(name, KNOWN, "?" * length, whole).answers) == 0


@EACH
@pytest.mark.parametrize("pattern", ["?A???", "??GER", "OTTER"])
def test_a_pattern_only_takes_away(name: str, pattern: str, whole: Index):
    part = whole[5]
    assert part is not None
    everything, some = find(name, "striped hunter", "?????", whole), find(name, "striped hunter", pattern, whole)
    kept = everything.keep(fits(part.letters[everything.answers], pattern))
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
def test_very_small_indexes(name: str, rows: list[corpus.Row], tmp_path):
    index = corpus.index(tmp_path, rows)
    for at in (index, index.as_it_was()):
        for clue in CLUES:
            found = find(name, clue, "????", at)
            part = at[4]
            assert part is not None and part.exists[found.answers].all()


@EACH
def test_the_hidden_year_is_not_found(name: str, whole: Index):
    before = whole.as_it_was()
    for entry in [e for e in ENTRIES if e.year == corpus.YEARS[-1] and len(e.answer) == 6]:
        part = before[6]
        assert part is not None
        found = find(name, entry.clue, "??????", before)
        assert part.exists[found.answers].all()
        spoken = found.clues[found.clues >= 0]
        assert (part.clue_count[spoken] > 0).all()


def test_pattern_is_ascending_and_whole(whole: Index):
    for length in whole.lengths:
        part = whole[length]
        assert part is not None
        found = find("pattern", "", "?" * length, whole)
        assert found.answers.tolist() == list(range(len(part.letters)))
        assert found.support.tolist() == part.count.tolist() and found.score.tolist() == part.score.tolist()


def distance(a: str, b: str) -> int:
    """Levenshtein's, as in a textbook."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, old = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(old[j] + 1, row[j - 1] + 1, old[j - 1] + (x != y)))
    return row[-1]


def past(index: Index, length: int) -> list[tuple[str, int, int]]:
    part = index[length]
    assert part is not None
    return list(zip(part.key_column.to_pylist(), part.clue_answer.tolist(), part.clue_count.tolist(), strict=True))


@pytest.mark.parametrize(
    "clue", [KNOWN, "Striped hunters", "honey eater", "A golden egg layers, say", "word of the year", "zzz"]
)
@pytest.mark.parametrize("limit", [8, 40, 10**6])
def test_nearby_is_a_full_scan_of_its_window(clue: str, limit: int, whole: Index):
    rows, key = past(whole, 5), text.clue_key(clue)
    window = {i for i, row in enumerate(rows) if row[0] == key}
    for turn in (str, text.reversed_key):
        order = sorted(range(len(rows)), key=lambda i: (turn(rows[i][0]).encode(), i))
        at = sum(turn(row[0]).encode() < turn(key).encode() for row in rows)
        window |= set(order[max(at - limit // 4, 0) : at + limit // 4])
    best: dict[int, float] = defaultdict(float)
    for i in window:
        alike = 1 - distance(key, rows[i][0]) / max(len(key), len(rows[i][0]))
        if alike >= nearby.CUTOFF - 1e-9:
            best[rows[i][1]] = max(best[rows[i][1]], alike)
    found = nearby.find(clue, "?????", whole, limit)
    assert dict(zip(found.answers.tolist(), found.score.tolist(), strict=True)) == pytest.approx(best, abs=1e-6)
    uses = Counter({row[1]: row[2] for row in rows if row[0] == key})
    for answer, share in zip(found.answers.tolist(), found.support.tolist(), strict=True):
        assert share == pytest.approx(uses[answer] / max(uses.total(), 1))


def test_nearby_knows_every_answer_of_a_clue_that_many_have(tmp_path):
    """More answers to the very same clue than the window holds."""
    many = [a + b + c for a in "ABCDEF" for b in "AEIOU" for c in "XYZ"]
    index = corpus.index(tmp_path, [corpus.entry(answer, "See 1-Across", 2001) for answer in many])
    found = nearby.find("See 1-Across", "???", index, 40)
    assert len(found.answers) == len(many) and found.support.sum() == pytest.approx(1, abs=1e-4)


def bag(key: str) -> set[tuple[int, tuple[str, ...]]]:
    said = key.split()
    single = [w for w in said if w != text.BLANK]
    return {(words.WORD, (w,)) for w in single} | {(words.STEM, (text.stem(w),)) for w in single} | {
        (words.PAIR, pair) for pair in itertools.pairwise(said)
    }  # fmt: skip


@pytest.mark.parametrize(
    "clue", [KNOWN, "striped hunters", "the city", "___ bamboo eater", "A player on the river", "old old metal"]
)
def test_keywords_is_the_cosine_of_a_plain_loop(clue: str, whole: Index):
    rows = past(whole, 5)
    bags = [bag(key) for key, _, _ in rows]
    among = Counter(feature for one in bags for feature in one)

    def weight(feature: tuple[int, tuple[str, ...]]) -> float:
        rarity = max(math.log((len(rows) + 1) / (among[feature] + 0.5)), 0)
        return rarity * float(words.KIND_WEIGHT[feature[0]])

    asked = bag(text.clue_key(clue))
    known = {f for f in asked if among[f]}
    use = {f for f in known if among[f] <= keywords.COMMON * len(rows)} or known
    best: dict[int, float] = defaultdict(float)
    total: dict[int, float] = defaultdict(float)
    for (_, answer, _), one in zip(rows, bags, strict=True):
        dot = sum(weight(f) ** 2 for f in use & one)
        if dot:
            cosine = dot / math.sqrt(sum(weight(f) ** 2 for f in one)) / math.sqrt(sum(weight(f) ** 2 for f in asked))
            best[answer] = max(best[answer], cosine)
            total[answer] += cosine
    assert best, "a test that finds nothing tests nothing"
    found = keywords.find(clue, "?????", whole, 10**6)
    assert dict(zip(found.answers.tolist(), found.score.tolist(), strict=True)) == pytest.approx(best, rel=1e-4)
    assert dict(zip(found.answers.tolist(), found.support.tolist(), strict=True)) == pytest.approx(total, rel=1e-4)
