"""Making the tables of one answer length, and putting a finished index in its place.

`write_length` merges equal pairs, sorts, counts and writes; the tables are described in `tables`. `publish` is the only
road by which an index comes into being: everything is written to a folder of another name first, flushed to the disk,
then renamed, so that an index is there whole or not at all.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import filelock
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from regis import text
from regis.errors import OutputError
from regis.index import manifest, schema
from regis.index.partition import Partition
from regis.models import features
from regis.models.ngram import trigram_counts

PUBLISHERS = 32
"""Bits in a `sources` column."""


class Written(NamedTuple):
    clues: int
    answers: int
    trigrams: NDArray[np.float64]  # (27, 27, 27): counts over the answers that were used in puzzles


def write_length(folder: Path, length: int, asked: pa.Table, listed: pa.Table, newest: int) -> Written:
    """Writes all tables of `length` from the spilled rows (see `spill`); `newest` is the corpus's newest year or 0."""
    return write_tables(folder, length, seen(asked, newest), _named(listed))


def write_tables(folder: Path, length: int, asked: pa.Table, listed: pa.Table) -> Written:
    """Writes all tables of `length` from rows like schema.PAIRS and schema.NAMED; equal ones become one."""
    pairs = _merged(asked)
    used = _fixed(pairs["answer"], length)
    named = _fixed(listed["answer"], length)
    names = np.unique(np.concatenate([used, named]))
    rows = np.searchsorted(names, used).astype(np.uint32)
    answers = _answers(names, pairs, rows, listed, np.searchsorted(names, named), length)
    clues = pairs.set_column(2, "answer", pa.array(rows)).cast(schema.CLUES)
    _write_table(folder / schema.answers_file(length), answers)
    _write_table(folder / schema.clues_file(length), clues)
    backwards = pa.array([text.reversed_key(key) for key in clues["key"].to_pylist()], type=pa.string())
    _write_array(folder / schema.reversed_file(length), pc.sort_indices(backwards).to_numpy().astype(np.uint32))
    for name, values in _postings(clues["key"].combine_chunks()).items():
        _write_array(folder / schema.postings_file(length, name), values.astype(schema.POSTINGS[name]))
    letters = names.view(np.uint8).reshape(len(names), length) - 65
    return Written(len(clues), len(answers), trigram_counts(letters, (answers["count"].to_numpy() > 0) * 1.0))


def seen(asked: pa.Table, newest: int) -> pa.Table:
    """Spilled clues as rows like schema.PAIRS, each used once; those from the year `newest` on count as its own."""
    year = asked["year"].to_numpy()
    fresh = (year >= newest) & (newest > 0)
    counts = {
        "count": np.ones(len(asked)),
        "latest": fresh,
        "last": year,
        "previous": np.where(fresh, 0, year),
        "sources": _mask(asked["source"]),
    }
    columns = {name: pa.array(values.astype(_kind(name))) for name, values in counts.items()}
    return pa.table({name: asked[name] for name in ("key", "clue", "answer")} | columns, schema=schema.PAIRS)


def publish(built: Path, out: Path) -> None:
    """Puts the finished folder `built` in the place of `out`, which stays whole until the new one is there.

    Between the two renames the old index stands under `out`.previous, where Index.open looks for it.
    """
    for path in [p for p in built.rglob("*") if p.is_file()]:
        with path.open("rb+") as file:
            os.fsync(file.fileno())
    before = out.with_name(out.name + ".previous")
    if out.exists():
        shutil.rmtree(before, ignore_errors=True)
        out.rename(before)
    built.rename(out)
    shutil.rmtree(before, ignore_errors=True)


def copy(index: Path, to: Path, without: Set[str]) -> None:
    """The tables of `index` under another name, `without` what will be written again: links are written through.

    `without` names files, or folders with all that is in them.
    """
    for path in index.rglob("*"):
        inside = path.relative_to(index)
        if path.is_dir() or not without.isdisjoint(inside.parts):
            continue
        (to / inside).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, to / inside)
        except OSError:
            shutil.copyfile(path, to / inside)


@contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """A folder beside `out` to build in, removed at the end whatever happens; only one build at a time has it."""
    try:
        if out.exists() and not (out / manifest.NAME).is_file() and (not out.is_dir() or any(out.iterdir())):
            raise OutputError(f"{out} is there and is no index; choose another place with --out")
        out.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(out.with_name(out.name + ".lock"), timeout=0)
        with lock:
            for left in out.parent.glob(f".{out.name}.building-*"):  # by a build that was killed
                shutil.rmtree(left, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.building-", dir=out.parent))
            try:
                (folder / "index").mkdir()
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    except filelock.Timeout:
        if not out.with_name(out.name + ".lock").exists():  # filelock tries again where nothing can be made
            raise OutputError(f"the index cannot be written to {out}; choose another with --out or --index") from None
        raise OutputError(f"another build is writing {out}; wait for it, or choose another place with --out") from None
    except OSError as cause:
        why = cause.strerror or cause
        raise OutputError(
            f"the index cannot be written to {out} ({why}); choose another with --out or --index"
        ) from cause


def _merged(pairs: pa.Table) -> pa.Table:
    """One row per key and answer, sorted by both, with what was counted; the wording is the last one seen."""
    order = pc.sort_indices(pairs, sort_keys=[(name, "ascending") for name in ("key", "answer", "last", "clue")])
    pairs = pairs.take(order).combine_chunks()
    if not len(pairs):
        return pairs
    changes = np.zeros(len(pairs) - 1, bool)
    for name in ("key", "answer"):
        column = pairs[name].combine_chunks()
        changes |= pc.not_equal(column[1:], column[:-1]).to_numpy(zero_copy_only=False)
    starts = np.flatnonzero(np.concatenate([[True], changes]))
    ends = np.append(starts[1:], len(pairs)) - 1
    merged = pairs.take(pa.array(ends))
    for name, gather in zip(_SEEN, _GATHER, strict=True):
        place = merged.schema.get_field_index(name)
        values = gather.reduceat(pairs[name].to_numpy(), starts).astype(_kind(name))
        merged = merged.set_column(place, name, pa.array(values))
    return merged


def _named(listed: pa.Table) -> pa.Table:
    """Spilled answers of lists as rows like schema.NAMED."""
    return pa.table(
        [listed["answer"], listed["text"], pa.array(_mask(listed["source"])), listed["score"]], schema=schema.NAMED
    )


def _mask(source: pa.ChunkedArray) -> NDArray[np.uint32]:
    bits: NDArray[np.uint32] = np.left_shift(np.uint32(1), source.to_numpy().astype(np.uint32))
    return bits


def _kind(name: str) -> Any:
    """The type of a number in schema.PAIRS."""
    return schema.PAIRS.field(name).type.to_pandas_dtype()


_SEEN = ("count", "latest", "last", "previous", "sources")
_GATHER = (np.add, np.add, np.maximum, np.maximum, np.bitwise_or)


def _answers(
    names: NDArray[np.bytes_],
    pairs: pa.Table,
    rows: NDArray[np.uint32],
    listed: pa.Table,
    listed_rows: NDArray[np.int64],
    length: int,
) -> pa.Table:
    """The answer table: `rows` and `listed_rows` say which name each pair and each listed word has."""
    counts = {name: np.zeros(len(names), np.uint32) for name in _SEEN}
    for name, gather in zip(_SEEN, _GATHER, strict=True):
        gather.at(counts[name], rows, pairs[name].to_numpy().astype(np.uint32))
    score = np.zeros(len(names), np.float32)
    np.maximum.at(score, listed_rows, listed["score"].to_numpy())
    np.bitwise_or.at(counts["sources"], listed_rows, listed["sources"].to_numpy())

    texts = np.full(len(names), None, dtype=object)
    written = pc.not_equal(listed["text"], "").to_numpy()
    texts[listed_rows[written][::-1]] = np.asarray(listed["text"].filter(pa.array(written)).to_pylist(), object)[::-1]
    fixed = pa.FixedSizeBinaryArray.from_buffers(pa.binary(length), len(names), [None, pa.py_buffer(names.tobytes())])
    columns = [fixed, pa.array(texts, pa.string()), *(pa.array(v) for v in counts.values()), pa.array(score)]
    kinds = schema.answers_schema(length)
    return pa.table([c.cast(f.type) for c, f in zip(columns, kinds, strict=True)], schema=kinds)


def _postings(keys: pa.StringArray) -> dict[str, NDArray[np.generic]]:
    """Feature -> clues, and the length of each clue's TF-IDF vector.

    A clue's vector has, for each of its features, the inverse document frequency times words.KIND_WEIGHT.
    """
    rows, codes, kinds = features.features(keys)
    order = np.lexsort((rows, codes))
    rows, codes, kinds = rows[order], codes[order], kinds[order]
    again = np.zeros(len(rows), bool)
    again[1:] = (codes[1:] == codes[:-1]) & (rows[1:] == rows[:-1])
    rows, codes, kinds = rows[~again], codes[~again], kinds[~again]
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])) if len(codes) else np.empty(0, np.int64)
    sizes = np.diff(np.append(starts, len(codes)))
    weight = np.repeat(features.inverse_frequency(sizes, len(keys)), sizes) * features.KIND_WEIGHT[kinds]
    norms = np.sqrt(np.bincount(rows, weights=weight**2, minlength=len(keys)))
    return {
        "features": codes[starts],
        "starts": np.append(starts, len(codes)),
        "rows": rows,
        "norms": np.maximum(norms, 1e-6),
    }


def _fixed(column: pa.ChunkedArray, length: int) -> NDArray[np.bytes_]:
    """A column of strings that all have `length` ASCII letters, as fixed-width bytes."""
    joined = b"".join(str(chunk_text).encode() for chunk_text in ("".join(c.to_pylist()) for c in column.chunks))
    return np.frombuffer(joined, dtype=f"S{length}")


def _write_table(path: Path, table: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="lz4", use_dictionary=False, write_page_checksum=True)


def _write_array(path: Path, values: NDArray[np.generic]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, values, allow_pickle=False)


def answer_order(part: Partition) -> NDArray[np.uint32]:
    """The rows of the clue table in the order of their answers: the order in which clue embeddings are kept."""
    return np.argsort(part.clue_answer, kind="stable").astype(np.uint32)


def write_clue_embeddings(folder: Path, length: int, embeddings: NDArray[np.int8], order: NDArray[np.uint32]) -> None:
    """Writes the `embeddings` of the clues of one length under the index `folder`, in the `answer_order`."""
    for name, values in (("clues", embeddings), ("by-answer", order)):
        np.save(folder / schema.encoder_file(schema.TRANSFORMER, length, name), values)
