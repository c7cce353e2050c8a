"""What a filler is: from candidates to a grid.

A filler sees the puzzle's shape and the candidates of each slot. It sees neither clue texts nor the index nor, of
course, the solution. What it does not know it may ask for: `matching(slot, pattern)` is the pattern finder with the
letters known by now. It keeps to its deadline, gives the same result for the same input, and answers with what it has
when the time is up: a partial grid is a result, not an error. Whoever wants to see it work passes a watch.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.models.tensors import Table
from regis.models.unlisted import StringModel
from regis.puzzle import Cell, Puzzle, Slot
from regis.system.deadline import FOREVER

REPORTED = 10  # how many answers of each slot a filler reports

OUT_OF_TIME = "out of time"  # why a filler stopped, in its statistics, where it was the time,
GIVEN_UP = "given up"  # where it is begun again,
NOTHING_KNOWN = "nothing known"  # and where that would not help


class Reading(NamedTuple):
    """What somebody thinks of a string for a slot who reads it with the clue."""

    odds: float  # natural log, up to a constant for the clue, as it counts beside probabilities of lists
    said: str  # the string in words
    alone: float  # the odds as they are, whatever they count


Read = Callable[[Mapping[Slot, Sequence[str]]], Mapping[Slot, Sequence[Reading]]]
Wanted = tuple[Slot, int]  # a slot, had its answer so many letters
LongerLists = Callable[[Collection[Wanted], int | None, float], Mapping[Wanted, CandidateList]]
Kinship = Callable[[str, Collection[str]], int | None]  # how many answers are as near to others as one (Candidates)


def strangers(answer: str, others: Collection[str]) -> None:
    """No answer has to do with others, as far as is known."""


@dataclass(frozen=True)
class Candidates:
    """All that a filler knows: a weighed list per slot, the pattern finder, and what answers in no list look like.

    `knowing(believed, deadline)` is the same with the answers in `believed` put in where clues name them ("See
    17-Across"), as far as there are lists for that by the deadline (time.monotonic); None where that changes nothing.
    `longer` is what the lists of slots were, had they so many letters: of each the so many likeliest answers, or with
    None all; lists that are not there by the deadline are empty. `read` is what somebody thinks of strings for some
    slots who reads them with the clue; None where nobody does. `kin` is how many answers have as much to do with others
    as one has; None where nobody knows. `believed` is what was believed of the grid when a little less was known, or
    fewer letters given; None at first. Who is `hasty` gives up a grid of which nothing comes, since it is begun again,
    and where nearly all is in doubt goes on with what was believed for one round only.
    """

    lists: Mapping[Slot, CandidateList]
    matching: Callable[[Slot, str], CandidateList]
    strings: StringModel
    clued: Callable[[Sequence[Slot]], Sequence[StringModel]] | None = None
    knowing: Callable[[Mapping[Slot, str], float], Candidates | None] = lambda believed, deadline: None
    longer: LongerLists = lambda wanted, depth, deadline: {(slot, length): unlisted(length) for slot, length in wanted}
    read: Read | None = None
    kin: Kinship = strangers
    believed: Beliefs | None = None
    hasty: bool = False

    def strings_for(self, slot: Slot) -> StringModel:
        """What an unlisted answer to the slot's clue looks like."""
        return self.strings_of([slot])[0]

    def strings_of(self, slots: Sequence[Slot]) -> Sequence[StringModel]:
        """The same for several slots, which is quicker than one by one."""
        return [self.strings] * len(slots) if self.clued is None else self.clued(slots)


@dataclass(frozen=True)
class Beliefs:
    """Where the messages of belief propagation came to rest, as probabilities (solving.propagation)."""

    letters: Mapping[Cell, Table]  # of each cell in a slot, (26,)
    messages: Mapping[Slot, Table]  # what crossings and the person say of a slot's cells, (length, 26), rows sum to 1
    ranked: Mapping[Slot, tuple[tuple[str, float], ...]]  # the best answers of each slot's list, best first
    listed: Mapping[Slot, float]  # P(the answer is in the list)
    sure: Mapping[Slot, str]  # the answers that joined the clues which name them (Candidates.knowing)
    rounds: int
    stopped: str  # why these were the last
    rest: object = field(default=None, repr=False, compare=False)  # the messages, for propagation to go on from

    def doubtful(self, sure: float, given: Mapping[Cell, str]) -> set[Cell]:
        """The cells without a letter that is so `sure`, but for those `given`."""
        return {cell for cell, p in self.letters.items() if p.max() < sure and cell not in given}

    def candidates(self, given: Candidates) -> Candidates:
        """The candidates that they were formed from in the end, of those that were `given` at first."""
        asked = given.knowing(self.sure, -FOREVER) if self.sure else None  # what was late then stays so
        return asked or given


@dataclass(frozen=True)
class Solution:
    """A grid as a filler leaves it; it may be partial."""

    cells: Mapping[Cell, str]  # several letters in a rebus square; a cell nobody dared to fill is absent
    confidence: Mapping[Cell, float]  # probability that the cell is right, for each filled cell
    ranked: Mapping[Slot, tuple[tuple[str, float], ...]]  # the best answers now, with probability, best first
    neglected: frozenset[Slot] = frozenset()  # slots whose answer the filler thinks is in no list
    statistics: Mapping[str, float | str] = field(default_factory=dict)  # states, why it stopped, what else it counted
    beliefs: Beliefs | None = field(default=None, repr=False, compare=False)  # where the filler has any

    @property
    def propagated(self) -> Beliefs:
        """The beliefs of what the filler `belief` filled; for whoever is shown nothing else."""
        assert self.beliefs is not None, "no other filler propagates them"
        return self.beliefs

    def answer(self, slot: Slot) -> str:
        """What stands in the slot, `?` for an empty cell."""
        return "".join(self.cells.get(cell, "?") for cell in slot.cells)


Watch = Callable[[str, Callable[[], Mapping[Cell, str]]], None]
"""(what was just done, the letters that stand now) -> nothing. The letters are asked for only if somebody looks."""


def unwatched(done: str, letters: Callable[[], Mapping[Cell, str]]) -> None:
    """The watch that nobody keeps."""


class Filler(Protocol):
    """What every filler is. Its statistics hold at least `states`, how many grids it looked at, and `stopped`, why."""

    def __call__(
        self, puzzle: Puzzle, candidates: Candidates, deadline: float, watch: Watch = unwatched, /
    ) -> Solution: ...


Fill = Callable[[Candidates], Solution]  # a filler that has its puzzle and its deadline
