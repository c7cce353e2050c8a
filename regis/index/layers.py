"""Layers: what a person adds lies on top of what is there, each under a name, and can be replaced and removed.

A layer is a list of entries, uses of clues and words, in a file of its own. The tables that are solved with are those
of what lies below, the starter or an index that was built, with the entries of all layers merged into them. They follow
from these alone, byte for byte, in whatever order layers came. So solving opens one index, and knows of no layer; and
without a layer everything is again as it was. Of an index that was built the tables that layers change are kept for
that in its folder `base`, links where the file system has them; the starter lies where it ships.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from regis.errors import IndexDamaged, IndexError_, IndexMissing, IndexOutdated
from regis.index import arrays, manifest, merge, merge_packed, opening, publish, schema, seams, tables
from regis.index.index import Index
from regis.index.manifest import Layer, Manifest
from regis.index.opening import must, reading
from regis.models import lookup
from regis.system import paths
from regis.system.held import Held, Place
from regis.system.progress import Progress

VERSION = b"1"  # of a layer's file, raised with every change of tables.LAYER
ABOUT = b"regis layer"  # the key of its version in the file
ORDER = [(name, "ascending") for name in tables.LAYER.names]
LONGEST = 60  # characters of a name


Row = tuple[object, ...]  # of tables.LAYER


class Stacked(NamedTuple):
    """A layer with its entries, rows of tables.LAYER."""

    about: Layer
    entries: pa.Table


Layers = Mapping[str, Stacked]


def name(word: str) -> str:
    """What the layer of a file or list of that name is called: small letters, digits and `-`, for any file system.

    '' where none of that is in it.
    """
    return re.sub(r"[\W_]+", "-", word.lower()).strip("-")[:LONGEST]


def entries(rows: Sequence[tuple[object, ...]]) -> pa.Table:
    """`rows`, as in tables.LAYER, as a table in an order of its own: however they come, it is the same."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(tables.LAYER)
    values = [pa.array(column, kind) for column, kind in zip(columns, tables.LAYER.types, strict=True)]
    return sorted_entries(pa.table(values, schema=tables.LAYER))


def sorted_entries(rows: pa.Table) -> pa.Table:
    return rows.sort_by(ORDER).combine_chunks()


def sizes(rows: pa.Table) -> tuple[int, int]:
    """How many uses of clues, and how many words, `rows` of tables.LAYER are."""
    used, listed = _parted(rows)
    return len(used), len(listed)


def read(index: Index, without: Collection[str] = ()) -> dict[str, Stacked]:
    """The layers of `index` by name, but for some. Raises IndexOutdated, IndexDamaged or IndexUnreadable."""
    return _read(index.home, index.manifest.layers, without)


def saved(folder: Path, without: Collection[str] = ()) -> dict[str, Stacked]:
    """The same of the index at `folder`, also where its tables are damaged or of another version; none without one.

    Raises IndexDamaged, IndexOutdated or IndexUnreadable where they cannot be read.
    """
    try:
        index = Index.open(folder)
    except IndexMissing:
        return {}
    except (IndexDamaged, IndexOutdated):
        home = Held(paths.standing(folder))
    else:
        return read(index, without)
    try:
        return _read(home, abouts(folder), without)
    except (IndexDamaged, IndexOutdated) as cause:
        if opening.on_starter(home):
            raise
        raise IndexDamaged(
            f"what was added to the index at {folder} cannot be read, and would be lost; build with --without-layers, "
            "and add it again"
        ) from cause


def abouts(folder: Path) -> tuple[Layer, ...]:
    """What was added to the index at `folder`, layer by layer, also where it is damaged or of another version.

    Raises IndexMissing, IndexDamaged or IndexUnreadable.
    """
    return opening.layers(paths.standing(folder))


