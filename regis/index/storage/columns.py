"""Columns of texts, and the order of their rows."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis import text


class TextColumn:
    """A column of texts, '' for none, each decoded on demand."""

    def __init__(self, starts: NDArray[np.int32], data: NDArray[np.uint8]) -> None:
        """Take the start of each text and the end of the last, (rows + 1,), and all texts in UTF-8, (bytes,)."""
        self.starts, self.data = starts, data

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> str:
        return str(self.data[self.starts[row] : self.starts[row + 1]].data, "utf-8")

    def take_texts(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        begin, end, data = self.starts[rows].tolist(), self.starts[rows + 1].tolist(), self.data.data
        return [str(data[a:b], "utf-8") for a, b in zip(begin, end, strict=True)]

    def to_words(self) -> NDArray[np.bytes_]:
        """Return words in capitals as (rows,) bytes; raises ValueError for other texts."""
        sizes = np.diff(self.starts)
        if not ((sizes > 0).all() and ((self.data >= ord("A")) & (self.data <= ord("Z"))).all()):
            raise ValueError("an invalid word")
        table = np.zeros((len(sizes), int(sizes.max(initial=1))), np.uint8)
        table[np.arange(table.shape[1]) < sizes[:, None]] = self.data
        return table.view(f"S{table.shape[1]}")[:, 0]


def text_arrays(name: str, texts: TextColumn) -> dict[str, NDArray[Any]]:
    return {f"{name}.starts": texts.starts, f"{name}.data": texts.data}


class KeyOrder:
    """Clue keys in an order that can be searched without copying: as stored, or reversed."""

    def __init__(self, clue_keys: TextColumn, row_order: NDArray[np.uint32] | None = None) -> None:
        """Order `clue_keys` by `row_order`, (clues,) rows sorted by reversed key; without it, as stored."""
        self._clue_keys = clue_keys
        self._row_order = row_order

    def __len__(self) -> int:
        return len(self._clue_keys)

    def __getitem__(self, position: int) -> bytes:
        if self._row_order is None:
            return self._clue_keys[position].encode()
        return text.reverse_key(self._clue_keys[int(self._row_order[position])]).encode()

    def find_position(self, clue_key: str) -> int:
        """Return the position of `clue_key`, or of its reversed words, by binary search."""
        return bisect_left(self, clue_key.encode())

    def rows_between(self, low: int, high: int) -> NDArray[np.int64]:
        """Return the rows of the clue table at positions `low` to `high` - 1."""
        low, high = max(low, 0), min(high, len(self))
        return np.arange(low, high) if self._row_order is None else self._row_order[low:high].astype(np.int64)
