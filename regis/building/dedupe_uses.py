"""Deduplication of uses in layers, whenever layers are stacked.

A layer stores everything that a person added, since the index below may change. A use of a list or clue table counts
unless the index below has it in that year or later; a puzzle counts unless the index has all its uses. Equal uses in
one year count only as often as one layer has them. Undated uses may be the same as in other layers.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.index import Index
from regis.index.layers import merge
from regis.index.layers.layer_files import Layer, LayersByName
from regis.index.tables import writer
from regis.index.tables.partition import Partition
from regis.models import arrays


def dedupe_layers(layers: LayersByName, base_index: Index) -> list[pa.Table]:
    """Return the entries of `layers`, by name, without uses that already count, one table of LAYER_SCHEMA each."""
    ordered = [layers[name] for name in sorted(layers)]
    tables = [one.entries.filter(_counting_mask(one, base_index)) for one in ordered]
    if len(tables) < 2:
        return tables
    layer_numbers = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    first_uses = pa.array(_first_use_mask(pa.concat_tables(tables), layer_numbers))
    ends = np.cumsum([len(table) for table in tables])
    return [table.filter(first_uses[end - len(table) : end]) for table, end in zip(tables, ends.tolist(), strict=True)]


def _counting_mask(layer: Layer, base_index: Index) -> pa.Array:
    """Mask the entries that count in addition to the index below; a puzzle counts whole if any of its uses is new.

    Layers of an older Regis don't name puzzles; all their uses count.
    """
    is_new = find_new_entries(layer.entries, base_index, base_dated=not layer.record.holds_puzzles)
    if not layer.record.holds_puzzles:
        return is_new
    puzzle_ids = layer.entries["text"].combine_chunks()
    return pc.or_(pc.is_null(puzzle_ids), pc.is_in(puzzle_ids, value_set=puzzle_ids.filter(is_new)))


def find_new_entries(entries: pa.Table, base_index: Index, *, base_dated: bool = True) -> pa.Array:
    """Mask the entries, rows of LAYER_SCHEMA, that the index below lacks: words, and later uses.

    Undated uses below are earlier if `base_dated`; otherwise they may be the same.
    """
    is_new = pc.equal(entries["clue"], "").to_numpy(zero_copy_only=False).copy()
    sizes = pc.utf8_length(entries["answer"]).to_numpy()
    years = entries["year"].to_numpy()
    for length in np.unique(sizes[~is_new]).tolist():
        rows = np.flatnonzero(~is_new & (sizes == length))
        last_years = _last_years(base_index[length], entries.take(pa.array(rows)))
        is_new[rows] = (years[rows] > last_years) & (base_dated | (last_years != 0))
    return pa.array(is_new)


def _last_years(part: Partition, uses: pa.Table) -> NDArray[np.int64]:
    """Return the year in which each clue last had its answer: 0 if unknown, -1 if never."""
    last_years = np.full(len(uses), -1, np.int64)
    rows = writer.make_pair_rows(uses, 0, keeps_clues=part.keeps_clues)
    place = pc.index_in(merge.clue_answer_keys(rows), value_set=merge.clue_answer_keys(writer.read_pair_rows(part)))
    is_known = pc.is_valid(place).to_numpy(zero_copy_only=False)
    last_years[is_known] = part.clue_last_years[place.filter(pc.is_valid(place)).to_numpy()]
    return last_years


def _first_use_mask(entries: pa.Table, layer_numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mask the entries that count: words always, a dated use once across layers.

    Undated uses count only if there are more of them than dated ones, and only as many as one layer has.
    """
    has_clue = pc.not_equal(entries["clue"], "").to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(has_clue)
    use_columns, layer_numbers = entries.select(["key", "answer", "year"]).take(pa.array(rows)), layer_numbers[rows]
    year = use_columns["year"].to_numpy()
    names = pc.binary_join_element_wise(use_columns["key"], use_columns["answer"], "\t").combine_chunks()
    pair = names.dictionary_encode().indices.to_numpy().astype(np.int64)
    use = pair * (int(year.max(initial=0)) + 1) + year
    use_rank = _rank_in_layer(use, layer_numbers)
    order = np.lexsort((layer_numbers, use_rank, use))
    counts = np.zeros(len(rows), bool)
    counts[order[arrays.run_starts(use[order], use_rank[order])]] = True
    dated_uses = np.bincount(pair[counts & (year > 0)], minlength=len(rows))
    max_uses = np.zeros(len(rows), np.int64)
    np.maximum.at(max_uses, pair, _rank_in_layer(pair, layer_numbers) + 1)
    counts &= (year > 0) | (use_rank < (max_uses - dated_uses)[pair])
    counts_mask: NDArray[np.bool_] = ~has_clue
    counts_mask[rows[counts]] = True
    return counts_mask


def _rank_in_layer(use_ids: NDArray[np.int64], layer_numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the equal uses of each layer from 0, in order."""
    order = np.lexsort((layer_numbers, use_ids))
    starts = arrays.run_starts(use_ids[order], layer_numbers[order])
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return ranks
