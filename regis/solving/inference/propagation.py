"""Loopy belief propagation between slots and cells (Pearl 1988; for crosswords: Dr.Fill, Berkeley 2022).

Each slot holds a probability over its candidates, and sends each of its cells what that makes of the cell's letter; the
cell passes it on to the slot that crosses there. With probability `missing` the slot's answer is in no list; then it is
a string of the letter and phrase models, whose evidence and marginals come in closed form, so that one list without the
right answer does not poison its crossings. Messages are damped, in logs, all slots at once, until they settle or the
rounds are over.

It is the engine of whatever reckons with letters not yet known: the filler `belief`, the check of the person's letters,
the search for rebus squares, and the explanation of an entry.
"""

from __future__ import annotations

import numpy as np

from regis.models.numeric.arrays import Float64Array
from regis.puzzle import DOUBTFUL_BELOW, Puzzle, Slot
from regis.puzzle.alphabet import codes_to_word
from regis.solving.filler import GIVEN_UP, N_REPORTED_ANSWERS, OUT_OF_TIME, Beliefs, SolverInput, Watch, no_watch
from regis.solving.inference.messages import Messages
from regis.solving.inference.slot_batches import RankedAnswers
from regis.system.deadline import is_past

MAX_ROUNDS = 28
MORE_ROUNDS = 5
"""How often does every slot send, at most, and how often again, once answers joined clues that name them? (Measured:
docs/experiments/messages.md.)"""

WARMUP_ROUNDS = 8
WARMUP_POWER = 0.7
"""In how many rounds, at most, do messages count less at first, and to which power are they taken? Answers in no list
are only letters then. (Measured: docs/experiments/messages.md.)"""

GIVE_UP_SHARE = 0.6
GIVE_UP_ROUND = 12
"""In how many squares, as a share of all, may letters be in doubt after so many rounds? Who may give up gives more up,
to begin again with what is read then (solving.moves.reader_pass). (Measured: docs/experiments/collapsed-grids.md.)"""

SETTLED_CHANGE = 0.002  # change of a letter's probability in its cell below which beliefs rest
WARMUP_SETTLED_CHANGE = 0.05  # change below which the warmup is over
GIVEN_ODDS = 1e-6  # odds of each other letter where one is given, while given letters are taken for right


def propagate(
    puzzle: Puzzle, inputs: SolverInput, deadline: float, given_odds: float = GIVEN_ODDS, watch: Watch = no_watch
) -> Beliefs:
    """Propagate beliefs between slots and cells until they rest.

    Parameters
    ----------
    puzzle : the puzzle, with its given letters.
    inputs : lists and string models; their warm start is gone on from.
    deadline : time.monotonic; beliefs are then as they are.
    given_odds : odds of each other letter where one is given.
    watch : called after each round.
    """
    messages = Messages(puzzle, inputs, given_odds)
    n_rounds, stop_reason = _run_rounds(messages, inputs, deadline, watch, range(1, MAX_ROUNDS + 1))
    confident_answers = {
        slot: codes_to_word(belief.argmax(axis=1).astype(np.uint8))
        for batch in messages.batches
        for slot, belief in zip(batch.slots, batch.belief, strict=True)
        if belief.max(axis=1).min() >= DOUBTFUL_BELOW
    }
    informed = None
    if stop_reason != GIVEN_UP and not is_past(deadline):
        informed = inputs.reword(confident_answers, deadline)
    if informed is None:
        confident_answers = {}
    else:
        for batch in messages.batches:
            for i, slot in enumerate(batch.slots):
                if informed.lists[slot] is not inputs.lists[slot]:
                    batch.replace_list(i, informed.lists[slot])
        more_rounds = range(n_rounds + 1, n_rounds + 1 + MORE_ROUNDS)
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
) -> tuple[int, str]:
    """Run `rounds` until nothing changes or the time is up; return the last one, and why it was the last."""
    is_warmup = rounds.start == 1 and WARMUP_ROUNDS > 0 and inputs.warm_start is None
    may_give_up = inputs.may_give_up and inputs.warm_start is None
    number, first_round = rounds.start - 1, rounds.start
    for number in rounds:
        power, phrase_deadline = (WARMUP_POWER, -np.inf) if is_warmup else (1.0, deadline)
        if not is_warmup:  # asked for all batches together, so that they are there for each
            inputs.string_models([slot for batch in messages.batches for slot in batch.unsure_slots()])
        incoming = [batch.receive(power * messages.incoming_to(batch)) for batch in messages.batches]
        posteriors = inputs.string_model.letter_posteriors([each.evidence for each in incoming])
        for batch, received, (weights, marginals) in zip(messages.batches, incoming, posteriors, strict=True):
            batch.update_beliefs(received, weights, marginals, inputs, phrase_deadline, number - first_round)
        change = messages.update()
        watch(f"round {number}", messages.likely_letters)
        if is_past(deadline):
            return number, OUT_OF_TIME
        if change < SETTLED_CHANGE and not is_warmup:
            return number, "settled"
        if may_give_up and number == GIVE_UP_ROUND and messages.doubtful_share > GIVE_UP_SHARE:
            return number, GIVEN_UP
        if is_warmup and (change < WARMUP_SETTLED_CHANGE or number == WARMUP_ROUNDS):
            is_warmup, first_round = False, number + 1
            for batch in messages.batches:
                batch.invalidate()
    return number, "all rounds done"
