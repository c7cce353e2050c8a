"""A puzzle that was solved without a letter of the person's, and what Regis thinks of letters that they wrote since.

Where solving left no doubt, what they wrote changes nothing; elsewhere it is evidence, and the grid is filled again
with it, which takes far less than solving did.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from regis.puzzle import Cell, Puzzle, Slot, entry_names
from regis.puzzle.alphabet import ALPHABET, spelled
from regis.solving import pipeline
from regis.solving.fillers import FILLERS
from regis.solving.letter_check import DOUBTED, WRONG, judged
from regis.solving.own import with_contents
from regis.solving.rebus import doubted
from regis.solving.rebus.squares import turned
from regis.solving.rebus.written import written as several
from regis.solving.solution import Candidates
from regis.solving.solved import BOTH, DOUBTFUL, Solved
from regis.system.deadline import FOREVER, deadline_in

Letters = Mapping[Cell, str]

SECONDS = 5.0
"""For filling again with the person's letters, and for judging several in a square, if there are any: nobody waits
longer for one letter. A guess."""


class Judgement(NamedTuple):
    """What Regis thinks of what a person wrote."""

    letters: Letters  # which that was,
    chances: Mapping[Cell, float]  # P(right) of letters, their word counted in, and of wrong contents of several,
    believed: Collection[Cell]  # and contents against which nothing speaks


@dataclass
class Known:
    """A puzzle that was solved without the person's letters, and what was worked out last with some.

    Several threads may ask it at once, so what was worked out last is looked at once.
    """

    blank: Solved
    judgement: Judgement | None = None
    refilled: tuple[Letters, Solved] | None = None

    @property
    def puzzle(self) -> Puzzle:
        return self.blank.puzzle

    @property
    def among(self) -> Candidates:
        """What is known of the clues, whatever was written."""
        assert self.blank.known is not None, "it was solved"
        return self.blank.known

    @property
    def judging(self) -> Candidates:
        """The same, and with a theme what that makes of phrases: letters are right that only these answers have."""
        if self.blank.theme is None or self.blank.candidates is None:
            return self.among
        return replace(self.blank.candidates, believed=None)

    @property
    def doubtful(self) -> int:
        """Of how many squares Regis is not sure."""
        confidence = self.blank.solution.confidence
        return sum(confidence.get(cell, 0.0) < DOUBTFUL for cell in self.puzzle.grid.cells)

    def slot(self, name: str) -> Slot:
        return entry_names.slots(name, self.puzzle, "the puzzle")[0]

    def told(self, letters: Letters, cells: Collection[Cell]) -> Solved:
        """What Regis would write into `cells`, with the person's other `letters` for evidence where it has doubts.

        Several in a square are evidence where they were judged and nothing speaks against them.
        """
        sure = self.blank.solution.confidence
        others = {cell: x for cell, x in letters.items() if cell not in cells}
        if not others or all(sure.get(cell, 0.0) >= DOUBTFUL for cell in cells):
            return self.blank
        last = self.refilled
        if last is None or last[0] != others:
            begun = self.written(others)
            if squares := several(begun):
                begun = begun.without(squares.keys() - self.judged(others).believed)
            if not begun.given:
                return self.blank
            deadline = deadline_in(SECONDS)
            again = pipeline.filled_beside(with_contents(begun, self.among, deadline), deadline=deadline)
            kept = replace(again, squares={**self.blank.squares, **again.squares})
            self.refilled = last = others, pipeline.answered(kept, reveal=True)
        return last[1]

    def written(self, letters: Letters) -> Puzzle:
        """The puzzle with the person's letters, one a square.

        Several in a square that say something else are left out where Regis knows rebus squares: its lists have one
        letter for each of those, and no others.
        """
        given = {cell: self.single(cell, x) for cell, x in letters.items()}
        fit = {cell: x for cell, x in given.items() if len(x) == 1 or not self.blank.squares}
        return replace(self.puzzle, given=fit)

    def single(self, cell: Cell, written: str) -> str:
        """`written` as one letter where it says the same: of a rebus square that Regis knows the first, of A/B one.

        WE/NS may be written as WENS, as in files, and either may stand first.
        """
        content = self.blank.solution.cells.get(cell, "")
        parts = [part for part in written.split(BOTH) if part] or [written]
        ways = {content, turned(content)}
        same = {*ways, *(way.replace(BOTH, "") for way in ways), content[:1]}
        if content and not same.isdisjoint((written, *parts)):
            return content[0]
        return parts[0]

    def judged(self, letters: Letters) -> Judgement:
        """What Regis thinks of the person's letters: it is worked out once for the same."""
        last = self.judgement
        if last is None or last.letters != letters:
            self.judgement = last = self._judged(letters)
        return last

    def _judged(self, letters: Letters) -> Judgement:
        """Letters are judged as if contents of several were open, then as many of those as there is time for.

        These go on from what Regis believes, which takes far less than from the beginning.
        """
        begun = self.written(letters)
        single = judged(begun, self.judging, FOREVER)
        plain = begun.without([cell for cell, p in single.items() if p < DOUBTED])
        among = replace(self.among, believed=self.blank.solution.beliefs)
        contents = doubted.judged(plain, among, several(begun), FILLERS[pipeline.SEARCHED], deadline_in(SECONDS))
        wrong = {cell: p for cell, p in contents.items() if p < DOUBTED}
        return Judgement(letters, {**single, **wrong, **self._others(letters)}, contents.keys() - wrong)

    def _others(self, letters: Letters) -> Mapping[Cell, float]:
        """P(right) of wrong contents in rebus squares of which Regis knows another, whatever else was written."""
        written = {cell: self.single(cell, letters[cell]) for cell in self.blank.squares if cell in letters}
        others = [cell for cell, x in written.items() if len(x) > 1 and spelled(x, len(x))]
        sure = {cell: self.blank.solution.confidence[cell] for cell in others}
        chances = {cell: (1 - p) * (1 - WRONG) / ((1 - p) * (1 - WRONG) + p * WRONG) for cell, p in sure.items()}
        return {cell: chance for cell, chance in chances.items() if chance < DOUBTED}

    def either(self, cell: Cell) -> set[str]:
        """The two letters of a square that an entry with two answers has, or in which across and down are sure of
        another one each; else none."""
        for one in self.blank.either:
            if cell in one.squares:
                return set(one.squares[cell].split(BOTH))
        beliefs = self.blank.solution.beliefs
        heard = [beliefs.messages[slot][i] for slot, i in self.puzzle.grid.through.get(cell, ()) if beliefs]
        wanted = {ALPHABET[int(message.argmax())] for message in heard if message.max() >= DOUBTFUL}
        return wanted if len(wanted) > 1 else set()
