"""What is found of pieces is what looking at every one of them in every place finds."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from regis.models.settings import STRINGS
from regis.models.strings import phrase_model, pieces
from regis.models.strings.phrase_model import FIRST_PIECE, LAST_PIECE, MIDDLE_PIECE, PhraseModel
from regis.models.strings.pieces import PieceTable, PieceTrie
from regis.puzzle import alphabet

NAMES = ("RED", "S", "SEA", "RE", "SEAS", "A", "REDO", "O")
GENERATOR = np.random.default_rng(4)
CHANCES = GENERATOR.uniform(0.01, 1, (3, len(NAMES)))


def evidence(cells: int, sharp: float) -> np.ndarray:
    """What may be known of some cells; the sharper, the more pieces are hopeless."""
    seen = np.exp(sharp * GENERATOR.normal(0, 1, (cells, 26)))
    return seen / seen.max(axis=1, keepdims=True)


def fits(seen: np.ndarray, start: int, piece: str) -> float:
    """How well a piece fits from a cell on; 0 where it is hopeless."""
    fit = float(np.prod([seen[start + i, letter] for i, letter in enumerate(alphabet.letter_codes(piece))]))
    return fit if fit > STRINGS.min_piece_fit else 0.0


@pytest.mark.parametrize("flat", [0.0, 1.1])
@pytest.mark.parametrize(("cells", "sharp"), [(2, 1), (5, 0), (5, 3), (6, 30), (7, 5), (9, 12)])
def test_every_piece_is_found_in_every_place(cells: int, sharp: float, flat: float, monkeypatch: pytest.MonkeyPatch):
    """Whether all are looked at, or only those that a tree leads to."""
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


def test_all_pieces_are_looked_at_where_little_is_known(monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(PieceTrie, "find_fits", lambda self, seen: asked.append(seen))
    known = PieceTable(NAMES, CHANCES)
    assert known.find_fits(evidence(5, 0.5)) is not None and not asked
    known.find_fits(evidence(5, 30))
    assert len(asked) == 1


@pytest.mark.parametrize(("cells", "sharp"), [(3, 0), (5, 1), (6, 2), (6, 4)])
def test_a_posterior_is_that_of_all_ways_to_cut_a_string(cells: int, sharp: float, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(phrase_model, "REACH_LIMITS", (math.inf,))
    factor = GENERATOR.uniform(0.1, 3, len(NAMES))
    model = PhraseModel(NAMES, CHANCES).reweight_pieces(factor)
    chances = model.piece_probabilities
    seen = evidence(cells, sharp)
    total, letters = 0.0, np.zeros((cells, 26))

    def go_on(start: int, weight: float, string: str) -> None:
        nonlocal total
        if start == cells:
            total += weight
            letters[np.arange(cells), alphabet.letter_codes(string)] += weight
            return
        for i, piece in enumerate(NAMES):
            end = start + len(piece)
            if end <= cells and len(piece) < cells:
                kind = FIRST_PIECE if start == 0 else LAST_PIECE if end == cells else MIDDLE_PIECE
                go_on(end, weight * chances[kind, i] * fits(seen, start, piece), string + piece)

    go_on(0, 1.0, "")
    weight, marginal = model.letter_posterior(seen * 7)
    assert weight == pytest.approx(np.log(total) + cells * np.log(7), abs=1e-6)
    assert marginal == pytest.approx(letters / total, abs=1e-6)


def test_without_pieces_nothing_fits():
    model = PhraseModel((), np.zeros((3, 0)))
    weight, marginal = model.letter_posterior(np.ones((4, 26)))
    assert np.isneginf(weight) and not marginal.any() and np.isneginf(model.log_normalizer(4))
