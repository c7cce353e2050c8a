"""What is found of pieces together is what looking at every piece in every place finds."""

import itertools
import math

import numpy as np
import pytest

from regis.models import phrases
from regis.models.phrases import FIRST, LAST, MIDDLE, PhraseModel
from regis.models.pieces import HOPELESS, Pieces
from regis.puzzle import alphabet

NAMES = ("RED", "S", "SEA", "RE", "SEAS", "A", "REDO", "O")
GENERATOR = np.random.default_rng(4)
CHANCES = GENERATOR.uniform(0.01, 1, (3, len(NAMES)))


def evidence(cells: int, sharp: float) -> np.ndarray:
    """What may be known of some cells; the sharper, the more pieces are hopeless."""
    seen = np.exp(sharp * GENERATOR.normal(0, 1, (cells, 26)))
    return seen / seen.max(axis=1, keepdims=True)


def fits(seen: np.ndarray, start: int, piece: str) -> float:
    """How well a piece fits from a cell on."""
    return float(np.prod([seen[start + i, letter] for i, letter in enumerate(alphabet.codes(piece))]))


@pytest.mark.parametrize(("cells", "sharp"), [(2, 1), (5, 0), (5, 3), (6, 30), (7, 5), (9, 12)])
def test_every_piece_is_found_in_every_place(cells: int, sharp: float):
    seen = evidence(cells, sharp)
    places = list(Pieces(NAMES, CHANCES).fitting(seen))
    assert [one.end - one.start for one in places] == sorted(one.end - one.start for one in places)
    assert all(len(NAMES[i]) == one.end - one.start for one in places for i in one.piece)
    each = [(one.start, NAMES[i], fit) for one in places for i, fit in zip(one.piece, one.fit.tolist(), strict=True)]
    found = {(start, name): fit for start, name, fit in each}
    assert len(found) == len(each), "each once"
    wanted = {
        (start, piece): fits(seen, start, piece)
        for start, piece in itertools.product(range(cells), NAMES)
        if len(piece) < cells and start + len(piece) <= cells
    }
    assert found == pytest.approx({place: wanted[place] for place in found}, rel=1e-4)
    assert all(wanted[place] <= HOPELESS for place in wanted.keys() - found.keys()), "only hopeless ones are not found"


def test_hopeless_pieces_are_passed_over_where_they_are_most():
    names = [f"{first}{second}ED" for first, second in itertools.product("ABCDEFGHIJ", repeat=2)]
    seen = np.full((5, 26), 1e-7)
    seen[:, alphabet.codes("AABED")] = 1.0
    pieces = Pieces(names, np.ones((3, len(names))))
    assert max(len(one.piece) for one in pieces.fitting(seen)) < len(names) / 2
    likely = {names[i] for one in pieces.fitting(seen) for i in one.piece[one.fit > HOPELESS]}
    assert {"AAED", "ABED", "BAED"} <= likely


@pytest.mark.parametrize(("cells", "sharp"), [(3, 0), (5, 1), (6, 2)])
def test_a_posterior_is_that_of_all_ways_to_cut_a_string(cells: int, sharp: float, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(phrases, "NARROW", (math.inf,))
    factor = GENERATOR.uniform(0.1, 3, len(NAMES))
    model = PhraseModel(NAMES, CHANCES).leaning(factor)
    chances = model.chances
    seen = evidence(cells, sharp)
    total, letters = 0.0, np.zeros((cells, 26))

    def go_on(start: int, weight: float, string: str) -> None:
        nonlocal total
        if start == cells:
            total += weight
            letters[np.arange(cells), alphabet.codes(string)] += weight
            return
        for i, piece in enumerate(NAMES):
            end = start + len(piece)
            if end <= cells and len(piece) < cells:
                kind = FIRST if start == 0 else LAST if end == cells else MIDDLE
                go_on(end, weight * chances[kind, i] * fits(seen, start, piece), string + piece)

    go_on(0, 1.0, "")
    weight, marginal = model.posterior(seen * 7)
    assert weight == pytest.approx(np.log(total) + cells * np.log(7), abs=1e-5)
    assert marginal == pytest.approx(letters / total, abs=1e-5)


def test_without_pieces_nothing_fits():
    model = PhraseModel((), np.zeros((3, 0)))
    weight, marginal = model.posterior(np.ones((4, 26)))
    assert np.isneginf(weight) and not marginal.any() and np.isneginf(model.base(4))
