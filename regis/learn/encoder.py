"""Learning the clue encoder from an index: which clues and answers belong together, in minutes on two cores.

For each batch of clues with answers of one length, the right answers should have a higher score than all others of that
length (softmax; of the others a sample is drawn, each standing for many). An answer's vector is its own plus those of
its letter n-grams, so that inflections and unlisted words start from something. Steps are Adagrad's, one rate per row;
features are dropped at random so that no single one is relied on. Recent clues count more.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.encoder import BUCKETS, DIMENSIONS, bags, quantised
from regis.index import Index, Partition, tables

BATCH = 512
NEGATIVES = 2000
"""Answers drawn for each batch as wrong ones, besides the right ones of the other clues."""

RATE = 1.0
"""First step of Adagrad. 0.3 was still far from done after five epochs; 2.5 fell apart in the first."""

LAST_RATE = 0.1
DROPPED = 0.3
"""Share of a clue's features left out each time it is seen."""

HALF_LIFE = 28.0
"""Years after which a clue counts half."""

GRAM_BUCKETS = 1 << 16
GRAM_WEIGHT = 0.25
SEED = 1

Floats = NDArray[np.float32]


class Lesson(NamedTuple):
    """The clues of one answer length."""

    length: int
    clues: Any  # scipy csr_matrix (clues, BUCKETS)
    right: NDArray[np.int64]  # rows of the answer table
    weight: Floats
    grams: Any  # scipy csr_matrix (answers, GRAM_BUCKETS)
    offset: int  # where this length's answers begin in Model.answers


class Model:
    """What is learned, and the sums of squared slopes that set each row's step."""

    def __init__(self, bias: NDArray[np.float64]) -> None:
        answers = len(bias)
        generator = np.random.default_rng(SEED)
        self.features = generator.standard_normal((BUCKETS, DIMENSIONS), np.float32) * np.float32(0.05)
        self.answers = generator.standard_normal((answers, DIMENSIONS), np.float32) * np.float32(0.05)
        self.grams = np.zeros((GRAM_BUCKETS, DIMENSIONS), np.float32)
        self.bias = bias.astype(np.float32)
        self.slopes = {name: np.full(len(getattr(self, name)), 1e-2, np.float32) for name in
                       ("features", "answers", "grams", "bias")}  # fmt: skip

    def step(self, name: str, rows: NDArray[np.int64], slope: Floats, rate: float) -> None:
        """One Adagrad step on some rows of one table."""
        table, sums = getattr(self, name), self.slopes[name]
        sums[rows] += (slope**2).mean(axis=1) if slope.ndim == 2 else slope**2
        scale = np.float32(rate) / np.sqrt(sums[rows])
        table[rows] -= slope * (scale[:, None] if slope.ndim == 2 else scale)


class Trainer:
    """Lessons of one view of an index, and the model that they teach."""

    def __init__(self, index: Index) -> None:
        self.lessons: list[Lesson] = []
        biases = []
        offset = 0
        for length in index.lengths:
            part = index[length]
            assert part is not None
            self.lessons.append(_lesson(part, offset, index.manifest.latest_year or 0))
            biases.append(np.log(part.count + 0.3))
            offset += len(part.letters)
        self.model = Model(np.concatenate(biases))
        self.generator = np.random.default_rng(SEED)

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

        model, count = self.model, lesson.grams.shape[0]
        clues = lesson.clues[rows]
        kept = self.generator.random(len(clues.data), dtype=np.float32) > DROPPED
        columns, place = np.unique(clues.indices, return_inverse=True)
        clues = csr_matrix((clues.data * kept / (1 - DROPPED), place, clues.indptr), (len(rows), len(columns)))
        right = lesson.right[rows]
        drawn = np.unique(np.concatenate([right, self.generator.integers(0, count, NEGATIVES)]))
        grams = lesson.grams[drawn]
        gram_rows, gram_place = np.unique(grams.indices, return_inverse=True)
        grams = csr_matrix((grams.data, gram_place, grams.indptr), (len(drawn), len(gram_rows)))
        at = lesson.offset + drawn

        said = clues @ model.features[columns]
        meant = model.answers[at] + grams @ model.grams[gram_rows]
        score = said @ meant.T + model.bias[at]
        wrong = ~np.isin(drawn, right)
        score[:, wrong] += np.float32(np.log(max((count - len(drawn) + wrong.sum()) / max(wrong.sum(), 1), 1)))
        score -= score.max(axis=1, keepdims=True)
        p = np.exp(score)
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(len(rows)), np.searchsorted(drawn, right)] -= 1
        p *= (lesson.weight[rows] / 64)[:, None]

        to_answers = p.T @ said
        model.step("features", columns, clues.T @ (p @ meant), rate)
        model.step("grams", gram_rows, grams.T @ to_answers, rate)
        model.step("answers", at, to_answers, rate)
        model.step("bias", at, p.sum(axis=0), rate / 10)

    def save(self, folder: Path) -> None:
        """Writes the encoder's files (see regis.encoder) under the index `folder`."""
        home = folder / tables.ENCODER
        _save(home / "features.npy", home / "feature-scales.npy", self.model.features)
        for lesson in self.lessons:
            rows = slice(lesson.offset, lesson.offset + lesson.grams.shape[0])
            vectors = self.model.answers[rows] + lesson.grams @ self.model.grams
            names = [folder / tables.encoder_file(lesson.length, name) for name in ("answers", "scales", "bias")]
            _save(names[0], names[1], vectors)
            np.save(names[2], self.model.bias[rows].astype(np.float16))


def _save(table: Path, scales: Path, vectors: Floats) -> None:
    table.parent.mkdir(parents=True, exist_ok=True)
    rounded, scale = quantised(vectors)
    np.save(table, rounded)
    np.save(scales, scale)


def _lesson(part: Partition, offset: int, newest: int) -> Lesson:
    from scipy.sparse import csr_matrix

    live = np.flatnonzero(part.clue_count > 0)
    found = bags(part.key_column.take(live))
    clues = csr_matrix((found.weights, found.buckets, found.starts), (len(live), BUCKETS))
    last = part.clue_last[live].astype(np.int64)
    age = np.where(last > 0, np.clip(newest - last, 0, 60), 20)
    weight = np.sqrt(np.log1p(part.clue_count[live])) * 0.5 ** (age / HALF_LIFE)
    return Lesson(part.length, clues, part.clue_answer[live].astype(np.int64), weight.astype(np.float32),
                  _answer_grams(part.letters), offset)  # fmt: skip


def _answer_grams(letters: NDArray[np.uint8]) -> Any:
    """The letter 2-, 3- and 4-grams of each answer, its ends marked, as a csr_matrix (answers, GRAM_BUCKETS)."""
    from scipy.sparse import csr_matrix

    count, length = letters.shape
    padded = np.full((count, length + 2), 26, np.int64)
    padded[:, 1:-1] = letters
    found = []
    for n in (2, 3, 4):
        if length + 2 < n:
            continue
        codes = np.zeros((count, length + 3 - n), np.int64)
        for i in range(n):
            codes = codes * 27 + padded[:, i : length + 3 - n + i]
        found.append((codes * 2654435761 + n * 977) % GRAM_BUCKETS)
    joined = np.concatenate(found, axis=1)
    starts = np.arange(count + 1) * joined.shape[1]
    data = np.full(joined.size, GRAM_WEIGHT, np.float32)
    return csr_matrix((data, joined.ravel(), starts), (count, GRAM_BUCKETS))
