"""Close calls: squares where one letter or another was a matter of little, decided once more by who reads.

Most grids that are not whole lack one square: two entries cross there, and each of them could be another with one
letter changed. Lists and messages have said what they can, and what they think of strings in no list is how letters and
pieces mostly go, which is not much. So all four entries are read with their clues: what the reader says counts as much
as the lists as they were before any reading, and as the messages by now; once more where one of two entries is in no
list. Where a slot gets an answer that is in its list, one that crosses and has none either way counts half. Other
letters stay.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, is_letters_only
from regis.solving.filler import Fill, ReaderScore, SolverInput
from regis.solving.inference.evidence import GridEvidence
from regis.system.deadline import FOREVER, is_past


@dataclass(frozen=True)
class LetterSwapSettings:
    """Which letters are tried, and when one is written. (Measured:
    docs/experiments/letter-swaps.md; another reader: docs/experiments/second-reader.md)"""

    min_letter_p: float = 0.002  # probability that a letter must have in its square to be tried there; a guess, as are
    max_swaps: int = 40  # how many are tried in the grid,
    max_swaps_per_cell: int = 2  # and in one square, at most

    min_gain: float = 0.5
    unlisted_reader_weight: float = 2.0
    unlisted_pair_weight: float = 0.5
    """By how much, in natural log, must another letter be likelier to be written, how often does the reader count where
    one entry is in no list, and how much does a slot count in which both are in none, where the one that crosses gets
    an answer that is in its list?"""


class LetterSwap(NamedTuple):
    """Another letter for a square, and what it makes of the entries there."""

    cell: Cell
    letter: str
    entries: Mapping[Slot, tuple[str, str]]  # as they stand, and with that letter
    p: float  # how likely the letter is by the messages,
    p_standing: float  # and the one that stands


def apply_letter_swaps(
    puzzle: Puzzle,
    inputs: SolverInput,
    fill: Fill,
    deadline: float = FOREVER,
    settings: LetterSwapSettings = LetterSwapSettings(),
) -> Fill:
    """Replace single letters where the entries there are then likelier, by their lists and the reader.

    Regis is as sure of a new letter as it was of the one that stood. The fill is returned as it is without a reader, or
    at the deadline.

    Parameters
    ----------
    puzzle : the puzzle; given letters stay.
    inputs : lists as they were before any reading, and the reader.
    fill : a filled grid, with beliefs.
    deadline : time.monotonic.
    settings : which letters are tried.
    """
    if not inputs.has_reader or is_past(deadline):
        return fill
    swaps = sorted(find_swaps(puzzle, fill, settings), key=lambda swap: (-swap.p, swap.cell))[: settings.max_swaps]
    if not swaps:
        return fill
    gains = zip(_compute_gains(puzzle, inputs, swaps, settings), swaps, strict=True)
    cells, ranked_answers, changed = dict(fill.cells), dict(fill.ranked_answers), set[Slot]()
    for gain, swap in sorted(gains, key=lambda item: (-item[0], item[1].cell)):
        if gain > settings.min_gain and not changed & swap.entries.keys():
            cells[swap.cell] = swap.letter
            changed |= swap.entries.keys()
            for slot, (old, new) in swap.entries.items():
                exchange = {old: new, new: old}
                answers = ranked_answers.get(slot, ())
                ranked_answers[slot] = tuple((exchange.get(answer, answer), p) for answer, p in answers)
    return replace(fill, cells=cells, ranked_answers=ranked_answers) if changed else fill


def _compute_gains(
    puzzle: Puzzle, inputs: SolverInput, swaps: Sequence[LetterSwap], settings: LetterSwapSettings
) -> Iterator[float]:
    """Yield how many nats speak for each swap, by messages, lists and reader; all entries are read together."""
    evidence, slot_index = GridEvidence(puzzle, inputs), {slot: i for i, slot in enumerate(puzzle.grid.slots)}
    scores = read_swaps(inputs, swaps)
    for swap in swaps:
        listed = {
            slot: [inputs.lists[slot].find_answer(entry) is not None for entry in entries]
            for slot, entries in swap.entries.items()
        }
        pair_weight = settings.unlisted_pair_weight if [False, True] in listed.values() else 1.0
        gain = math.log(swap.p / max(swap.p_standing, settings.min_letter_p))
        for slot, (old, new) in swap.entries.items():
            slot_gain = evidence.entry_logp(slot_index[slot], new) - evidence.entry_logp(slot_index[slot], old)
            slot_gain += (scores[slot][new].raw_log_odds - scores[slot][old].raw_log_odds) * (
                1 if all(listed[slot]) else settings.unlisted_reader_weight
            )
            gain += slot_gain * (1.0 if any(listed[slot]) else pair_weight)
        yield gain


def read_swaps(inputs: SolverInput, swaps: Sequence[LetterSwap]) -> dict[Slot, dict[str, ReaderScore]]:
    """Read all entries of the swaps together; return what the reader says of each."""
    strings: dict[Slot, dict[str, None]] = {}
    for swap in swaps:
        for slot, entries in swap.entries.items():
            strings.setdefault(slot, {}).update(dict.fromkeys(entries))
    scores = inputs.knowledge.score_strings({slot: list(entries) for slot, entries in strings.items()})
    return {slot: dict(zip(entries, scores[slot], strict=True)) for slot, entries in strings.items()}


def find_swaps(puzzle: Puzzle, fill: Fill, settings: LetterSwapSettings) -> Iterator[LetterSwap]:
    """Yield what else may stand in each open square through which all entries have clues and are filled.

    No answer that stands elsewhere in the grid: setters do not use one twice.
    """
    through = puzzle.grid.slots_through
    entries = {slot: fill.answer(slot) for slot in puzzle.grid.slots if puzzle.has_clue(slot)}
    readable = {slot for slot, entry in entries.items() if is_letters_only(entry, len(slot))}
    used = set(entries.values())
    for cell, p in fill.beliefs.letter_probs.items() if fill.beliefs else ():
        if cell in puzzle.given or not readable.issuperset(slot for slot, _ in through[cell]):
            continue
        likely = (code for code in np.argsort(-p, kind="stable").tolist() if p[code] >= settings.min_letter_p)
        others = (ALPHABET[code] for code in likely if ALPHABET[code] != fill.cells[cell])
        for letter in itertools.islice(others, settings.max_swaps_per_cell):
            pairs = {s: (entries[s], entries[s][:i] + letter + entries[s][i + 1 :]) for s, i in through[cell]}
            if not any(new in used for _, new in pairs.values()):
                p_standing = float(p[ALPHABET.index(fill.cells[cell])])
                yield LetterSwap(cell, letter, pairs, float(p[ALPHABET.index(letter)]), p_standing)
