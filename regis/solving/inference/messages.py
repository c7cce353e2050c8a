"""The messages between slots and cells of a grid, from one round of belief propagation to the next.

They are held as one table with a row for each cell of each slot, slots of one length together, in natural logs: what
comes in to the slot from the cell's crossing and the letter given there, and what goes out to the cell.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate

import numpy as np

from regis.models.numeric.arrays import Float64Array
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET
from regis.solving.filler import SolverInput
from regis.solving.inference.slot_batches import SlotBatch

SURE_LETTER_P = 0.99  # probability from which on a letter is not in doubt
DAMPING = 0.45  # share of the old message that stays in the new one: without any, loops swing to and fro
MESSAGE_FLOOR = 1e-7  # least probability a message gives to a letter, so that no single list can forbid one


class Messages:
    """The state of belief propagation on one grid: the messages, and what slots and cells make of them."""

    def __init__(self, puzzle: Puzzle, inputs: SolverInput, given_odds: float) -> None:
        """Begin with no messages, or with those of the inputs' warm start.

        Parameters
        ----------
        puzzle : its given letters come in as if from a crossing.
        inputs : lists and string models of the slots.
        given_odds : odds of each other letter where one is given.
        """
        self.puzzle = puzzle
        by_length: dict[int, list[Slot]] = defaultdict(list)
        for slot in puzzle.grid.slots:
            by_length[len(slot)].append(slot)
        ends = dict(zip(by_length, accumulate(n * len(slots) for n, slots in by_length.items()), strict=True))
        self.batches = [SlotBatch(slots, ends[n] - n * len(slots), inputs) for n, slots in by_length.items()]
        row_of = {(slot, i): batch.rows.start + k * len(slot) + i for batch in self.batches
                  for k, slot in enumerate(batch.slots) for i in range(len(slot))}  # fmt: skip
        self._slot_starts = np.array([row_of[slot, 0] for batch in self.batches for slot in batch.slots], np.intp)
        self._slot_sizes = np.array([len(slot) for batch in self.batches for slot in batch.slots], np.intp)
        self._crossing_rows = np.full(len(row_of), len(row_of))  # one more for no crossing
        self._row_of_cell: dict[Cell, int] = {}  # one of its rows
        self._given = np.zeros((len(row_of), len(ALPHABET)))
        for slot in puzzle.grid.slots:
            crossings = puzzle.grid.crossings[slot]
            for i, (cell, crossing) in enumerate(zip(slot.cells, crossings, strict=True)):
                row = row_of[slot, i]
                self._row_of_cell.setdefault(cell, row)
                if crossing is not None:
                    self._crossing_rows[row] = row_of[crossing.slot, crossing.position]
                letter = puzzle.given.get(cell, "")
                if len(letter) == 1 and letter in ALPHABET:
                    self._given[row] = np.log(given_odds)
                    self._given[row, ALPHABET.index(letter)] = 0.0
        self._incoming = self._given.copy()
        self._outgoing = np.zeros((len(row_of) + 1, len(ALPHABET)))
        self._cell_rows = np.array(list(self._row_of_cell.values()), np.intp)
        if inputs.warm_start is not None:
            assert isinstance(inputs.warm_start.message_state, Messages), "which propagate left there"
            self._resume_from(inputs.warm_start.message_state)
        self._marginals = self._compute_marginals()

    def _resume_from(self, before: Messages) -> None:
        """Go on from messages of the same grid, in which other letters may have been given."""
        assert before.puzzle.grid is self.puzzle.grid
        for batch, batch_before in zip(self.batches, before.batches, strict=True):
            batch.resume_from(batch_before)
        self._outgoing = before._outgoing.copy()
        self._incoming = self._given + self._outgoing[self._crossing_rows]

    def incoming_to(self, batch: SlotBatch) -> Float64Array:
        """Return the messages from cells to the slots of a batch, (slots, length, 26), natural logs."""
        return self._incoming[batch.rows].reshape(batch.shape)

    def normalized_to(self, batch: SlotBatch) -> Float64Array:
        """Return the messages to the slots of a batch, (slots, length, 26), as probabilities that sum to 1 a cell."""
        incoming = self.incoming_to(batch)
        probabilities: Float64Array = np.exp(incoming - _row_logsumexp(incoming))
        return probabilities

    def update(self) -> float:
        """Send each cell what its slots believe without it; return the largest change of a letter's probability."""
        if not len(self._incoming):
            return 0.0
        belief = np.concatenate([batch.belief.reshape(-1, len(ALPHABET)) for batch in self.batches])
        largest = np.repeat(np.maximum.reduceat(belief.max(axis=1), self._slot_starts), self._slot_sizes)
        message = np.log(belief + MESSAGE_FLOOR * largest[:, None]) - self._incoming
        message = np.maximum(message - _row_logsumexp(message), np.log(MESSAGE_FLOOR))
        self._outgoing[:-1] = DAMPING * self._outgoing[:-1] + (1 - DAMPING) * message
        self._incoming = self._given + self._outgoing[self._crossing_rows]
        before, self._marginals = self._marginals, self._compute_marginals()
        return float(np.abs(self._marginals - before).max())

    def _compute_marginals(self) -> Float64Array:
        """Compute the letter probabilities of each of the cells, (cells, 26)."""
        rows = self._cell_rows
        beliefs = self._given[rows] + self._outgoing[rows] + self._outgoing[self._crossing_rows[rows]]
        marginals: Float64Array = np.exp(beliefs - _row_logsumexp(beliefs))
        return marginals

    @property
    def doubtful_share(self) -> float:
        """Return the share of the cells whose letters are in doubt."""
        return float((self._marginals.max(axis=1) < SURE_LETTER_P).mean())

    def cell_marginals(self) -> dict[Cell, Float64Array]:
        """Return each cell's letter probabilities, (26,)."""
        return dict(zip(self._row_of_cell, self._marginals, strict=True))

    def likely_letters(self) -> dict[Cell, str]:
        """Return the given letters, and those that are likelier than all others together, for whoever watches."""
        likely = {cell: p for cell, p in self.cell_marginals().items() if p.max() > 0.5}
        return {cell: ALPHABET[int(p.argmax())] for cell, p in likely.items()} | dict(self.puzzle.given)


def _row_logsumexp(logs: Float64Array) -> Float64Array:
    """Sum probabilities over the last axis, which stays with length 1; all are natural logs."""
    largest = logs.max(axis=-1, keepdims=True)
    total: Float64Array = largest + np.log(np.exp(logs - largest).sum(axis=-1, keepdims=True))
    return total
