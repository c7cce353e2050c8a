"""A second look at what is in doubt: clue and answer are read together, and their lists weighed again.

Lists know answers by name, the phrase model knows strings of pieces; neither sees that this phrase fits that clue.
Where squares are doubtful, a reader (regis.models.neural.cross_encoder) is asked about the best answers of the slots
there, and about the strings that the doubtful squares can make of what stands, in a list or not (Berkeley's second
pass, 2022, is of the kind). It says how much likelier each is than those in the list are on average, since what was not
read may be right, too. The lists take that over, those strings join them, and the grid is filled again, its messages
going on from where they were; where that changed it, what is still in doubt is looked at once more.

Where lists hardly know a puzzle's clues, a grid collapses: many squares are in doubt, and what crossings say of a slot
is mostly wrong. Then the best answers of the lists there are read, whatever the crossings say, and the grid is begun
again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from regis.puzzle import Cell, Slot, alphabet
from regis.puzzle.alphabet import is_letters_only, letter_codes
from regis.solving.filler import Beliefs, Filler
from regis.solving.inference.evidence import ReaderEvidence
from regis.solving.inference.propagation import SURE_LETTER_P
from regis.solving.state import State
from regis.system.deadline import FOREVER, is_past


@dataclass(frozen=True)
class ReaderPassSettings:
    """What is in doubt, what of that is read, and what is done where much is. (Measured:
    docs/experiments/reader-pass.md, docs/experiments/collapsed-grids.md)"""

    sure_letter_p: float = SURE_LETTER_P
    min_letter_p: float = 0.01  # probability that a letter must have to be tried in its square

    min_answer_p: float = 1e-5  # which probability must a listed answer have to be read,
    max_strings_per_slot: int = 30  # and how many strings of a slot are read each time, at most?
    max_slots: int = 60  # that are looked at each time, at most: those with the fewest doubtful squares
    max_rounds: int = 2  # how often is what is in doubt looked at? Once more only where that changed a letter

    hopeless_share: float = 0.65
    """From how many doubtful squares on, as a share of all, is a grid left as it is once its lists were read? Shuffled
    clues leave 0.8 and more, the worst real ones that came out had 0.43. (Measured: docs/experiments/ways-out.md)"""

    collapsed_share: float = 0.1  # of how many squares, as a share of all, is none sure in a grid that has collapsed?
    restart_answers: int = 30
    max_strings_collapsed: int = 15
    """How many answers of each list, the likeliest whatever crosses there, are read before such a grid is begun again,
    and how many strings of a slot each time after that, at most, instead of `max_strings_per_slot`?"""


def run_reader_pass(
    state: State, filler: Filler, deadline: float = FOREVER, settings: ReaderPassSettings = ReaderPassSettings()
) -> State:
    """Read what is in doubt, rescore the lists by that, and fill the grid again.

    Parameters
    ----------
    state : a filled grid; without beliefs nothing is read.
    filler : fills it again from other inputs.
    deadline : time.monotonic; what is not done by then is as if it had not begun.
    settings : what is read.

    Returns
    -------
    The last inputs, in which cross references stay as they were believed, the grid filled from them, and what was read.
    All is as it came without a reader, and where the clues mean nothing.
    """
    if state.is_senseless or (reader_pass := _begin_pass(state, filler, deadline, settings)) is None:
        return state
    if reader_pass.has_collapsed:
        has_changed = reader_pass.read_lists()
        if not has_changed or doubtful_share(reader_pass.state, settings) > settings.hopeless_share:
            return reader_pass.state
    reader_pass.reread()
    return reader_pass.state


def _begin_pass(state: State, filler: Filler, deadline: float, settings: ReaderPassSettings) -> _Pass | None:
    """Begin to read, or go on from what was read of the same lists; None where nobody reads, or there is no time."""
    if state.fill.beliefs is None or is_past(deadline):
        return None
    worded_inputs, reading = state.fill.beliefs.final_inputs(state.inputs), state.reading
    if not worded_inputs.has_reader:
        return None
    if reading is None or reading.inputs is not worded_inputs:
        has_collapsed = doubtful_share(state, settings) > settings.collapsed_share
        reading = ReaderEvidence(worded_inputs, deadline, has_collapsed)
    return _Pass(replace(state, reading=reading), reading, filler, deadline, settings)


def doubtful_cells(state: State, settings: ReaderPassSettings = ReaderPassSettings()) -> set[Cell]:
    """Return the cells in which no letter is sure, but for those that the person filled."""
    return state.fill.propagated_beliefs.doubtful_cells(settings.sure_letter_p, state.puzzle.given)


def doubtful_share(state: State, settings: ReaderPassSettings = ReaderPassSettings()) -> float:
    """Return the share of the squares that are doubtful."""
    return len(doubtful_cells(state, settings)) / max(len(state.fill.propagated_beliefs.letter_probs), 1)


class _Pass:
    """The progress of a reader pass: the inputs by now, and the grid that is filled from them."""

    def __init__(
        self, state: State, reading: ReaderEvidence, filler: Filler, deadline: float, settings: ReaderPassSettings
    ) -> None:
        """Begin with a grid and what was read for it by now; see `run_reader_pass` for the rest."""
        self.state, self.settings, self._evidence = state, settings, reading
        self.has_collapsed = reading.has_collapsed
        self._puzzle, self._filler, self._deadline = state.puzzle, filler, deadline

    def read_lists(self) -> bool:
        """Read the best answers of all doubtful slots' lists and fill anew; return whether that changed a letter."""
        return self._read_and_refill(dict(self._restart_strings), None)

    def reread(self) -> None:
        """Read what is in doubt and fill again, and once more where that changed a letter."""
        for _ in range(self.settings.max_rounds):
            if not self._read_and_refill(dict(self._doubtful_strings()), self.state.fill.beliefs):
                break

    @cached_property
    def _restart_strings(self) -> list[tuple[Slot, list[str]]]:
        """The slots in doubt, each with what stands there and the best answers of its list, whatever crosses there."""
        strings = []
        for slot in self._doubtful_slots():
            entry, candidates = self.state.fill.answer(slot), self._evidence.inputs.lists[slot]
            if is_letters_only(entry, len(slot)):
                best = [candidates.answer(i) for i in range(min(self.settings.restart_answers, len(candidates)))]
                strings.append((slot, list(dict.fromkeys([entry, *best]))))
        return strings

    def _read_and_refill(self, strings: Mapping[Slot, Sequence[str]], warm_start: Beliefs | None) -> bool:
        """Read the strings that are new and fill again with that; return whether it changed a letter."""
        n_before = self._evidence.n_strings
        if not self._evidence.read_strings(strings) or self._evidence.n_strings == n_before:
            return False
        inputs = self._evidence.rescored_inputs(warm_start)
        fill = self._filler(self._puzzle, inputs, self._deadline)
        if is_past(self._deadline):
            return False
        has_changed = fill.cells != self.state.fill.cells
        self.state = replace(self.state, inputs=inputs, fill=fill)
        return has_changed

    def _doubtful_slots(self) -> list[Slot]:
        """Return the slots with a clue and doubtful squares, those with the fewest first."""
        doubtful, slots = doubtful_cells(self.state, self.settings), self._puzzle.grid.slots
        counts = {slot: len(doubtful.intersection(slot.cells)) for slot in slots if self._puzzle.has_clue(slot)}
        return sorted((slot for slot, count in counts.items() if count), key=lambda slot: counts[slot])

    def _doubtful_strings(self) -> Iterator[tuple[Slot, list[str]]]:
        """Yield the first of the doubtful slots, each with the strings that may stand there.

        What stands there comes first, then what the squares make of it and what is listed, by turns.
        """
        settings, beliefs = self.settings, self.state.fill.propagated_beliefs
        doubtful = doubtful_cells(self.state, settings)
        max_strings = settings.max_strings_collapsed if self.has_collapsed else settings.max_strings_per_slot
        for slot in self._doubtful_slots()[: settings.max_slots]:
            entry = self.state.fill.answer(slot)
            if is_letters_only(entry, len(slot)):
                listed = [answer for answer, p in beliefs.ranked_answers[slot] if p > settings.min_answer_p]
                swapped = self._swapped_strings(slot, entry, doubtful, max_strings)
                in_turn = itertools.chain.from_iterable(itertools.zip_longest(swapped, listed, fillvalue=entry))
                yield slot, list(dict.fromkeys([entry, *in_turn]))[:max_strings]

    def _swapped_strings(self, slot: Slot, entry: str, doubtful: set[Cell], max_strings: int) -> list[str]:
        """Make strings of `entry` with one or two of the `doubtful` squares changed, the likeliest first."""
        letter_probs = self.state.fill.propagated_beliefs.letter_probs
        codes, positions = letter_codes(entry), np.arange(len(slot))
        p = np.stack([letter_probs[cell] for cell in slot.cells])
        is_swap = (p > self.settings.min_letter_p) & np.array([[cell in doubtful] for cell in slot.cells])
        is_swap[positions, codes] = False
        position, letter = np.nonzero(is_swap)
        odds = p[position, letter] / p[position, codes[position]]
        first, second = np.nonzero(position[:, None] < position)
        single = np.arange(len(position))
        string_odds = np.concatenate([odds, odds[first] * odds[second]])
        best = np.argsort(-string_odds, kind="stable")[:max_strings]
        strings = np.tile(codes, (len(best), 1))
        for swap in (np.append(single, first)[best], np.append(single, second)[best]):
            strings[np.arange(len(best)), position[swap]] = letter[swap]
        return [alphabet.codes_to_word(row) for row in strings]
