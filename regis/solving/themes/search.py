"""The search for a theme: one edit that explains several answers which no list explains.

Where a filled grid leaves several long answers that no list has, the slots that surprise most are asked which edits
make, of phrases that are known, what their crossings allow (themes.edits). An edit is worth what it gains in all of
them, less its price (minimum description length, Rissanen 1978): for a theme at all, for each letter that it names, for
each slot. The phrases that the best one changes join the lists, and the grid is filled again; all of that is kept if
the whole grid, price paid, is then more probable. Dr.Fill (Ginsberg 2011) looks for the like of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from regis import text
from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Puzzle, Slot
from regis.solving.local_search import LocalSearch
from regis.solving.marks import Marks, marks
from regis.solving.solution import Candidates, Filler, Solution
from regis.solving.solved import Theme
from regis.solving.surprise import Surprise
from regis.solving.themes.changed import Changed, changed, joined
from regis.solving.themes.changes import MOST, edits
from regis.solving.themes.edits import LETTERS, Edit
from regis.system.deadline import passed

SHORTEST = 7  # letters of a slot that may show what the theme is,
SHORT = 5  # and of one that may be of a theme which others show
SURPRISE = 15.0  # natural log of how improbable such a slot must be: no changed phrase is much likelier than that
LISTED = 0.8  # P(the answer is in its list) from which on a slot is of no theme
ASKED = 10  # slots that are asked for edits, at most: those that surprise most
LEAST, NAMED = 3, 2  # how many answers a theme explains at least, the second where they have a mark made for it

THEME, LETTER, KIND, SLOT = 10.0, 2.0, 4.0, 2.0
"""The prices in natural log: of any theme, of each letter that its edit names, of an edit that names none, of each
slot. (docs/measured.md)"""

TITLED = 3.0  # the price of letters, however many, that stand in the title or the notes one behind the other; a guess

THEME_TOLD, THEME_ALIKE = 2.0, 6.0
"""The price of a theme of which LEAST answers have a mark in common, one made for it, and one that may be chance. By
hand."""

TRIED = 2  # edits with which the grid is filled again, at most


class Themes:
    """The search for the theme of one puzzle; its marks, if none are `told`, say which slots belong together."""

    def __init__(
        self, puzzle: Puzzle, among: Candidates, fill: Filler, deadline: float, told: Marks | None = None
    ) -> None:
        self.puzzle = puzzle
        self.among = among
        self.fill = fill
        self.deadline = deadline
        self._told = told
        self._title = f"{text.answer(puzzle.title)} {text.answer(puzzle.notes)}"

    @cached_property
    def marks(self) -> Marks:
        return marks(self.puzzle) if self._told is None else self._told

    def find(self, solution: Solution) -> tuple[Theme | None, Candidates, Solution]:
        """The theme, what is known with it, and the grid filled so; None and all as it was where there is none.

        `solution` is what `fill` made of the puzzle.
        """
        known = Surprise(solution.propagated.candidates(self.among), solution.propagated)
        odd = {} if passed(self.deadline) else self._odd(known)
        chosen = self._edits(known, odd) if self._enough(odd) else ()
        before = LocalSearch(self.puzzle, known.among).worth(solution) if chosen else 0.0
        for edit in chosen:
            by = self._changed(edit, known)
            if passed(self.deadline):
                break
            lists = {**known.among.lists, **{slot: joined(known.among.lists[slot], new) for slot, new in by.items()}}
            among = replace(known.among, lists=lists, knowing=lambda believed, deadline: None)
            again = self.fill(self.puzzle, replace(among, believed=solution.beliefs), self.deadline)
            made = {slot: phrase for slot, new in by.items() if (phrase := new.phrase(again.answer(slot)))}
            better = LocalSearch(self.puzzle, among).worth(again) - self._price(edit, by) > before
            if better and self._enough(made) and not passed(self.deadline):
                return Theme(edit.said, made), among, again
        return None, self.among, solution

    def _odd(self, known: Surprise) -> dict[Slot, float]:
        """The slots that may be of a theme, each with the log probability of all that it may be; the least first."""
        listed = known.beliefs.listed
        long = [slot for slot in self.puzzle.grid.slots if len(slot) >= SHORTEST and listed[slot] < LISTED]
        evidence = {slot: known.evidence(slot) for slot in long}
        return {slot: evidence[slot] for slot in sorted(long, key=lambda s: evidence[s]) if evidence[slot] < -SURPRISE}

    def _edits(self, known: Surprise, odd: Mapping[Slot, float]) -> list[Edit]:
        """The edits that are worth their price, the best first; none where the time is up."""
        gains: dict[Edit, dict[Slot, float]] = defaultdict(dict)
        for shorter in range(-MOST, MOST + 1):
            if passed(self.deadline):
                return []
            for slot, phrases in self._phrases(known, list(odd)[:ASKED], shorter).items():
                its = edits(phrases.letters, phrases.logp - odd[slot], known.messages(slot), SLOT)
                for edit, gain in its.items():
                    gains[edit][slot] = max(gain, gains[edit].get(slot, gain))
        worth_it = [(sum(by.values()) - self._price(edit, by), edit) for edit, by in gains.items() if len(by) >= NAMED]
        return [edit for _, edit in sorted((-gain, edit) for gain, edit in worth_it if gain > 0)[:TRIED]]

    def _price(self, edit: Edit, slots: Collection[Slot]) -> float:
        """What a theme costs that explains these slots; those of one mark are free if they are enough."""
        prices = [THEME + SLOT * len(slots)]
        for theme, groups in ((THEME_TOLD, self.marks.told), (THEME_ALIKE, self.marks.alike)):
            marked = (len(group.intersection(slots)) for group in groups)
            prices += [theme + SLOT * (len(slots) - many) for many in marked if many >= LEAST]
        return min(prices) + self._named(edit)

    def _named(self, edit: Edit) -> float:
        """What an edit costs by itself: letters less where the title or notes hold them."""
        if edit.kind != LETTERS:
            return KIND
        return sum(min(LETTER * len(x), TITLED if x in self._title else np.inf) for x in (edit.old, edit.new))

    def _phrases(self, known: Surprise, slots: Iterable[Slot], shorter: int) -> Mapping[Slot, CandidateList]:
        """The phrases of which an edit that makes them so much shorter may make answers to the slots."""
        if not shorter:
            return {slot: known.among.lists[slot] for slot in slots}
        wanted = [(slot, len(slot) + shorter) for slot in slots]
        return {slot: its for (slot, _), its in known.among.longer(wanted, None, self.deadline).items()}

    def _changed(self, edit: Edit, known: Surprise) -> dict[Slot, Changed]:
        """What `edit` makes for each slot where that is worth its price, short ones among them."""
        found, listed = {}, known.beliefs.listed
        slots = [slot for slot in self.puzzle.grid.slots if len(slot) >= SHORT and listed[slot] < LISTED]
        phrases: dict[Slot, list[CandidateList]] = {slot: [] for slot in slots}
        for shorter in edit.shorter:
            if passed(self.deadline):
                return {}
            some = [slot for slot in slots if len(slot) + shorter > 0]
            for slot, its in self._phrases(known, some, shorter).items():
                phrases[slot].append(its)
        for slot, several in phrases.items():
            if passed(self.deadline):
                return {}
            new = changed(edit, known.among.lists[slot], several, known.messages(slot), known.evidence(slot))
            if new.gain > SLOT:
                found[slot] = new
        return found

    def _enough(self, slots: Mapping[Slot, object]) -> bool:
        told = max((len(group & slots.keys()) for group in self.marks.told), default=0)
        return told >= NAMED or len(slots) >= LEAST
