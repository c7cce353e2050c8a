"""The calls that decide grids: `python benchmarks/bench_calls.py ARCHIVE --per-weekday 6`.

Solves each plain puzzle up to the last move, letter swaps. For every square in doubt, each other letter that has a
chance is a call: the two entries with the current letter against the same two with the other one. Each voice (lists,
reader, messages) prefers one or the other. The table says how many wrong letters a voice would correct, how many right
ones it would spoil, and how well its nats separate them (area under the curve, 0.5 by chance). Lists count as they were
before anything was read, the reader by its own log odds.

`--out FILE` keeps the calls, one JSON line each, to ask other voices: clues, strings, and their wording.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import cli_options
import numpy as np
import plain_puzzles
from tqdm import tqdm

from regis.index import Index
from regis.models.arrays import Float64Array
from regis.puzzle import Cell
from regis.solving import pipeline
from regis.solving.inference.evidence import GridEvidence
from regis.solving.moves import letter_swaps, plan_without
from regis.solving.moves.letter_swaps import LetterSwapSettings, find_swaps, read_swaps
from regis.solving.state import State
from regis.system import paths

CALL_SETTINGS = LetterSwapSettings(min_letter_p=0.0005, max_swaps_per_cell=25)  # all letters with a chance
LAST_MOVE = "letter swaps"  # the calls are collected before it


class CallEntry(NamedTuple):
    """One of the entries of a call; pairs of the current entry and the one with the other letter."""

    clue: str
    strings: Sequence[str]
    segmentations: Sequence[str]  # as the reader gets them
    list_logps: Sequence[float]
    reader_log_odds: Sequence[float]
    is_listed: Sequence[bool]


class Call(NamedTuple):
    """One letter of a square against another."""

    cell: Cell
    standing: str
    other: str
    right: str
    p_other: float
    entries: Sequence[CallEntry]

    def gain(self, voice: str) -> float:
        """Return how many nats a voice, a field of CallEntry, prefers the other letter by."""
        return float(sum(getattr(entry, voice)[1] - getattr(entry, voice)[0] for entry in self.entries))


def find_calls(state: State, truth: Mapping[Cell, str]) -> Iterator[Call]:
    """Yield the calls of a filled grid; read their entries."""
    unread = state.first_state
    if state.squares or state.fill.beliefs is None or unread.fill.beliefs is None:
        return
    inputs = unread.fill.propagated_beliefs.final_inputs(unread.inputs)
    swaps = list(find_swaps(state.puzzle, state.fill))
    if not swaps or not inputs.has_reader:
        return
    scores, evidence = read_swaps(inputs, swaps), GridEvidence(state.puzzle, inputs)
    slot_index = {slot: i for i, slot in enumerate(state.puzzle.grid.slots)}
    for swap in swaps:
        entries = [
            CallEntry(
                state.puzzle.clues[slot],
                pair,
                [scores[slot][word].segmentation for word in pair],
                [evidence.entry_logp(slot_index[slot], word) for word in pair],
                [float(scores[slot][word].raw_log_odds) for word in pair],
                [inputs.lists[slot].find_answer(word) is not None for word in pair],
            )
            for slot, pair in swap.entries.items()
        ]
        yield Call(swap.cell, state.fill.cells[swap.cell], swap.letter, truth[swap.cell], swap.p, entries)


def area_under_curve(gains: Float64Array, is_right: np.ndarray) -> float:
    """Return how often a right call has more nats than a wrong one; ties count half."""
    right, wrong = gains[is_right], gains[~is_right]
    return float(np.mean((right[:, None] > wrong) + 0.5 * (right[:, None] == wrong)))


def print_table(calls: Sequence[Call]) -> None:
    """Print each voice's opinion of the calls in which one of the two letters is right."""
    decided = [(call, call.right == call.other) for call in calls if call.right in (call.standing, call.other)]
    is_right = np.array([right for _, right in decided], bool)
    print(f"{len(decided)} calls, in {is_right.sum()} of which the other letter is right")
    if not 0 < is_right.sum() < len(is_right):
        return
    print(f"{'voice':<18} {'turned %':>8} {'by a nat':>8} {'spoiled %':>9} {'by a nat':>8} {'area':>6}")
    for voice in ("list_logps", "reader_log_odds"):
        gains = np.array([call.gain(voice) for call, _ in decided])
        turned, spoiled = gains[is_right], gains[~is_right]
        shares = [100 * float(np.mean(side > limit)) for side in (turned, spoiled) for limit in (0, 1)]
        area = area_under_curve(gains, is_right)
        print(f"{voice:<18} {shares[0]:8.1f} {shares[1]:8.1f} {shares[2]:9.1f} {shares[3]:8.1f} {area:6.3f}")


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True, default_index=paths.starter_folder())
    parser.add_argument("--out", type=Path, help="keep the calls in this file, as JSON lines")
    arguments = parser.parse_args()
    index = Index.open(arguments.index)
    calls: list[Call] = []
    for item in tqdm(plain_puzzles.read_items(arguments), leave=False, disable=None):
        puzzle, truth = plain_puzzles.read_solved(item.file)

        def collect_calls(state: State, *_: object, truth: Mapping[Cell, str] = truth) -> State:
            calls.extend(find_calls(state, truth))
            return state

        with mock.patch.object(letter_swaps, "LETTER_SWAPS", CALL_SETTINGS):
            pipeline.solve(puzzle, index, plan={**plan_without(LAST_MOVE), "calls": collect_calls})
    print_table(calls)
    if arguments.out:
        with arguments.out.open("w", encoding="utf-8") as file:
            for call in calls:
                entries = [entry._asdict() for entry in call.entries]
                file.write(json.dumps({**call._asdict(), "entries": entries}) + "\n")


if __name__ == "__main__":
    main()
