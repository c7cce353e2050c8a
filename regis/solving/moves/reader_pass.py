"""A second look at doubtful entries: clue and answer are read together, and lists are rescored.

Lists have answers, and the phrase model has strings of pieces; neither sees that this phrase fits that clue. A reader
(regis.models.neural.cross_encoder) scores the best answers of doubtful slots, and strings that the doubtful squares can
make (like Berkeley's second pass, 2022). The grid is filled again from the rescored lists, with its messages continued,
and once more if that changed it. Then an installed language model compares the likeliest answers. In a collapsed grid,
crossings are mostly wrong. There, the lists' best answers are read without regard to crossings, and the grid is started
over.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from regis.puzzle import Cell, Slot, alphabet
from regis.puzzle.alphabet import is_letters_only, letter_codes
from regis.solving.filler import Beliefs, Filler
from regis.solving.inference.evidence import ReaderEvidence
from regis.solving.inference.propagation import SURE_LETTER_P
from regis.solving.settings import LANGUAGE_MODEL
from regis.solving.state import State
from regis.system.progress import FOREVER, is_past


@dataclass(frozen=True)
class ReaderPassSettings:
    """Which entries are doubtful, and which strings are read. (Measured: docs/experiments/reader-pass.md,
    docs/experiments/ways-out.md, docs/experiments/collapsed-grids.md)"""

    sure_letter_p: float = SURE_LETTER_P
    min_letter_p: float = 0.01  # least probability of a letter that is tried in its square

    min_answer_p: float = 1e-5  # least probability of a listed answer that is read
    max_strings_per_slot: int = 30  # most strings of a slot that are read per round
    max_slots: int = 60  # most slots per round: those with the fewest doubtful squares
    max_rounds: int = 2  # another round follows only if one changed a letter

    collapsed_share: float = 0.1  # share of doubtful squares above which a grid has collapsed
    restart_answers: int = 30
    max_strings_collapsed: int = 15
    """Answers of each list that are read before a collapsed grid is started over, and strings of a slot after that, in
    place of `max_strings_per_slot`."""


READER_PASS = ReaderPassSettings()


def read_doubtful_entries(state: State, filler: Filler, deadline: float = FOREVER) -> State:
    """Read doubtful entries, rescore the lists, and fill the grid again.

    Without beliefs, a reader, or meaningful clues, the grid stays. Work that isn't done by the deadline
    (time.monotonic) doesn't count.
    """
    return replace(_read_and_refill(state, filler, deadline), unread_state=state)


def _read_and_refill(state: State, filler: Filler, deadline: float) -> State:
    if state.is_senseless or state.fill.beliefs is None or is_past(deadline):
        return state
    worded_inputs = state.fill.beliefs.final_inputs(state.inputs)
    if not worded_inputs.has_reader:
        return state
    reader_pass = _Pass(state, ReaderEvidence(worded_inputs, deadline, has_collapsed(state)), filler, deadline)
    if has_collapsed(state) and not reader_pass.read_and_refill(reader_pass.restart_strings(), None):
        return reader_pass.state
    for _ in range(READER_PASS.max_rounds):
        if not reader_pass.read_and_refill(reader_pass.doubtful_strings(), reader_pass.state.fill.beliefs):
            break
    reader_pass.ask_language_model()
    return reader_pass.state


def doubtful_cells(state: State) -> set[Cell]:
    """Return the cells without a sure letter, except the ones that the person filled."""
    return state.fill.propagated_beliefs.doubtful_cells(READER_PASS.sure_letter_p, state.puzzle.given)


def doubtful_share(state: State) -> float:
    return len(doubtful_cells(state)) / max(len(state.fill.propagated_beliefs.letter_probs), 1)


def has_collapsed(state: State) -> bool:
    return doubtful_share(state) > READER_PASS.collapsed_share


@dataclass
class _Pass:
    state: State
    evidence: ReaderEvidence
    filler: Filler
    deadline: float

    def read_and_refill(self, strings: Iterable[tuple[Slot, Sequence[str]]], warm_start: Beliefs | None) -> bool:
        """Read new strings and fill again; return whether that changed a letter."""
        n_before = self.evidence.n_strings
        if not self.evidence.read_strings(dict(strings)) or self.evidence.n_strings == n_before:
            return False
        return self._refill(warm_start)

    def ask_language_model(self) -> None:
        """Let an installed language model compare the likeliest answers of doubtful slots, and fill again."""
        beliefs, settings = self.state.fill.propagated_beliefs, LANGUAGE_MODEL
        likely = {
            slot: [answer for answer, p in beliefs.ranked_answers[slot] if p >= settings.min_p][: settings.max_answers]
            for slot in self._doubtful_slots()[: settings.max_slots]
        }
        if self.evidence.ask_language_model(likely):
            self._refill(beliefs)

    def _refill(self, warm_start: Beliefs | None) -> bool:
        """Fill again from the rescored lists; return whether that changed a letter."""
        inputs = self.evidence.rescored_inputs(warm_start)
        fill = self.filler(self.state.puzzle, inputs, self.deadline)
        if is_past(self.deadline):
            return False
        has_changed = fill.cells != self.state.fill.cells
        self.state = replace(self.state, inputs=inputs, fill=fill)
        return has_changed

    def _doubtful_slots(self) -> list[Slot]:
        """Return the slots with a clue and doubtful squares, the fewest doubtful squares first."""
        doubtful, puzzle = doubtful_cells(self.state), self.state.puzzle
        counts = {slot: len(doubtful.intersection(slot.cells)) for slot in puzzle.grid.slots if puzzle.has_clue(slot)}
        return sorted((slot for slot, count in counts.items() if count), key=lambda slot: counts[slot])

    def restart_strings(self) -> Iterator[tuple[Slot, list[str]]]:
        """Yield the doubtful slots, each with its entry and the best answers of its list."""
        for slot in self._doubtful_slots():
            entry, candidates = self.state.fill.answer(slot), self.evidence.inputs.lists[slot]
            if is_letters_only(entry, len(slot)):
                best = [candidates.answer(i) for i in range(min(READER_PASS.restart_answers, len(candidates)))]
                yield slot, list(dict.fromkeys([entry, *best]))

    def doubtful_strings(self) -> Iterator[tuple[Slot, list[str]]]:
        """Yield the first doubtful slots, each with its entry, strings of its squares and listed answers in turn."""
        settings, beliefs, doubtful = READER_PASS, self.state.fill.propagated_beliefs, doubtful_cells(self.state)
        is_restarted = self.evidence.has_collapsed
        max_strings = settings.max_strings_collapsed if is_restarted else settings.max_strings_per_slot
        for slot in self._doubtful_slots()[: settings.max_slots]:
            entry = self.state.fill.answer(slot)
            if is_letters_only(entry, len(slot)):
                listed = [answer for answer, p in beliefs.ranked_answers[slot] if p > settings.min_answer_p]
                swapped = self._swapped_strings(slot, entry, doubtful, max_strings)
                in_turn = itertools.chain.from_iterable(itertools.zip_longest(swapped, listed, fillvalue=entry))
                yield slot, list(dict.fromkeys([entry, *in_turn]))[:max_strings]

    def _swapped_strings(self, slot: Slot, entry: str, doubtful: set[Cell], max_strings: int) -> list[str]:
        """Make strings of `entry` with one or two `doubtful` squares changed, the likeliest first."""
        letter_probs = self.state.fill.propagated_beliefs.letter_probs
        codes, positions = letter_codes(entry), np.arange(len(slot))
        p = np.stack([letter_probs[cell] for cell in slot.cells])
        is_swap = (p > READER_PASS.min_letter_p) & np.array([[cell in doubtful] for cell in slot.cells])
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
