"""The keys of an index's clues in an order: those that begin alike, or end alike, are found by binary search."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.index.storage.cached_columns import TextColumn


class KeyOrder:
    """Clue keys in an order that can be searched without copying them: as they are, or read backwards."""

    def __init__(self, clue_keys: TextColumn, row_order: NDArray[np.uint32] | None = None) -> None:
        """Order `clue_keys` by `row_order`, (clues,) rows sorted by reversed key; None leaves them as they are."""
        self._clue_keys = clue_keys
        self._row_order = row_order

    def __len__(self) -> int:
        return len(self._clue_keys)

    def __getitem__(self, position: int) -> bytes:
        if self._row_order is None:
            return self._clue_keys[position].encode()
        return text.reverse_key(self._clue_keys[int(self._row_order[position])]).encode()

    def find_position(self, clue_key: str) -> int:
        """Return where `clue_key`, or with an order its reversed words, stands or would stand, by binary search."""
        return bisect_left(self, clue_key.encode())

    def rows_between(self, low: int, high: int) -> NDArray[np.int64]:
        """Return the rows of the clue table at positions `low` to `high` - 1 of this order, (rows,)."""
        low, high = max(low, 0), min(high, len(self))
        return np.arange(low, high) if self._row_order is None else self._row_order[low:high].astype(np.int64)
