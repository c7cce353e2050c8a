"""Stacking: the tables for solving, merged from the index below and all layers.

The starter or a built index is below. The merged tables depend only on it and the layers, byte for byte, in any order
of layers, so solving opens one index and knows no layers. A built index stays in its folder, next to the merged one
(Manifest.base).

Phrases in layers also teach pieces of unlisted answers: "Mos Eisley" teaches the word EISLEY. A new word is as likely
as the least likely piece, times its count; together, new words get a small share.

An encoder trained with layers knows their answers. So the index below is padded with a row for each of these answers,
unused and in no list (`Partition.is_live`). With the layers, the tables are the same as in training; without one of
them, its answers are hidden until the layer comes back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from regis import text
from regis.errors import IndexMissing
from regis.index.index import Index
from regis.index.layers import layer_files, merge
from regis.index.layers.layer_files import LayersByName
from regis.index.storage import manifest, validation
from regis.index.storage.index_files import IndexFiles
from regis.index.storage.manifest import Manifest
from regis.index.tables import schema, writer
from regis.index.tables.partition import Partition
from regis.index.tables.writer import write_pieces
from regis.models import arrays
from regis.models.settings import STRINGS
from regis.models.strings.pieces import damp_counts
from regis.system.files import array_file
from regis.system.progress import Progress

MAX_NEW_SHARE = 0.05  # largest share that new pieces may have in each position; a guess


def open_base(index: Index, starter_folder: Path | None) -> Index:
    """Open the index below the layers of `index`: the starter, or the index as built.

    Raises IndexMissing, IndexOutdated, IndexDamaged, or IndexUnreadable.
    """
    if index.manifest.starter:
        if starter_folder is None:
            raise IndexMissing(f"the index at {index.folder} is on top of a starter, but this copy of Regis has none")
        return Index.open(starter_folder)
    if not index.manifest.base:
        return index
    try:
        return Index.open(index.files.path.parent / index.manifest.base)
    except IndexMissing as cause:
        raise validation.damaged_error(index.folder, f"{index.manifest.base}, below its layers, is missing") from cause


def stack_layers(
    base: Index,
    layers_by_name: LayersByName,
    merged_entries: pa.Table,
    built_folder: Path,
    progress: Progress,
    *,
    on_starter: bool,
) -> Manifest:
    """Write the index of `base` and its layers into `built_folder`, and return its manifest without files and base.

    `merged_entries` are the entries of all layers, with word scores for the index.
    """
    layers = [layers_by_name[name] for name in sorted(layers_by_name)]
    changed = layer_files.list_answer_lengths(merged_entries)
    built_folder.mkdir(exist_ok=True)
    rewritten = [f"length={length}/*" for length in changed] + [f"{manifest.LAYERS_FOLDER}/*"]
    if changed:
        rewritten.append(schema.part_path(Path(), schema.LETTERS).name)
    if write_layer_pieces(base, layer_files.list_phrases(layers_by_name), built_folder):
        rewritten.append(schema.part_path(Path(), schema.PHRASES).name)
    base.files.copy_to(built_folder, rewritten)
    row_counts = {int(length): rows for length, rows in base.manifest.lengths.items()}
    trigrams = base.trigram_counts.copy()
    with progress("merging", len(changed)) as bar:
        for length in changed:
            entries = merged_entries.filter(pc.equal(pc.utf8_length(merged_entries["answer"]), length))
            merged = merge.merge_tables(base, built_folder, length, *layer_files.split_uses_and_words(entries))
            row_counts[length] = merged.row_counts
            trigrams += merged.trigram_counts
            bar.update(1)
    if changed:
        array_file.write_arrays(schema.part_path(built_folder, schema.LETTERS), {"trigrams": trigrams})
    for layer in layers:
        layer_files.write_layer(built_folder / schema.layer_file(layer.record.name), layer.entries)
    records = tuple(replace(layer.record, answers=_count_new_answers(base, layer.entries)) for layer in layers)
    years = [year for year in (base.manifest.latest_year, *(record.latest_year for record in records)) if year]
    publishers = dict.fromkeys([*base.manifest.publishers, *(name for record in records for name in record.publishers)])
    return replace(
        base.manifest,
        starter=base.fingerprint if on_starter else "",
        base="",
        unpacked_from="",
        publishers=tuple(publishers),
        latest_year=max(years, default=None),
        lengths={str(length): row_counts[length] for length in sorted(row_counts)},
        layers=records,
    )


def _count_new_answers(base: Index, entries: pa.Table) -> int:
    answers = entries["answer"].unique()
    sizes, new = pc.utf8_length(answers), 0
    for length in sizes.unique().to_pylist():
        wanted = answers.filter(pc.equal(sizes, length)).to_numpy(zero_copy_only=False).astype(f"S{length}")
        known = base[length].answers[base[length].is_live]
        new += int((~arrays.find_sorted(known, wanted)[1]).sum())
    return new


def count_phrase_words(texts: Iterable[str]) -> Counter[str]:
    """Count the words, in capitals, of the texts that have several words."""
    phrases = (phrase for phrase in texts if " " in phrase)
    counts = Counter(text.normalize_answer(word) for phrase in phrases for word in phrase.split())
    return Counter({word: count for word, count in counts.items() if word and len(word) <= STRINGS.max_piece_letters})


def write_layer_pieces(base: Index, texts: Iterable[str], built_folder: Path) -> bool:
    """Write the pieces of `base` and of `texts` into `built_folder`, and return whether any was new."""
    counts = count_phrase_words(texts)
    if not counts or (phrases := base.string_model.phrase_model) is None or not len(phrases.pieces):
        return False
    known, chances = phrases.pieces, phrases.piece_probabilities
    new = sorted(counts.keys() - set(known.astype(str).tolist()))
    if not new:
        return False
    more = chances.min(axis=1, keepdims=True) * damp_counts(np.array([counts[word] for word in new], np.float64))
    more *= np.minimum(1, MAX_NEW_SHARE * chances.sum(axis=1) / np.maximum(more.sum(axis=1), 1e-300))[:, None]
    pieces = np.concatenate([known.astype(str), new])
    order = np.argsort(pieces, kind="stable")  # the order of the tree of pieces (models.strings.pieces)
    write_pieces(built_folder, pieces[order].tolist(), np.concatenate([chances, more], axis=1)[:, order])
    return True


def write_base_tables(index: Index, taught_folder: Path, work_folder: Path) -> tuple[Manifest, Path | None]:
    """Write what is below the layers of `index`, padded; `taught_folder` has everything newly learned.

    Returns the manifest without files, and the padded folder, None without layers. Raises what `open_base` raises.
    """
    if not index.manifest.layers:
        return index.manifest, None
    base = open_base(index, None)
    taught = Index.open_finished(taught_folder, index.manifest)
    layers = layer_files.read_layers(index)
    changed = sorted({size for layer in layers.values() for size in layer_files.list_answer_lengths(layer.entries)})
    padded_folder = work_folder / "padded"
    letters, phrases = (schema.part_path(Path(), part).name for part in (schema.LETTERS, schema.PHRASES))
    rewritten = [f"length={length}/{part}.*" for length in changed for part in (schema.TABLES, schema.CLUE_EMBEDDINGS)]
    old_checksum = index.files.checksums.get(phrases)
    has_old_pieces = old_checksum is not None and old_checksum == taught.files.checksums.get(phrases)
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
    write_layer_pieces(padded, layer_files.list_phrases(layers), taught_folder)
    return index.manifest, padded_folder


def _write_padded_tables(base_part: Partition, merged_part: Partition, padded_folder: Path) -> writer.WrittenTables:
    """Write the tables of `base_part` with a row for every answer of `merged_part`."""
    pairs, known = writer.read_pair_rows(base_part), writer.read_answer_rows(base_part)
    answers = pa.array(merged_part.answers.astype(str), pa.string())
    nothing = pa.nulls(len(answers), pa.string()), pa.nulls(len(answers), pa.float32())
    padding = pa.table([answers, *nothing], schema=writer.LIST_SCHEMA)
    padded = pa.concat_tables([known, padding], promote_options="default")
    return writer.write_tables(padded_folder, base_part.length, pairs, padded)


def _select_clue_embeddings(merged_part: Partition, padded_folder: Path, row_counts: Mapping[str, int]) -> None:
    """Write the embeddings of the base's clues, taken from `merged_part`."""
    part = Partition(IndexFiles(padded_folder), merged_part.length, row_counts)
    order = writer.order_by_answer(part)
    merged_keys, keys = (merge.clue_answer_keys(writer.read_pair_rows(one)) for one in (merged_part, part))
    merged_keys = merged_keys.take(pa.array(merged_part.clues_by_answer))
    places = pc.index_in(keys.take(pa.array(order)), value_set=merged_keys).to_numpy()
    writer.write_clue_embeddings(padded_folder, part.length, merged_part.clue_embeddings[places], order)
