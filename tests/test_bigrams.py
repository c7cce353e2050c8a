"""Which words follow each other: the counts in clues, the queries, and the effect on neighboring pieces."""

import itertools
from collections import Counter
from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import test_distil
from hypothesis import given
from hypothesis import strategies as st

from regis import text
from regis.errors import IndexDamaged
from regis.index import Index
from regis.index.tables import learned_models as counting
from regis.index.tables import schema
from regis.models.settings import STRINGS
from regis.models.strings.phrase_model import FIRST_PIECE, LAST_PIECE, MIDDLE_PIECE, PhraseModel
from regis.models.strings.semi_markov import WordBigrams, sum_by_feature
from regis.models.text import clue_features
from regis.puzzle import alphabet

taught, distilled, small = test_distil.taught, test_distil.distilled, test_distil.small

PIECES = ("A", "B", "AB", "BA", "ABA")
KNOWN = {("A", "B"): 0.5, ("AB", "A"): 0.25, ("BA", "BA"): 1.0, ("B", "AB"): 0.125}


def codes(*them: str) -> np.ndarray:
    return np.array([clue_features.hash_word(one.lower()) for one in them], np.uint64)


def bigrams(halves: bool = False) -> WordBigrams:
    first, second = zip(*KNOWN, strict=True)
    whole = clue_features.hash_pairs(codes(*first), codes(*second))
    pairs, times = sum_by_feature(
        clue_features.upper_halves(whole) if halves else whole,
        (8 + STRINGS.rarity_count) * np.array(list(KNOWN.values())),
    )
    return WordBigrams(pairs, times, codes(*PIECES), np.full(len(PIECES), 8, np.float32))


def model() -> PhraseModel:
    chances = np.random.default_rng(3).uniform(0.1, 1, (3, len(PIECES)))
    return PhraseModel(PIECES, chances, bigrams).reweight_pieces(np.linspace(0.5, 2, len(PIECES)))


# pairs


@pytest.mark.parametrize("halves", [False, True])
def test_what_follows_what_is_known_and_nothing_else(halves: bool):
    first, second = (places.ravel() for places in np.indices((len(PIECES), len(PIECES))))
    found = bigrams(halves).succession_probability(first, second)
    assert found.tolist() == [KNOWN.get((PIECES[a], PIECES[b]), 0.0) for a, b in zip(first, second, strict=True)]


# pieces side by side


def rows(of: PhraseModel, string: str) -> dict[tuple[str, ...], float]:
    """Return every string of two pieces or more that makes the answer, with its weight; the slow, obvious version."""
    chances, factor = of.piece_probabilities, np.linspace(0.5, 2, len(PIECES))
    scale = chances / np.random.default_rng(3).uniform(0.1, 1, (3, len(PIECES))) / factor

    def on(made: tuple[str, ...], weight: float) -> None:
        at = len("".join(made))
        if at == len(string) and len(made) > 1:
            found[made] = weight
        for i, piece in enumerate(PIECES):
            if string.startswith(piece, at) and (made or piece != string):
                kind = FIRST_PIECE if not made else LAST_PIECE if at + len(piece) == len(string) else MIDDLE_PIECE
                p = chances[kind, i]
                if made:
                    follows = KNOWN.get((made[-1], piece), 0.0) * factor[i] * scale[kind, i]
                    p = (1 - STRINGS.succession_share) * p + STRINGS.succession_share * follows
                on((*made, piece), weight * p)

    found: dict[tuple[str, ...], float] = {}
    on((), 1.0)
    return found


@given(st.text("AB", min_size=2, max_size=8))
def test_a_string_weighs_what_all_its_rows_of_pieces_do(string: str):
    found, letters = rows(model(), string), alphabet.letter_codes(string)
    total = sum(found.values())
    assert model().string_log_weight(letters) == (pytest.approx(np.log(total)) if total else -np.inf)
    pieces, share = model().best_pieces(letters)
    if not total:
        assert (pieces, share) == ((), 0.0)
        return
    assert found[pieces] == pytest.approx(max(found.values())) and share == pytest.approx(found[pieces] / total)


@pytest.mark.parametrize("length", range(2, 7))
def test_letters_are_as_likely_as_all_rows_with_them(length: int):
    evidence = np.zeros((length, 26))
    evidence[:, :2] = np.random.default_rng(length).uniform(0.1, 3, (length, 2))
    marginal = np.zeros((length, 26))
    for string in map("".join, itertools.product("AB", repeat=length)):
        codes = alphabet.letter_codes(string)
        marginal[np.arange(length), codes] += (
            sum(rows(model(), string).values()) * evidence[range(length), codes].prod()
        )
    weight, found = model().letter_posterior(evidence)
    assert weight == pytest.approx(np.log(marginal[0].sum())) and found == pytest.approx(marginal / marginal[0].sum())


