"""Layer files: what a person adds, each layer under a name, to be replaced or removed.

A layer is a list of entries, clues and words, in one file. `stacking` merges layers with the index below.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from regis.errors import IndexDamaged, IndexMissing, IndexOutdated
from regis.index.index import Index
from regis.index.storage import parquet, validation
from regis.index.storage.index_files import IndexFiles
from regis.index.storage.manifest import MANIFEST_NAME, LayerRecord
from regis.index.storage.validation import require
from regis.index.tables import schema
from regis.index.tables.writer import LAYER_SCHEMA, LIST_SCHEMA, USE_SCHEMA
from regis.system import paths

EntryRow = tuple[object, ...]  # of LAYER_SCHEMA


class Layer(NamedTuple):
    """A layer's record, and its entries, rows of LAYER_SCHEMA."""

    record: LayerRecord
    entries: pa.Table


LayersByName = Mapping[str, Layer]


def make_layer_name(file_name: str) -> str:
    """Return the layer name for a file or list: lowercase letters, digits, and `-`; '' if none are left."""
    return re.sub(r"[\W_]+", "-", file_name.lower()).strip("-")[:60]


def make_entries(entry_rows: Sequence[EntryRow]) -> pa.Table:
    """Make a sorted table of rows of LAYER_SCHEMA, which doesn't depend on their order."""
    columns = zip(*entry_rows, strict=True) if entry_rows else ((),) * len(LAYER_SCHEMA)
    values = [pa.array(column, kind) for column, kind in zip(columns, LAYER_SCHEMA.types, strict=True)]
    return sort_entries(pa.table(values, schema=LAYER_SCHEMA))


def sort_entries(entries: pa.Table) -> pa.Table:
    return entries.sort_by([(name, "ascending") for name in entries.column_names]).combine_chunks()


def read_layers(index: Index, skipped_names: Collection[str] = ()) -> dict[str, Layer]:
    """Read the layers of `index` by name, except `skipped_names`.

    Raises IndexOutdated, IndexDamaged, or IndexUnreadable.
    """
    return _read_entries_of(index.files, index.manifest.layers, skipped_names)


def recover_layers(index_folder: Path, skipped_names: Collection[str] = ()) -> dict[str, Layer]:
    """Read the layers of the index at `index_folder`, even if its tables are damaged or outdated. A missing index has
    none.

    Raises IndexDamaged, IndexOutdated, or IndexUnreadable if a layer can't be read.
    """
    try:
        index = Index.open(index_folder)
    except IndexMissing:
        return {}
    except (IndexDamaged, IndexOutdated):
        files = IndexFiles(paths.index_home(index_folder), shown_folder=index_folder)
    else:
        return read_layers(index, skipped_names)
    try:
        return _read_entries_of(files, recover_layer_records(index_folder), skipped_names)
    except (IndexDamaged, IndexOutdated) as cause:
        if validation.is_on_starter(index_folder):
            raise
        raise IndexDamaged(
            f"what was added to the index at {index_folder} can't be read and would be lost; "
            "build with --without-layers, then add it again"
        ) from cause


def recover_layer_records(index_folder: Path) -> tuple[LayerRecord, ...]:
    """Read the records of an index's layers, even if it is damaged or outdated.

    Raises IndexMissing, IndexDamaged, or IndexUnreadable.
    """
    with validation.guard_opening(index_folder):
        manifest_text = (validation.find_home(index_folder) / MANIFEST_NAME).read_bytes()
    with validation.guard_manifest(index_folder):
        return tuple(map(LayerRecord.from_json, json.loads(manifest_text).get("layers", ())))


def _read_entries_of(
    index_files: IndexFiles, records: Sequence[LayerRecord], skipped_names: Collection[str]
) -> dict[str, Layer]:
    """Read the layers of `records`, except `skipped_names`. The error names the command that leaves out one more."""
    layers: dict[str, Layer] = {}
    for record in records:
        if record.name not in skipped_names:
            try:
                layers[record.name] = Layer(record, _read_entries(index_files, record.name))
            except IndexDamaged as error:
                names = " ".join([*skipped_names, record.name])
                raise IndexDamaged(f"{error}; `regis remove {names}`, then add it again") from error
    return layers


def _read_entries(index_files: IndexFiles, name: str) -> pa.Table:
    try:
        with index_files.guard(schema.layer_file(name)):
            entries = parquet.read_table_file(index_files.verified_path(schema.layer_file(name)))
            require(entries.schema.equals(LAYER_SCHEMA))
    except IndexDamaged as cause:
        raise IndexDamaged(f"the layer {name} of the index at {index_files.shown_folder} is damaged") from cause
    return entries.replace_schema_metadata(None)


def list_phrases(layers: LayersByName) -> Iterator[str]:
    """Yield the phrases and titles of all `layers`, as written."""
    for layer in layers.values():
        yield from filter(None, split_uses_and_words(layer.entries)[1]["text"].to_pylist())


def list_answer_lengths(entries: pa.Table) -> list[int]:
    return sorted(pc.utf8_length(entries["answer"]).unique().to_pylist())


def split_uses_and_words(entries: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Split entries into rows of USE_SCHEMA and rows of LIST_SCHEMA."""
    has_clue = pc.not_equal(entries["clue"], "")
    words = entries.filter(pc.invert(has_clue)).select(LIST_SCHEMA.names)
    return entries.filter(has_clue).select(USE_SCHEMA.names), words


def write_layer(path: Path, entries: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(entries, path, compression="zstd", write_page_checksum=True)
