"""The phrase model compared with the slow, obvious version: all strings of pieces, summed one by one."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regis.building.training import phrase_pieces as learn
from regis.models.settings import STRINGS
from regis.models.strings import phrase_model, pieces
from regis.models.strings.phrase_model import FIRST_PIECE, LAST_PIECE, MIDDLE_PIECE, PhraseModel
from regis.models.strings.pieces import PieceTable
from regis.puzzle import alphabet

EVERYTHING = (60.0,)  # natural log: pieces this much lighter than all together are in reach

PIECES = ("A", "B", "AB", "BA", "ABA", "C", "ABAB")
LENGTHS = range(1, 6)


@pytest.fixture(autouse=True, scope="module")
def exact() -> Iterator[None]:
    """Leave no light piece out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phrase_model, "REACH_LIMITS", EVERYTHING)
        yield


def model(pieces: Sequence[str] = PIECES, seed: int = 1) -> PhraseModel:
    return PhraseModel(pieces, np.random.default_rng(seed).random((3, len(pieces))))


def cuts(of: PhraseModel, length: int) -> Iterator[tuple[str, float]]:
    """Yield every string of two pieces or more with `length` letters, and the product of its probabilities."""

    def on(text: str, weight: float) -> Iterator[tuple[str, float]]:
        for piece, chance in zip(of.pieces.astype(str).tolist(), of.piece_probabilities.T, strict=True):
            whole = text + piece
            if text and len(whole) == length:
                yield whole, weight * chance[LAST_PIECE]
            elif len(whole) < length:
                yield from on(whole, weight * chance[MIDDLE_PIECE if text else FIRST_PIECE])

    return on("", 1.0)


