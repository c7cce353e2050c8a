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

from regis.index import arrays, newcomers, schema, tables, vocabulary, writer
from regis.index.partition import Partition
from regis.index.reader import Index
from regis.index.relating import write_forms
from regis.models import features as words
from regis.models import lookup
from regis.models.ngram import trigram_counts
from regis.models.quantization import Tiers, pack
from regis.models.tensors import Floats

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
    if index.relations is not None:
        forms, at, endings = index.relations.forms(length, len(part.names))
        write_forms(folder, length, (forms, moved[at], endings), tables.save_packed)
    fresh = np.setdiff1d(np.arange(len(names)), moved)
    new = newcomers.of(names[fresh], used, listed)
    for home, encoder in index.encoders.items():
        vectors, bias = newcomers.placed(part, home, encoder, new)
        _write_vectors(part, home, folder, _Moved(moved, fresh, count), vectors, bias)
    letters = np.frombuffer(names.tobytes(), np.uint8).reshape(-1, length) - 65
    first = (count > 0).astype(np.float64)
    first[moved] -= part.count > 0
    return writer.Written(0, len(names), trigram_counts(letters, first))


class _Uses(NamedTuple):
    """Uses of clues, sorted by clue and answer: parallel arrays."""

    clue: NDArray[np.uint64]
    answer: NDArray[np.bytes_]
    year: NDArray[np.uint16]

    @classmethod
    def of(cls, used: pa.Table, length: int) -> _Uses:
        codes = {key: words.code(key) for key in used["key"].unique().to_pylist()}
        clue = np.array([codes[key] for key in used["key"].to_pylist()], np.uint64)
        return cls(clue, np.array(used["answer"].to_pylist(), f"S{length}"), used["year"].to_numpy())


class _Moved(NamedTuple):
    """How the rows of answers changed."""

    moved: Rows  # (old,): where each now is
    fresh: Rows  # (new,): where the new ones are
    uses: NDArray[np.int64]  # (all,): how often each was used

    @property
    def origin(self) -> Rows:
        """(all,): the row that each had, -1 for a new one."""
        origin = np.full(len(self.uses), -1)
        origin[self.moved] = np.arange(len(self.moved))
        return origin


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
    columns = {
        "answer": pa.array(names.tolist(), pa.binary(part.length)), "text": pa.array(texts, pa.string()),
        "count": count.astype(np.uint32), "latest": np.zeros(len(names), np.uint32), "last": last, "previous": last,
        "score": np.where(count > 0, 0, score).astype(np.float32),
    }  # fmt: skip
    table = pa.table(columns, schema=tables.answers_schema(part.length))
    tables.write_packed(folder / schema.answers_file(part.length), table, [])
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
    first = np.flatnonzero(np.append(True, (np.diff(clues) > 0) | (np.diff(answers) > 0))[: len(clues)])
    columns = {
        "clue": clues[first],
        "answer": answers[first].astype(np.uint32),
        "count": np.add.reduceat(counts[order], first).astype(np.uint32) if len(first) else counts.astype(np.uint32),
        "last": np.maximum.reduceat(years[order], first) if len(first) else years,
    }
    table = pa.table(columns, schema=tables.REPEATS)
    tables.write_packed(folder / schema.repeats_file(part.length), table, ["clue", "answer"])


def _write_vocabulary(part: Partition, folder: Path, moved: Rows, used: pa.Table, rows: Rows) -> None:
    """Writes which words clues of each answer have; those of `used` have the answers `rows`."""
    features, starts, answers = part.vocabulary
    before = vocabulary.joined(np.repeat(features, np.diff(starts)), moved[answers])
    more = vocabulary.pairs(used["key"].to_pylist(), rows)
    vocabulary.write(folder, part.length, lookup.distinct(np.concatenate([before, more])))


def _write_vectors(part: Partition, home: str, folder: Path, rows: _Moved, vectors: Floats, bias: Floats) -> None:
    """Writes the encoder `home` of the answers, with the `vectors` and `bias` of new ones. Six things, see `merge`."""
    known = part.vectors(home)
    assert isinstance(known.table, Tiers), "an index without clues is packed"
    origin = rows.origin
    scales, biases = np.empty(len(origin), np.float16), np.empty(len(origin), np.float16)
    biases[rows.moved], biases[rows.fresh] = known.bias, bias
    for tier, (name, its) in enumerate(schema.tiers(rows.uses).items()):
        held = known.table.packed[tier]
        here = np.flatnonzero(its)
        was = origin[here]
        stays = np.flatnonzero(was >= 0)
        stays = stays[known.table.tier[was[stays]] == tier]
        codes = np.empty((len(here), schema.TIERS[name]), np.uint8)
        place = known.table.place[was[stays]]
        codes[stays], scales[here[stays]] = held.codes[place], held.scales[place]
        others = np.setdiff1d(np.arange(len(here)), stays)
        unpacked = np.empty((len(others), held.dimensions), np.float32)
        old = was[others] >= 0
        unpacked[old] = known.table.unpacked(was[others[old]])
        unpacked[~old] = vectors[np.searchsorted(rows.fresh, here[others[~old]])]
        numbers = held.book.shape[0] * held.book.shape[2]
        again = pack(unpacked[:, :numbers], held.book)
        codes[others], scales[here[others]] = again.codes, again.scales
        arrays.save(folder / schema.encoder_file(home, part.length, name), codes)
    arrays.save(folder / schema.encoder_file(home, part.length, "scales"), scales)
    arrays.save(folder / schema.encoder_file(home, part.length, "bias"), biases)
