"""Base tables, padded with a row for every answer that an encoder has learned, so that what was learned stays.

An encoder that was taught with layers knows their answers, and so the index below them must have a row for each: one
that was never used, which no list has, and which is therefore in no answer's way (`Partition.is_live`). With the layers
on top, the tables are those that were taught, byte for byte; without one of them, its answers are hidden, and come back
with what was learned of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regis.index.index import Index
from regis.index.layers import layer_files, merge, stacking
from regis.index.storage import manifest
from regis.index.storage.index_files import IndexFiles
from regis.index.storage.manifest import Manifest
from regis.index.tables import arrow_schemas, schema, writer
from regis.index.tables.partition import Partition


def write_base_tables(index: Index, taught_folder: Path, work_folder: Path) -> tuple[Manifest, Path | None]:
    """Write what lies below the layers of `index`, padded, given `taught_folder`, which has all of it newly learned.

    Returns
    -------
    The manifest, files not yet listed, and the folder of the padded index, None without layers. Raises what
    `stacking.open_base` does.
    """
    if not index.manifest.layers:
        return index.manifest, None
    base = stacking.open_base(index, None)
    taught = Index.open_finished(taught_folder, index.manifest)
    layers = layer_files.read_layers(index)
    changed = sorted({size for layer in layers.values() for size in layer_files.list_answer_lengths(layer.entries)})
    padded_folder = work_folder / "padded"
    letters, phrases = (schema.part_path(Path(), part).name for part in (schema.LETTERS, schema.PHRASES))
    rewritten = [f"length={length}/{part}.*" for length in changed for part in (schema.TABLES, schema.CLUE_EMBEDDINGS)]
    has_old_pieces = _has_same_content(index.files, taught.files, phrases)
    kept_files = [letters, phrases] if has_old_pieces else [letters]
    taught.files.copy_to(padded_folder, [f"{manifest.LAYERS_FOLDER}/*", *kept_files, *rewritten])
    for name in kept_files:
        base.files.copy_file(name, padded_folder)
    row_counts = dict(base.manifest.lengths)
    for length in changed:
        row_counts[str(length)] = _write_padded_tables(base[length], taught[length], padded_folder).row_counts
        if taught.has_clue_embeddings:
            _select_clue_embeddings(taught[length], padded_folder, row_counts[str(length)])
    lengths = {length: row_counts[length] for length in sorted(row_counts, key=int)}
    padded = Index.open_finished(padded_folder, replace(base.manifest, lengths=lengths))
    stacking.write_layer_pieces(padded, layer_files.list_phrases(layers), taught_folder)
    return index.manifest, padded_folder


def _has_same_content(index_files: IndexFiles, other_files: IndexFiles, name: str) -> bool:
    """Return whether both indexes have a file, and the same."""
    checksum = index_files.checksums.get(name)
    return checksum is not None and other_files.checksums.get(name) == checksum


def _write_padded_tables(base_part: Partition, merged_part: Partition, padded_folder: Path) -> writer.WrittenTables:
    """Write the tables of `base_part` with a row for every answer of `merged_part`."""
    pairs, known = writer.read_pair_rows(base_part), writer.read_answer_rows(base_part)
    answers = pa.array(merged_part.answers.astype(str), pa.string())
    nothing = pa.nulls(len(answers), pa.string()), pa.nulls(len(answers), pa.float32())
    padding = pa.table([answers, *nothing], schema=arrow_schemas.LIST_SCHEMA)
    padded = pa.concat_tables([known, padding], promote_options="default")
    return writer.write_tables(padded_folder, base_part.length, pairs, padded)


def _select_clue_embeddings(merged_part: Partition, padded_folder: Path, row_counts: Mapping[str, int]) -> None:
    """Write the meanings of the clues below, as they stand for all clues in `merged_part`."""
    part = Partition(IndexFiles(padded_folder), merged_part.length, row_counts)
    order = writer.order_by_answer(part)
    merged_keys, keys = (merge.clue_answer_keys(writer.read_pair_rows(one)) for one in (merged_part, part))
    merged_keys = merged_keys.take(pa.array(merged_part.clues_by_answer))
    places = pc.index_in(keys.take(pa.array(order)), value_set=merged_keys).to_numpy()
    writer.write_clue_embeddings(padded_folder, part.length, merged_part.clue_embeddings[places], order)
