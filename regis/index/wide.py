"""What lies below layers, once an index was taught with them: as wide as the index, so that what was learned stays.

An encoder that was taught with layers knows their answers, and so the index below must have a row for each: one that
was never used, which no list has, and which is therefore in no answer's way (`Partition.exists`). With the layers on
top, the tables are those that were taught, byte for byte; without one of them, its answers are hidden, and come back
with what was learned of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from regis.index import layers, manifest, merge, publish, schema, seams, stacking, tables, writer
from regis.index.index import Index
from regis.index.manifest import Manifest
from regis.index.partition import Partition

OWN = ("answers", "clues", "postings")  # folders of tables that have no more below than they had


def under(index: Index, taught: Path, place: Path) -> Manifest:
    """Puts what lies below the layers of `index` into the folder `taught`, which has all else of it, newly learned.

    Returns the manifest, files not yet listed. `place` is a folder to work in. Raises what `stacking.below` does.
    """
    if not index.manifest.layers:
        return index.manifest
    below = stacking.below(index, None, place / "below")
    together = Index.finished(taught, index.manifest)
    on_top = layers.read(index)
    changed = sorted({int(size) for layer in on_top.values() for size in layers.lengths(layer.entries)})
    wide = place / "wide"
    publish.copy(together.home, wide, {manifest.LAYERS, schema.LETTERS, manifest.NAME})
    (below.home / schema.LETTERS).copy(wide / schema.LETTERS)
    sizes = dict(below.manifest.lengths)
    for length in changed:
        for table in OWN:
            shutil.rmtree(wide / table / f"length={length}", ignore_errors=True)
        done = _write(below[length], together[length], wide)
        sizes[str(length)] = done.sizes
        if together.embeds:
            _write_clue_embeddings(together[length], wide, sizes[str(length)])
    ordered = {length: sizes[length] for length in sorted(sizes, key=int)}
    _put_back_pieces(index, below, wide)
    base = Index.finished(wide, replace(below.manifest, lengths=ordered))
    phrases = seams.write(base, layers.texts(on_top), taught)
    stacking.keep(base, taught, changed, phrases=phrases)
    (taught / manifest.NAME).unlink()
    return index.manifest


def _put_back_pieces(index: Index, below: Index, wide: Path) -> None:
    """Puts the pieces of phrases that were there `below` into `wide`, unless others were learned than `index` has."""
    was, now = index.home / schema.PHRASES, wide / schema.PHRASES
    if was.is_file() and now.is_file() and was.read_bytes() == now.read_bytes():
        now.unlink()
        (below.home / schema.PHRASES).copy(now)


def _write(below: Partition, together: Partition, folder: Path) -> writer.Written:
    """Writes the tables of `below` with a row for every answer of `together`."""
    pairs, known = writer.held(below)
    answers = pa.array(together.names.astype(str), pa.string())
    nothing = pa.nulls(len(answers), pa.string()), pa.nulls(len(answers), pa.float32())
    listed = pa.concat_tables([known, pa.table([answers, *nothing], schema=tables.LISTED)], promote_options="default")
    return writer.write_tables(folder, below.length, pairs, listed)


def _write_clue_embeddings(together: Partition, folder: Path, sizes: Mapping[str, int]) -> None:
    """Writes what the clues below mean, as it stands for all clues in `together`."""
    part = Partition(folder, together.length, sizes)
    order = writer.answer_order(part)
    every = merge.keyed(together).take(pa.array(together.clues_by_answer))
    place = pc.index_in(merge.keyed(part).take(pa.array(order)), value_set=every).to_numpy()
    for name in ("clues", "by-answer"):
        (folder / schema.encoder_file(schema.TRANSFORMER, part.length, name)).unlink(missing_ok=True)
    writer.write_clue_embeddings(folder, part.length, together.clue_embeddings[place], order)
