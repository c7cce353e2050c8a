"""Loopy belief propagation between slots and cells (Pearl 1988; for crosswords: Dr.Fill, Berkeley 2022).

A slot's candidates give each of its cells letter probabilities, which the cell passes on to the crossing slot. With
probability `missing` the answer is a string of the letter and phrase models, in closed form, so that a list without the
right answer doesn't mislead its crossings. Messages are damped logs. All slots send them at once until they settle, in
one table with a row for each cell of each slot.

The filler `belief`, the check of given letters, the rebus search, and explanations all use it.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate

import numpy as np

from regis.models.arrays import Float64Array, logsumexp
from regis.puzzle import DOUBTFUL_BELOW, Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, codes_to_word
from regis.solving.filler import N_REPORTED_ANSWERS, Beliefs, SolverInput, StopReason, Watch, no_watch
from regis.solving.inference.slot_batches import RankedAnswers, SlotBatch
from regis.solving.settings import PROPAGATION
from regis.system.progress import is_past

SURE_LETTER_P = 0.99  # a letter of at least this probability isn't doubtful


GIVEN_ODDS = 1e-6  # odds of each other letter in a given square, while given letters count as right


class Messages:
    def __init__(self, puzzle: Puzzle, inputs: SolverInput, given_odds: float) -> None:
        """Start without messages, or with the warm start's; given letters come in like messages from a crossing.

        `given_odds` are the odds of each other letter in their squares.
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
        self._crossing_rows = np.full(len(row_of), len(row_of))  # an extra row means no crossing
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
        """Continue from messages of the same grid, which may have had other given letters."""
        assert before.puzzle.grid is self.puzzle.grid
        for batch, batch_before in zip(self.batches, before.batches, strict=True):
            batch.resume_from(batch_before)
        self._outgoing = before._outgoing.copy()
        self._incoming = self._given + self._outgoing[self._crossing_rows]

    def incoming_to(self, batch: SlotBatch) -> Float64Array:
        """Return the messages from cells to the slots of a batch, (slots, length, 26), natural logs."""
        return self._incoming[batch.rows].reshape(batch.shape)

    def normalized_to(self, batch: SlotBatch) -> Float64Array:
        """Return the messages to the slots of a batch, (slots, length, 26), as probabilities."""
        incoming = self.incoming_to(batch)
        probabilities: Float64Array = np.exp(incoming - logsumexp(incoming))
        return probabilities

    def update(self) -> float:
        """Send each cell what its slots believe without it; return the largest change of a letter's probability."""
        if not len(self._incoming):
            return 0.0
        belief = np.concatenate([batch.belief.reshape(-1, len(ALPHABET)) for batch in self.batches])
        largest = np.repeat(np.maximum.reduceat(belief.max(axis=1), self._slot_starts), self._slot_sizes)
        message = np.log(belief + PROPAGATION.message_floor * largest[:, None]) - self._incoming
        message = np.maximum(message - logsumexp(message), np.log(PROPAGATION.message_floor))
        self._outgoing[:-1] = PROPAGATION.damping * self._outgoing[:-1] + (1 - PROPAGATION.damping) * message
        self._incoming = self._given + self._outgoing[self._crossing_rows]
        before, self._marginals = self._marginals, self._compute_marginals()
        return float(np.abs(self._marginals - before).max())

    def _compute_marginals(self) -> Float64Array:
        rows = self._cell_rows
        beliefs = self._given[rows] + self._outgoing[rows] + self._outgoing[self._crossing_rows[rows]]
        marginals: Float64Array = np.exp(beliefs - logsumexp(beliefs))
        return marginals

    @property
    def doubtful_share(self) -> float:
        return float((self._marginals.max(axis=1) < SURE_LETTER_P).mean())

    def cell_marginals(self) -> dict[Cell, Float64Array]:
        return dict(zip(self._row_of_cell, self._marginals, strict=True))

    def likely_letters(self) -> dict[Cell, str]:
        """Return given letters, and letters with more than half the probability."""
        likely = {cell: p for cell, p in self.cell_marginals().items() if p.max() > 0.5}
        return {cell: ALPHABET[int(p.argmax())] for cell, p in likely.items()} | dict(self.puzzle.given)


