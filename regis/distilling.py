"""`regis distil`: an index made small enough to ship, by leaving out the clues.

What was learned stays: answers with how often they were used, the base encoder, the letter and phrase models, and for
each past clue a 64-bit number, so that a clue that comes again is known. Nobody's sentences are in it. Vectors are
packed (regis.packed): those of answers that were used with most care, of those that never were with least. Words and
titles that are least often right are dropped.

An index without clues weighs differently, so its weights are fitted anew, as everywhere on the newest year while that
is hidden: from the index as it was a year before, with an encoder that was learned without that year, another one is
distilled and asked. That takes most of the time.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from regis import words
from regis.encoder import AnswerVectors
from regis.errors import UsageError
from regis.index import Index, Manifest, Partition, manifest, tables, writing
from regis.learn import weights
from regis.learn.course import EPOCHS
from regis.learn.encoder import Trainer
from regis.packed import learn_book, pack
from regis.progress import Progress, silent

LEAST = 0.45
"""Words and titles that no clue had, with a lower score than this, are left out: a quarter of all answers, and right
for 3 clues of 1,000."""

BOOK_SAMPLE = 60_000
"""How many vectors of all lengths a book is learned from."""

LEVEL = 19
"""Of compression (zstd)."""

DELTA = "DELTA_BINARY_PACKED"

SEED = 1


def distil(folder: Path, out: Path, *, epochs: int = EPOCHS, progress: Progress = silent) -> Manifest:
    """Writes the index at `folder`, distilled, to `out`; returns its manifest.

    Raises IndexMissing, IndexOutdated, IndexDamaged, UsageError if there is nothing to distil, OutputError.
    """
    index = Index.with_clues(folder)
    if index.encoder is None:
        raise UsageError(f"the index at {folder} has no clue encoder, which is what would be left; `regis learn` first")
    with writing.workshop(out) as place:
        before = _hidden(index, place / "before", epochs, progress)
        _write(before, place / "hidden", progress)
        small = _open(place / "hidden", index.manifest)
        with progress("weighing", None):
            newest = index.manifest.newest_year or 0
            fitted = weights.fit_on(small, weights.newest_clues(index), newest)
        built = place / "index"
        _write(index, built, progress)
        learned = {name: fit.to_json() for name, fit in fitted.items()} | {"phrases": index.learned["phrases"]}
        (built / tables.LEARNED).write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")
        record = manifest.with_files(_open(built, index.manifest).manifest, built)
        (built / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
        writing.publish(built, out)
    return record


def _hidden(index: Index, folder: Path, epochs: int, progress: Progress) -> Index:
    """`index` as it was before its newest year, with an encoder that does not know that year."""
    trainer = Trainer(index.as_it_was())
    with progress("learning without the newest year", trainer.steps(epochs)) as bar:
        for _ in trainer.epochs(epochs):
            bar.update(1)
    writing.copy(index.folder, folder, {tables.ENCODER, tables.TRANSFORMER, manifest.NAME})
    trainer.save(folder)
    return Index(folder, index.manifest, hidden=True)


def _open(folder: Path, record: Manifest) -> Index:
    """The distilled tables in `folder` as an index; `record` is the manifest of the one that they come from."""
    lengths = {}
    for length in record.lengths:
        answers = pq.read_metadata(folder / tables.answers_file(int(length))).num_rows
        lengths[length] = {"clues": 0, "answers": answers}
    return Index(folder, replace(record, lengths=lengths, distilled=True))


def _write(view: Index, folder: Path, progress: Progress) -> None:
    """The tables of `view` without its clues; all but what is learned."""
    folder.mkdir(exist_ok=True)
    for name in (tables.LETTERS, tables.PHRASES, tables.LEARNED):
        if (view.folder / name).exists():
            shutil.copyfile(view.folder / name, folder / name)
    home = folder / tables.ENCODER
    home.mkdir(parents=True)
    assert view.encoder is not None
    with progress("packing", len(view.lengths) + 1) as bar:
        features = view.encoder.features.unpacked(slice(None))
        packed = pack(features, learn_book(features, tables.FEATURE_PIECES))
        np.save(home / "feature-codes.npy", packed.codes)
        np.save(home / "feature-scales.npy", packed.scales)
        np.save(home / "feature-book.npy", packed.book)
        bar.update(1)
        books = _books(view)
        for name, book in books.items():
            np.save(folder / tables.packed_file(tables.ENCODER, f"{name}-book"), book)
        for length in view.lengths:
            part = view[length]
            assert part is not None
            _write_length(part, folder, books)
            bar.update(1)


def _books(view: Index) -> dict[str, NDArray[np.float32]]:
    """What the vectors of answers are packed with, by file name."""
    samples: dict[str, list[NDArray[np.float32]]] = {"used": [], "unused": []}
    answers = sum(size["answers"] for size in view.manifest.lengths.values())
    generator = np.random.default_rng(SEED)
    for length in view.lengths:
        part = view[length]
        assert part is not None
        drawn = generator.random(len(part.names)) < BOOK_SAMPLE / answers
        vectors = part.vectors(tables.ENCODER).vectors
        samples["used"].append(vectors[drawn & (part.count > 0)])
        samples["unused"].append(vectors[drawn & (part.count == 0)])
    pieces = {"used": tables.USED_PIECES, "unused": tables.UNUSED_PIECES}
    return {name: learn_book(np.concatenate(some), pieces[name]) for name, some in samples.items()}


def _write_length(part: Partition, folder: Path, books: dict[str, NDArray[np.float32]]) -> None:
    kept = np.flatnonzero((part.count > 0) | (part.score > LEAST))
    count = part.count[kept].astype(np.uint32)
    none = np.zeros(len(kept), np.uint32)
    answers = pa.table(
        {
            "answer": pa.array(part.names[kept].tolist(), pa.binary(part.length)),
            "text": pa.nulls(len(kept), pa.string()),
            "count": count, "latest": none, "last": part.last[kept], "previous": part.last[kept], "sources": none,
            "score": np.where(count > 0, 0, part.score[kept]).astype(np.float32),
        },
        schema=tables.answers_schema(part.length),
    )  # fmt: skip
    _write_table(folder / tables.answers_file(part.length), answers)
    _write_table(folder / tables.clues_file(part.length), tables.CLUES.empty_table())
    np.save(folder / tables.reversed_file(part.length), np.empty(0, np.uint32))
    for name, values in {"features": [], "starts": [0], "rows": [], "norms": []}.items():
        path = folder / tables.postings_file(part.length, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.array(values, tables.POSTINGS[name]))
    _write_repeats(part, kept, folder)

    vectors: AnswerVectors = part.vectors(tables.ENCODER)
    for name, rows in (("used", kept[count > 0]), ("unused", kept[count == 0])):
        path = folder / tables.encoder_file(tables.ENCODER, part.length, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, pack(vectors.vectors[rows], books[name]).codes)
    lengths = np.linalg.norm(vectors.vectors[kept], axis=1)
    np.save(folder / tables.encoder_file(tables.ENCODER, part.length, "scales"), lengths.astype(np.float16))
    np.save(folder / tables.encoder_file(tables.ENCODER, part.length, "bias"), vectors.bias[kept].astype(np.float16))


def _write_repeats(part: Partition, kept: NDArray[np.int64], folder: Path) -> None:
    """A number for every clue that was used, with the answers that it had."""
    live = np.flatnonzero(part.clue_count > 0)
    codes = np.array([words.code(key) for key in part.key_column.take(live).to_pylist()], np.uint64)
    order = np.argsort(codes, kind="stable")
    rows = live[order]
    repeats = {
        "clue": codes[order],
        "answer": np.searchsorted(kept, part.clue_answer[rows]).astype(np.uint32),
        "count": part.clue_count[rows].astype(np.uint32),
        "last": part.clue_last[rows],
    }
    table = pa.table(repeats, schema=tables.REPEATS)
    _write_table(folder / tables.repeats_file(part.length), table, {"clue": DELTA, "answer": DELTA})


def _write_table(path: Path, table: pa.Table, encoding: Mapping[str, str] = MappingProxyType({})) -> None:
    """As small as can be; columns with an `encoding` are not made a dictionary of."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(
        table, path, compression="zstd", compression_level=LEVEL, write_page_checksum=True,
        use_dictionary=[name for name in table.schema.names if name not in encoding],
        column_encoding=dict(encoding),
    )  # fmt: skip
