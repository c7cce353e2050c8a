"""Stacking: the tables that are solved with, of those that lie below and of the entries of all layers on top.

What lies below is the starter or an index that was built. The merged tables follow from it and from the layers alone,
byte for byte, in whatever order layers came. So solving opens one index, and knows of no layer; and without a layer
everything is again as it was. Of an index that was built the tables that layers change are kept for that in its folder
`base`, links where the file system has them; the starter lies where it ships.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regis.errors import IndexMissing
from regis.index.index import Index
from regis.index.layers import layer_files, layer_pieces, merge, merge_distilled
from regis.index.layers.layer_files import LayersByName
from regis.index.storage import manifest, npy, publish, validation
from regis.index.storage.manifest import Manifest
from regis.index.storage.validation import guard_reading
from regis.index.tables import schema
from regis.models.numeric import sorted_search
from regis.system.progress import Progress


def open_base(index: Index, starter_folder: Path | None, work_folder: Path) -> Index:
    """Open what the layers of `index` lie on: the starter, or the index as it was built, restored in `work_folder`.

    Raises
    ------
    IndexMissing, IndexOutdated, IndexDamaged, IndexUnreadable
    """
    if index.manifest.starter:
        if starter_folder is None:
            raise IndexMissing(f"no starter comes with this copy of Regis, and the index at {index.folder} lies on it")
        return Index.open(starter_folder)
    if not index.manifest.layers:
        return index
    with guard_reading(index.home, f"{schema.BASE_FOLDER}/{schema.BASE_RECORD_FILE}"):
        text = (index.home / schema.BASE_FOLDER / schema.BASE_RECORD_FILE).read_bytes()
    record = validation.parse_manifest(text, index.home)
    for file in record.files:
        kept_file = f"{schema.BASE_FOLDER}/{file}"
        _link_file(index, kept_file if kept_file in index.home.expected_files else file, work_folder / file)
    (work_folder / manifest.MANIFEST_NAME).write_bytes(text)
    return Index.open(work_folder)


def stack_layers(
    base: Index,
    layers_by_name: LayersByName,
    merged_entries: pa.Table,
    built_folder: Path,
    progress: Progress,
    *,
    on_starter: bool,
) -> Manifest:
    """Write into `built_folder` the index of `base` under layers.

    Parameters
    ----------
    merged_entries : entries of all layers, words with the scores that they have in the index.
    on_starter : `base` is the starter, of which nothing need be kept.

    Returns
    -------
    Its manifest, files not yet listed.
    """
    layers = [layers_by_name[name] for name in sorted(layers_by_name)]
    changed = layer_files.list_answer_lengths(merged_entries)
    rewritten = {schema.LETTERS_FILE, manifest.MANIFEST_NAME} if changed else {manifest.MANIFEST_NAME}
    built_folder.mkdir(exist_ok=True)
    has_new_pieces = layer_pieces.write_layer_pieces(base, layer_files.list_phrases(layers_by_name), built_folder)
    if has_new_pieces:
        rewritten.add(schema.PHRASES_FILE)
    rewritten |= {f"length={length}" for length in changed}
    publish.copy_files(base.home, built_folder, rewritten, may_link=not on_starter)
    row_counts = {int(length): rows for length, rows in base.manifest.lengths.items()}
    trigrams = base.trigram_counts.copy()
    merge_length = merge_distilled.merge_distilled_tables if base.manifest.is_distilled else merge.merge_tables
    with progress("merging", len(changed)) as bar:
        for length in changed:
            entries = merged_entries.filter(pc.equal(pc.utf8_length(merged_entries["answer"]), length))
            merged = merge_length(base, built_folder, length, *layer_files.split_entries(entries))
            row_counts[length] = merged.row_counts
            trigrams += merged.trigram_counts
            bar.update(1)
    if changed:
        npy.save_array(built_folder / schema.LETTERS_FILE, trigrams)
    if layers and not on_starter:
        keep_base_tables(base, built_folder, changed, keep_phrases=has_new_pieces)
    for layer in layers:
        layer_files.write_layer(built_folder / schema.layer_file(layer.record.name), layer.entries)
    records = tuple(replace(layer.record, answers=_count_new_answers(base, layer.entries)) for layer in layers)
    years = [year for year in (base.manifest.latest_year, *(record.latest_year for record in records)) if year]
    publishers = dict.fromkeys([*base.manifest.publishers, *(name for record in records for name in record.publishers)])
    return replace(
        base.manifest,
        starter=base.fingerprint if on_starter else "",
        publishers=tuple(publishers),
        latest_year=max(years, default=None),
        lengths={str(length): row_counts[length] for length in sorted(row_counts)},
        layers=records,
    )


def _count_new_answers(base: Index, entries: pa.Table) -> int:
    """Count the answers in `entries` that are not in `base`."""
    answers = entries["answer"].unique()
    sizes, new = pc.utf8_length(answers), 0
    for length in sizes.unique().to_pylist():
        wanted = answers.filter(pc.equal(sizes, length)).to_numpy(zero_copy_only=False).astype(f"S{length}")
        known = base[length].answers[base[length].is_live]
        new += int((~sorted_search.find_sorted(known, wanted)[1]).sum())
    return new


def keep_base_tables(
    base: Index, built_folder: Path, changed_lengths: Sequence[int], *, keep_phrases: bool = False
) -> None:
    """Keep the tables of `base` that layers change, and its manifest, in `built_folder`.

    Changed are those of answers of `changed_lengths`, and, with `keep_phrases`, the pieces of phrases.
    """
    replaced = {schema.LETTERS_FILE, *(f"length={length}" for length in changed_lengths)}
    if keep_phrases:
        replaced.add(schema.PHRASES_FILE)
    for file in base.manifest.files:
        if publish.is_selected(file, replaced):
            _link_file(base, file, built_folder / schema.BASE_FOLDER / file)
    (built_folder / schema.BASE_FOLDER / schema.BASE_RECORD_FILE).write_bytes(base.manifest.to_json().encode())


def _link_file(index: Index, file_name: str, target: Path) -> None:
    """Link a file of `index` to the path `target`, or copy it where the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with guard_reading(index.home, file_name):
        (index.home / file_name).copy_to(target)