def propagate(
    puzzle: Puzzle, inputs: SolverInput, deadline: float, given_odds: float = GIVEN_ODDS, watch: Watch = no_watch
) -> Beliefs:
    """Propagate beliefs between slots and cells until they settle, or until the deadline (time.monotonic).

    Propagation continues from the inputs' warm start. `given_odds` are the odds of each other letter in a given square.
    """
    messages = Messages(puzzle, inputs, given_odds)
    n_rounds, stop_reason = _run_rounds(messages, inputs, deadline, watch, range(1, PROPAGATION.max_rounds + 1))
    confident_answers = {
        slot: codes_to_word(belief.argmax(axis=1).astype(np.uint8))
        for batch in messages.batches
        for slot, belief in zip(batch.slots, batch.belief, strict=True)
        if belief.max(axis=1).min() >= DOUBTFUL_BELOW
    }
    informed = None
    if stop_reason is not StopReason.GIVEN_UP and not is_past(deadline):
        informed = inputs.reword(confident_answers, deadline)
    if informed is None:
        confident_answers = {}
    else:
        for batch in messages.batches:
            for i, slot in enumerate(batch.slots):
                if informed.lists[slot] is not inputs.lists[slot]:
                    batch.replace_list(i, informed.lists[slot])
        more_rounds = range(n_rounds + 1, n_rounds + 1 + PROPAGATION.more_rounds)
        n_rounds, stop_reason = _run_rounds(messages, informed, deadline, watch, more_rounds)
    slot_messages: dict[Slot, Float64Array] = {}
    p_in_list: dict[Slot, float] = {}
    for batch in messages.batches:
        slot_messages.update(zip(batch.slots, messages.normalized_to(batch), strict=True))
        p_in_list.update(zip(batch.slots, batch.p_in_list.tolist(), strict=True))
    slots = puzzle.grid.slots
    batches = [(batch, messages.incoming_to(batch)) for batch in messages.batches]
    return Beliefs(
        letter_probs=messages.cell_marginals(),
        messages=slot_messages,
        ranked_answers=RankedAnswers(slots, batches, N_REPORTED_ANSWERS),
        p_in_list={slot: p_in_list[slot] for slot in slots},
        confident_answers=confident_answers,
        rounds=n_rounds,
        stop_reason=stop_reason,
        message_state=messages,
    )


def _run_rounds(
    messages: Messages, inputs: SolverInput, deadline: float, watch: Watch, rounds: range
) -> tuple[int, StopReason]:
    """Run `rounds` until nothing changes or time is up; return the last round and the reason for stopping."""
    is_warmup = rounds.start == 1 and PROPAGATION.warmup_rounds > 0 and inputs.warm_start is None
    may_give_up = inputs.may_give_up and inputs.warm_start is None
    number, first_round = rounds.start - 1, rounds.start
    for number in rounds:
        power, phrase_deadline = (PROPAGATION.warmup_power, -np.inf) if is_warmup else (1.0, deadline)
        if not is_warmup:  # computed for all batches together
            inputs.string_models([slot for batch in messages.batches for slot in batch.unsure_slots()])
        incoming = [batch.receive(power * messages.incoming_to(batch)) for batch in messages.batches]
        posteriors = inputs.string_model.letter_posteriors([each.evidence for each in incoming])
        for batch, received, (weights, marginals) in zip(messages.batches, incoming, posteriors, strict=True):
            batch.update_beliefs(received, weights, marginals, inputs, phrase_deadline, number - first_round)
        change = messages.update()
        watch(f"round {number}", messages.likely_letters)
        if is_past(deadline):
            return number, StopReason.OUT_OF_TIME
        if change < PROPAGATION.settled_change and not is_warmup:
            return number, StopReason.DONE
        if may_give_up and number == PROPAGATION.give_up_round and messages.doubtful_share > PROPAGATION.give_up_share:
            return number, StopReason.GIVEN_UP
        if is_warmup and (change < PROPAGATION.warmup_settled_change or number == PROPAGATION.warmup_rounds):
            is_warmup, first_round = False, number + 1
            for batch in messages.batches:
                batch.invalidate()
    return number, StopReason.DONE
