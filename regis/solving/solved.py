"""A puzzle once it is solved: what is rendered, scored and asked about.

Beside the grid it holds why each answer stands there, what Regis believes of the puzzle as a whole (a theme, rebus
squares, two answers that are both right), and what it was filled from.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from regis.candidates.candidate_list import CandidateList
from regis.candidates.found import Evidence
from regis.puzzle import Cell, Puzzle, Slot, listed
from regis.puzzle.alphabet import spelled
from regis.solving.solution import OUT_OF_TIME, Candidates, Solution

DOUBTFUL = 0.9
VERY_DOUBTFUL = 0.5
"""Below these confidences a letter is marked. Of letters just under the first one in ten is wrong, which is about one
in every other word; under the second, the letter is more likely wrong than right."""

BOTH = "/"  # stands between what a square holds across and what it holds down, or between two letters that are right


NAMED = 12  # entries that are all named in a sentence, at most


def enumerated(slots: Sequence[Slot]) -> str:
    """'17A, 28A and 46A'; of very many the first."""
    if len(slots) > NAMED:
        return listed(slots)
    *others, last = map(str, slots)
    return f"{', '.join(others)} and {last}" if others else last


class Answer(NamedTuple):
    """One slot of a solved puzzle, with all that a person may want to know of it."""

    slot: Slot
    clue: str
    answer: str  # `?` for an empty cell
    confidence: float  # probability that the whole answer is right
    evidence: tuple[Evidence, ...]  # why; empty for an answer that is in no list
    alternatives: tuple[tuple[str, float], ...]  # the next best, with probability


class Either(NamedTuple):
    """An entry with two answers, both of which its crossings allow: the one that stands, and the other."""

    slot: Slot
    first: str
    other: str

    @property
    def squares(self) -> Mapping[Cell, str]:
        """What the squares hold in which the two differ."""
        pairs = zip(self.slot.cells, self.first, self.other, strict=True)
        return {cell: x + BOTH + y for cell, x, y in pairs if x != y}

    @property
    def sentence(self) -> str:
        """'Regis believes that 1A has two answers, CAT and DOG: in their squares either letter is right.'"""
        both = f"{self.first} and {self.other}"
        return f"Regis believes that {self.slot} has two answers, {both}: in their squares either letter is right."


class Theme(NamedTuple):
    """What several answers have in common: each is a known phrase, changed in the same way."""

    said: str  # what was done, in words that follow "three answers have": "AL added"
    phrases: Mapping[Slot, str]  # the phrase of which each answer was made

    def standing(self, before: Solution, after: Solution) -> Theme | None:
        """What is left of the theme of one solution in another; None where that is too little to be one."""
        return self.among([slot for slot in self.phrases if after.answer(slot) == before.answer(slot)])

    def among(self, slots: Collection[Slot]) -> Theme | None:
        """What is left of it in some slots; None where that is too little to be a theme."""
        left = {slot: phrase for slot, phrase in self.phrases.items() if slot in slots}
        return self._replace(phrases=left) if len(left) > 1 else None

    @property
    def sentence(self) -> str:
        """'Regis believes that this puzzle has a theme: 3 answers have AL added (17A, 28A and 46A).'"""
        where = enumerated(list(self.phrases))
        return f"Regis believes that this puzzle has a theme: {len(self.phrases)} answers have {self.said} ({where})."


class Checked(NamedTuple):
    """What was found of the letters that the person wrote."""

    judged: int  # how many squares were looked at,
    others: int  # how many were not, since they hold several letters or a digit,
    late: int  # and how many were not, since time ran out
    wrong: Mapping[Cell, float]  # the letters that are probably wrong, with P(right)


@dataclass(frozen=True, repr=False)
class Solved:
    """A puzzle, its solution and how it came about: what is rendered and what is scored."""

    puzzle: Puzzle
    solution: Solution
    answers: tuple[Answer, ...]
    filler: str
    seconds: float
    index: str  # fingerprint of the index that was used
    candidates: Candidates | None = field(default=None, repr=False, compare=False)  # what the filler was given last
    filled: Solution | None = field(default=None, repr=False, compare=False)  # what it made of them, one letter a cell
    doubts: Mapping[Cell, float] = field(default_factory=dict)  # the person's probably wrong letters: P(right), < 0.5
    judged: frozenset[Cell] = frozenset()  # squares of the person's that were looked at for such letters
    wrong: frozenset[Cell] | None = None  # squares to be marked as wrong; None where nobody asked for the score
    squares: Mapping[Cell, str] = field(default_factory=dict)  # rebus squares, found or given; in lists, one letter
    known: Candidates | None = field(default=None, repr=False, compare=False)  # what the filler was given at first
    either: tuple[Either, ...] = ()  # entries that Regis believes to have two answers
    theme: Theme | None = None  # what Regis believes that answers have in common
    first: Solution | None = field(default=None, repr=False, compare=False)  # before a second look changed it

    def __repr__(self) -> str:
        return f"<Solved {self.puzzle.title!r:.60}: {len(self.answers)} entries, by {self.filler}>"

    @property
    def lists(self) -> Mapping[Slot, CandidateList]:
        """The list of each slot that the filler was given last."""
        return {} if self.candidates is None else self.candidates.lists

    @property
    def shown(self) -> set[Cell]:
        """The squares of the entries that are here."""
        return {cell for answer in self.answers for cell in answer.slot.cells}

    @property
    def twofold(self) -> set[Cell]:
        """The squares in which either of two letters is right, also where the entry with two answers is not here."""
        return {cell for cell, content in self.solution.cells.items() if BOTH in content and cell not in self.squares}

    @property
    def sure(self) -> bool:
        """Whether every square of these entries is filled, and not doubtful."""
        return all(self.solution.confidence.get(cell, 0.0) >= DOUBTFUL for cell in self.shown)

    @property
    def late(self) -> bool:
        """Whether time ran out before the grid was filled as it would have been."""
        return self.solution.statistics.get("stopped") == OUT_OF_TIME

    @property
    def checked(self) -> Checked:
        """What was found of the letters that the person wrote into these entries."""
        written = self.shown & self.puzzle.given.keys()
        left = [self.puzzle.given[cell] for cell in written - self.judged]
        several = self.late and not self.judged  # or some were looked at, and of the others there are too many
        late = sum(spelled(content, len(content) if several else 1) for content in left)
        wrong = {cell: p for cell, p in self.doubts.items() if cell in written}
        return Checked(len(written) - len(left), len(left) - late, late, wrong)

    def only(self, slots: Collection[Slot]) -> Solved:
        """The same without the other entries; of the grid only their squares and the person's own letters are left.

        What Regis thinks of letters in other squares is left out too: they stand as the person wrote them, and count as
        right. So is what it believes of other entries, that they have two answers or belong to a theme.
        """
        answers = tuple(answer for answer in self.answers if answer.slot in slots)
        asked = {cell for answer in answers for cell in answer.slot.cells}
        own = {cell: content for cell, content in self.puzzle.given.items() if cell not in asked}
        shown = {cell: content for cell, content in self.solution.cells.items() if cell in asked} | own
        sure = {cell: p for cell, p in self.solution.confidence.items() if cell in asked} | dict.fromkeys(own, 1.0)
        return replace(
            self,
            solution=replace(self.solution, cells=shown, confidence=sure),
            answers=answers,
            squares={cell: content for cell, content in self.squares.items() if cell in shown},
            either=tuple(one for one in self.either if one.slot in slots),
            theme=self.theme and self.theme.among(slots),
            wrong=self.wrong and self.wrong & asked,
        )

    def read(self, cell: Cell) -> str:
        """What a square holds as its answers have it: the person's CI is C/I where it is read so; '' for nothing."""
        content = self.solution.cells.get(cell, "")
        return self.squares.get(cell, content) if len(content) > 1 and cell not in self.doubts else content

    def two_answers(self, slot: Slot) -> Either | None:
        """The two answers that Regis believes a slot to have, if it does."""
        return next((one for one in self.either if one.slot == slot), None)
