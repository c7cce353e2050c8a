"""What comes to an index without clues, such as the starter: its tables of one answer length, merged with what is new.

As in `merge`, whatever goes by the rows of answers moves along. Of a new clue its number is kept, as of those that were
distilled (building.distil). Vectors stay packed: those of an answer that was used more often, so that it belongs to
another tier, are packed again with that tier's book, and new answers with the book of theirs.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index import newcomers, tables, vocabulary, writer
from regis.index.distilled import AnswerColumns, Repeats, write_answers, write_repeats
from regis.index.index import Index
from regis.index.merge import carry
from regis.index.partition import Partition
from regis.models import features as words
from regis.models import lookup
from regis.models.ngram import trigram_counts
from regis.puzzle.alphabet import table

Rows = NDArray[np.int64]


def merge(index: Index, folder: Path, length: int, used: pa.Table, listed: pa.Table) -> writer.Written:
    """As `merge.merge`, of a distilled `index`."""
    part = index[length]
    uses = _Uses.of(used, length)
    added = np.array(listed["answer"].to_pylist(), f"S{length}")
    names = np.unique(np.concatenate([part.names, uses.answer, added]))
    moved, _ = lookup.place(names, part.names)
    rows, _ = lookup.place(names, uses.answer)
    count = _write_answers(part, folder, names, moved, (rows, uses.year), listed)
    _write_repeats(part, folder, moved, uses, rows)
    _write_vocabulary(part, folder, moved, used, rows)
    carry(index, folder, names, newcomers.of(np.setdiff1d(names, part.names), used, listed), tables.save_packed)
    first = (count > 0).astype(np.float64)
    first[moved] -= part.count > 0
    return writer.Written(0, len(names), trigram_counts(table(names), first))


class _Uses(NamedTuple):
    """Uses of clues in any order: parallel arrays."""

    clue: NDArray[np.uint64]
    answer: NDArray[np.bytes_]
    year: NDArray[np.uint16]

    @classmethod
    def of(cls, used: pa.Table, length: int) -> _Uses:
        codes = {key: words.code(key) for key in used["key"].unique().to_pylist()}
        clue = np.array([codes[key] for key in used["key"].to_pylist()], np.uint64)
        return cls(clue, np.array(used["answer"].to_pylist(), f"S{length}"), used["year"].to_numpy())


def _write_answers(
    part: Partition, folder: Path, names: NDArray[np.bytes_], moved: Rows, uses: tuple[Rows, NDArray[np.uint16]],
    listed: pa.Table,
) -> NDArray[np.int64]:  # fmt: skip
    """Writes the table of the answers `names`; returns how often each was used. Six things, that stand side by side."""
    rows, years = uses
    count = np.bincount(rows, minlength=len(names))
    count[moved] += part.count
    last = np.zeros(len(names), np.uint16)
    last[moved] = part.last
    np.maximum.at(last, rows, years)
    score = np.full(len(names), -np.inf, np.float32)  # no list, which may score below 0
    score[moved] = np.where(part.exists, part.score, -np.inf)
    texts = np.full(len(names), None, object)
    texts[moved] = part.texts.to_pylist()
    where, _ = lookup.place(names, np.array(listed["answer"].to_pylist(), names.dtype))
    np.maximum.at(score, where, listed["score"].to_numpy())
    for row, text in zip(where.tolist(), listed["text"].to_pylist(), strict=True):
        texts[row] = texts[row] or text
    write_answers(folder, part.length, AnswerColumns(names, pa.array(texts, pa.string()), count, last, score))
    return count


def _write_repeats(part: Partition, folder: Path, moved: Rows, uses: _Uses, rows: Rows) -> None:
    """Writes the numbers of past clues; those of `uses` have the answers `rows`."""
    clue, answer, count, last = part.repeats
    clues = np.concatenate([clue, uses.clue])
    answers = np.concatenate([moved[answer], rows])
    counts = np.concatenate([count, np.ones(len(rows), np.uint32)])
    years = np.concatenate([last, uses.year])
    order = np.lexsort((answers, clues))
    clues, answers = clues[order], answers[order]
    first = lookup.begins(clues, answers)
    count, last = np.add.reduceat(counts[order], first), np.maximum.reduceat(years[order], first)
    write_repeats(folder, part.length, Repeats(clues[first], answers[first], count, last))


def _write_vocabulary(part: Partition, folder: Path, moved: Rows, used: pa.Table, rows: Rows) -> None:
    """Writes which words clues of each answer have; those of `used` have the answers `rows`."""
    features, starts, answers = part.vocabulary
    before = vocabulary.joined(np.repeat(features, np.diff(starts)), moved[answers])
    more = vocabulary.pairs(used["key"].to_pylist(), rows)
    vocabulary.write(folder, part.length, lookup.distinct(np.concatenate([before, more])))
