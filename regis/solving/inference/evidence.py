"""Evidence: how probable it is, by lists and string models, what a slot may hold, and what a whole grid holds.

That of a slot is the probability of all that it may be, given what its crossings say. It is small where neither the
slot's list nor the string model has anything that fits the letters from outside: there a square may hold more than one
letter, or the answer is a phrase that was changed.

That of a grid is one number for all its letters, the sum over its entries of the log probability of what stands there:
its list's, or, for what is in no list, that of `missing` times the string model's; the same answer twice costs.
Whatever proposes another grid is kept or dropped by this number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float64Array, logsumexp
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, letter_codes
from regis.solving.filler import Beliefs, Fill, SolverInput

REPEAT_PENALTY = 4.0
"""Nats by which a grid is less likely for each answer that it has twice: setters do not do that."""

NO_WORD_LOGP = -50.0
"""Natural log of what an entry with a rebus square or digit counts as, which the person wrote."""


def crossing_loglik(letters: NDArray[np.uint8], log_messages: Float64Array) -> Float64Array:
    """Compute the log likelihood of answers given the messages from their crossings.

    Parameters
    ----------
    letters : (answers, length), letters 0 to 25.
    log_messages : (length, 26), natural logs.

    Returns
    -------
    (answers,) natural logs.
    """
    loglik = np.zeros(len(letters))
    for column, message in zip(letters.T, log_messages, strict=True):
        loglik += message.take(column)
    return loglik


class SlotEvidence(NamedTuple):
    """The evidence of slots, by a solver's input and the beliefs that rest on it."""

    inputs: SolverInput
    beliefs: Beliefs

    def slot_log_evidence(self, slot: Slot) -> float:
        """Return the natural log probability of all that `slot` may be with single letters in its open cells."""
        candidates, p_in_list = self.inputs.lists[slot], self.beliefs.p_in_list[slot]
        if len(candidates) and p_in_list > 0:
            logp = candidates.logp + crossing_loglik(candidates.letters, self.log_messages(slot))
            return logsumexp(logp) - float(np.log(p_in_list))
        messages = self.beliefs.messages[slot]
        weights, marginals = self.inputs.string_model.letter_posterior(messages[None])
        model = self.inputs.string_model_for(slot)
        return candidates.log_missing + model.mix_phrases(messages, float(weights[0]), marginals[0])[0]

    def log_messages(self, slot: Slot) -> Float64Array:
        """Return the messages from crossings to the slot's cells, (length, 26), natural logs."""
        log_messages: Float64Array = np.log(self.beliefs.messages[slot])
        return log_messages


class GridEvidence:
    """The evidence of filled grids of one puzzle, by one solver's input; entries are looked up once each."""

    def __init__(self, puzzle: Puzzle, inputs: SolverInput) -> None:
        self.slots = puzzle.grid.slots
        self.inputs = inputs
        self._entry_logps: list[dict[str, float]] = [{} for _ in self.slots]

    def entry_logp(self, slot_index: int, entry: str) -> float:
        """Return the natural log probability of `entry` in the slot of that index, by the slot's own list."""
        logps = self._entry_logps[slot_index]
        if entry not in logps:
            slot = self.slots[slot_index]
            candidates = self.inputs.lists[slot]
            logps[entry] = candidates.logp_at(candidates.find_answer(entry), lambda: self._string_logp(slot, entry))
        return logps[entry]

    def log_evidence(self, fill: Fill) -> float:
        """Return the natural log probability of all entries of a filled grid, less the price of repeated ones."""
        entries = [fill.answer(slot) for slot in self.slots]
        n_repeated = len(entries) - len(set(entries))
        return sum(self.entry_logp(i, entry) for i, entry in enumerate(entries)) - REPEAT_PENALTY * n_repeated

    def _string_logp(self, slot: Slot, entry: str) -> float:
        """Return the natural log probability of `entry` among the unlisted answers to the slot."""
        if any(letter not in ALPHABET for letter in entry):
            return NO_WORD_LOGP
        return self.inputs.string_model_for(slot).string_loglik(letter_codes(entry))
