"""`regis distil`: an index made small enough to ship, by leaving out the clues.

What was learned stays: answers with how often they were used, and by number which word stems and word pairs their clues
have (index.vocabulary), the encoders, the reader, the letter and phrase models, and for each past clue a 64-bit number,
so that a clue that comes again is known. Nobody's sentences are in it. Vectors are packed (models.quantization): those
of answers that were used with most care, of those that never were with least. Words and titles that are least often
right are dropped.

An index without clues weighs differently, so its weights are fitted anew, as everywhere on the newest year while that
is hidden: from the index as it was a year before, with an encoder that was learned without that year, another one is
distilled and asked. That takes most of the time. In the same way weights are fitted for an index that has clues and
begins with this one (building.inherit).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from regis.building import add, inherit
from regis.building.training import weights
from regis.building.training.fresh import check_disk
from regis.building.training.train import EPOCHS, hidden
from regis.errors import UsageError
from regis.index import (
    Index,
    Manifest,
    Partition,
    arrays,
    layers,
    manifest,
    publish,
    related,
    schema,
    tables,
    vocabulary,
    writer,
)
from regis.index.distilled import AnswerColumns, Repeats, write_answers, write_repeats
from regis.index.related import Related
from regis.index.relating import GLOSS
from regis.index.relations import renumbered
from regis.models import features as words
from regis.models import reader, tensors
from regis.models.bert import quantised
from regis.models.embedding import AnswerVectors
from regis.models.quantization import learn_book, pack
from regis.models.tensors import Floats
from regis.models.transformer import MODEL, TOKENIZER
from regis.system.crew import Crew
from regis.system.held import Place
from regis.system.progress import Progress, silent

LEAST = 0.45  # words and titles without a clue that score less are left out: a quarter of all
BOOK_SAMPLE = 60_000  # how many vectors of all lengths a book is learned from
LEAST_SHARED = 2  # word pairs of fewer clues are left out; half of all (measured: docs/measured.md)
RECENT = 1990  # clues used once, before this year, are forgotten: a quarter of all
SEED = 1


def distil(
    folder: Path, out: Path, *, epochs: int = EPOCHS, workers: Crew | None = None, progress: Progress = silent
) -> Manifest:
    """Writes the index at `folder`, distilled, to `out`, under the layers of any that is there; returns its manifest.

    The clues of the newest year are asked by `workers`, this process if None. Raises IndexMissing, IndexOutdated,
    IndexDamaged, UsageError if there is nothing to distil, OutputError or CrewLost.
    """
    index = Index.with_clues(folder)
    if out.exists() and out.samefile(index.folder):
        raise UsageError(f"{out} holds the clues that are to be distilled; choose another place with --out")
    if index.encoder is None:
        raise UsageError(f"the index at {folder} has no clue encoder, which is what would be left; `regis learn` first")
    with publish.workshop(out) as place:
        check_disk(place, workers or Crew())
        kept = layers.saved(out)  # before anything that takes minutes
        before = hidden(index, place / "before", epochs, progress)
        _write(before, place / "hidden", progress)
        small = _open(place / "hidden", index.manifest)
        with progress("weighing", None):
            fitted = weights.fit(index, small, workers)
        with progress("weighing with clues", None):
            with_clues = weights.fit(index, _begun(small, index, place / "begun"), workers)
        built = place / "index"
        _write(index, built, progress)
        learned = {
            schema.WEIGHTS: fitted.to_json(),
            schema.WEIGHTS_WITH_CLUES: with_clues.to_json(),
            schema.UNLISTED: index.learned[schema.UNLISTED],
        }
        writer.write_learned(built, learned)
        record = _open(built, index.manifest.settled()).manifest
        return add.publish_under(kept, built, out, record, progress)


def _begun(small: Index, index: Index, folder: Path) -> Index:
    """`index` before its newest year, in `folder`, as if it had begun with the distilled index `small`, of then."""
    without = {schema.ENCODER, schema.TRANSFORMER, schema.READER, schema.BASE, manifest.LAYERS, manifest.NAME}
    publish.copy(index.home, folder, without)
    inherit.encoders(small, Index(folder, index.manifest, hidden=True), folder)
    return Index.finished(folder, index.manifest).as_it_was()


def _open(folder: Path, record: Manifest) -> Index:
    """The distilled tables in `folder` as an index; `record` is the manifest of the one that they come from."""
    rows = {one: pq.read_metadata(folder / schema.answers_file(int(one))).num_rows for one in record.lengths}
    lengths = {length: {"clues": 0, "answers": answers} for length, answers in rows.items()}
    return Index.finished(folder, replace(record, lengths=lengths))


def _write(view: Index, folder: Path, progress: Progress) -> None:
    """The tables of `view` without its clues, and without weights."""
    folder.mkdir(exist_ok=True)
    for name in (schema.LETTERS, schema.PHRASES):
        if (view.home / name).is_file():
            (folder / name).write_bytes((view.home / name).read_bytes())
    kept = {}
    for part in view.parts():
        kept[part.length] = np.flatnonzero((part.count > 0) | (part.score > LEAST))
        _write_length(part, kept[part.length], folder)
    if view.relations is not None:
        _write_relations(view, folder, kept)
    with progress("packing", None):
        _write_vectors(view, schema.ENCODER, kept, folder)
        assert view.encoder is not None
        features = view.encoder.features.unpacked(slice(None))  # the clue's side
        packed = pack(features, learn_book(features, schema.FEATURE_PIECES))
        for name, values in (("codes", packed.codes), ("scales", packed.scales), ("book", packed.book)):
            arrays.save(folder / schema.ENCODER / f"feature-{name}.npy", values)
        if view.transformer is not None:
            _write_vectors(view, schema.TRANSFORMER, kept, folder)
            _write_network(view.home / schema.TRANSFORMER, folder / schema.TRANSFORMER)
        if view.reader is not None:
            home, theirs = folder / schema.READER, view.home / schema.READER
            _write_network(theirs, home)
            for name in (reader.WORDS, reader.FITTED):
                (theirs / name).copy(home / name)


def _write_network(theirs: Place, home: Path) -> None:
    """The network in the folder `theirs` in four bits, and its pieces of words in few letters."""
    home.mkdir(exist_ok=True)
    tensors.write(home / MODEL, quantised(tensors.read(theirs / MODEL), 4))
    tokenizer = json.loads((theirs / TOKENIZER).read_bytes())
    small = json.dumps(tokenizer, separators=(",", ":"), ensure_ascii=False)
    (home / TOKENIZER).write_text(small, encoding="utf-8")


def _write_vectors(view: Index, home: str, kept: Mapping[int, NDArray[np.int64]], folder: Path) -> None:
    """The answers' side of the encoder `home`: the answers `kept` of each length."""
    books = _books(view, home)
    for name, book in books.items():
        arrays.save(folder / schema.packed_file(home, f"{name}-book"), book)
    for part in view.parts():
        length, rows = part.length, kept[part.length]
        vectors: AnswerVectors = part.vectors(home)
        scales = np.empty(len(rows), np.float16)
        for name, tier in schema.tiers(part.count[rows]).items():
            packed = pack(vectors.table.unpacked(rows[tier]), books[name])
            scales[tier] = packed.scales
            arrays.save(folder / schema.encoder_file(home, length, name), packed.codes)
        arrays.save(folder / schema.encoder_file(home, length, "scales"), scales)
        arrays.save(folder / schema.encoder_file(home, length, "bias"), vectors.bias[rows].astype(np.float16))


