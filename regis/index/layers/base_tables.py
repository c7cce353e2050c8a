"""Base tables, padded with a row for every answer that an encoder has learned, so that what was learned stays.

An encoder that was taught with layers knows their answers, and so the index below them must have a row for each: one
that was never used, which no list has, and which is therefore in no answer's way (`Partition.is_live`). With the layers
on top, the tables are those that were taught, byte for byte; without one of them, its answers are hidden, and come back
with what was learned of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regis.index.index import Index
from regis.index.layers import layer_files, layer_pieces, merge, stacking
from regis.index.storage import manifest, publish
from regis.index.storage.manifest import Manifest
from regis.index.tables import arrow_schemas, schema, writer
from regis.index.tables.partition import Partition

BASE_TABLE_FOLDERS = ("answers", "clues", "postings")  # folders of tables that have no more below than they had


def write_base_tables(index: Index, taught_folder: Path, work_folder: Path) -> Manifest:
    """Put what lies below the layers of `index` into `taught_folder`, which has all else of it, newly learned.

    Returns the manifest, files not yet listed. Raises what `stacking.open_base` does.
    """
    if not index.manifest.layers:
        return index.manifest
    base = stacking.open_base(index, None, work_folder / "base")
    taught = Index.open_finished(taught_folder, index.manifest)
    layers = layer_files.read_layers(index)
    changed = sorted({size for layer in layers.values() for size in layer_files.list_answer_lengths(layer.entries)})
    padded_folder = work_folder / "padded"
    rewritten = {manifest.LAYERS_FOLDER, schema.LETTERS_FILE, manifest.MANIFEST_NAME}
    publish.copy_files(taught.home, padded_folder, rewritten)
    (base.home / schema.LETTERS_FILE).copy_to(padded_folder / schema.LETTERS_FILE)
    row_counts = dict(base.manifest.lengths)
    for length in changed:
        for table in BASE_TABLE_FOLDERS:
            shutil.rmtree(padded_folder / table / f"length={length}", ignore_errors=True)
        row_counts[str(length)] = _write_padded_tables(base[length], taught[length], padded_folder).row_counts
        if taught.has_clue_embeddings:
            _select_clue_embeddings(taught[length], padded_folder, row_counts[str(length)])
    _restore_pieces(index, base, padded_folder)
    lengths = {length: row_counts[length] for length in sorted(row_counts, key=int)}
    padded = Index.open_finished(padded_folder, replace(base.manifest, lengths=lengths))
    has_new_pieces = layer_pieces.write_layer_pieces(padded, layer_files.list_phrases(layers), taught_folder)
    stacking.keep_base_tables(padded, taught_folder, changed, keep_phrases=has_new_pieces)
    (taught_folder / manifest.MANIFEST_NAME).unlink()
    return index.manifest


def _restore_pieces(index: Index, base: Index, padded_folder: Path) -> None:
    """Put the base's pieces of phrases into `padded_folder`, unless others were learned than `index` has."""
    before, after = index.home / schema.PHRASES_FILE, padded_folder / schema.PHRASES_FILE
    if before.is_file() and after.is_file() and before.read_bytes() == after.read_bytes():
        after.unlink()
        (base.home / schema.PHRASES_FILE).copy_to(after)


def _write_padded_tables(base_part: Partition, merged_part: Partition, padded_folder: Path) -> writer.WrittenTables:
    """Write the tables of `base_part` with a row for every answer of `merged_part`."""
    pairs, known = writer.read_pairs_and_answers(base_part)
    answers = pa.array(merged_part.answers.astype(str), pa.string())
    nothing = pa.nulls(len(answers), pa.string()), pa.nulls(len(answers), pa.float32())
    padding = pa.table([answers, *nothing], schema=arrow_schemas.LIST_SCHEMA)
    padded = pa.concat_tables([known, padding], promote_options="default")
    return writer.write_tables(padded_folder, base_part.length, pairs, padded)


def _select_clue_embeddings(merged_part: Partition, padded_folder: Path, row_counts: Mapping[str, int]) -> None:
    """Write the meanings of the clues below, as they stand for all clues in `merged_part`."""
    part = Partition(padded_folder, merged_part.length, row_counts)
    order = writer.order_by_answer(part)
    merged_keys = merge.clue_answer_keys(merged_part).take(pa.array(merged_part.clues_by_answer))
    places = pc.index_in(merge.clue_answer_keys(part).take(pa.array(order)), value_set=merged_keys).to_numpy()
    for name in ("clues", "by-answer"):
        file_name = schema.encoder_length_file(schema.TRANSFORMER_FOLDER, part.length, name)
        (padded_folder / file_name).unlink(missing_ok=True)
    writer.write_clue_embeddings(padded_folder, part.length, merged_part.clue_embeddings[places], order)