def added_up(of: PhraseModel, evidence: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the total weight, and the letters' probabilities."""
    total, marginal = 0.0, np.zeros(evidence.shape)
    for string, weight in cuts(of, len(evidence)):
        codes = alphabet.letter_codes(string)
        weight *= evidence[np.arange(len(codes)), codes].prod()
        total += weight
        marginal[np.arange(len(codes)), codes] += weight
    return total, marginal / (total or 1)


def shown(string: str) -> np.ndarray:
    """Return the evidence for one certain string."""
    seen = np.zeros((len(string), 26))
    seen[np.arange(len(string)), alphabet.letter_codes(string)] = 1
    return seen


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("seed", range(5))
def test_posterior_is_the_sum_over_all_cuts(length: int, seed: int):
    evidence = np.random.default_rng(seed).uniform(0.1, 3, (length, 26))
    total, marginal = added_up(model(seed=seed), evidence)
    weight, found = model(seed=seed).letter_posterior(evidence)
    if length == 1:
        assert weight == -np.inf and not found.any(), "one piece alone is no phrase"
        return
    assert weight == pytest.approx(np.log(total)) and found == pytest.approx(marginal)
    assert found.sum(axis=1) == pytest.approx(1)


@given(st.lists(st.text("AB", min_size=1, max_size=3), min_size=1, max_size=5, unique=True), st.integers(2, 6))
def test_base_is_the_weight_of_all_strings(pieces: list[str], length: int):
    one = model(pieces)
    total = sum(weight for _, weight in cuts(one, length))
    assert np.exp(one.log_normalizer(length)) == pytest.approx(total)
    assert np.exp(one.letter_posterior(np.ones((length, 26)))[0]) == pytest.approx(total)


def test_the_hopeless_are_left_out_and_no_others():
    one = PhraseModel(("A", "B"), np.ones((3, 2)))
    for chance, there in ((STRINGS.min_piece_fit / 2, False), (STRINGS.min_piece_fit * 2, True)):
        evidence = shown("AA")
        evidence[0, 1] = chance
        assert (one.letter_posterior(evidence)[1][0, 1] > 0) == there


def test_leaning_moves_chances_and_keeps_their_sums():
    one, factor = model(), np.linspace(0.5, 2, len(PIECES))
    leant = one.reweight_pieces(factor)
    assert leant.piece_probabilities.sum(axis=1) == pytest.approx(one.piece_probabilities.sum(axis=1))
    ratio = leant.piece_probabilities / one.piece_probabilities / factor
    assert ratio == pytest.approx(np.repeat(ratio[:, :1], len(PIECES), axis=1))
    plain = PhraseModel(PIECES, leant.piece_probabilities)
    evidence = np.random.default_rng(2).uniform(0.1, 1, (4, 26))
    for mine, other in zip(leant.letter_posterior(evidence), plain.letter_posterior(evidence), strict=True):
        assert mine == pytest.approx(other)
    assert leant.log_normalizer(4) == pytest.approx(plain.log_normalizer(4))


# finding pieces gives the same as trying every piece in every position
NAMES = ("RED", "S", "SEA", "RE", "SEAS", "A", "REDO", "O")
GENERATOR = np.random.default_rng(4)
CHANCES = GENERATOR.uniform(0.01, 1, (3, len(NAMES)))


def evidence(cells: int, sharp: float) -> np.ndarray:
    """Make evidence about some cells; the sharper, the more pieces are hopeless."""
    seen = np.exp(sharp * GENERATOR.normal(0, 1, (cells, 26)))
    return seen / seen.max(axis=1, keepdims=True)


def fits(seen: np.ndarray, start: int, piece: str) -> float:
    """Return how well a piece fits at a cell; 0 if it is hopeless."""
    fit = float(np.prod([seen[start + i, letter] for i, letter in enumerate(alphabet.letter_codes(piece))]))
    return fit if fit > STRINGS.min_piece_fit else 0.0


@pytest.mark.parametrize("flat", [0.0, 1.1])
@pytest.mark.parametrize(("cells", "sharp"), [(2, 1), (5, 0), (5, 3), (6, 30), (7, 5), (9, 12)])
def test_every_piece_is_found_in_every_place(cells: int, sharp: float, flat: float, monkeypatch: pytest.MonkeyPatch):
    """Whether all are tried, or only those in the trie."""
    monkeypatch.setattr(pieces, "STRINGS", replace(pieces.STRINGS, min_open_share=flat))
    seen = evidence(cells, sharp)
    start, size, piece, fit = PieceTable(NAMES, CHANCES).find_fits(seen)
    names = [NAMES[i] for i in piece]
    assert size.tolist() == [len(name) for name in names] == sorted(size)
    each = list(zip(start.tolist(), names, fit.tolist(), strict=True))
    found = {(start, name): fit for start, name, fit in each}
    assert len(found) == len(each), "each once"
    wanted = {
        (start, piece): fits(seen, start, piece)
        for start, piece in itertools.product(range(cells), NAMES)
        if len(piece) < cells and start + len(piece) <= cells
    }
    assert found == pytest.approx({place: fit for place, fit in wanted.items() if fit})


# learning


def test_matches_are_all_places_but_the_whole():
    answers, pieces = ["ABAB", "BA", "CCC"], list(PIECES)
    found = {(answers[a], s, e, pieces[p]) for a, s, e, p in zip(*learn._find_matches(answers, pieces), strict=True)}
    assert found == {
        (answer, start, end, answer[start:end])
        for answer in answers for start in range(len(answer)) for end in range(start + 1, len(answer) + 1)
        if answer[start:end] in PIECES and end - start < len(answer)
    }  # fmt: skip


def test_em_finds_the_pieces_that_answers_were_made_of():
    heads, tails = ("RED", "SEA", "TOP", "OUT"), ("HAT", "DOG", "MEN")
    answers = [head + tail for head in heads for tail in tails] * 3
    pieces = [*heads, *tails, "EDH", "ATD", "R", "T"]
    lengths = np.array([len(answer) for answer in answers])
    chances = learn._estimate_chances(learn._find_matches(answers, pieces), lengths, np.ones(len(pieces)))
    assert chances[[FIRST_PIECE, LAST_PIECE]].sum(axis=1) == pytest.approx(1) and 0 <= chances[MIDDLE_PIECE].sum() < 0.2
    by_chance: Mapping[int, list[str]] = {
        k: [pieces[i] for i in np.argsort(-chances[k])] for k in (FIRST_PIECE, LAST_PIECE)
    }
    assert set(by_chance[FIRST_PIECE][:4]) == set(heads) and set(by_chance[LAST_PIECE][:3]) == set(tails)
    one = PhraseModel(pieces, chances)
    assert one.letter_posterior(shown("REDMEN"))[0] > one.letter_posterior(shown("MENRED"))[0]
