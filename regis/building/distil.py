"""`regis distil`: an index made small enough to ship, by leaving out the clues.

What was learned stays: answers with how often they were used, and by number which word stems and word pairs their clues
have (index.tables.packed_postings), the encoders, the reader, the letter and phrase models, and for each past clue a
64-bit number, so that a clue that comes again is known. Nobody's sentences are in it. Vectors are packed
(models.neural.product_quantization): those of answers that were used with most care, of those that never were with
least. Words and titles that are least often right are dropped.

An index without clues weighs differently, so its weights are fitted anew, as everywhere on the newest year while that
is hidden: from the index as it was a year before, with an encoder that was learned without that year, another one is
distilled and asked. That takes most of the time. In the same way weights are fitted for an index that has clues and
begins with this one (building.inheritance).
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

from regis.building import inheritance, personal_layers
from regis.building.training.ranker import ranking_weights
from regis.building.training.train import ENCODER_EPOCHS, hide_newest_year
from regis.errors import UsageError
from regis.index import Index, Manifest, Partition
from regis.index.layers import layer_files
from regis.index.relations import relation_arrays
from regis.index.relations.relation_arrays import RelationArrays
from regis.index.relations.relation_builder import GLOSS_KIND
from regis.index.relations.relations import renumber_forms
from regis.index.storage import manifest, npy, parquet, publish
from regis.index.tables import packed_postings, schema, writer
from regis.index.tables.distilled import AnswerColumns, HashedClues, write_answer_table, write_hashed_clues
from regis.models.neural import cross_encoder, tensor_file
from regis.models.neural.bert import quantize_network
from regis.models.neural.product_quantization import encode_pq, learn_codebook
from regis.models.neural.transformer import MODEL_FILE, TOKENIZER_FILE
from regis.models.neural.vector_table import AnswerVectors
from regis.models.numeric.arrays import Float32Array
from regis.models.text import clue_features
from regis.system.files.locked_folder import ReadablePath
from regis.system.parallel.workers import Workers
from regis.system.progress import Progress, show_nothing

MIN_UNUSED_SCORE = 0.32
"""Below which score is a word or title without a clue left out? Half of all are; what they and their vectors are worth:
docs/experiments/starter-size.md."""

CODEBOOK_SAMPLE = 60_000  # how many vectors of all lengths a book is learned from
MIN_PAIR_CLUES = 2  # word pairs of fewer clues are left out; half of all (measured: docs/experiments/vocabulary.md)
FIRST_RECENT_YEAR = 1990  # clues used once, before this year, are forgotten: a quarter of all
SEED = 1


def distil(
    index_folder: Path,
    out_folder: Path,
    *,
    epochs: int = ENCODER_EPOCHS,
    workers: Workers | None = None,
    progress: Progress = show_nothing,
) -> Manifest:
    """Write the index at `index_folder`, distilled, to `out_folder`, under the layers of any index that is there.

    Parameters
    ----------
    epochs : how often the encoder without the newest year sees each clue.
    workers : ask the clues of the newest year; this process if None.

    Returns
    -------
    The manifest of the distilled index.

    Raises
    ------
    IndexMissing, IndexOutdated, IndexDamaged, OutputError, WorkersLost, and UsageError if there is nothing to distil
    """
    index = Index.open_with_clues(index_folder)
    if out_folder.exists() and out_folder.samefile(index.folder):
        raise UsageError(f"{out_folder} holds the clues that are to be distilled; choose another place with --out")
    if index.encoder is None:
        refusal = "has no clue encoder, which is what would be left; `regis learn` first"
        raise UsageError(f"the index at {index_folder} {refusal}")
    with publish.open_workshop(out_folder) as workshop:
        saved_layers = layer_files.recover_layers(out_folder)  # before anything that takes minutes
        past_index = hide_newest_year(index, workshop / "before", epochs, progress)
        _write_tables(past_index, workshop / "hidden", progress)
        distilled_past = _open_tables(workshop / "hidden", index.manifest)
        with progress("weighing", None):
            fitted = ranking_weights.fit_weights(index, distilled_past, workers)
        with progress("weighing with clues", None):
            begun = _begin_with(distilled_past, index, workshop / "begun")
            with_clues = ranking_weights.fit_weights(index, begun, workers)
        built_folder = workshop / "index"
        _write_tables(index, built_folder, progress)
        learned = {
            schema.WEIGHTS_KEY: fitted.to_json(),
            schema.WEIGHTS_WITH_CLUES_KEY: with_clues.to_json(),
            schema.UNLISTED_KEY: index.fitted_values[schema.UNLISTED_KEY],
        }
        writer.write_fitted_values(built_folder, learned)
        record = _open_tables(built_folder, index.manifest.settle_layers()).manifest
        return personal_layers.publish_under_layers(saved_layers, built_folder, out_folder, record, progress)


def _begin_with(distilled_past: Index, index: Index, folder: Path) -> Index:
    """Copy `index`, before its newest year, into `folder` as if it had begun with the distilled index of then."""
    encoders = {schema.ENCODER_FOLDER, schema.TRANSFORMER_FOLDER, schema.CROSS_ENCODER_FOLDER}
    left_out = encoders | {schema.BASE_FOLDER, manifest.LAYERS_FOLDER, manifest.MANIFEST_NAME}
    publish.copy_files(index.home, folder, left_out)
    inheritance.inherit_encoders(distilled_past, Index(folder, index.manifest, hides_newest_year=True), folder)
    return Index.open_finished(folder, index.manifest).before_newest_year()


def _open_tables(folder: Path, record: Manifest) -> Index:
    """Open the distilled tables in `folder`; `record` is the manifest of the index that they come from."""
    rows = {one: pq.read_metadata(folder / schema.answers_file(int(one))).num_rows for one in record.lengths}
    lengths = {length: {"clues": 0, "answers": answers} for length, answers in rows.items()}
    return Index.open_finished(folder, replace(record, lengths=lengths))


def _write_tables(view: Index, folder: Path, progress: Progress) -> None:
    """Write the tables of `view` without its clues, and without weights."""
    folder.mkdir(exist_ok=True)
    for name in (schema.LETTERS_FILE, schema.PHRASES_FILE):
        if (view.home / name).is_file():
            (folder / name).write_bytes((view.home / name).read_bytes())
    kept_rows = {}
    for part in view.partitions():
        kept_rows[part.length] = np.flatnonzero((part.use_counts > 0) | (part.list_scores > MIN_UNUSED_SCORE))
        _write_length(part, kept_rows[part.length], folder)
    if view.relations is not None:
        _write_relations(view, folder, kept_rows)
    with progress("packing", None):
        _write_vectors(view, schema.ENCODER_FOLDER, kept_rows, folder)
        assert view.encoder is not None
        features = view.encoder.feature_vectors.dequantize(slice(None))  # the clue's side
        packed = encode_pq(features, learn_codebook(features, schema.FEATURE_PIECES))
        for name, values in (("codes", packed.codes), ("scales", packed.scales), ("book", packed.codebook)):
            npy.save_array(folder / schema.ENCODER_FOLDER / f"feature-{name}.npy", values)
        if view.transformer is not None:
            _write_vectors(view, schema.TRANSFORMER_FOLDER, kept_rows, folder)
            _write_network(view.home / schema.TRANSFORMER_FOLDER, folder / schema.TRANSFORMER_FOLDER)
        if view.cross_encoder is not None:
            home, source = folder / schema.CROSS_ENCODER_FOLDER, view.home / schema.CROSS_ENCODER_FOLDER
            _write_network(source, home)
            for name in (cross_encoder.WORDS_FILE, cross_encoder.FITTED_FILE):
                (home / name).write_bytes((source / name).read_bytes())  # no link to another index


def _write_network(source: ReadablePath, target: Path) -> None:
    """Write the network in the folder `source` in four bits, and its word pieces in little space."""
    target.mkdir(exist_ok=True)
    tensor_file.write_tensors(target / MODEL_FILE, quantize_network(tensor_file.read_tensors(source / MODEL_FILE), 4))
    tokenizer = json.loads((source / TOKENIZER_FILE).read_bytes())
    small = json.dumps(tokenizer, separators=(",", ":"), ensure_ascii=False)
    (target / TOKENIZER_FILE).write_text(small, encoding="utf-8")


def _write_vectors(view: Index, encoder_name: str, kept_rows: Mapping[int, NDArray[np.int64]], folder: Path) -> None:
    """Write the answers' side of one encoder for the kept rows of each length."""
    codebooks = _learn_codebooks(view, encoder_name)
    for name, book in codebooks.items():
        npy.save_array(folder / schema.encoder_array_file(encoder_name, f"{name}-book"), book)
    for part in view.partitions():
        length, rows = part.length, kept_rows[part.length]
        vectors: AnswerVectors = part.answer_vectors(encoder_name)
        scales = np.empty(len(rows), np.float16)
        for name, tier in schema.assign_tiers(part.use_counts[rows]).items():
            packed = encode_pq(vectors.vectors.dequantize(rows[tier]), codebooks[name])
            scales[tier] = packed.scales
            npy.save_array(folder / schema.encoder_length_file(encoder_name, length, name), packed.codes)
        npy.save_array(folder / schema.encoder_length_file(encoder_name, length, "scales"), scales)
        bias_file = folder / schema.encoder_length_file(encoder_name, length, "bias")
        npy.save_array(bias_file, vectors.bias[rows].astype(np.float16))


