"""The strong clue encoder: a small sentence transformer that was taught on the corpus (all-MiniLM-L6, Wang 2020).

It has read more English than any crossword corpus holds, so it knows what clues mean that look like none before. Its
vectors are compared with answer vectors of its own, as those of `encoder` are. It runs in numpy (regis.models.bert), so
that everybody has it and gets the same vectors.

    transformer/model.safetensors   see regis.models.bert
                tokenizer.json      as written by the tokenizers library
                axes.npy            float32 (DIMENSIONS, REDUCED): what makes a vector short enough to be kept
                length=N/           as in encoder/, and past clues (regis.candidates.similar)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.models.bert import Bert
from regis.models.embedding import DIMENSIONS
from regis.models.tensors import Floats, unit
from regis.models.wordpiece import WordPiece
from regis.system.held import Place

MODEL, TOKENIZER, AXES = "model.safetensors", "tokenizer.json", "axes.npy"

REDUCED = 64
"""How many numbers of a vector are left when it is cut down? (Measured: docs/measured.md.)"""

ONE = 127  # what stands for 1 where the numbers of an embedding are bytes
LONGEST = 32  # tokens of a clue that are read
BATCH = 16  # clues of about the same length that are in one table: twice as fast as all, which is mostly padding
TOGETHER = 256  # clues that go through a layer together
REMEMBERED = 4096  # how many clues' vectors are kept; a puzzle's clues are read all at once, then asked for one by one


def spoken(clue: str) -> str:
    """`clue` as the transformer reads it: a gap is what it knows as a masked word."""
    return text.GAP.sub(" [MASK] ", clue)


def padded(tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token numbers as a table with zeros at the ends of rows, and a table with 1 where there are tokens."""
    sizes = np.array([len(row) for row in tokens])
    mask = np.arange(sizes.max(initial=1)) < sizes[:, None]
    table = np.zeros(mask.shape, np.int64)
    table[mask] = np.concatenate([*tokens, []])
    return table, mask.astype(np.int64)


class Transformer:
    """The clue's side. `encode(clues)` is all that others need of it."""

    def __init__(self, folder: Place) -> None:
        """Raises OSError, ValueError or KeyError if it is not a transformer's folder."""
        self._network = Bert(folder / MODEL)
        self._words = WordPiece(folder / TOKENIZER, LONGEST)
        self._known: dict[str, Floats] = {}
        self._begun = frozenset[str]()  # what it was told to begin with
        tokens, places, numbers = self._network.sizes
        if tokens <= self._words.last or places < LONGEST or numbers > DIMENSIONS:
            raise ValueError(f"the network in {folder} does not go with its pieces of words")

    def begin(self, clues: Iterable[str]) -> None:
        """Forgets what was read before, unless that began with these very clues.

        A vector's last digits depend on which clues were read along with it; so what a puzzle gets depends on no other.
        Another thread that is reading keeps what it has.
        """
        if (begun := frozenset(clues)) != self._begun:
            self._known, self._begun = {}, begun

    def encode(self, clues: Sequence[str]) -> Floats:
        """The vectors of `clues`, (len(clues), DIMENSIONS); those not met before are read, the short ones first."""
        known = self._known
        new = [clue for clue in dict.fromkeys(clues) if clue not in known]
        if new:
            if len(known) + len(new) > REMEMBERED:
                known = self._known = {}
                new = list(dict.fromkeys(clues))
            read = {clue: self._words.encode(spoken(clue)) for clue in new}
            new.sort(key=lambda clue: len(read[clue]))
            for some in _cut(new, TOGETHER):
                short = self._network(*(padded([read[clue] for clue in alike]) for alike in _cut(some, BATCH)))
                vectors = np.zeros((len(some), DIMENSIONS), np.float32)
                vectors[:, : short.shape[1]] = short  # the starter's has fewer numbers: the others are 0
                known.update(zip(some, vectors, strict=True))
        return np.stack([known[clue] for clue in clues]) if clues else np.zeros((0, DIMENSIONS), np.float32)


def _cut(clues: Sequence[str], size: int) -> list[Sequence[str]]:
    return [clues[i : i + size] for i in range(0, len(clues), size)]


def reduced(vectors: Floats, axes: Floats) -> Floats:
    """`vectors` along the `axes`, unit vectors (len(vectors), REDUCED); `axes`, (DIMENSIONS, REDUCED)."""
    return unit(vectors @ axes)


def to_bytes(embeddings: Floats) -> NDArray[np.int8]:
    """Clue embeddings as they are kept, each number within half a byte."""
    return np.rint(ONE * embeddings).astype(np.int8)
