"""The likeliest answers of slots, had they so many letters."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float64Array
from regis.solving.filler import SlotLength, SolverInput
from regis.system.deadline import is_past

LongerList = tuple[NDArray[np.uint8], Float64Array]
"""Answers, (k, length), and their natural log probabilities, (k,)."""


class LongerListCache:
    """Lists of longer answers to slots; each is made once, and none after the deadline (time.monotonic)."""

    def __init__(self, inputs: SolverInput, deadline: float) -> None:
        self._inputs = inputs
        self._deadline = deadline
        self._lists: dict[tuple[SlotLength, int | None], LongerList] = {}

    def get_lists(self, slot_lengths: Collection[SlotLength], depth: int | None) -> Mapping[SlotLength, LongerList]:
        """Return lists for slots of these lengths, retrieved together.

        Parameters
        ----------
        slot_lengths : slots, each with a number of letters.
        depth : answers of each list, at most; None for all.

        Returns
        -------
        For each slot and length, answers (k, length) and natural log probabilities (k,); empty if they are late.
        """
        new = [slot_length for slot_length in slot_lengths if (slot_length, depth) not in self._lists]
        same_length = {(slot, length): self._inputs.lists[slot] for slot, length in new if length == len(slot)}
        other_length = self._inputs.knowledge.lists_of_length(
            [slot_length for slot_length in new if slot_length not in same_length], depth, self._deadline
        )
        for slot_length, answers in {**same_length, **other_length}.items():
            self._lists[slot_length, depth] = answers.letters[:depth], answers.logp[:depth].astype(np.float64)
        return {slot_length: self._lists[slot_length, depth] for slot_length in slot_lengths}

    def get_list(self, slot_length: SlotLength, depth: int | None) -> LongerList:
        """Return the list of one slot of this length: answers (k, length) and natural log probabilities (k,)."""
        return self.get_lists([slot_length], depth)[slot_length]

    @property
    def is_late(self) -> bool:
        return is_past(self._deadline)
