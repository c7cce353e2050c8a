"""Training of the base clue encoder, in minutes on two cores.

Clues are a table of feature vectors (models.neural.bag_encoder), answers are `answer_table`. A batch has clues of one
answer length. Features are dropped at random; recent clues count more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.settings import ENCODERS
from regis.building.training.answer_table import Adagrad, AnswerTable
from regis.index import Index, Partition
from regis.index.tables import schema
from regis.models.arrays import Float32Array
from regis.models.neural.bag_encoder import BUCKET_COUNT, hash_features, weigh_features
from regis.models.neural.vector_table import DIMENSIONS, quantize_rows
from regis.system.files import array_file, atomic


def rehearsal_chances(last_years: NDArray[np.int64], starter_year: int) -> NDArray[np.float64]:
    """Return each clue's probability of being trained on, (clues,): less if the starter may know it.

    `last_years`, (clues,), is 0 if unknown.
    """
    return np.where(last_years > starter_year, 1.0, ENCODERS.rehearsed_share)


class ClueExamples(NamedTuple):
    """The clues of one answer length: parallel arrays."""

    answer_length: int
    clue_inputs: Any  # one row each, as the encoder reads them
    answer_rows: NDArray[np.int64]  # rows of the answer table
    clue_weights: Float32Array  # more for frequent clues, less for old ones; about 1/64 each
    last_years: NDArray[np.int64]  # when each clue was last used; 0 if unknown


def collect_examples(index: Index, read_clues: Callable[[Partition, NDArray[np.intp]], Any]) -> Iterator[ClueExamples]:
    """Yield all clues of `index` by length; `read_clues` turns rows of the clue table into encoder inputs."""
    for part in index.partitions():
        live = np.flatnonzero(part.clue_counts > 0)
        last_years = part.clue_last_years[live].astype(np.int64)
        age = np.clip((index.manifest.newest_year or 0) - last_years, 0, ENCODERS.max_clue_age)
        age = np.where(last_years > 0, age, ENCODERS.undated_clue_age)
        weights = np.sqrt(np.log1p(part.clue_counts[live])) * 0.5 ** (age / ENCODERS.clue_half_life) / 64
        answer_rows = part.clue_answer_rows[live].astype(np.int64)
        yield ClueExamples(part.length, read_clues(part, live), answer_rows, weights.astype(np.float32), last_years)


CLUES_PER_BATCH = 512


class BaseEncoderTrainer:
    """The base encoder in training on one view of an index."""

    def __init__(self, index: Index, starter: Index | None = None) -> None:
        """Start from the base encoder of `starter`, or from random vectors."""
        from scipy.sparse import csr_matrix, vstack

        def read_batch(part: Partition, rows: NDArray[np.intp]) -> Any:
            bags = hash_features(part.clue_keys.take_texts(rows), part.clue_texts.take_texts(rows))
            return csr_matrix((bags.kinds, bags.buckets, bags.starts), (len(rows), BUCKET_COUNT))

        def read_features(part: Partition, rows: NDArray[np.intp]) -> Any:
            batches = np.array_split(rows, len(rows) // 50_000 + 1)
            return vstack([read_batch(part, batch) for batch in batches], "csr")

        self.generator = np.random.default_rng(1)
        self.clue_examples = list(collect_examples(index, read_features))
        start = self.generator.standard_normal((BUCKET_COUNT, DIMENSIONS), np.float32) * np.float32(0.05)
        self.feature_vectors = Adagrad(start)
        self.answer_table = AnswerTable(index, self.generator)
        if starter is not None and starter.encoder is not None:
            self.feature_vectors.values[:] = starter.encoder.feature_vectors.dequantize(slice(None))
            self.feature_vectors.squared_gradients[:] = ENCODERS.inherited_squares
            self.answer_table.start_from(index, starter, schema.ENCODER, starter.encoder)

    def count_steps(self, epoch_count: int) -> int:
        return epoch_count * sum(-(-len(examples.answer_rows) // CLUES_PER_BATCH) for examples in self.clue_examples)

    def shuffle_batches(self) -> list[tuple[ClueExamples, NDArray[np.int64]]]:
        """Shuffle one epoch: every clue once, in batches of one answer length, each with its (clues,) rows."""
        batches = []
        for examples in self.clue_examples:
            order = self.generator.permutation(len(examples.answer_rows))
            batches += [(examples, order[i : i + CLUES_PER_BATCH]) for i in range(0, len(order), CLUES_PER_BATCH)]
        return [batches[i] for i in self.generator.permutation(len(batches))]

    def train_epochs(self, epoch_count: int) -> Iterator[None]:
        """Train for `epoch_count` epochs with a linearly falling rate; yield after each step."""
        plan = [batch for _ in range(epoch_count) for batch in self.shuffle_batches()]
        for step, (examples, rows) in enumerate(plan):
            rate = ENCODERS.bag_rate + (ENCODERS.last_bag_rate - ENCODERS.bag_rate) * step / len(plan)
            self.train_batch(examples, rows, rate)
            yield

    def train_batch(self, examples: ClueExamples, rows: NDArray[np.int64], learning_rate: float) -> None:
        from scipy.sparse import csr_matrix

        clues = examples.clue_inputs[rows]
        is_kept = self.generator.random(len(clues.data), dtype=np.float32) > ENCODERS.feature_dropout
        columns, place = np.unique(clues.indices, return_inverse=True)
        weights = weigh_features(clues.indptr, clues.data) * is_kept / (1 - ENCODERS.feature_dropout)
        clues = csr_matrix((weights, place, clues.indptr), (len(rows), len(columns)))
        clue_vectors = clues @ self.feature_vectors.values[columns]
        clue_gradient = self.answer_table.update_answers(
            examples.answer_length, examples.answer_rows[rows], clue_vectors, examples.clue_weights[rows], learning_rate
        )
        self.feature_vectors.update_rows(columns, clues.T @ clue_gradient, learning_rate)

    def save_checkpoint(self, checkpoint: Path) -> None:
        """Write everything learned to the file `checkpoint`, all or nothing; raises OutputError."""
        half_written = checkpoint.with_suffix(".half.npz")
        with atomic.replace_after_writing(half_written, checkpoint):
            arrays = {"features": self.feature_vectors.values, **self.answer_table.state_arrays()}
            np.savez(half_written, **arrays)  # type: ignore[arg-type]

    def load_checkpoint(self, checkpoint: Path) -> None:
        """Load the result of `save_checkpoint`; raises OSError, ValueError, KeyError, or BadZipFile."""
        with np.load(checkpoint) as saved_arrays:
            if saved_arrays["features"].shape != self.feature_vectors.values.shape:
                raise ValueError("not of this version")
            self.answer_table.load_state_arrays({name: saved_arrays[name] for name in self.answer_table.state_arrays()})
            self.feature_vectors.values[:] = saved_arrays["features"]

    def write_encoder(self, index_folder: Path) -> None:
        table, scales = quantize_rows(self.feature_vectors.values)
        arrays: dict[str, NDArray[Any]] = {"features": table, "feature-scales": scales}
        array_file.write_arrays(schema.part_path(index_folder, schema.ENCODER), arrays)
        self.answer_table.write_vectors(index_folder, schema.ENCODER)
