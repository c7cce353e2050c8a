"""How surprising a slot is: the probability of all that it may be, given what its crossings say.

It is small where neither the slot's list nor the string model has anything that fits the letters from outside: there a
square may hold more than one letter, or the answer is a phrase that was changed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.tensors import Table
from regis.puzzle import Slot
from regis.solving.solution import Beliefs, Candidates


def by_crossings(letters: NDArray[np.uint8], messages: Table) -> Table:
    """How well each row of `letters`, (k, length), fits what crossings say, (length, 26): natural logs, (k,)."""
    found = np.zeros(len(letters))
    for column, message in zip(letters.T, messages, strict=True):
        found += message.take(column)
    return found


def log_total(logs: Table, besides: float = -np.inf) -> float:
    """Natural log of all probabilities together whose `logs`, (k,), are given, and of that `besides`.

    Of a whole list it is had in half the time that numpy's logaddexp takes, which adds one after the other.
    """
    most = float(logs.max(initial=besides))
    return most if np.isneginf(most) else most + float(np.log(np.exp(logs - most).sum() + np.exp(besides - most)))


class Surprise(NamedTuple):
    """What is known, and where beliefs that were formed from it came to rest."""

    among: Candidates
    beliefs: Beliefs

    def evidence(self, slot: Slot) -> float:
        """Natural log probability of all that `slot` may be with single letters in its open cells."""
        part, listed = self.among.lists[slot], self.beliefs.listed[slot]
        if len(part) and listed > 0:
            score = part.logp + by_crossings(part.letters, self.messages(slot))
            return log_total(score) - float(np.log(listed))
        rows = self.beliefs.messages[slot]
        weights, marginals = self.among.strings.by_letters(rows[None])
        model = self.among.strings_for(slot)
        return part.log_missing + model.with_phrases(rows, float(weights[0]), marginals[0])[0]

    def messages(self, slot: Slot) -> Table:
        """What the crossings say of the slot's cells, (length, 26), natural logs."""
        found: Table = np.log(self.beliefs.messages[slot])
        return found
