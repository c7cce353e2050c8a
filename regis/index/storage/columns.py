"""Columns of texts, and the order of their rows."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis import text


class TextColumn:
    """A column of texts, '' where there is none, each decoded when it is asked for."""

    def __init__(self, starts: NDArray[np.int32], data: NDArray[np.uint8]) -> None:
        """Hold the bytes of all texts.

        Parameters
        ----------
        starts : (rows + 1,) where in `data` each text begins, one more at the end.
        data : (bytes,) all texts in UTF-8, one behind the other.
        """
        self.starts, self.data = starts, data

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> str:
        return str(self.data[self.starts[row] : self.starts[row + 1]].data, "utf-8")

    def take_texts(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """Return the texts in `rows`, (rows,), in that order."""
        begin, end, data = self.starts[rows].tolist(), self.starts[rows + 1].tolist(), self.data.data
        return [str(data[a:b], "utf-8") for a, b in zip(begin, end, strict=True)]

    def to_words(self) -> NDArray[np.bytes_]:
        """Return words in capitals, none of them empty, as (rows,) bytes. Raises ValueError for anything else."""
        sizes = np.diff(self.starts)
        if not ((sizes > 0).all() and ((self.data >= ord("A")) & (self.data <= ord("Z"))).all()):
            raise ValueError("a word that is none")
        table = np.zeros((len(sizes), int(sizes.max(initial=1))), np.uint8)
        table[np.arange(table.shape[1]) < sizes[:, None]] = self.data
        return table.view(f"S{table.shape[1]}")[:, 0]

    @property
    def all_texts(self) -> list[str]:
        """Return the texts in all rows."""
        return self.take_texts(np.arange(len(self)))


def text_arrays(name: str, texts: TextColumn) -> dict[str, NDArray[Any]]:
    """Return a column of texts as the arrays that it is stored as."""
    return {f"{name}.starts": texts.starts, f"{name}.data": texts.data}


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
