"""Uses of clues in layers, each counted once.

A layer holds all that a person added, since what lies below it, and beside it, may change. What counts of it is worked
out whenever layers are put on an index: in a list or clue table no use that lies below with that year or a later one,
no puzzle of which all uses do, and of equal uses, with one year, only as many as one layer has. Uses without a year may
be those of other layers.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.index import Index, merge
from regis.index.layers import Layers, Stacked
from regis.index.partition import Partition
from regis.models import features, lookup

NEVER = -1  # the year of what was not used


def once(layers: Layers, below: Index) -> list[pa.Table]:
    """The entries of `layers`, in the order of their names, without uses of clues that count already."""
    ordered = [layers[name] for name in sorted(layers)]
    tables = [one.entries.filter(_counting(one, below)) for one in ordered]
    if len(tables) < 2:
        return tables
    layer = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    kept = pa.array(_first(pa.concat_tables(tables), layer))
    ends = np.cumsum([len(table) for table in tables])
    return [table.filter(kept[end - len(table) : end]) for table, end in zip(tables, ends.tolist(), strict=True)]


def _counting(layer: Stacked, below: Index) -> pa.Array:
    """Which entries of a layer count over what lies `below`; a puzzle does as a whole, where any of its uses is new.

    Layers of an older Regis do not say of which puzzle a use is; there all of them count.
    """
    found = new(layer.entries, below, dated=not layer.about.grows)
    if not layer.about.grows:
        return found
    puzzle = layer.entries["text"].combine_chunks()
    return pc.or_(pc.is_null(puzzle), pc.is_in(puzzle, value_set=puzzle.filter(found)))


def new(entries: pa.Table, below: Index, *, dated: bool = True) -> pa.Array:
    """Which of `entries`, rows of tables.LAYER, say what `below` does not: words, and uses later than it has them.

    Uses of which it does not know the year are earlier than those that are `dated`, or may be the same.
    """
    found = pc.equal(entries["clue"], "").to_numpy(zero_copy_only=False).copy()
    sizes = pc.utf8_length(entries["answer"]).to_numpy()
    years = entries["year"].to_numpy()
    for length in np.unique(sizes[~found]).tolist():
        rows = np.flatnonzero(~found & (sizes == length))
        some = entries.select(["key", "answer"]).take(pa.array(rows))
        last = _last(below[length], below.manifest.distilled, some)
        found[rows] = (years[rows] > last) & (dated | (last != 0))
    return pa.array(found)


def _last(part: Partition, distilled: bool, uses: pa.Table) -> NDArray[np.int64]:
    """In which year the answers `uses["answer"]` were last the answer to the clues `uses["key"]`, 0 if that is unknown.

    NEVER where they were not.
    """
    found = np.full(len(uses), NEVER, np.int64)
    if not distilled:
        wanted = pc.binary_join_element_wise(uses["key"], uses["answer"], "\t")
        place = pc.index_in(wanted, value_set=merge.keyed(part))
        there = pc.is_valid(place).to_numpy(zero_copy_only=False)
        found[there] = part.clue_last[place.filter(pc.is_valid(place)).to_numpy()]
        return found
    clue, answer, _, last = part.repeats
    row, there = lookup.place(part.names, np.array(uses["answer"].to_pylist(), part.names.dtype))
    codes = features.codes_of(uses["key"].to_pylist())
    which, at = lookup.every(clue, codes)
    same = there[which] & (answer[at] == row[which])
    np.maximum.at(found, which[same], last[at[same]].astype(np.int64))
    return found


def _first(entries: pa.Table, layer: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of `entries` are words, or uses of which no earlier `layer`, ascending, has as many with the same year.

    Of those without a year only as many as there are uses, in one layer, beyond all that have one: the others may be
    the same.
    """
    clued = pc.not_equal(entries["clue"], "").to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(clued)
    used, layer = entries.select(["key", "answer", "year"]).take(pa.array(rows)), layer[rows]
    year = used["year"].to_numpy()
    names = pc.binary_join_element_wise(used["key"], used["answer"], "\t").combine_chunks()
    pair = names.dictionary_encode().indices.to_numpy().astype(np.int64)
    use = pair * (int(year.max(initial=0)) + 1) + year
    nth = _nth(use, layer)
    again = np.lexsort((layer, nth, use))
    counts = np.zeros(len(rows), bool)
    counts[again[lookup.begins(use[again], nth[again])]] = True
    dated = np.bincount(pair[counts & (year > 0)], minlength=len(rows))
    most = np.zeros(len(rows), np.int64)
    np.maximum.at(most, pair, _nth(pair, layer) + 1)
    counts &= (year > 0) | (nth < (most - dated)[pair])
    kept: NDArray[np.bool_] = ~clued
    kept[rows[counts]] = True
    return kept


def _nth(use: NDArray[np.int64], layer: NDArray[np.int64]) -> NDArray[np.int64]:
    """The how many-th from 0 each `use` is of its `layer`, in their order."""
    order = np.lexsort((layer, use))
    starts = lookup.begins(use[order], layer[order])
    nth = np.empty(len(order), np.int64)
    nth[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return nth
