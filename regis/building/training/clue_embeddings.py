"""What all past clues mean, by a transformer that has been taught: written beside it, for `candidates.similar`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from regis.index import Index, schema, writer
from regis.models.transformer import AXES, REDUCED, Transformer, reduced, to_bytes

SAMPLE = 20_000  # how many clues say along which axes clues differ most
TOGETHER = 2048  # how many clues are read between two steps of the progress bar


def write(index: Index, folder: Path) -> Iterator[int]:
    """Writes the embedding of every clue of `index` under the index `folder`, whose transformer reads them.

    Yields how many more are done. The clues of one answer stand together, in the order of the clue table.
    """
    home = folder / schema.TRANSFORMER
    transformer = Transformer(home)
    axes = _axes(index, transformer)
    np.save(home / AXES, axes)
    for part in index.parts():
        order = writer.answer_order(part)
        embeddings = np.zeros((len(order), REDUCED), np.int8)
        for start in range(0, len(order), TOGETHER):
            some = order[start : start + TOGETHER]
            vectors = transformer.encode(part.clue_column.take(some).to_pylist())
            embeddings[start : start + TOGETHER] = to_bytes(reduced(vectors, axes))
            yield len(some)
        writer.write_clue_embeddings(folder, part.length, embeddings, order)


def _axes(index: Index, transformer: Transformer) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """The directions, (DIMENSIONS, REDUCED), that hold most of what clues differ in (principal components)."""
    clues = sum(size["clues"] for size in index.manifest.lengths.values())
    every = max(clues // SAMPLE, 1)
    said = [part.clue_column.take(np.arange(0, len(part.clue_column), every)).to_pylist() for part in index.parts()]
    vectors = transformer.encode([clue for some in said for clue in some])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + np.float32(1e-9)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    return np.ascontiguousarray(axes[:, ::-1][:, :REDUCED], np.float32)
