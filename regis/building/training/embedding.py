"""Learning the base clue encoder from an index: which clues and answers belong together, in minutes on two cores.

The clues' side is a table of feature vectors (models.embedding), the answers' side is `answers`. Each batch holds clues
of one answer length. Features are dropped at random so that no single one is relied on; recent clues count more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.building.training.answers import MOVED, Adagrad, Answers, Lesson, lessons
from regis.index import Index, Partition, arrays, schema
from regis.models.embedding import BUCKETS, DIMENSIONS, bags, quantised
from regis.system import atomic

BATCH = 512
RATE = 1.0  # first step of Adagrad; 0.3 was still far from done after five epochs, 2.5 fell apart in the first
LAST_RATE = 0.1
DROPPED = 0.3  # share of a clue's features left out each time it is seen
SEED = 1


class Trainer:
    """Lessons of one view of an index, and the vectors that they teach."""

    def __init__(self, index: Index, starter: Index | None = None) -> None:
        """Begins where the base encoder of `starter` stands; if None, by lot."""
        from scipy.sparse import csr_matrix

        def read(part: Partition, rows: NDArray[np.intp]) -> Any:
            found = bags(part.key_column.of(rows), part.clue_column.of(rows))
            return csr_matrix((found.weights, found.buckets, found.starts), (len(rows), BUCKETS))

        self.generator = np.random.default_rng(SEED)
        self.lessons = list(lessons(index, read))
        start = self.generator.standard_normal((BUCKETS, DIMENSIONS), np.float32) * np.float32(0.05)
        self.features = Adagrad(start)
        self.answers = Answers(index, self.generator)
        if starter is not None and starter.encoder is not None:
            self.features.values[:] = starter.encoder.features.unpacked(slice(None))
            self.features.slopes[:] = MOVED
            self.answers.begin(index, starter)

    def steps(self, epochs: int) -> int:
        """How many steps `epochs` take."""
        return epochs * sum(-(-len(lesson.right) // BATCH) for lesson in self.lessons)

    def batches(self) -> list[tuple[Lesson, NDArray[np.int64]]]:
        """One epoch: every clue once, in batches of one length, shuffled."""
        found = []
        for lesson in self.lessons:
            order = self.generator.permutation(len(lesson.right))
            found += [(lesson, order[i : i + BATCH]) for i in range(0, len(order), BATCH)]
        return [found[i] for i in self.generator.permutation(len(found))]

    def epochs(self, count: int) -> Iterator[None]:
        """Teaches for `count` epochs, the rate falling in a line, and yields after each step."""
        plan = [batch for _ in range(count) for batch in self.batches()]
        for done, (lesson, rows) in enumerate(plan):
            self.teach(lesson, rows, RATE + (LAST_RATE - RATE) * done / len(plan))
            yield

    def teach(self, lesson: Lesson, rows: NDArray[np.int64], rate: float) -> None:
        """One step on the clues `rows` of one length."""
        from scipy.sparse import csr_matrix

        clues = lesson.clues[rows]
        kept = self.generator.random(len(clues.data), dtype=np.float32) > DROPPED
        columns, place = np.unique(clues.indices, return_inverse=True)
        clues = csr_matrix((clues.data * kept / (1 - DROPPED), place, clues.indptr), (len(rows), len(columns)))
        said = clues @ self.features.values[columns]
        slope = self.answers.teach(lesson.length, lesson.right[rows], said, lesson.weight[rows], rate)
        self.features.step(columns, clues.T @ slope, rate)

    def keep(self, place: Path) -> None:
        """Writes all that was learned into the file `place`, for `restore`; whole or not at all. Raises OutputError."""
        half = place.with_suffix(".half.npz")
        with atomic.kept(half, place):
            np.savez(half, **{"features": self.features.values, **self.answers.state()})  # type: ignore[arg-type]

    def restore(self, place: Path) -> None:
        """Takes over what `keep` wrote. Raises OSError, ValueError, KeyError or BadZipFile."""
        with np.load(place) as kept:
            if kept["features"].shape != self.features.values.shape:
                raise ValueError("not of this version")
            self.answers.restore({name: kept[name] for name in self.answers.state()})
            self.features.values[:] = kept["features"]

    def save(self, folder: Path) -> None:
        """Writes the encoder's files (see regis.models.embedding) under the index `folder`."""
        table, scales = quantised(self.features.values)
        arrays.save(folder / schema.ENCODER / "features.npy", table)
        arrays.save(folder / schema.ENCODER / "feature-scales.npy", scales)
        self.answers.save(folder, schema.ENCODER)
