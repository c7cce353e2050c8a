"""The strong clue encoder: a small sentence transformer trained on the corpus (all-MiniLM-L6, Wang 2020).

It has read far more English than any crossword corpus has, so it understands clues that are unlike all past ones. Its
vectors are compared with its own answer vectors. It runs in numpy (regis.models.neural.bert).

    transformer/model.safetensors   see regis.models.neural.bert
                tokenizer.json      as written by the tokenizers library
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.models.arrays import Float32Array, normalize_rows
from regis.models.neural.bert import Bert
from regis.models.neural.vector_table import DIMENSIONS
from regis.models.text.wordpiece import WordPieceTokenizer

MODEL_FILE = "model.safetensors"
TOKENIZER_FILE = "tokenizer.json"

REDUCED_DIMENSIONS = 64
"""Numbers of a reduced vector. (Measured: docs/experiments/encoder-training.md.)"""

INT8_UNIT = 127  # what stands for 1 if the numbers of an embedding are bytes
MAX_CLUE_TOKENS = 32  # tokens of a clue that are read
CLUES_PER_TABLE = 16  # clues of similar length in one table: with all in one, half the time would go to padding
MAX_CACHED_CLUES = 4096  # clues whose vectors are cached; a puzzle's clues are read together, then looked up one by one


def mask_gaps(clue: str) -> str:
    """Replace a clue's gap with the transformer's mask token."""
    return text.GAP_PATTERN.sub(" [MASK] ", clue)


def pad_tokens(token_lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Put the token numbers of texts into one table, (texts, tokens), and return it with its mask."""
    token_counts = np.array([len(row) for row in token_lists])
    mask = np.arange(token_counts.max(initial=1)) < token_counts[:, None]
    table = np.zeros(mask.shape, np.int64)
    table[mask] = np.concatenate([*token_lists, []])
    return table, mask.astype(np.int64)


class TransformerEncoder:
    def __init__(self, model_folder: Path) -> None:
        """Read network and vocabulary; raises OSError, ValueError, or KeyError if the folder lacks them."""
        self._network = Bert(model_folder / MODEL_FILE)
        self._tokenizer = WordPieceTokenizer(model_folder / TOKENIZER_FILE, MAX_CLUE_TOKENS)
        self._cache: dict[str, Float32Array] = {}
        self._first_clues = frozenset[str]()  # of the puzzle in the cache
        n_tokens, n_positions, vector_width = self._network.sizes
        if n_tokens <= self._tokenizer.max_token or n_positions < MAX_CLUE_TOKENS or vector_width > DIMENSIONS:
            raise ValueError(f"the network in {model_folder} doesn't match its word pieces")

    def begin_puzzle(self, puzzle_clues: Iterable[str]) -> None:
        """Clear the cache, unless it began with exactly these clues.

        A vector's last digits depend on the clues read with it, so puzzles can't share a cache. A thread that is
        reading keeps the old cache.
        """
        if (first_clues := frozenset(puzzle_clues)) != self._first_clues:
            self._cache, self._first_clues = {}, first_clues

    def encode(self, clues: Sequence[str]) -> Float32Array:
        """Encode clues as (clues, DIMENSIONS) vectors; clues that aren't cached are read, short ones first."""
        cache = self._cache
        new_clues = [clue for clue in dict.fromkeys(clues) if clue not in cache]
        if new_clues:
            if len(cache) + len(new_clues) > MAX_CACHED_CLUES:
                cache = self._cache = {}
                new_clues = list(dict.fromkeys(clues))
            token_lists = {clue: self._tokenizer.encode_text(mask_gaps(clue)) for clue in new_clues}
            new_clues.sort(key=lambda clue: len(token_lists[clue]))
            for batch in _cut(new_clues, 256):
                tables = ([token_lists[clue] for clue in table_clues] for table_clues in _cut(batch, CLUES_PER_TABLE))
                pooled = self._network(*map(pad_tokens, tables))
                vectors = np.zeros((len(batch), DIMENSIONS), np.float32)
                vectors[:, : pooled.shape[1]] = pooled  # the starter's vectors have fewer numbers: the others are 0
                cache.update(zip(batch, vectors, strict=True))
        return np.stack([cache[clue] for clue in clues]) if clues else np.zeros((0, DIMENSIONS), np.float32)


def _cut(clues: Sequence[str], batch_size: int) -> list[Sequence[str]]:
    return [clues[i : i + batch_size] for i in range(0, len(clues), batch_size)]


def reduce_vectors(vectors: Float32Array, axes: Float32Array) -> Float32Array:
    """Reduce vectors, (clues, DIMENSIONS), to unit vectors with axes, (DIMENSIONS, REDUCED_DIMENSIONS)."""
    return normalize_rows(vectors @ axes)


def quantize_embeddings(embeddings: Float32Array) -> NDArray[np.int8]:
    """Round unit vectors, (clues, REDUCED_DIMENSIONS), to int8."""
    return np.rint(INT8_UNIT * embeddings).astype(np.int8)
