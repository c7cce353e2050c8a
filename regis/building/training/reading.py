"""The transformer reads every clue of an index: many tasks that a crew shares (regis.system.crew).

The transformer was taught a moment ago and lies in the folder where the index is being made; what travels is where
(`fresh`). The clues travel themselves. Each task is read by itself, so that who reads it makes no difference to any
byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.training.fresh import Fresh
from regis.index import Index, arrays, columns, schema, writer
from regis.models.embedding import DIMENSIONS
from regis.models.tensors import Floats, unit
from regis.models.transformer import AXES, MODEL, REDUCED, Transformer, reduced, to_bytes
from regis.system import crew
from regis.system.crew import Crew

SAMPLE = 20_000  # how many clues say along which axes clues differ most
TOGETHER = 2048  # how many clues are one task, and are read between two steps of the progress bar

Bytes = NDArray[np.int8]


@dataclass(frozen=True)
class Reading:
    """How clues become embeddings: all that goes to the workers."""

    folder: Path  # of the index that is being made
    model: Fresh

    def __call__(self) -> Callable[[list[str]], Bytes]:
        self.model.check()
        axes = columns.read(self.folder, f"{schema.TRANSFORMER}/{AXES}", np.float32, (DIMENSIONS, REDUCED))
        return partial(_embeddings, Transformer(self.folder / schema.TRANSFORMER), axes)


class Length(NamedTuple):
    """The clues of one length, some of them read."""

    order: NDArray[np.uint32]
    embeddings: Bytes
    starts: set[int]  # of the tasks that are not done


def embed_clues(index: Index, folder: Path, workers: Crew | None = None) -> Iterator[int]:
    """Writes what every clue of `index` means to the transformer in `folder`, an index, for `candidates.similar`.

    Yields how many more are done. The clues of one answer stand together, in the order of the clue table.
    """
    transformer = Transformer(folder / schema.TRANSFORMER)
    arrays.save(folder / schema.TRANSFORMER / AXES, _axes(index, transformer))
    lengths: dict[int, Length] = {}
    tasks: list[tuple[int, int]] = []  # length and start of each

    def clues() -> Iterator[list[str]]:
        for part in index.parts():
            order = writer.answer_order(part)
            starts = range(0, len(order), TOGETHER)
            lengths[part.length] = Length(order, np.zeros((len(order), REDUCED), np.int8), set(starts))
            for start in starts:
                tasks.append((part.length, start))
                yield part.clue_column.of(order[start : start + TOGETHER])

    make = Reading(folder.absolute(), Fresh.of(folder / schema.TRANSFORMER / MODEL))
    for place, embeddings in crew.results(make, clues(), workers or Crew()):
        number, start = tasks[place]
        length = lengths[number]
        length.embeddings[start : start + TOGETHER] = embeddings
        length.starts.remove(start)
        if not length.starts:
            writer.write_clue_embeddings(folder, number, length.embeddings, length.order)
            del lengths[number]
        yield len(embeddings)
    for number, length in lengths.items():  # those without any clue
        writer.write_clue_embeddings(folder, number, length.embeddings, length.order)


def _embeddings(transformer: Transformer, axes: Floats, clues: list[str]) -> Bytes:
    """What `clues` mean, (clues, REDUCED)."""
    transformer.begin(clues)
    return to_bytes(reduced(transformer.encode(clues), axes))


def _axes(index: Index, transformer: Transformer) -> Floats:
    """The directions, (DIMENSIONS, REDUCED), that hold most of what clues differ in (principal components)."""
    every = max(index.manifest.clues // SAMPLE, 1)
    said = [part.clue_column.of(np.arange(0, len(part.clue_column), every)) for part in index.parts()]
    vectors = unit(transformer.encode([clue for some in said for clue in some]))
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    return np.ascontiguousarray(axes[:, ::-1][:, :REDUCED], np.float32)
