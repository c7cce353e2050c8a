"""Close calls between two letters of a square, decided by the reader.

Most imperfect grids have one wrong square, in which another letter also makes two plausible entries. Lists and messages
have already counted, so all four entries are read with their clues. The reader counts as much as the first lists and
the last messages, and twice for an unlisted entry. If a slot gets a listed answer, its crossing counts half if both its
entries are unlisted. An installed language model also counts.
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
from regis.solving.settings import LANGUAGE_MODEL
from regis.system.progress import FOREVER, is_past


@dataclass(frozen=True)
class LetterSwapSettings:
    """Which letters are tried, and when one is written. (Measured: docs/experiments/letter-swaps.md; another reader:
    docs/experiments/second-reader.md)"""

    min_letter_p: float = 0.002  # least probability of a letter that is tried in its square; a guess
    max_swaps: int = 40  # most tries in the grid; a guess
    max_swaps_per_cell: int = 2  # most tries in one square; a guess

    min_gain: float = 0.5
    unlisted_reader_weight: float = 2.0
    unlisted_pair_weight: float = 0.5
    """Nats that another letter must gain; weight of the reader for an unlisted entry; weight of a slot with two
    unlisted entries if its crossing gets a listed answer."""


LETTER_SWAPS = LetterSwapSettings()


class LetterSwap(NamedTuple):
    cell: Cell
    letter: str
    entries: Mapping[Slot, tuple[str, str]]  # the present ones, and those with the letter
    p: float  # probability of the letter by the messages
    p_standing: float  # probability of the present letter


def apply_letter_swaps(puzzle: Puzzle, inputs: SolverInput, fill: Fill, deadline: float = FOREVER) -> Fill:
    """Replace single letters if that makes the entries there likelier, by their lists and the reader.

    A new letter gets the old one's confidence. Without a reader, or at the deadline, the fill is returned unchanged.
    `inputs` has the lists before any reading; `fill` has beliefs.
    """
    if not inputs.has_reader or is_past(deadline):
        return fill
    swaps = sorted(find_swaps(puzzle, fill), key=lambda swap: (-swap.p, swap.cell))[: LETTER_SWAPS.max_swaps]
    if not swaps:
        return fill
    gains = zip(_compute_gains(puzzle, inputs, swaps, deadline), swaps, strict=True)
    cells, ranked_answers, changed = dict(fill.cells), dict(fill.ranked_answers), set[Slot]()
    for gain, swap in sorted(gains, key=lambda item: (-item[0], item[1].cell)):
        if gain > LETTER_SWAPS.min_gain and not changed & swap.entries.keys():
            cells[swap.cell] = swap.letter
            changed |= swap.entries.keys()
            for slot, (old, new) in swap.entries.items():
                exchange = {old: new, new: old}
                answers = ranked_answers.get(slot, ())
                ranked_answers[slot] = tuple((exchange.get(answer, answer), p) for answer, p in answers)
    return replace(fill, cells=cells, ranked_answers=ranked_answers) if changed else fill


def _compute_gains(
    puzzle: Puzzle, inputs: SolverInput, swaps: Sequence[LetterSwap], deadline: float
) -> Iterator[float]:
    """Yield each swap's gain in nats, from messages, lists, reader, and language model."""
    evidence, slot_index = GridEvidence(puzzle, inputs), {slot: i for i, slot in enumerate(puzzle.grid.slots)}
    scores = read_swaps(inputs, swaps)
    likely = [swap for swap in swaps if swap.p >= LANGUAGE_MODEL.min_p][: LANGUAGE_MODEL.max_swaps]
    logps = inputs.knowledge.language_logps(_strings_by_slot(likely), deadline)
    for swap in swaps:
        listed = {
            slot: [inputs.lists[slot].find_answer(entry) is not None for entry in entries]
            for slot, entries in swap.entries.items()
        }
        pair_weight = LETTER_SWAPS.unlisted_pair_weight if [False, True] in listed.values() else 1.0
        gain = math.log(swap.p / max(swap.p_standing, LETTER_SWAPS.min_letter_p))
        for slot, (old, new) in swap.entries.items():
            slot_gain = evidence.entry_logp(slot_index[slot], new) - evidence.entry_logp(slot_index[slot], old)
            slot_gain += (scores[slot][new].raw_log_odds - scores[slot][old].raw_log_odds) * (
                1 if all(listed[slot]) else LETTER_SWAPS.unlisted_reader_weight
            )
            if {old, new} <= logps.get(slot, {}).keys():
                slot_gain += LANGUAGE_MODEL.swap_weight * (logps[slot][new] - logps[slot][old])
            gain += slot_gain * (1.0 if any(listed[slot]) else pair_weight)
        yield gain


def read_swaps(inputs: SolverInput, swaps: Sequence[LetterSwap]) -> dict[Slot, dict[str, ReaderScore]]:
    strings = _strings_by_slot(swaps)
    scores = inputs.knowledge.score_strings(strings)
    return {slot: dict(zip(entries, scores[slot], strict=True)) for slot, entries in strings.items()}


def _strings_by_slot(swaps: Sequence[LetterSwap]) -> dict[Slot, list[str]]:
    strings: dict[Slot, dict[str, None]] = {}
    for swap in swaps:
        for slot, entries in swap.entries.items():
            strings.setdefault(slot, {}).update(dict.fromkeys(entries))
    return {slot: list(entries) for slot, entries in strings.items()}


def find_swaps(puzzle: Puzzle, fill: Fill) -> Iterator[LetterSwap]:
    """Yield other letters for each open square whose entries are full and all have clues.

    No new answer may be elsewhere in the grid: constructors don't repeat answers.
    """
    through = puzzle.grid.slots_through
    entries = {slot: fill.answer(slot) for slot in puzzle.grid.slots if puzzle.has_clue(slot)}
    readable = {slot for slot, entry in entries.items() if is_letters_only(entry, len(slot))}
    used = set(entries.values())
    for cell, p in fill.beliefs.letter_probs.items() if fill.beliefs else ():
        if cell in puzzle.given or not readable.issuperset(slot for slot, _ in through[cell]):
            continue
        likely = (code for code in np.argsort(-p, kind="stable").tolist() if p[code] >= LETTER_SWAPS.min_letter_p)
        others = (ALPHABET[code] for code in likely if ALPHABET[code] != fill.cells[cell])
        for letter in itertools.islice(others, LETTER_SWAPS.max_swaps_per_cell):
            pairs = {s: (entries[s], entries[s][:i] + letter + entries[s][i + 1 :]) for s, i in through[cell]}
            if not any(new in used for _, new in pairs.values()):
                p_standing = float(p[ALPHABET.index(fill.cells[cell])])
                yield LetterSwap(cell, letter, pairs, float(p[ALPHABET.index(letter)]), p_standing)
