"""`regis distil`: an index small enough to ship, without clue texts.

It keeps answers with their use counts, hashed word stems and word pairs of their clues (index.tables.vocabulary), a
64-bit hash of each past clue, the encoders, the reader, and the string models. Vectors are packed
(models.neural.vector_table), especially those of unused answers. The words and titles that are right least often are
dropped.

An index without clues needs other weights. They are fitted on the hidden newest year, from a distilled index of the
year before with an encoder that doesn't know that year. So are the weights for an index with clues that begins with
this one (building.inheritance).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.building import inheritance, personal_layers
from regis.building.settings import ENCODERS, LISTS
from regis.building.training import ranking_weights
from regis.building.training.train import hide_newest_year
from regis.errors import UsageError
from regis.index import Index, Manifest, Partition, relation_arrays
from regis.index.layers import layer_files
from regis.index.relation_arrays import GLOSS_KIND, RelationArrays
from regis.index.storage import manifest, packed, publish
from regis.index.storage.index_files import IndexFiles
from regis.index.tables import learned_models, schema, writer
from regis.index.tables.vocabulary import FeatureAnswers
from regis.models.arrays import Float32Array
from regis.models.neural import tensor_file
from regis.models.neural.bert import quantize_network
from regis.models.neural.cross_encoder import FITTED_FILE
from regis.models.neural.transformer import MODEL_FILE, TOKENIZER_FILE
from regis.models.neural.vector_table import AnswerVectors, encode_pq, learn_codebook
from regis.models.text import clue_features
from regis.system.files import array_file
from regis.system.parallel.workers import Workers
from regis.system.progress import Progress, show_nothing

FIRST_RECENT_YEAR = 1993
"""Clues used once before this year are left out; fitted to the starter's 95 MB (docs/experiments/starter-size.md)."""

TIER_PIECES = {"often": 64, "once": 32, "never": 1}
"""Pieces of an answer's vector, by number of uses (docs/experiments/starter-size.md)."""

COPIED_FILES = (
    *(f"{part}." for part in (schema.LETTERS, schema.PHRASES, schema.CROSS_ENCODER)),
    f"{schema.CROSS_ENCODER}/{FITTED_FILE}",
)
"""Beginnings of names of files that are copied."""


def distil(
    index_folder: Path,
    out_folder: Path,
    *,
    epochs: int = ENCODERS.epochs,
    workers: Workers | None = None,
    progress: Progress = show_nothing,
) -> Manifest:
    """Distil the index at `index_folder` into `out_folder`, with the layers of an index there; return the new manifest.

    `epochs` are for the encoder without the newest year. `workers` query that year's clues. Raises IndexMissing,
    IndexOutdated, IndexDamaged, OutputError, WorkersLost, or UsageError if there is nothing to distil.
    """
    index = Index.open_with_clues(index_folder)
    if out_folder.exists() and out_folder.samefile(index.folder):
        raise UsageError(f"{out_folder} contains the clues to distil; choose another folder with --output")
    if index.encoder is None:
        refusal = "has no clue encoder to keep; run `regis learn` first"
        raise UsageError(f"the index at {index_folder} {refusal}")
    with publish.open_workshop(out_folder) as workshop:
        saved_layers = layer_files.recover_layers(out_folder)  # before anything that takes minutes
        past_index = hide_newest_year(index, workshop / "before", epochs, progress)
        distilled_past = _write_tables(past_index, workshop / "hidden", progress)
        with progress("weighing", None):
            fitted = ranking_weights.fit_weights(index, distilled_past, workers)
        with progress("weighing with clues", None):
            begun = _begin_with(distilled_past, index, workshop / "begun")
            with_clues = ranking_weights.fit_weights(index, begun, workers)
        built_folder = workshop / "index"
        distilled = _write_tables(index, built_folder, progress)
        learned = {
            schema.WEIGHTS_KEY: fitted.to_json(),
            schema.WEIGHTS_WITH_CLUES_KEY: with_clues.to_json(),
            schema.UNLISTED_KEY: index.fitted_values[schema.UNLISTED_KEY],
        }
        writer.write_fitted_values(built_folder, learned)
        packed_folder = workshop / "packed"
        packed.pack_index(built_folder, [*distilled.files.files, schema.LEARNED_FILE], packed_folder)
        return personal_layers.publish_under_layers(
            saved_layers, packed_folder, out_folder, distilled.manifest, progress
        )


def _begin_with(distilled_past: Index, index: Index, folder: Path) -> Index:
    """Copy `index`, without its newest year, into `folder` as if it had begun with the distilled index."""
    names = (schema.ENCODER, schema.TRANSFORMER, schema.CROSS_ENCODER)
    encoder_files = [pattern for name in names for pattern in schema.encoder_files(name)]
    index.files.copy_to(folder, [*encoder_files, f"{manifest.LAYERS_FOLDER}/*"])
    inheritance.inherit_encoders(distilled_past, Index(folder, index.manifest, hides_newest_year=True), folder)
    return Index.open_finished(folder, index.manifest).before_newest_year()


