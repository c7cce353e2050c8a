"""Rows of numbers on the disk, and the one way in which everything under `index` is read.

Over bytes that are not what was written, numpy, pyarrow and json raise whatever they happen to stumble over, as far as
tokenize.TokenError; to a person it is all the same: the index is damaged, and a command mends it.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.errors import IndexUnreadable
from regis.index import opening
from regis.system.held import Changed, Place
from regis.system.kept import MAPPED
from regis.system.lack import no_room, unreadable

HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][a-z]\d+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n",
    re.DOTALL,
)
"""What stands before the numbers in an array's file, as numpy writes it; its own reader takes as long as the rest."""

LONGEST_HEADER = 1024

Law = Callable[[NDArray[Any]], Any]  # whether an array can be what was written


def must(holds: Any) -> None:
    """Raises ValueError where something read is not what any build writes."""
    if not holds:
        raise ValueError("not what was written")


@contextmanager
def reading(folder: Place, name: str) -> Iterator[None]:
    """Whatever goes wrong inside is told of `name`, a file or folder of the index at `folder`.

    It is an IndexUnreadable where the machine lacks something, else an IndexDamaged; where what was read could not be
    written to a full disk, it stays an OSError.
    """
    try:
        yield
    except Exception as cause:
        if no_room(cause):
            raise
        if why := unreadable(cause):
            raise IndexUnreadable(f"the index at {folder} cannot be read ({name}): {why}") from cause
        raise opening.damaged(folder, str(cause) if isinstance(cause, Changed) else name) from cause


def load(path: Place) -> NDArray[Any]:
    """The array in the file `path` (.npy), mapped into memory if it is large. Raises whatever numpy does."""
    with path.open("rb") as file:
        mapped = os.fstat(file.fileno()).st_size >= MAPPED
        begin = file.read(LONGEST_HEADER) if mapped else file.read()
        header = HEADER.match(begin)
        must(header is not None)
        assert header is not None
        kind, shape = np.dtype(header[1].decode()), tuple(map(int, header[2].replace(b",", b" ").split()))
        if mapped:
            return np.memmap(file, kind, "r", header.end(), shape).view(np.ndarray)
        return np.frombuffer(begin, kind, math.prod(shape), header.end()).reshape(shape)


def finite(values: NDArray[Any]) -> bool:
    """The law that numbers are numbers."""
    return bool(np.isfinite(values).all())


def save(path: Path, values: NDArray[Any]) -> None:
    """Writes `values` into the file `path` (.npy); its folder is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, values, allow_pickle=False)
