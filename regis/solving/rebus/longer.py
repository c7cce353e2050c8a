"""What the answers of slots would be, had they so many letters."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from regis.models.tensors import Table
from regis.solving.solution import Candidates, Wanted
from regis.system.deadline import passed

Longer = tuple[NDArray[np.uint8], Table]  # answers, (k, length), and their natural logs, (k,)


class LongerAnswers:
    """The likeliest answers of slots, had they so many letters; each list is made once, none after the deadline."""

    def __init__(self, among: Candidates, deadline: float) -> None:
        self._among = among
        self._deadline = deadline
        self._known: dict[tuple[Wanted, int | None], Longer] = {}

    def of(self, wanted: Collection[Wanted], depth: int | None) -> Mapping[Wanted, Longer]:
        """Those of slots of so many letters, so many of each at most or, with None, all; asked for together."""
        new = [one for one in wanted if (one, depth) not in self._known]
        same = {(slot, length): self._among.lists[slot] for slot, length in new if length == len(slot)}
        other = self._among.longer([one for one in new if one not in same], depth, self._deadline)
        for one, found in {**same, **other}.items():
            self._known[one, depth] = found.letters[:depth], found.logp[:depth]
        return {one: self._known[one, depth] for one in wanted}

    def one(self, wanted: Wanted, depth: int | None) -> Longer:
        """The same of one slot."""
        return self.of([wanted], depth)[wanted]

    @property
    def late(self) -> bool:
        return passed(self._deadline)
