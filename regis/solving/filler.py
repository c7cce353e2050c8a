"""The contract of fillers: from candidates to a grid.

A filler sees the puzzle's shape and each slot's candidates, but no clue texts, index, or solution. It keeps to its
deadline, gives the same result for the same input, and may return a partial grid.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple, Protocol

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.models.arrays import Float64Array
from regis.models.strings.string_model import StringModel
from regis.puzzle import Cell, Puzzle, Slot
from regis.system.progress import FOREVER

N_REPORTED_ANSWERS = 10  # answers of each slot that a filler reports


class StopReason(Enum):
    DONE = "nothing left to try"
    OUT_OF_TIME = "out of time"
    GIVEN_UP = "given up"  # on a grid with so many doubts that it will be started over


class StopSolving(KeyboardInterrupt):
    """Raised in a solver to end it with the best grid so far, if any."""


class ReaderScore(NamedTuple):
    """The reader's score of a string for a slot, read with the slot's clue."""

    log_odds: float  # natural log, up to a constant for the clue, on the scale of the lists' log probabilities
    segmentation: str  # the string in words
    raw_log_odds: float  # the log odds before scaling


SlotLength = tuple[Slot, int]  # a slot, and the number of letters of a longer answer to it


class ClueKnowledge(Protocol):
    """What a filler may ask about its puzzle's clues; this default knows nothing.

    A filler gets its lists once. All other calls from a filler to the index go through this protocol, which retrieval
    implements.
    """

    @property
    def has_reader(self) -> bool:
        return False

    def string_models(self, slots: Sequence[Slot]) -> Sequence[StringModel] | None:
        """Return each slot's string model, given its clue; None if all are the same."""
        return None

    def reword(self, answers: Mapping[Slot, str], deadline: float) -> SolverInput | None:
        """Return the input with answers inserted into the clues that refer to them; None if no clue changes.

        Lists that aren't ready by the deadline (time.monotonic) stay as they are.
        """
        return None

    def lists_of_length(
        self, slot_lengths: Collection[SlotLength], depth: int | None, deadline: float
    ) -> Mapping[SlotLength, CandidateList]:
        """Return lists of the `depth` likeliest answers of another length, all if None; empty after the deadline."""
        return {(slot, length): unlisted(length) for slot, length in slot_lengths}

    def score_strings(self, strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
        """Return the reader's scores of strings for slots; empty without a reader."""
        return {}

    def language_logps(
        self, strings: Mapping[Slot, Sequence[str]], deadline: float
    ) -> Mapping[Slot, Mapping[str, float]]:
        """Return how likely a language model finds strings after their clues (log probability).

        The result is empty without a language model, or if too little time is left.
        """
        return {}

    def similarity_rank(self, answer: str, other_answers: Collection[str]) -> int | None:
        """Rank an answer, from 1, among answers of its length by similarity to other answers; None if unknown."""
        return None


class _NoKnowledge(ClueKnowledge):
    """Nothing is known of the clues except their lists."""


NO_KNOWLEDGE = _NoKnowledge()


@dataclass(frozen=True)
class SolverInput:
    """All that a filler may know about a puzzle besides its grid."""

    lists: Mapping[Slot, CandidateList]  # by the clue alone, before any letter is known

    string_model: StringModel  # of unlisted answers to any clue

    knowledge: ClueKnowledge = NO_KNOWLEDGE  # of the clues, apart from their lists

    may_reword: bool = True  # whether the filler still inserts confident answers into clues that refer to them

    warm_start: Beliefs | None = None  # beliefs from slightly different input, to continue from; None to start fresh

    may_give_up: bool = False
    """Whether the filler may stop at a hopeless grid, which is then started over; not with a warm start."""

    @property
    def has_reader(self) -> bool:
        return self.knowledge.has_reader

    def reword(self, answers: Mapping[Slot, str], deadline: float) -> SolverInput | None:
        return self.knowledge.reword(answers, deadline) if self.may_reword else None

    def string_model_for(self, slot: Slot) -> StringModel:
        return self.string_models([slot])[0]

    def string_models(self, slots: Sequence[Slot]) -> Sequence[StringModel]:
        """Return the slots' models of unlisted answers, which is faster than one by one."""
        models = self.knowledge.string_models(slots)
        return [self.string_model] * len(slots) if models is None else models


@dataclass(frozen=True)
class Beliefs:
    """The settled messages of belief propagation, as probabilities (solving.inference.propagation)."""

    letter_probs: Mapping[Cell, Float64Array]  # of each cell in a slot, (26,)
    messages: Mapping[Slot, Float64Array]  # from crossings and given letters to a slot, (length, 26), rows sum to 1
    ranked_answers: Mapping[Slot, tuple[tuple[str, float], ...]]  # the best answers of each slot's list, best first
    p_in_list: Mapping[Slot, float]  # P(the answer is in the list)
    confident_answers: Mapping[Slot, str]  # inserted into clues that refer to them (ClueKnowledge.reword)
    rounds: int  # of messages
    stop_reason: StopReason
    message_state: object = field(default=None, repr=False, compare=False)  # for propagation to continue from

    def doubtful_cells(self, min_p: float, given: Mapping[Cell, str]) -> set[Cell]:
        """Return the cells, except `given` ones, in which no letter has at least probability `min_p`."""
        return {cell for cell, p in self.letter_probs.items() if p.max() < min_p and cell not in given}

    def final_inputs(self, inputs: SolverInput) -> SolverInput:
        """Return the input behind the beliefs: `inputs`, with confident answers inserted into the clues."""
        if not self.confident_answers:
            return inputs
        return inputs.reword(self.confident_answers, -FOREVER) or inputs  # lists that were late stay so


@dataclass(frozen=True)
class Fill:
    """A grid as a filler leaves it, perhaps partial."""

    cells: Mapping[Cell, str]  # several letters in a rebus square; open cells are absent
    confidence: Mapping[Cell, float]  # P(the cell is right), for each filled cell
    ranked_answers: Mapping[Slot, tuple[tuple[str, float], ...]]  # with probabilities, best first
    unlisted_slots: frozenset[Slot] = frozenset()  # slots whose answer is probably in no list
    n_states: int = 0  # grids that the filler looked at
    stop_reason: StopReason = StopReason.DONE
    beliefs: Beliefs | None = field(default=None, repr=False, compare=False)  # of the filler `belief`

    @property
    def propagated_beliefs(self) -> Beliefs:
        """Return the beliefs of a grid that `belief` filled."""
        assert self.beliefs is not None, "no other filler propagates them"
        return self.beliefs

    @property
    def has_given_up(self) -> bool:
        return self.stop_reason is StopReason.GIVEN_UP

    def detach(self) -> Fill:
        """Drop the beliefs; compute the ranked answers only when they are needed."""
        return replace(self, ranked_answers=dict(self.ranked_answers), beliefs=None)

    def answer(self, slot: Slot) -> str:
        """Return the slot's letters, `?` for an empty cell."""
        return "".join(self.cells.get(cell, "?") for cell in slot.cells)


Watch = Callable[[str, Callable[[], Mapping[Cell, str]]], None]
"""Called with each step and a function that returns the letters so far."""


def no_watch(step: str, letters: Callable[[], Mapping[Cell, str]]) -> None:
    """Ignore the step."""


class Filler(Protocol):
    """The contract of a filler.

    Given letters stay. At the deadline (time.monotonic) the filler returns what it has. `watch` is called after each
    step.
    """

    def __call__(self, puzzle: Puzzle, inputs: SolverInput, deadline: float, watch: Watch = no_watch, /) -> Fill: ...


class NamedFiller(NamedTuple):
    name: str
    fill: Filler
