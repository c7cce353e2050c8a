"""A rebus square as one cell: what a filler may know, once the contents of some squares are known.

The answers of a slot with rebus squares are longer than the slot. Those that have the contents where they belong are
kept, and of each content its first letter; so every answer is again as long as its slot, and any filler can work with
it. Answers in no list are still judged by all their letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.models.ngram import certain
from regis.models.unlisted import StringModel
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import codes, word
from regis.solving.solution import Candidates, Solution, Table

Squares = Mapping[Cell, str]  # what rebus squares hold: several letters, A-Z


def parts(slot: Slot, squares: Squares) -> list[str]:
    """What each cell of the slot adds to its answer: the content of a rebus square, `?` of any other cell."""
    return [squares.get(cell, "?") for cell in slot.cells]


def starts(parts: Sequence[str]) -> list[int]:
    """Where in the whole answer each cell begins, and at last how long the answer is."""
    return list(accumulate(map(len, parts), initial=0))


def whole(slot: Slot, squares: Squares, answer: str) -> str:
    """`answer`, one letter a cell, with the contents of the rebus squares in their places."""
    return "".join(x if x != "?" else letter for x, letter in zip(parts(slot, squares), answer, strict=True))


def shown(solution: Solution, squares: Squares) -> Solution:
    """`solution`, one letter a cell, with the contents of the rebus squares in their places."""
    ranked = {slot: tuple((whole(slot, squares, x), p) for x, p in best) for slot, best in solution.ranked.items()}
    return replace(solution, cells={**solution.cells, **squares}, ranked=ranked)


def begun(puzzle: Puzzle, squares: Squares) -> Puzzle:
    """`puzzle` with the squares' letters written in."""
    return replace(puzzle, given={**puzzle.given, **{cell: content[0] for cell, content in squares.items()}})


def collapsed(among: Candidates, squares: Squares) -> Candidates:
    """`among` once the contents of `squares` are known, each of them one letter."""
    rebus = {slot for slot in among.lists if any(cell in squares for cell in slot.cells)}
    if not rebus:
        return among
    lists = {slot: narrowed(among, slot, squares) if slot in rebus else known for slot, known in among.lists.items()}

    def knowing(believed: Mapping[Slot, str]) -> Candidates | None:
        if (new := among.knowing({slot: whole(slot, squares, answer) for slot, answer in believed.items()})) is None:
            return None
        again = collapsed(new, squares)
        return replace(again, lists={**again.lists, **{slot: lists[slot] for slot in rebus}})

    return replace(
        among,
        lists=lists,
        matching=lambda slot, known: lists[slot].given(known) if slot in rebus else among.matching(slot, known),
        clued=lambda slots: [
            widened(among, slot, squares) if slot in rebus else among.strings_for(slot) for slot in slots
        ],
        knowing=knowing,
    )


def narrowed(among: Candidates, slot: Slot, squares: Squares) -> CandidateList:
    """The longer answers of one slot that have the contents of its squares in their places, one letter a cell."""
    known = parts(slot, squares)
    longer = among.longer({slot: starts(known)[-1]})[slot]
    kept = longer.keep(longer.matching("".join(known)))
    return replace(kept, letters=np.ascontiguousarray(kept.letters[:, starts(known)[:-1]]))


def widened(among: Candidates, slot: Slot, squares: Squares) -> StringModel:
    """What an unlisted answer of one slot with such squares looks like, one letter a cell."""
    model = among.strings_for(slot)
    return Widened(model.letters, model.phrases, model.share, parts(slot, squares))


@dataclass(frozen=True)
class Widened(StringModel):
    """The model of a slot's unlisted answers, asked with a row of evidence for each cell; `known` are its `parts`.

    A string that is longer than the slot, as the person wrote several letters into one of the other squares, is whole.
    """

    known: Sequence[str] = ()

    def with_phrases(self, evidence: Table, weight: float, marginal: Table) -> tuple[float, Table]:
        """As StringModel's, of all letters; `weight` and `marginal` are of the shown ones, and not used."""
        rows = [row[None] if x == "?" else certain(codes(x)) for x, row in zip(self.known, evidence, strict=True)]
        wide = np.concatenate(rows)
        weights, marginals = self.by_letters(wide[None])
        found, letters = self._plain.with_phrases(wide, float(weights[0]), marginals[0])
        first = [row[codes(x[0])[0]] for x, row in zip(self.known, evidence, strict=True) if x != "?"]
        return found + float(np.log(first).sum()), letters[starts(self.known)[:-1]]

    def string(self, row: NDArray[np.uint8]) -> float:
        return self._plain.string(self._whole_row(row))

    def pieces(self, row: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """What the phrase model makes the whole string of."""
        return self._plain.pieces(self._whole_row(row))

    def _whole_row(self, row: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """All letters of the string of which `row` has one a cell."""
        if len(row) != len(self.known):
            return row
        return codes("".join(letter if x == "?" else x for x, letter in zip(self.known, word(row), strict=True)))

    @property
    def _plain(self) -> StringModel:
        return StringModel(self.letters, self.phrases, self.share)
