"""The keys of an index's clues in an order: those that begin alike, or end alike, are found by binary search."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.index.columns import Texts


class Keys:
    """Clue keys in an order that can be searched without copying them: as they are, or read backwards."""

    def __init__(self, column: Texts, order: NDArray[np.uint32] | None = None) -> None:
        self._column = column
        self._order = order

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, place: int) -> bytes:
        if self._order is None:
            return self._column[place].encode()
        return text.reversed_key(self._column[int(self._order[place])]).encode()

    def place(self, key: str) -> int:
        """Where `key` stands or would stand, by binary search; with an order, where its reversed words would."""
        return bisect_left(self, key.encode())

    def rows(self, low: int, high: int) -> NDArray[np.int64]:
        """The clue table's rows at places `low` to `high` - 1 of this order."""
        low, high = max(low, 0), min(high, len(self))
        return np.arange(low, high) if self._order is None else self._order[low:high].astype(np.int64)
