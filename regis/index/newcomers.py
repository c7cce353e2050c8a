"""Answers that an encoder has not met: where they stand among those that it knows.

Nobody has taught the encoder such an answer. One that has clues gets the mean vector of those answers that the encoder
thinks best of for them, which makes it likelier by clues like those, and by no others (measured: docs/measured.md). One
of a list, without a clue, gets no vector, so that the encoder has no opinion of it beyond that it was never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index.partition import Partition
from regis.models import lookup
from regis.models.embedding import DIMENSIONS, AnswerVectors, Encoder
from regis.models.tensors import Floats
from regis.models.transformer import Transformer

ALIKE = 10  # how many answers a new one is the mean of, for each of its clues
MOST = 20  # clues of an answer that are read; a guess: they say much the same
TOGETHER = 256  # clues that are compared with all answers at once


class Newcomers(NamedTuple):
    """New answers of one length, in the order of the alphabet."""

    names: NDArray[np.bytes_]  # (new,)
    texts: Sequence[str | None]  # as lists write them
    clues: Sequence[Sequence[str]]  # of each; none where only a list has it


def of(names: NDArray[np.bytes_], used: pa.Table, listed: pa.Table) -> Newcomers:
    """The new answers `names` with what rows of tables.USED and tables.LISTED say of them."""
    clues: dict[str, list[str]] = {name.decode(): [] for name in names.tolist()}
    texts: dict[str, str | None] = dict.fromkeys(clues)
    for answer, clue in zip(used["answer"].to_pylist(), used["clue"].to_pylist(), strict=True):
        if answer in clues:
            clues[answer].append(clue)
    for answer, text in zip(listed["answer"].to_pylist(), listed["text"].to_pylist(), strict=True):
        if answer in texts:
            texts[answer] = texts[answer] or text
    return Newcomers(names, list(texts.values()), list(clues.values()))


def inherited(
    known: Partition, names: NDArray[np.bytes_], home: str, encoder: Encoder | Transformer, new: Newcomers
) -> AnswerVectors:
    """Vectors and biases of the answers `names`, sorted: as they are in `known`, in the same form.

    `new` are the answers that are not there; for these see `placed`, whose five things these are.
    """
    place, there = lookup.place(known.names, names)
    said = known.vectors(home)
    vectors, bias = placed(known, home, encoder, new)
    rows = np.where(there, place, len(known.names) + np.cumsum(~there) - 1)
    return AnswerVectors(said.table.joined([said.table.like(vectors)]).taken(rows), np.append(said.bias, bias)[rows])


def beside(known: Partition, part: Partition) -> Newcomers:
    """The answers of `part` that `known` has not, with their clues."""
    rows = np.flatnonzero(~lookup.place(known.names, part.names)[1])
    clued = np.flatnonzero(np.isin(part.clue_answer, rows) & (part.clue_count > 0))
    clues: list[list[str]] = [[] for _ in rows]
    which = np.searchsorted(rows, part.clue_answer[clued])
    for row, clue in zip(which.tolist(), part.clue_column.of(clued), strict=True):
        clues[row].append(clue)
    return Newcomers(part.names[rows], part.texts.take(pa.array(rows)).to_pylist(), clues)


def placed(part: Partition, home: str, encoder: Encoder | Transformer, new: Newcomers) -> tuple[Floats, Floats]:
    """Vectors, (new, DIMENSIONS), and biases, (new,), of new answers beside those of `part`.

    `encoder` is the clue's side of the one that lives in the folder `home` of the index. Where it knows no answer of
    the length, all are 0: no opinion.
    """
    known = part.vectors(home)
    vectors = np.zeros((len(new.names), DIMENSIONS), np.float32)
    if not len(known.bias):
        return vectors, np.zeros(len(new.names), np.float32)
    said = [(row, clue) for row, clues in enumerate(new.clues) for clue in list(dict.fromkeys(clues))[:MOST]]
    for start in range(0, len(said), TOGETHER):
        rows, clues = zip(*said[start : start + TOGETHER], strict=True)
        np.add.at(vectors, np.array(rows), _alike(known, encoder.encode(clues)))
    often = np.bincount(np.array([row for row, _ in said], np.int64), minlength=len(vectors))
    vectors /= np.maximum(often, 1).astype(np.float32)[:, None]
    bias = np.where(often > 0, _usual(known, part.count == 1), _usual(known, part.count == 0))
    return vectors, bias.astype(np.float32)


def _alike(known: AnswerVectors, clues: Floats) -> Floats:
    """For each of the vectors `clues` the mean vector of the answers that suit it best, (clues, DIMENSIONS)."""
    score = known.score(clues)
    best = (
        np.argsort(-score, axis=1)[:, :ALIKE] if score.shape[1] <= ALIKE else np.argpartition(-score, ALIKE)[:, :ALIKE]
    )
    best.sort(axis=1)
    means: Floats = known.table.unpacked(best.ravel()).reshape(*best.shape, DIMENSIONS).mean(axis=1)
    return means


def _usual(known: AnswerVectors, which: NDArray[np.bool_]) -> np.float32:
    """The mean bias of some answers; of all, if those are none."""
    return np.float32((known.bias[which] if which.any() else known.bias).mean())
