"""The strong clue encoder: a small sentence transformer that was taught on the corpus (all-MiniLM-L6, Wang 2020).

It has read more English than any crossword corpus holds, so it knows what clues mean that look like none before. Its
vectors are compared with answer vectors of its own, as those of `encoder` are. It runs in ONNX Runtime, in bytes, on
one core, and needs the extra `regis-crossword[transformer]`; an index that holds one works without it too.

    transformer/model.onnx       tokens (clues, tokens), mask (clues, tokens) -> vectors (clues, DIMENSIONS)
                tokenizer.json   as written by the tokenizers library
                gist.npy         float32 (DIMENSIONS, GIST): what cuts a vector down, so that many clues can be kept
                length=N/        as in encoder/, and past clues (regis.index.similar)
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.encoder import DIMENSIONS

EXTRA = "regis-crossword[transformer]"
NEEDED = ("onnxruntime", "tokenizers")

MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
AXES = "gist.npy"

GIST = 64
"""Numbers of a vector that are left when it is cut down; with all of them the log loss is 0.1 % lower."""

ONE = 127
"""What stands for 1 where the numbers of a gist are bytes."""

LONGEST = 32
"""Tokens of a clue that are read; one in 4,000 clues is longer."""

BATCH = 16
"""How many clues of about the same length are read together: twice as fast as all at once, which is mostly padding."""

REMEMBERED = 4096
"""How many clues' vectors are kept. A puzzle's clues are read all at once, then asked for one by one."""


def installed() -> bool:
    """Whether the extra is there and can be loaded: what is installed may not go with this system, or with numpy."""
    try:
        for name in NEEDED:
            importlib.import_module(name)
    except Exception:  # of whatever kind: a native library that does not load raises what it likes
        return False
    return True


def spoken(clue: str) -> str:
    """`clue` as the transformer reads it: a gap is what it knows as a masked word."""
    return text.GAP.sub(" [MASK] ", clue)


def tokenizer(path: Path) -> Any:
    """The tokenizer (tokenizers.Tokenizer) in the file `path`, cutting after LONGEST tokens."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(path))
    found.no_padding()
    found.enable_truncation(LONGEST)
    return found


def padded(tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token numbers as a table with zeros at the ends of rows, and a table with 1 where there are tokens."""
    sizes = np.array([len(row) for row in tokens])
    mask = np.arange(sizes.max(initial=1)) < sizes[:, None]
    table = np.zeros(mask.shape, np.int64)
    table[mask] = np.concatenate([*tokens, []])
    return table, mask.astype(np.int64)


def _batches(clues: Sequence[str]) -> Iterator[Sequence[str]]:
    for i in range(0, len(clues), BATCH):
        yield clues[i : i + BATCH]


class Transformer:
    """The clue's side. `encode(clues)` is all that others need of it."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        model = str(folder / MODEL)
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer = tokenizer(folder / TOKENIZER)
        self._known: dict[str, NDArray[np.float32]] = {}

    def encode(self, clues: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of `clues`, (len(clues), DIMENSIONS); those not met before are read, the short ones first."""
        new = [clue for clue in dict.fromkeys(clues) if clue not in self._known]
        if new:
            if len(self._known) + len(new) > REMEMBERED:
                self._known.clear()
                new = list(dict.fromkeys(clues))
            encoded = self._tokenizer.encode_batch([spoken(clue) for clue in new])
            read = {clue: tokens.ids for clue, tokens in zip(new, encoded, strict=True)}
            for some in _batches(sorted(new, key=lambda clue: len(read[clue]))):
                tokens, mask = padded([read[clue] for clue in some])
                short = self._session.run(None, {"tokens": tokens, "mask": mask})[0]
                vectors = np.zeros((len(some), DIMENSIONS), np.float32)
                vectors[:, : short.shape[1]] = short  # the starter's has fewer numbers: the others are 0
                self._known.update(zip(some, vectors, strict=True))
        if not clues:
            return np.zeros((0, DIMENSIONS), np.float32)
        return np.stack([self._known[clue] for clue in clues])


def cut_down(vectors: NDArray[np.float32], axes: NDArray[np.float32]) -> NDArray[np.float32]:
    """The gists of `vectors`: unit vectors, (len(vectors), GIST), along the `axes`, (DIMENSIONS, GIST)."""
    short = vectors @ axes
    short /= np.linalg.norm(short, axis=1, keepdims=True) + np.float32(1e-9)
    return short


def in_bytes(gists: NDArray[np.float32]) -> NDArray[np.int8]:
    """Gists as they are kept, each number within half a byte."""
    return np.rint(ONE * gists).astype(np.int8)
