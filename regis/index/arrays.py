"""Rows of numbers on the disk."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.index.opening import must
from regis.system.held import Place
from regis.system.kept import MAPPED

HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][a-z]\d+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n",
    re.DOTALL,
)
"""What stands before the numbers in an array's file, as numpy writes it; its own reader takes as long as the rest."""

LONGEST_HEADER = 1024

Law = Callable[[NDArray[Any]], Any]  # whether an array can be what was written


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