# counting


def slow(index: Index, words: list[str], each: bool) -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Count each pair and each word's stem: in `each` clue, or by answers, each once."""
    pairs, used = set[tuple[object, ...]](), set[tuple[object, ...]]()
    for part in index.partitions():
        rows = zip(list(part.clue_keys), part.clue_answer_rows.tolist(), part.clue_counts.tolist(), strict=True)
        for row, (key, answer, count) in enumerate(rows):
            name, said = part.answers[answer].decode(), key.split()
            who = (part.length, row) if each else (part.length, name)
            if count:
                used |= {(text.stem_word(word), *who) for word in said if word != text.BLANK_TOKEN}
                for a, b in itertools.pairwise(said):
                    blank = "ahead" if a == text.BLANK_TOKEN else "behind" if b == text.BLANK_TOKEN else ""
                    pair = [name.lower() if word == text.BLANK_TOKEN else word for word in (a, b)]
                    pairs.add((*pair, blank, *who))
    met = Counter((str(a).upper(), str(b).upper()) for a, b, *_ in pairs)
    stems = Counter(stem for stem, *_ in used)
    return (
        Counter({pair: count for pair, count in met.items() if set(pair) <= {*words}}),
        Counter({word: stems[text.stem_word(word.lower())] for word in words}),
    )


def agrees(index: Index, each: bool, said: Index | None = None) -> Counter[tuple[str, str]]:
    """Check that the counts in the index match its clues, or another index's; return them."""
    clues = (key.upper().split() for part in (said or index).partitions() for key in list(part.clue_keys))
    words = sorted({word for key in clues for word in key if word.isalpha()} | {"OSLO", "PAL", "NEVER"})
    pairs, used = slow(said or index, words, each)
    found = counting.count_bigrams(index.partitions(), np.array(words, "S"))
    assert found.word_counts.tolist() == [used[word] for word in words]
    first, second = (places.ravel() for places in np.indices((len(words), len(words))))
    wanted = [
        min(pairs[words[a], words[b]] / (used[words[a]] + STRINGS.rarity_count), 1)
        for a, b in zip(first, second, strict=True)
    ]
    chances = found.succession_probability(first, second)
    if each:
        assert chances == pytest.approx(wanted) and any(wanted)
    else:  # pairs with only one clue of a length are left out
        assert (chances <= np.array(wanted) + 1e-6).all() and chances.sum() > sum(wanted) / 9
    return pairs


def test_clues_and_their_blanks_tell(tmp_path: Path):
    rows = [
        *corpus.rows((2003,)), corpus.entry("PAL", '"___ Joey"'), corpus.entry("PAL", "Joey's pal"),
        corpus.entry("OSLO", "Pal Joey's ___ concert"), corpus.entry("OSLO", "Pal Joey's city"),
    ]  # fmt: skip
    pairs = agrees(corpus.index(tmp_path, rows), each=True)
    assert pairs["PAL", "JOEY"] == 1 and pairs["PAL", "JOEYS"] == 2 and pairs["JOEYS", "OSLO"] == 1
    assert not pairs["JOEY", "PAL"] and not pairs["OSLO", "JOEY"]


def test_a_distilled_index_tells_too(distilled: Index, taught: Index):
    agrees(distilled, each=False, said=taught)


def test_an_index_without_its_newest_year_does_not_know_it(tmp_path: Path):
    rows = [*corpus.rows((2003,)), corpus.entry("OSLO", "Fjord zebra city", 2004)]
    index = corpus.index(tmp_path, rows)
    words = np.array(["FJORD", "ZEBRA"], "S")
    before, now = (counting.count_bigrams(one.partitions(), words) for one in (index.before_newest_year(), index))
    pair = np.array([0]), np.array([1])
    assert now.succession_probability(*pair)[0] > 0 and not before.succession_probability(*pair)[0]
    assert not before.word_counts[1]


def test_rows_of_no_clue_are_damage(tmp_path: Path):
    index = corpus.index(tmp_path, corpus.rows((2003,)))
    part = schema.length_part(4, schema.TABLES)
    shared.change_arrays(index.files.path, part, lambda arrays: arrays["postings.row"].fill(10**6))
    with pytest.raises(IndexDamaged, match="regis build"):
        counting.count_bigrams(Index(index.files.path, index.manifest).partitions(), np.array(["FJORD"], "S"))