def _learn_codebooks(view: Index, encoder_name: str) -> dict[str, Float32Array]:
    """Learn the codebook of each tier that the vectors of answers are packed with."""
    samples: dict[str, list[Float32Array]] = {name: [] for name in schema.TIER_PIECES}
    answers = view.manifest.answer_count
    generator = np.random.default_rng(SEED)
    for part in view.partitions():
        is_drawn = generator.random(len(part.answers)) < CODEBOOK_SAMPLE / answers
        vectors = part.answer_vectors(encoder_name).vectors
        for name, rows in schema.assign_tiers(part.use_counts).items():
            samples[name].append(vectors.dequantize(np.flatnonzero(is_drawn & rows)))
    return {name: learn_codebook(np.concatenate(some), schema.TIER_PIECES[name]) for name, some in samples.items()}


def _write_length(part: Partition, kept_rows: NDArray[np.int64], folder: Path) -> None:
    """Write the kept answers of one length, and a number for every past clue, with the answers that it had."""
    none = pa.nulls(len(kept_rows), pa.string())
    uses = part.use_counts[kept_rows], part.last_years[kept_rows], part.decayed_uses[kept_rows]
    answers = AnswerColumns(part.answers[kept_rows], none, *uses, part.list_scores[kept_rows])
    write_answer_table(folder, part.length, answers)
    is_recent = part.clue_last_years >= FIRST_RECENT_YEAR
    live = np.flatnonzero((part.clue_counts > 1) | ((part.clue_counts == 1) & is_recent))
    codes = clue_features.hash_words(part.clue_keys.take_texts(live))
    order = np.argsort(codes, kind="stable")
    rows = live[order]
    place = np.searchsorted(kept_rows, part.clue_answer_rows[rows])
    repeats = HashedClues(codes[order], place, part.clue_counts[rows], part.clue_last_years[rows])
    write_hashed_clues(folder, part.length, repeats)
    rows = np.flatnonzero(part.clue_counts > 0)
    place = np.searchsorted(kept_rows, part.clue_answer_rows[rows])
    word_pairs = packed_postings.pair_features(part.clue_keys.take_texts(rows), place, MIN_PAIR_CLUES)
    packed_postings.write_packed_postings(folder, part.length, word_pairs)


def _write_relations(view: Index, folder: Path, kept_rows: Mapping[int, NDArray[np.int64]]) -> None:
    """Write the relations of words but for those of glosses, whose words are twice as much."""
    assert view.relations is not None
    heads, statements = view.relations.all_relations()
    direct = statements.relation_kinds != GLOSS_KIND
    forms = {}
    for part in view.partitions():
        kept_names = part.answers[kept_rows[part.length]]
        known_forms = view.relations.read_forms(part.length, len(part.answers))
        forms[part.length] = renumber_forms(known_forms, part.answers, kept_names)
    none = np.empty(0, np.uint64)
    columns = (statements.word_numbers[direct], statements.relation_kinds[direct], statements.source_numbers[direct])
    relations = RelationArrays(heads[statements.head_index[direct]], *columns, none, none, none, forms)
    relation_arrays.write_relations(folder, relations, parquet.save_packed_array)
