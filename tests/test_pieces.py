"""What is found of pieces is what looking at every one of them in every place finds."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from regis.models.settings import STRINGS
from regis.models.strings import pieces
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
