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
from regis.index import arrays, layers, manifest, merge, merge_packed, opening, publish, schema, seams
from regis.index.index import Index
from regis.index.layers import Layers
from regis.index.manifest import Manifest
from regis.index.opening import reading
from regis.models import lookup
from regis.system.progress import Progress


def below(index: Index, starter: Path | None, place: Path) -> Index:
    """What the layers of `index` lie on, opened: the `starter`, or itself as it was built, which `place` is made for.

    Raises IndexMissing, IndexOutdated, IndexDamaged or IndexUnreadable.
    """
    if index.manifest.starter:
        if starter is None:
            raise IndexMissing(f"no starter comes with this copy of Regis, and the index at {index.folder} lies on it")
        return Index.open(starter)
    if not index.manifest.layers:
        return index
    with reading(index.home, f"{schema.BASE}/{schema.BASE_RECORD}"):
        text = (index.home / schema.BASE / schema.BASE_RECORD).read_bytes()
    record = opening.parsed(text, index.home)
    for file in record.files:
        kept = f"{schema.BASE}/{file}"
        _link(index, kept if kept in index.home.listed else file, place / file)
    (place / manifest.NAME).write_bytes(text)
    return Index.open(place)


def stack(
    base: Index, layered: Layers, together: pa.Table, built: Path, progress: Progress, *, on_starter: bool
) -> Manifest:
    """Writes into the folder `built` the index of `base` under layers; returns its manifest, files not yet listed.

    Six parameters: `together` are the entries of all layers, words with the scores that they have in the index.
    `on_starter`: `base` is the starter, of which nothing need be kept.
    """
    ordered = [layered[name] for name in sorted(layered)]
    sizes = pc.utf8_length(together["answer"])
    changed = layers.lengths(together)
    anew = {schema.LETTERS, manifest.NAME} if changed else {manifest.NAME}
    built.mkdir(exist_ok=True)
    if phrases := seams.write(base, layers.texts(layered), built):
        anew.add(schema.PHRASES)
    publish.copy(base.home, built, {f"length={length}" for length in changed} | anew)
    held = {int(length): rows for length, rows in base.manifest.lengths.items()}
    trigrams = base.trigrams.copy()
    join = merge_packed.merge if base.manifest.distilled else merge.merge
    with progress("merging", len(changed)) as bar:
        for length in changed:
            used, listed = layers.parted(together.filter(pc.equal(sizes, length)))
            merged = join(base, built, length, used, listed)
            held[length] = merged.sizes
            trigrams += merged.trigrams
            bar.update(1)
    if changed:
        arrays.save(built / schema.LETTERS, trigrams)
    if changed and not on_starter:
        keep(base, built, changed, phrases=phrases)
    for layer in ordered:
        layers.write(built / schema.layer_file(layer.about.name), layer.entries)
    abouts = tuple(replace(layer.about, answers=_new(base, layer.entries)) for layer in ordered)
    years = [year for year in (base.manifest.latest_year, *(about.latest for about in abouts)) if year]
    publishers = dict.fromkeys([*base.manifest.publishers, *(name for about in abouts for name in about.publishers)])
    return replace(
        base.manifest,
        starter=base.fingerprint if on_starter else "",
        publishers=tuple(publishers),
        latest_year=max(years, default=None),
        lengths={str(length): held[length] for length in sorted(held)},
        layers=abouts,
    )


def _new(base: Index, rows: pa.Table) -> int:
    """How many of the answers in `rows` are not in `base`."""
    answers = rows["answer"].unique()
    sizes, new = pc.utf8_length(answers), 0
    for length in sizes.unique().to_pylist():
        wanted = answers.filter(pc.equal(sizes, length)).to_numpy(zero_copy_only=False).astype(f"S{length}")
        known = base[length].names[base[length].exists]
        new += int((~lookup.place(known, wanted)[1]).sum())
    return new


def keep(base: Index, built: Path, changed: Sequence[int], *, phrases: bool = False) -> None:
    """Keeps the tables of `base` that layers `changed`, by their answers' lengths, and what it was, in `built`.

    So its `phrases`, where those were changed too.
    """
    replaced = {schema.LETTERS, *(f"length={length}" for length in changed)} | ({schema.PHRASES} if phrases else set())
    for file in base.manifest.files:
        if publish.among(file, replaced):
            _link(base, file, built / schema.BASE / file)
    (built / schema.BASE / schema.BASE_RECORD).write_bytes(base.manifest.to_json().encode())


def _link(index: Index, file: str, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    with reading(index.home, file):
        (index.home / file).copy(to)
