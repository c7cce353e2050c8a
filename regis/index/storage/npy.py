"""Arrays in files of their own, as numpy writes them (.npy)."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.index.storage.validation import require
from regis.system.files.array_cache import MIN_MAPPED_BYTES
from regis.system.files.locked_folder import ReadablePath

PLAIN_SUFFIX = ".npy"
PACKED_SUFFIX = ".parquet"  # of an array that is packed as a table of one column

HEADER_PATTERN = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][a-z]\d+)', 'fortran_order': False, 'shape': \(([\d, ]*)\), \} *\n",
    re.DOTALL,
)
"""What stands before the numbers in an array's file, as numpy writes it; its own reader takes as long as the rest."""

MAX_HEADER_BYTES = 1024

ArrayCheck = Callable[[NDArray[Any]], Any]  # whether an array can be what was written


def load_array(path: ReadablePath) -> NDArray[Any]:
    """Load the array in the file `path` (.npy), mapped into memory if it is large. Raise whatever numpy does.

    Returns
    -------
    Array of the type and shape that the file's header names; read-only.
    """
    with path.open("rb") as file:
        is_mapped = os.fstat(file.fileno()).st_size >= MIN_MAPPED_BYTES
        begin = file.read(MAX_HEADER_BYTES) if is_mapped else file.read()
        header = HEADER_PATTERN.match(begin)
        require(header is not None)
        assert header is not None
        dtype, shape = np.dtype(header[1].decode()), tuple(map(int, header[2].replace(b",", b" ").split()))
        if is_mapped:
            return np.memmap(file, dtype, "r", header.end(), shape).view(np.ndarray)
        return np.frombuffer(begin, dtype, math.prod(shape), header.end()).reshape(shape)


def is_finite(values: NDArray[Any]) -> bool:
    """Return whether every number in `values`, of any shape, is finite."""
    return bool(np.isfinite(values).all())


def save_array(path: Path, values: NDArray[Any]) -> None:
    """Write `values`, of any shape, into the file `path` (.npy); make its folder if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, values, allow_pickle=False)
