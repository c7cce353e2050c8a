"""A puzzle solved without any of your letters, and what Regis thinks of the letters you typed since.

If solving left no doubt, your letters change nothing. Otherwise they are evidence, and the grid is filled again with
them, which is much faster than solving.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from regis.puzzle import DOUBTFUL_BELOW, Cell, Puzzle, Slot, entry_names
from regis.puzzle.alphabet import ALPHABET, is_letters_only
from regis.solving import pipeline
from regis.solving.belief import BELIEF
from regis.solving.filler import SolverInput
from regis.solving.given import (
    DOUBTED_BELOW,
    PRIOR_WRONG,
    p_contents_correct,
    p_given_correct,
    review_letters,
)
from regis.solving.rebus.squares import CONTENT_SEPARATOR, find_given_squares, swap_directions
from regis.solving.report import report_answers
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.progress import FOREVER, deadline_in

CellContents = Mapping[Cell, str]

REFILL_SECONDS = 5.0
"""Time limit for filling again with your letters, and for judging rebus squares, since you wait for it. A guess."""


VERDICT_FROM = 0.99  # probability at which Regis calls a letter right or wrong

UNDERSTOOD_FROM = 0.9
"""Mean probability of the squares at which Regis understands a grid. Of 65 grids, 62 had 0.92 or more, and no correct
letter was called wrong; the others had 0.34 or less, and 3 correct letters were."""


class LettersReview(NamedTuple):
    """What Regis thinks of the letters you typed."""

    letters: CellContents  # as typed
    p_correct: Mapping[Cell, float]  # of letters, given that you typed them, and of wrong contents
    accepted_cells: Collection[Cell]  # rebus squares with no evidence against their contents


@dataclass
class SolvedSession:
    """A puzzle solved without your letters, with the last review of them and the last refill.

    Several threads may use it at once, so each method reads these attributes only once.
    """

    solved_blank: SolvedPuzzle
    last_review: LettersReview | None = None
    last_refill: tuple[CellContents, SolvedPuzzle] | None = None
    segment: Callable[[str], str] = str  # splits an answer into words

    @property
    def puzzle(self) -> Puzzle:
        return self.solved_blank.puzzle

    @property
    def inputs(self) -> SolverInput:
        """The candidate lists and models for the clues, whatever you typed."""
        assert self.solved_blank.first_inputs is not None, "it was solved"
        return self.solved_blank.first_inputs

    @property
    def is_understood(self) -> bool:
        """Return whether Regis is sure enough of the grid as a whole to judge any letter in it."""
        confidence, cells = self.solved_blank.fill.confidence, self.puzzle.grid.cells
        return sum(confidence.get(cell, 0.0) for cell in cells) >= UNDERSTOOD_FROM * len(cells)

    def find_slot(self, entry_name: str) -> Slot:
        """Find the slot of an entry. Raises PuzzleError or UsageError."""
        return entry_names.find_slots(entry_name, self.puzzle, "the puzzle")[0]

    def refill(self, letters: CellContents, cells: Collection[Cell]) -> SolvedPuzzle:
        """Fill the grid again to know `cells`; if Regis has doubts, your other letters are evidence.

        Rebus contents are evidence if a review accepted them.
        """
        sure = self.solved_blank.fill.confidence
        others = {cell: x for cell, x in letters.items() if cell not in cells}
        if not others or all(sure.get(cell, 0.0) >= DOUBTFUL_BELOW for cell in cells):
            return self.solved_blank
        last = self.last_refill
        if last is None or last[0] != others:
            begun = self.puzzle_with_letters(others)
            if squares := find_given_squares(begun):
                begun = begun.without_letters(squares.keys() - self.review_letters(others).accepted_cells)
            if not begun.given:
                return self.solved_blank
            deadline = deadline_in(REFILL_SECONDS)
            review = review_letters(begun, self.inputs, deadline)
            state = pipeline.fill_grid(self.inputs, review, pipeline.Method(deadline=deadline))
            state = replace(state, squares={**self.solved_blank.rebus_squares, **state.squares})
            self.last_refill = last = others, report_answers(begun, review, state, BELIEF.name, reveal=True)
        return last[1]

    def puzzle_with_letters(self, letters: CellContents) -> Puzzle:
        """Write your letters into the puzzle, one per square.

        If Regis knows rebus squares, other contents of several letters are left out: its lists have one letter for each
        known square.
        """
        given = {cell: self.reduce_to_letter(cell, x) for cell, x in letters.items()}
        fit = {cell: x for cell, x in given.items() if len(x) == 1 or not self.solved_blank.rebus_squares}
        return replace(self.puzzle, given=fit)

    def reduce_to_letter(self, cell: Cell, content: str) -> str:
        """Reduce a content to one letter: the first of a known rebus, one of A/B; leave any other content.

        WE/NS may be written as WENS, as in files, and in either order.
        """
        own_content = self.solved_blank.fill.cells.get(cell, "")
        parts = [part for part in content.split(CONTENT_SEPARATOR) if part] or [content]
        orders = {own_content, swap_directions(own_content)}
        spellings = {*orders, *(order.replace(CONTENT_SEPARATOR, "") for order in orders), own_content[:1]}
        if own_content and not spellings.isdisjoint((content, *parts)):
            return own_content[0]
        return parts[0]

    def review_letters(self, letters: CellContents) -> LettersReview:
        """Review your letters; the last review is cached."""
        last = self.last_review
        if last is None or last.letters != letters:
            self.last_review = last = self._review_letters(letters)
        return last

    def _review_letters(self, letters: CellContents) -> LettersReview:
        """Review single letters as if rebus squares were empty, then as many of these as time allows.

        These reviews start from the solved puzzle's beliefs, which is much faster than starting over.
        """
        begun = self.puzzle_with_letters(letters)
        p_letters = p_given_correct(begun, self.inputs, FOREVER)
        plain = begun.without_letters([cell for cell, p in p_letters.items() if p < DOUBTED_BELOW])
        inputs = replace(self.inputs, warm_start=self.solved_blank.fill.beliefs)
        p_contents = p_contents_correct(plain, inputs, find_given_squares(begun), deadline_in(REFILL_SECONDS))
        wrong = {cell: p for cell, p in p_contents.items() if p < DOUBTED_BELOW}
        p_correct = {**p_letters, **wrong, **self._review_known_squares(letters)}
        return LettersReview(letters, p_correct, p_contents.keys() - wrong)

    def _review_known_squares(self, letters: CellContents) -> Mapping[Cell, float]:
        """Return P(right) of wrong contents in rebus squares that Regis knows."""
        squares = [cell for cell in self.solved_blank.rebus_squares if cell in letters]
        contents = {cell: self.reduce_to_letter(cell, letters[cell]) for cell in squares}
        others = [cell for cell, x in contents.items() if len(x) > 1 and is_letters_only(x, len(x))]
        sure = {cell: self.solved_blank.fill.confidence[cell] for cell in others}
        p_correct = {
            cell: (1 - p) * (1 - PRIOR_WRONG) / ((1 - p) * (1 - PRIOR_WRONG) + p * PRIOR_WRONG)
            for cell, p in sure.items()
        }
        return {cell: chance for cell, chance in p_correct.items() if chance < DOUBTED_BELOW}

    def ambiguous_letters(self, cell: Cell) -> set[str]:
        """Return both letters of a square with two answers or two entries that disagree; else none."""
        for one in self.solved_blank.two_answer_entries:
            if cell in one.letter_pairs:
                return set(one.letter_pairs[cell].split(CONTENT_SEPARATOR))
        beliefs = self.solved_blank.fill.beliefs
        messages = [beliefs.messages[slot][i] for slot, i in self.puzzle.grid.slots_through.get(cell, ()) if beliefs]
        wanted = {ALPHABET[int(message.argmax())] for message in messages if message.max() >= VERDICT_FROM}
        return wanted if len(wanted) > 1 else set()