def _write_tables(view: Index, folder: Path, progress: Progress) -> Index:
    """Write the tables of `view` without its clues and weights, and return the unfinished index."""
    view.files.copy_to(folder, [name for name in view.files.files if not name.startswith(COPIED_FILES)])
    lengths, kept_rows = {}, {}
    for part in view.partitions():
        kept_rows[part.length] = np.flatnonzero((part.use_counts > 0) | (part.list_scores > LISTS.min_unused_score))
        lengths[str(part.length)] = _write_length(part, kept_rows[part.length], folder).row_counts
    if view.relations is not None:
        _write_relations(view, folder, kept_rows)
    with progress("packing", None):
        assert view.encoder is not None
        features = view.encoder.feature_vectors.dequantize(slice(None))  # of clues
        codes = encode_pq(features, learn_codebook(features, 32))
        feature_arrays = {"feature-codes": codes.codes, "feature-scales": codes.scales, "feature-book": codes.codebook}
        _write_vectors(view, schema.ENCODER, kept_rows, folder, feature_arrays)
        if view.transformer is not None:
            _write_vectors(view, schema.TRANSFORMER, kept_rows, folder, {})
            _write_network(view.files, schema.TRANSFORMER, folder)
        if view.cross_encoder is not None:
            _write_network(view.files, schema.CROSS_ENCODER, folder)
    # uses of the starter that the index began with are its own by now
    record = replace(view.manifest.settle_layers(), begun_to=0, without_clues=True, lengths=lengths)
    return Index.open_finished(folder, record)


def _write_network(index_files: IndexFiles, name: str, folder: Path) -> None:
    """Write a network in four bits, with a compact vocabulary."""
    source, target = learned_models.network_folder(index_files, name), folder / name
    target.mkdir(exist_ok=True)
    tensor_file.write_tensors(target / MODEL_FILE, quantize_network(tensor_file.read_tensors(source / MODEL_FILE), 4))
    tokenizer = json.loads((source / TOKENIZER_FILE).read_bytes())
    small = json.dumps(tokenizer, separators=(",", ":"), ensure_ascii=False)
    (target / TOKENIZER_FILE).write_text(small, encoding="utf-8")


def _write_vectors(
    view: Index,
    encoder_name: str,
    kept_rows: Mapping[int, NDArray[np.int64]],
    folder: Path,
    feature_arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Write an encoder's vectors of the kept rows of each length; `feature_arrays` are for clues."""
    codebooks = _learn_codebooks(view, encoder_name)
    books = {f"{name}-book": book for name, book in codebooks.items()}
    array_file.write_arrays(schema.part_path(folder, encoder_name), {**feature_arrays, **books})
    for part in view.partitions():
        rows = kept_rows[part.length]
        vectors: AnswerVectors = part.answer_vectors(encoder_name)
        scales = np.empty(len(rows), np.float16)
        arrays: dict[str, NDArray[Any]] = {"scales": scales, "bias": vectors.bias[rows].astype(np.float16)}
        for name, tier in schema.assign_tiers(part.use_counts[rows]).items():
            packed_rows = encode_pq(vectors.vectors.dequantize(rows[tier]), codebooks[name])
            scales[tier], arrays[name] = packed_rows.scales, packed_rows.codes
        array_file.write_arrays(schema.part_path(folder, schema.length_part(part.length, encoder_name)), arrays)


def _learn_codebooks(view: Index, encoder_name: str) -> dict[str, Float32Array]:
    samples: dict[str, list[Float32Array]] = {name: [] for name in TIER_PIECES}
    answers = view.manifest.answer_count
    generator = np.random.default_rng(1)
    for part in view.partitions():
        is_drawn = generator.random(len(part.answers)) < 60_000 / answers
        vectors = part.answer_vectors(encoder_name).vectors
        for name, rows in schema.assign_tiers(part.use_counts).items():
            samples[name].append(vectors.dequantize(np.flatnonzero(is_drawn & rows)))
    return {name: learn_codebook(np.concatenate(some), TIER_PIECES[name]) for name, some in samples.items()}


def _write_length(part: Partition, kept_rows: NDArray[np.int64], folder: Path) -> writer.WrittenTables:
    """Write the kept answers of one length, and a hash of every past clue with its answers."""
    is_recent = part.clue_last_years >= FIRST_RECENT_YEAR
    live = np.flatnonzero((part.clue_counts > 1) | ((part.clue_counts == 1) & is_recent))
    pairs = writer.read_pair_rows(part).take(pa.array(live))
    changes = {
        "key": pa.array(clue_features.hash_words(pairs["key"].to_pylist()), pa.uint64()),
        "clue": pa.nulls(len(live), pa.string()),
        "latest": pa.array(np.zeros(len(live), np.uint32)),
        "previous": pairs["last"],
    }
    for name, column in changes.items():
        pairs = pairs.set_column(pairs.column_names.index(name), name, column)
    clue_uses = np.bincount(part.clue_answer_rows[live], part.clue_counts[live], len(part.answers)).astype(np.int64)
    extra_uses = part.use_counts - clue_uses
    rows = writer.make_answer_rows(part, extra_uses, part.last_years, part.last_years, part.decayed_uses)
    rows = rows.take(pa.array(kept_rows)).set_column(1, "text", pa.nulls(len(kept_rows), pa.string()))
    used = np.flatnonzero(part.clue_counts > 0)
    clue_answers = part.answers[part.clue_answer_rows[used]]
    # A pair of words with only one clue is left out, which is half of all. (Measured: docs/experiments/vocabulary.md.)
    words = FeatureAnswers.from_clues(part.clue_keys.take_texts(used), clue_answers, 2)
    return writer.write_tables(folder, part.length, pairs, rows, words)


def _write_relations(view: Index, folder: Path, kept_rows: Mapping[int, NDArray[np.int64]]) -> None:
    """Write all relations except glosses, which have twice as many words."""
    assert view.relations is not None
    parts = [(part.length, part.answers) for part in view.partitions()]
    forms = {n: view.relations.move_forms(answers, answers[kept_rows[n]]) for n, answers in parts}
    relations = RelationArrays.from_relations(view.relations, forms)
    relation_arrays.write_relations(folder, relations.select_relations(relations.relation_kinds != GLOSS_KIND))