def _read(home: Place, abouts: Sequence[Layer], without: Collection[str]) -> dict[str, Stacked]:
    """Layers of the index at `home` with their entries, but for some.

    Where any cannot be read, the error names the command that leaves out all of those, and those that were to be.
    """
    found: dict[str, Stacked] = {}
    broken: dict[str, IndexError_] = {}
    for about in abouts:
        if about.name in without:
            continue
        try:
            found[about.name] = Stacked(about, _entries(home, about.name))
        except (IndexDamaged, IndexOutdated) as error:
            broken[about.name] = error
    for first in broken.values():
        names, them = " ".join([*without, *broken]), "it" if len(broken) == 1 else "them"
        raise type(first)(f"{first}; `regis remove {names}`, then add {them} again") from first
    return found


def _entries(home: Place, name: str) -> pa.Table:
    """The entries of the layer `name` in the index at `home`."""
    try:
        with reading(home, schema.layer_file(name)):
            found = tables.whole_table(home / schema.layer_file(name))
            version = (found.schema.metadata or {}).get(ABOUT)
            must(version is not None and (version != VERSION or found.schema.equals(tables.LAYER)))
    except IndexDamaged as cause:
        raise IndexDamaged(f"the layer {name} of the index at {home} is damaged") from cause
    if version != VERSION:
        raise IndexOutdated(f"the layer {name} of the index at {home} is of another version of Regis")
    return found.replace_schema_metadata(None)


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
    base: Index, layers: Layers, together: pa.Table, built: Path, progress: Progress, *, on_starter: bool
) -> Manifest:
    """Writes into the folder `built` the index of `base` under `layers`; returns its manifest, files not yet listed.

    Six parameters: `together` are the entries of all layers, words with the scores that they have in the index.
    `on_starter`: `base` is the starter, of which nothing need be kept.
    """
    ordered = [layers[name] for name in sorted(layers)]
    sizes = pc.utf8_length(together["answer"])
    changed = lengths(together)
    anew = {schema.LETTERS, manifest.NAME} if changed else {manifest.NAME}
    built.mkdir(exist_ok=True)
    if phrases := seams.write(base, texts(layers), built):
        anew.add(schema.PHRASES)
    publish.copy(base.home, built, {f"length={length}" for length in changed} | anew)
    held = {int(length): rows for length, rows in base.manifest.lengths.items()}
    trigrams = base.trigrams.copy()
    join = merge_packed.merge if base.manifest.distilled else merge.merge
    with progress("merging", len(changed)) as bar:
        for length in changed:
            used, listed = _parted(together.filter(pc.equal(sizes, length)))
            merged = join(base, built, length, used, listed)
            held[length] = merged.sizes
            trigrams += merged.trigrams
            bar.update(1)
    if changed:
        arrays.save(built / schema.LETTERS, trigrams)
    if changed and not on_starter:
        keep(base, built, changed, phrases=phrases)
    for layer in ordered:
        _write(built / schema.layer_file(layer.about.name), layer.entries)
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


def texts(layers: Layers) -> Iterator[str]:
    """The phrases and titles of all `layers`, each as it is written there."""
    for layer in layers.values():
        yield from filter(None, _parted(layer.entries)[1]["text"].to_pylist())


def lengths(rows: pa.Table) -> list[int]:
    """The lengths of answers in `rows` of tables.LAYER, ascending."""
    return sorted(pc.utf8_length(rows["answer"]).unique().to_pylist())


def _parted(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Rows of tables.LAYER as those of tables.USED, and those of tables.LISTED."""
    clued = pc.not_equal(rows["clue"], "")
    return rows.filter(clued).select(tables.USED.names), rows.filter(pc.invert(clued)).select(tables.LISTED.names)


def _new(base: Index, rows: pa.Table) -> int:
    """How many of the answers in `rows` are not in `base`."""
    answers = rows["answer"].unique()
    sizes, new = pc.utf8_length(answers), 0
    for length in sizes.unique().to_pylist():
        wanted = answers.filter(pc.equal(sizes, length)).to_numpy(zero_copy_only=False).astype(f"S{length}")
        known = base[length].names[base[length].exists]
        new += int((~lookup.place(known, wanted)[1]).sum())
    return new


def _write(path: Path, rows: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows.replace_schema_metadata({ABOUT: VERSION}), path, compression="zstd", write_page_checksum=True)


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
