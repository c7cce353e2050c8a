"""Embed every clue of an index with its transformer, shared among workers (regis.system.parallel).

The transformer was just taught and lies where the index is being made; its path travels (`SharedFile`), and so do the
clues. Each task is read by itself, so that workers make no difference to any byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.index import Index
from regis.index.storage.index_files import IndexFiles
from regis.index.tables import schema, writer
from regis.models.neural.transformer import (
    MODEL_FILE,
    REDUCED_DIMENSIONS,
    TransformerEncoder,
    quantize_embeddings,
    reduce_vectors,
)
from regis.models.neural.vector_table import DIMENSIONS
from regis.models.numeric.arrays import Float32Array, normalize_rows
from regis.system.files import array_file
from regis.system.parallel.pool import SharedFile
from regis.system.parallel.workers import Workers, map_tasks

AXES_SAMPLE = 20_000  # how many clues say along which axes clues differ most
CLUES_PER_TASK = 2048  # how many clues are one task, and are read between two steps of the progress bar

EmbeddingBytes = NDArray[np.int8]


@dataclass(frozen=True)
class EmbedTask:
    """What a worker needs to embed clues."""

    index_folder: Path  # of the index that is being made
    model_file: SharedFile

    def __call__(self) -> Callable[[list[str]], EmbeddingBytes]:
        self.model_file.check_unchanged()
        shape = DIMENSIONS, REDUCED_DIMENSIONS
        axes = IndexFiles(self.index_folder).read_array(schema.TRANSFORMER, "axes", np.float32, shape)
        return partial(_embed_batch, TransformerEncoder(self.index_folder / schema.TRANSFORMER), axes)


class PendingLength(NamedTuple):
    """The clues of one length, some of them embedded."""

    clue_order: NDArray[np.uint32]
    embeddings: EmbeddingBytes
    open_tasks: set[int]  # starts of those that are not done


def embed_clues(index: Index, index_folder: Path, workers: Workers | None = None) -> Iterator[int]:
    """Write the embedding of every clue of `index` by the transformer in `index_folder`; yield how many more are done.

    The clues of an answer stand together, in the order of the clue table.
    """
    transformer = TransformerEncoder(index_folder / schema.TRANSFORMER)
    axes_path = schema.part_path(index_folder, schema.TRANSFORMER)
    array_file.write_arrays(axes_path, {"axes": _principal_axes(index, transformer)})
    pending: dict[int, PendingLength] = {}
    tasks: list[tuple[int, int]] = []  # length and start of each

    def read_tasks() -> Iterator[list[str]]:
        for part in index.partitions():
            order = writer.order_by_answer(part)
            starts = range(0, len(order), CLUES_PER_TASK)
            embeddings = np.zeros((len(order), REDUCED_DIMENSIONS), np.int8)
            pending[part.length] = PendingLength(order, embeddings, set(starts))
            for start in starts:
                tasks.append((part.length, start))
                yield part.clue_texts.take_texts(order[start : start + CLUES_PER_TASK])

    model_file = SharedFile.from_file(index_folder / schema.TRANSFORMER / MODEL_FILE)
    make = EmbedTask(index_folder.absolute(), model_file)
    for place, embeddings in map_tasks(make, read_tasks(), workers or Workers()):
        answer_length, start = tasks[place]
        length = pending[answer_length]
        length.embeddings[start : start + CLUES_PER_TASK] = embeddings
        length.open_tasks.remove(start)
        if not length.open_tasks:
            writer.write_clue_embeddings(index_folder, answer_length, length.embeddings, length.clue_order)
            del pending[answer_length]
        yield len(embeddings)
    for answer_length, length in pending.items():  # those without any clue
        writer.write_clue_embeddings(index_folder, answer_length, length.embeddings, length.clue_order)


def _embed_batch(transformer: TransformerEncoder, axes: Float32Array, clues: list[str]) -> EmbeddingBytes:
    """Embed `clues`: (clues, REDUCED_DIMENSIONS) int8."""
    transformer.begin_puzzle(clues)
    return quantize_embeddings(reduce_vectors(transformer.encode(clues), axes))


def _principal_axes(index: Index, transformer: TransformerEncoder) -> Float32Array:
    """Find the principal components, (DIMENSIONS, REDUCED_DIMENSIONS), of sampled clues' vectors."""
    interval = max(index.manifest.clue_count // AXES_SAMPLE, 1)
    columns = [part.clue_texts for part in index.partitions()]
    clues = [clue for column in columns for clue in column.take_texts(np.arange(0, len(column), interval))]
    vectors = normalize_rows(transformer.encode(clues))
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    return np.ascontiguousarray(axes[:, ::-1][:, :REDUCED_DIMENSIONS], np.float32)
