"""A second look at what is in doubt: clue and answer are read together, and their lists weighed again.

Lists know answers by name, the phrase model knows strings of pieces; neither sees that this phrase fits that clue.
Where squares are doubtful, a reader (regis.models.neural.cross_encoder) is asked about the best answers of the slots
there, and about the strings that the doubtful squares can make of what stands, in a list or not (Berkeley's second
pass, 2022, is of the kind). It says how much likelier each is than those in the list are on average, since what was not
read may be right, too. The lists take that over, those strings join them, and the grid is filled again, its messages
going on from where they were; where that changed it, what is still in doubt is looked at once more.

Where lists hardly know a puzzle's clues, a grid collapses: many squares are in doubt, and what crossings say of a slot
is mostly wrong. Then the best answers of the lists there are read, whatever the crossings say, and the grid is begun
again; not where the first that are read show that the clues mean nothing. Where that does not help, either, a way out
is looked for (solving.moves.perturbation), and what is then still in doubt is looked at.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot, alphabet
from regis.puzzle.alphabet import is_letters_only, letter_codes
from regis.solving.filler import Beliefs, Fill, FillFunction, SolverInput
from regis.solving.inference.messages import SURE_LETTER_P
from regis.solving.inference.propagation import ALL_DOUBTFUL_SHARE
from regis.solving.inference.reader_evidence import ReaderEvidence
from regis.solving.moves.perturbation import Perturbation
from regis.system.deadline import FOREVER, is_past

MIN_LETTER_P = 0.01  # probability that a letter must have to be tried in its square

MIN_ANSWER_P = 1e-5
MAX_STRINGS_PER_SLOT = 30
"""Which probability must a listed answer have to be read, and how many strings of a slot are read each time, at most?
(Measured: docs/measured.md.)"""

MAX_SLOTS = 60  # that are looked at each time, at most: those with the fewest doubtful squares

MAX_ROUNDS = 2
"""How often is what is in doubt looked at? Once more only where that changed a letter. (Measured: docs/measured.md.)"""

COLLAPSED_SHARE = 0.1
"""Of how many squares, as a share of all, is none sure in a grid that has collapsed? (Measured: docs/measured.md.)"""

RESTART_ANSWERS = 30
MAX_STRINGS_COLLAPSED = 15
"""How many answers of each list, the likeliest whatever crosses there, are read before such a grid is begun again, and
how many strings of a slot each time after that, at most, instead of MAX_STRINGS_PER_SLOT? (Measured:
docs/measured.md.)"""

UNSETTLED_SHARE = 0.04
STUCK_SHARE = 0.1
"""From how many doubtful squares on, as a share of all, is a grid filled anew after all of that, and from how many are
other ways out looked for (solving.moves.perturbation)? (Measured: docs/measured.md.)"""

MIN_CLUED_SHARE = 0.9
"""Of how many entries, as a share of all, must there be a clue for that? Of others nobody knows more than letters, and
much stays in doubt whatever is tried. (Measured: docs/measured.md.)"""

N_PROBED_SLOTS = 16
MIN_ODDS_SPREAD = 1.0
"""Where nearly all is in doubt: of how many slots are the answers read first, and how far must the reader's odds of a
slot's, in natural log, lie apart (standard deviation) for more to be read? Clues that mean nothing to the lists nor to
the reader are nonsense, or of another language. (Measured: docs/measured.md.)"""


def run_reader_pass(
    puzzle: Puzzle, inputs: SolverInput, fill: Fill, refill: FillFunction, deadline: float = FOREVER
) -> tuple[SolverInput, Fill]:
    """Read what is in doubt, rescore the lists by that, and fill the grid again.

    Parameters
    ----------
    puzzle : the puzzle.
    inputs : what the grid was filled from.
    fill : the grid; without beliefs nothing is read.
    refill : fills the puzzle from other inputs.
    deadline : time.monotonic; what is not done by then is as if it had not begun.

    Returns
    -------
    The last inputs, in which cross references stay as they were believed, and the grid filled from them. Both are as
    they came without a reader, and where all is in doubt and the clues mean nothing to the reader.
    """
    if fill.beliefs is None or is_past(deadline):
        return inputs, fill
    worded_inputs = fill.beliefs.final_inputs(inputs)
    if worded_inputs.score_strings is None:
        return inputs, fill
    reader_pass = _Pass(puzzle, worded_inputs, inputs, fill, refill, deadline)
    if reader_pass.has_collapsed and not reader_pass.clues_make_sense():
        return inputs, fill
    if not reader_pass.has_collapsed or reader_pass.restart():
        reader_pass.reread()
    reader_pass.escape()
    return reader_pass.inputs, reader_pass.fill


class _Pass:
    """The state of a reader pass: the inputs by now, and the grid that is filled from them."""

    def __init__(
        self,
        puzzle: Puzzle,
        worded_inputs: SolverInput,
        inputs: SolverInput,
        fill: Fill,
        refill: FillFunction,
        deadline: float,
    ) -> None:
        """Begin with `worded_inputs`, which are `inputs` with cross references; see `run_reader_pass` for the rest."""
        self.inputs, self.fill = inputs, fill
        self.has_collapsed = _doubtful_share(puzzle, fill) > COLLAPSED_SHARE
        self._puzzle, self._refill, self._deadline = puzzle, refill, deadline
        self._evidence = ReaderEvidence(worded_inputs, deadline, self.has_collapsed)
        self._unread_inputs = replace(
            worded_inputs, with_cross_references=lambda answers, deadline: None, score_strings=None
        )

    def clues_make_sense(self) -> bool:
        """Return whether clues mean something, if nearly all is in doubt; False where there was no time to tell."""
        share = _doubtful_share(self._puzzle, self.fill)
        if share <= ALL_DOUBTFUL_SHARE or len(self._restart_strings) <= N_PROBED_SLOTS:
            return True
        probed = dict(self._restart_strings[:N_PROBED_SLOTS])
        return self._evidence.read_strings(probed) and self._evidence.odds_spread(probed) > MIN_ODDS_SPREAD

    def restart(self) -> bool:
        """Read the best answers of all lists and fill anew; return whether that changed a letter."""
        return self._read_and_refill(dict(self._restart_strings), None)

    def reread(self) -> None:
        """Read what is in doubt and fill again, and once more where that changed a letter."""
        max_strings = MAX_STRINGS_COLLAPSED if self.has_collapsed else MAX_STRINGS_PER_SLOT
        for _ in range(MAX_ROUNDS):
            strings = dict(_doubtful_strings(self._puzzle, self.fill, max_strings))
            if not self._read_and_refill(strings, self.fill.beliefs):
                break

    def escape(self) -> None:
        """Go on to likelier grids while much is in doubt, and reread each."""
        slots = self._puzzle.grid.slots
        if sum(map(self._puzzle.has_clue, slots)) < MIN_CLUED_SHARE * len(slots):
            return
        perturbation = Perturbation(self._puzzle, self._refill, self._deadline)
        while self._evidence.lists and (share := _doubtful_share(self._puzzle, self.fill)) > UNSETTLED_SHARE:
            if (other := perturbation.escape(self.inputs, self.fill, share > STUCK_SHARE)) is self.fill:
                break
            self.fill = other
            self.reread()

    @cached_property
    def _restart_strings(self) -> list[tuple[Slot, list[str]]]:
        """The slots in doubt, each with what stands there and the best answers of its list, whatever crosses there."""
        strings = []
        for slot in _doubtful_slots(self._puzzle, _doubtful_cells(self._puzzle, self.fill.propagated_beliefs)):
            entry, candidates = self.fill.answer(slot), self._unread_inputs.lists[slot]
            if is_letters_only(entry, len(slot)):
                best = [candidates.answer(i) for i in range(min(RESTART_ANSWERS, len(candidates)))]
                strings.append((slot, list(dict.fromkeys([entry, *best]))))
        return strings

    def _read_and_refill(self, strings: Mapping[Slot, Sequence[str]], warm_start: Beliefs | None) -> bool:
        """Read the strings that are new and fill again with that; return whether it changed a letter."""
        n_before = self._evidence.n_strings
        if not self._evidence.read_strings(strings) or self._evidence.n_strings == n_before:
            return False
        lists = {**self._unread_inputs.lists, **self._evidence.lists}
        inputs = replace(self._unread_inputs, lists=lists, warm_start=warm_start)
        fill = self._refill(inputs)
        if is_past(self._deadline):
            return False
        has_changed = fill.cells != self.fill.cells
        self.inputs, self.fill = inputs, fill
        return has_changed


def _doubtful_share(puzzle: Puzzle, fill: Fill) -> float:
    """Return the share of the squares that are doubtful."""
    beliefs = fill.propagated_beliefs
    return len(_doubtful_cells(puzzle, beliefs)) / max(len(beliefs.letter_probs), 1)


def _doubtful_cells(puzzle: Puzzle, beliefs: Beliefs) -> set[Cell]:
    return beliefs.doubtful_cells(SURE_LETTER_P, puzzle.given)


def _doubtful_slots(puzzle: Puzzle, doubtful: set[Cell]) -> list[Slot]:
    """Return the slots with a clue and doubtful squares, those with the fewest first."""
    counts = {slot: len(doubtful.intersection(slot.cells)) for slot in puzzle.grid.slots if puzzle.has_clue(slot)}
    return sorted((slot for slot, count in counts.items() if count), key=lambda slot: counts[slot])


def _doubtful_strings(puzzle: Puzzle, fill: Fill, max_strings: int) -> Iterator[tuple[Slot, list[str]]]:
    """Yield MAX_SLOTS doubtful slots, each with up to `max_strings` that may stand there.

    What stands there comes first, then what the squares make of it and what is listed, by turns.
    """
    beliefs = fill.propagated_beliefs
    doubtful = _doubtful_cells(puzzle, beliefs)
    for slot in _doubtful_slots(puzzle, doubtful)[:MAX_SLOTS]:
        entry = fill.answer(slot)
        if is_letters_only(entry, len(slot)):
            listed = [answer for answer, p in beliefs.ranked_answers[slot] if p > MIN_ANSWER_P]
            swapped = _swapped_strings(slot, entry, doubtful, beliefs, max_strings)
            in_turn = itertools.chain.from_iterable(itertools.zip_longest(swapped, listed, fillvalue=entry))
            yield slot, list(dict.fromkeys([entry, *in_turn]))[:max_strings]


def _swapped_strings(slot: Slot, entry: str, doubtful: set[Cell], beliefs: Beliefs, max_strings: int) -> list[str]:
    """Make strings of `entry` with one or two of the doubtful squares of `slot` changed, the likeliest first."""
    codes, positions = letter_codes(entry), np.arange(len(slot))
    p = np.stack([beliefs.letter_probs[cell] for cell in slot.cells])
    is_swap = (p > MIN_LETTER_P) & np.array([[cell in doubtful] for cell in slot.cells])
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