def _books(view: Index, home: str) -> dict[str, Floats]:
    """What the vectors of answers are packed with, by tier."""
    samples: dict[str, list[Floats]] = {name: [] for name in schema.TIERS}
    answers = view.manifest.answers
    generator = np.random.default_rng(SEED)
    for part in view.parts():
        drawn = generator.random(len(part.names)) < BOOK_SAMPLE / answers
        vectors = part.vectors(home).table
        for name, rows in schema.tiers(part.count).items():
            samples[name].append(vectors.unpacked(np.flatnonzero(drawn & rows)))
    return {name: learn_book(np.concatenate(some), schema.TIERS[name]) for name, some in samples.items()}


def _write_length(part: Partition, kept: NDArray[np.int64], folder: Path) -> None:
    """The answers `kept` of one length, and a number for every past clue, with the answers that it had."""
    none = pa.nulls(len(kept), pa.string())
    answers = AnswerColumns(part.names[kept], none, part.count[kept], part.last[kept], part.score[kept])
    write_answers(folder, part.length, answers)
    live = np.flatnonzero((part.clue_count > 1) | ((part.clue_count == 1) & (part.clue_last >= RECENT)))
    codes = words.codes_of(part.key_column.of(live))
    order = np.argsort(codes, kind="stable")
    rows = live[order]
    place = np.searchsorted(kept, part.clue_answer[rows])
    repeats = Repeats(codes[order], place, part.clue_count[rows], part.clue_last[rows])
    write_repeats(folder, part.length, repeats)
    rows = np.flatnonzero(part.clue_count > 0)
    place = np.searchsorted(kept, part.clue_answer[rows])
    said = vocabulary.pairs(part.key_column.of(rows), place, LEAST_SHARED)
    vocabulary.write(folder, part.length, said)


def _write_relations(view: Index, folder: Path, kept: Mapping[int, NDArray[np.int64]]) -> None:
    """What words have to do with each other; the words of glosses, which are twice as much, are left out."""
    assert view.relations is not None
    heads, said = view.relations.everything()
    direct = said.kind != GLOSS
    forms = {}
    for part in view.parts():
        known = part.names[kept[part.length]]
        forms[part.length] = renumbered(view.relations.forms(part.length, len(part.names)), part.names, known)
    none = np.empty(0, np.uint64)
    columns = heads[said.which[direct]], said.word[direct], said.kind[direct], said.source[direct]
    related.write(folder, Related(*columns, none, none, none, forms), tables.save_packed)
