"""A solved puzzle: the grid, why each answer is there, and what it was filled from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import Evidence
from regis.puzzle import DOUBTFUL_BELOW, Cell, Puzzle, Slot
from regis.puzzle.alphabet import is_letters_only
from regis.solving.filler import Fill, SolverInput, StopReason
from regis.solving.rebus.squares import CONTENT_SEPARATOR
from regis.solving.settings import CONFIDENCE
from regis.solving.state import Assumption, State

VERY_DOUBTFUL_BELOW = 0.5  # confidence below which a letter is more likely wrong than right


class Answer(NamedTuple):
    slot: Slot
    clue: str
    answer: str  # `?` for an empty cell
    confidence: float  # probability that the whole answer is right
    evidence: tuple[Evidence, ...]  # empty for an answer that is in no list
    alternatives: tuple[tuple[str, float], ...]  # the next best, with probability


class TwoAnswers(NamedTuple):
    """An entry with two answers that its crossings allow."""

    slot: Slot
    first_answer: str
    second_answer: str

    @property
    def letter_pairs(self) -> Mapping[Cell, str]:
        """Return both letters, as C/D, of each square in which the two answers differ."""
        pairs = zip(self.slot.cells, self.first_answer, self.second_answer, strict=True)
        return {cell: x + CONTENT_SEPARATOR + y for cell, x, y in pairs if x != y}

    @property
    def sentence(self) -> str:
        both = f"{self.first_answer} and {self.second_answer}"
        return f"Regis believes {self.slot} has two answers, {both}. Either letter is right in their squares."


class GivenCheck(NamedTuple):
    n_checked: int  # squares that were checked
    n_skipped: int  # squares that weren't, since they hold several letters or a digit
    n_late: int  # squares that weren't, since time ran out
    doubted_letters: Mapping[Cell, float]  # P(right) of the letters that are probably wrong


@dataclass(frozen=True, repr=False)
class SolvedPuzzle:
    """A puzzle and its filled grid, with everything behind it."""

    puzzle: Puzzle
    fill: Fill  # as a person sees it
    answers: tuple[Answer, ...]
    filler: str  # the filler's name
    seconds: float
    index_fingerprint: str
    state: State | None = field(default=None, repr=False, compare=False)  # after the last move, one letter per cell
    first_fill: Fill | None = field(default=None, repr=False, compare=False)
    """The grid before the reader's pass; None if the pass changed nothing."""
    assumptions: tuple[Assumption, ...] = field(default=(), repr=False, compare=False)
    """The assumptions of the grid, with the price and gain of each."""
    doubted_letters: Mapping[Cell, float] = field(default_factory=dict)  # probably wrong given letters: P(right), < 0.5
    checked_cells: frozenset[Cell] = frozenset()  # given squares that were checked for such letters
    wrong_cells: frozenset[Cell] | None = None  # squares to mark as wrong; None without a score
    rebus_squares: Mapping[Cell, str] = field(default_factory=dict)  # found or given; one letter each in `state`
    two_answer_entries: tuple[TwoAnswers, ...] = ()
    unexplained_share: float = 0.0  # of the grid, by its clues and crossings (report.unexplained_share)

    def __repr__(self) -> str:
        return f"<SolvedPuzzle {self.puzzle.title!r:.60}: {len(self.answers)} entries, by {self.filler}>"

    @property
    def inputs(self) -> SolverInput | None:
        return self.state.inputs if self.state else None

    @property
    def letter_fill(self) -> Fill | None:
        """Return the fill with one letter per cell."""
        return self.state.fill if self.state else None

    @property
    def first_inputs(self) -> SolverInput | None:
        return self.state.first_state.inputs if self.state else None

    @property
    def lists(self) -> Mapping[Slot, CandidateList]:
        return {} if self.inputs is None else self.inputs.lists

    @property
    def answer_cells(self) -> set[Cell]:
        return {cell for answer in self.answers for cell in answer.slot.cells}

    @property
    def ambiguous_cells(self) -> set[Cell]:
        """Return the squares in which either of two letters is right, also in entries not included here."""
        pairs = {cell for cell, content in self.fill.cells.items() if CONTENT_SEPARATOR in content}
        return pairs - self.rebus_squares.keys()

    @property
    def is_confident(self) -> bool:
        """Return whether there are entries, all their squares are filled, and none is doubtful."""
        return bool(self.answers) and all(
            self.fill.confidence.get(cell, 0.0) >= DOUBTFUL_BELOW for cell in self.answer_cells
        )

    @property
    def least_sure_slots(self) -> tuple[Slot, ...]:
        """Return the slot of the least sure answer; none in a grid without entries."""
        return tuple(answer.slot for answer in sorted(self.answers, key=lambda answer: answer.confidence)[:1])

    @property
    def is_hardly_explained(self) -> bool:
        """Return whether the clues hardly explain the grid, though there was time: they may be another puzzle's."""
        was_stopped = (self.first_fill or self.fill).stop_reason is StopReason.OUT_OF_TIME
        return self.unexplained_share >= CONFIDENCE.hardly_explained_share and not was_stopped

    @property
    def is_out_of_time(self) -> bool:
        """Return whether time ran out before the grid was filled."""
        return self.fill.stop_reason is StopReason.OUT_OF_TIME

    @property
    def unchecked_cells(self) -> set[Cell]:
        """Return the squares of entries that the person filled and nothing checked."""
        return (self.puzzle.given.keys() & self.puzzle.grid.slots_through.keys()) - self.checked_cells

    @property
    def given_check(self) -> GivenCheck:
        """Return the outcome of checking the person's letters in these entries."""
        given = self.answer_cells & self.puzzle.given.keys()
        unchecked = [self.puzzle.given[cell] for cell in given & self.unchecked_cells]
        # contents are late only if nothing was checked; otherwise there are too many of them
        is_unchecked = self.is_out_of_time and not self.checked_cells
        n_late = sum(is_letters_only(content, len(content) if is_unchecked else 1) for content in unchecked)
        doubted = {cell: p for cell, p in self.doubted_letters.items() if cell in given}
        return GivenCheck(len(given) - len(unchecked), len(unchecked) - n_late, n_late, doubted)

    def detach(self) -> SolvedPuzzle:
        """Drop the lists and beliefs, which can't leave their process."""
        first_fill = self.first_fill and self.first_fill.detach()
        return replace(self, fill=self.fill.detach(), state=None, first_fill=first_fill)

    def restrict_to(self, slots: Collection[Slot]) -> SolvedPuzzle:
        """Keep only the entries of `slots`, their squares, and the person's letters, which count as right elsewhere."""
        answers = tuple(answer for answer in self.answers if answer.slot in slots)
        inside = {cell for answer in answers for cell in answer.slot.cells}
        given_outside = {cell: content for cell, content in self.puzzle.given.items() if cell not in inside}
        cells = {cell: content for cell, content in self.fill.cells.items() if cell in inside} | given_outside
        confidence = {cell: p for cell, p in self.fill.confidence.items() if cell in inside}
        return replace(
            self,
            fill=replace(self.fill, cells=cells, confidence=confidence | dict.fromkeys(given_outside, 1.0)),
            answers=answers,
            rebus_squares={cell: content for cell, content in self.rebus_squares.items() if cell in cells},
            two_answer_entries=tuple(pair for pair in self.two_answer_entries if pair.slot in slots),
            wrong_cells=self.wrong_cells and self.wrong_cells & inside,
        )

    def cell_content(self, cell: Cell) -> str:
        """Return a square's content as its answers have it: CI is C/I if read this way; '' if empty."""
        content = self.fill.cells.get(cell, "")
        is_rebus = len(content) > 1 and cell not in self.doubted_letters
        return self.rebus_squares.get(cell, content) if is_rebus else content

    def find_two_answers(self, slot: Slot) -> TwoAnswers | None:
        return next((pair for pair in self.two_answer_entries if pair.slot == slot), None)
