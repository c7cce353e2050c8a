"""What the answers of slots would be, had they so many letters."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from regis.puzzle import Slot
from regis.solving.solution import Candidates, Table

Longer = tuple[NDArray[np.uint8], Table]  # answers, (k, length), and their natural logs, (k,)


class Words:
    """The likeliest answers of slots, had they so many letters; each list is made once, none after the deadline."""

    def __init__(self, among: Candidates, deadline: float) -> None:
        self._among = among
        self._deadline = deadline
        self._known: dict[tuple[Slot, int, int | None], Longer] = {}

    def of(self, lengths: Mapping[Slot, int], depth: int | None) -> Mapping[Slot, Longer]:
        """Those of the slots with these lengths, so many of each at most or, with None, all; asked for together."""
        new = {slot: length for slot, length in lengths.items() if (slot, length, depth) not in self._known}
        other = {slot: length for slot, length in new.items() if length != len(slot)}
        for slot, found in {
            **self._among.longer(other),
            **{s: self._among.lists[s] for s in new.keys() - other},
        }.items():
            self._known[slot, new[slot], depth] = found.letters[:depth].copy(), found.logp[:depth].copy()
        return {slot: self._known[slot, length, depth] for slot, length in lengths.items()}

    @property
    def late(self) -> bool:
        return time.monotonic() > self._deadline
