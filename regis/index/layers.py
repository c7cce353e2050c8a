"""Layers: what a person adds lies on top of what is there, each under a name, and can be replaced and removed.

A layer is a list of entries, uses of clues and words, in a file of its own. `stacking` makes of layers, and of what
lies below them, the index that is solved with.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from regis.errors import IndexDamaged, IndexError_, IndexMissing, IndexOutdated
from regis.index import opening, schema, tables
from regis.index.index import Index
from regis.index.manifest import Layer
from regis.index.opening import must, reading
from regis.system import paths
from regis.system.held import Held, Place

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
    used, listed = parted(rows)
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


def texts(layers: Layers) -> Iterator[str]:
    """The phrases and titles of all `layers`, each as it is written there."""
    for layer in layers.values():
        yield from filter(None, parted(layer.entries)[1]["text"].to_pylist())


def lengths(rows: pa.Table) -> list[int]:
    """The lengths of answers in `rows` of tables.LAYER, ascending."""
    return sorted(pc.utf8_length(rows["answer"]).unique().to_pylist())


def parted(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Rows of tables.LAYER as those of tables.USED, and those of tables.LISTED."""
    clued = pc.not_equal(rows["clue"], "")
    return rows.filter(clued).select(tables.USED.names), rows.filter(pc.invert(clued)).select(tables.LISTED.names)


def write(path: Path, rows: pa.Table) -> None:
    """Writes the entries of one layer into its file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows.replace_schema_metadata({ABOUT: VERSION}), path, compression="zstd", write_page_checksum=True)
