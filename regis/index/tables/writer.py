"""The writer of one answer length's tables: equal pairs are merged, sorted, and counted.

The pyarrow schemas are here because importing pyarrow is slow.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis import text
from regis.index.storage import parquet
from regis.index.storage.manifest import HIDDEN_ANSWERS
from regis.index.tables import schema
from regis.index.tables.partition import Partition
from regis.index.tables.vocabulary import FeatureAnswers
from regis.models import arrays
from regis.models.strings.letter_model import count_trigrams
from regis.models.text import clue_features
from regis.puzzle.alphabet import letter_table
from regis.system.files import array_file

_COUNT_FIELDS = [
    *(("count", pa.uint32()), ("latest", pa.uint32()), ("last", pa.uint16()), ("previous", pa.uint16())),
    ("recent", pa.uint32()),
]
PAIR_SCHEMA = pa.schema([("key", pa.string()), ("clue", pa.string()), ("answer", pa.string()), *_COUNT_FIELDS])
"""A clue with an answer and their counts. Without texts, the key is the hash of the clue's key, uint64."""

ANSWER_SCHEMA = pa.schema([("answer", pa.string()), ("text", pa.string()), *_COUNT_FIELDS, ("score", pa.float32())])

USE_SCHEMA = pa.schema([("key", pa.string()), ("clue", pa.string()), ("answer", pa.string()), ("year", pa.uint16())])
"""Single uses of clues; the year is 0 if unknown."""

LIST_SCHEMA = pa.schema([("answer", pa.string()), ("text", pa.string()), ("score", pa.float32())])
"""Listed answers; the text is null for none."""

LAYER_SCHEMA = pa.schema([*USE_SCHEMA, *LIST_SCHEMA.remove(LIST_SCHEMA.get_field_index("answer"))])
"""An entry of a layer: a use of a clue, or a listed answer, with '' for key and clue. The text of a use is a hash of
its puzzle's clues."""


ROW_AGGREGATES = {  # how equal rows are merged
    "count": "sum",
    "latest": "sum",
    "last": "max",
    "previous": "max",
    "recent": "sum",
}

Counts = NDArray[np.integer[Any]]


class WrittenTables(NamedTuple):
    """Row counts and trigram counts of one answer length."""

    clue_count: int
    answer_count: int
    trigram_counts: NDArray[np.float64]  # (27, 27, 27): counts over the answers that were used in puzzles
    hidden_count: int = 0  # answers that only an encoder knows, since no clue and no list has them (layers.stacking)

    @property
    def row_counts(self) -> dict[str, int]:
        rows = {"clues": self.clue_count, "answers": self.answer_count}
        return rows | {HIDDEN_ANSWERS: self.hidden_count} if self.hidden_count else rows


def write_tables(
    index_folder: Path,
    answer_length: int,
    pair_rows: pa.Table,
    answer_rows: pa.Table,
    vocabulary: FeatureAnswers | None = None,
) -> WrittenTables:
    """Write all tables of answers of one length, equal rows merged.

    `pair_rows` has PAIR_SCHEMA, `answer_rows` LIST_SCHEMA or ANSWER_SCHEMA. Without texts, `vocabulary` has the clues'
    words.
    """
    ordered = pair_rows.sort_by([("last", "ascending"), ("clue", "ascending")])  # so that the last wording stays
    pair_rows = _aggregate_rows(ordered, ["key", "answer"], {"clue": "last", **ROW_AGGREGATES}, pair_rows.schema)
    answers = _merge_answers(pair_rows, answer_rows)
    names = answers["answer"].to_numpy(zero_copy_only=False).astype(f"S{answer_length}")
    is_used, scores = answers["count"].to_numpy() > 0, answers["score"].to_numpy()
    if vocabulary is not None:  # the fitted weights expect a score for answers that were never used
        scores = np.where(is_used, 0, scores).astype(np.float32)
    arrays = {"answers.answer": names, "answers.score": scores}
    arrays |= parquet.table_arrays("answers", answers.select(["text", *schema.COUNT_COLUMNS, "recent"]))
    clue_answers = pc.index_in(pair_rows["answer"], value_set=answers["answer"]).to_numpy().astype(np.uint32)
    arrays |= {"clues.answer": clue_answers}
    if vocabulary is None:
        arrays |= parquet.table_arrays("clues", pair_rows.select(list(schema.COUNT_COLUMNS)))
        arrays |= _make_text_arrays(pair_rows)
    else:
        arrays |= parquet.table_arrays("clues", pair_rows.select(["count", "last"]))
        arrays |= {"clues.clue": pair_rows["key"].to_numpy()} | vocabulary.to_arrays(names)
    part = schema.length_part(answer_length, schema.TABLES)
    array_file.write_arrays(schema.part_path(index_folder, part), arrays)
    hidden_count = int((~is_used & (scores == 0)).sum())
    trigrams = count_trigrams(letter_table(names), is_used * 1.0)
    return WrittenTables(len(pair_rows), len(answers), trigrams, hidden_count)


def make_pair_rows(use_rows: pa.Table, newest_year: int, *, keeps_clues: bool = True) -> pa.Table:
    """Turn uses of clues into rows of PAIR_SCHEMA, one per use.

    Uses in `newest_year` or later count as uses in the newest year; 0 means unknown.
    """
    years = use_rows["year"].to_numpy()
    is_newest = (years >= newest_year) & (newest_year > 0)
    counts = {
        "count": np.ones(len(use_rows)), "latest": is_newest, "last": years, "previous": np.where(is_newest, 0, years),
        "recent": schema.decay_uses(years, newest_year),
    }  # fmt: skip
    columns = {name: pa.array(values).cast(PAIR_SCHEMA.field(name).type) for name, values in counts.items()}
    rows = pa.table({name: use_rows[name] for name in ("key", "clue", "answer")} | columns, schema=PAIR_SCHEMA)
    if keeps_clues:
        return rows
    return rows.set_column(0, "key", pa.array(clue_features.hash_words(rows["key"].to_pylist()), pa.uint64()))


def _merge_answers(pair_rows: pa.Table, answer_rows: pa.Table) -> pa.Table:
    """Merge used and listed answers; keep the first text."""
    rows = pa.concat_tables([pair_rows.drop_columns(["key", "clue"]), answer_rows], promote_options="default")
    return _aggregate_rows(rows, ["answer"], {"text": "first", **ROW_AGGREGATES, "score": "max"}, ANSWER_SCHEMA)


def _aggregate_rows(
    rows: pa.Table, key_columns: list[str], aggregates: Mapping[str, str], schema: pa.Schema
) -> pa.Table:
    """Merge rows that are equal in `key_columns`, and sort by these; numbers missing in all rows become 0."""
    groups = rows.group_by(key_columns, use_threads=False)  # several threads would confuse first and last
    merged = groups.aggregate(list(aggregates.items()))
    columns = []
    for field in schema:
        name = field.name if field.name in key_columns else f"{field.name}_{aggregates[field.name]}"
        column = merged[name].cast(field.type)
        columns.append(column if pa.types.is_string(field.type) else pc.fill_null(column, 0))
    return pa.table(columns, schema=schema).sort_by([(name, "ascending") for name in key_columns]).combine_chunks()


def _make_text_arrays(pair_rows: pa.Table) -> dict[str, NDArray[Any]]:
    """Return the arrays for clue texts: keys, texts, reversed order, postings."""
    texts = pair_rows.select(["key", "clue"]).rename_columns(["key", "text"])
    keys = texts["key"].to_pylist()
    backwards = pa.array([text.reverse_key(key) for key in keys], type=pa.string())
    reversed_order = pc.sort_indices(backwards).to_numpy().astype(np.uint32)
    return parquet.table_arrays("clues", texts) | {"clues.reversed": reversed_order} | _make_postings(keys)


def _make_postings(clue_keys: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return the postings of clues, and the norms of their TF-IDF vectors.

    Each feature of a vector is its inverse document frequency times clue_features.KIND_WEIGHTS.
    """
    rows, codes, kinds = clue_features.extract_features(clue_keys)
    order = np.lexsort((rows, codes))
    distinct = order[arrays.run_starts(codes[order], rows[order])]
    rows, codes, kinds = rows[distinct], codes[distinct], kinds[distinct]
    starts = arrays.run_starts(codes)
    sizes = np.diff(np.append(starts, len(codes)))
    rarity = np.repeat(clue_features.inverse_frequency(sizes, len(clue_keys)), sizes)
    weights = rarity * clue_features.KIND_WEIGHTS[kinds]
    norms = np.sqrt(np.bincount(rows, weights=weights**2, minlength=len(clue_keys)))
    return {
        "postings.feature": codes[starts].astype(np.uint64),
        "postings.start": np.append(starts, len(codes)).astype(np.int64),
        "postings.row": rows.astype(np.uint32),
        "clues.norm": np.maximum(norms, 1e-6).astype(np.float32),
    }


def write_fitted_values(index_folder: Path, fitted_values: Mapping[str, Any]) -> None:
    path = index_folder / schema.LEARNED_FILE
    path.unlink(missing_ok=True)  # it may be a link
    path.write_text(json.dumps(fitted_values, indent=1) + "\n", encoding="utf-8")


def write_pieces(index_folder: Path, pieces: Sequence[str], chances: NDArray[np.floating[Any]]) -> None:
    """Write sorted pieces of phrases, with their probabilities as first, middle, and last piece, (3, pieces)."""
    arrays = parquet.table_arrays("pieces", pa.table({"piece": pa.array(pieces, pa.string())}))
    for name, row in zip(("first", "middle", "last"), chances, strict=True):
        arrays[f"pieces.{name}"] = row.astype(np.float32)
    array_file.write_arrays(schema.part_path(index_folder, schema.PHRASES), arrays)


def read_pair_rows(part: Partition) -> pa.Table:
    """Return the clues of `part` with their answers as rows of PAIR_SCHEMA, without decayed uses."""
    counts = part.clue_counts
    if part.keeps_clues:
        keys, clues = (pc.fill_null(parquet.to_text_array(one), "") for one in (part.clue_keys, part.clue_texts))
        latest, previous = part.clue_newest_counts, part.clue_previous_years
    else:
        keys, clues = pa.array(part.clue_hashes), pa.nulls(len(counts), pa.string())
        latest, previous = np.zeros(len(counts), np.uint32), part.clue_last_years
    answers = pa.array(part.answers.astype(str), pa.string()).take(pa.array(part.clue_answer_rows))
    columns = [keys, clues, answers, counts, latest, part.clue_last_years, previous, pa.nulls(len(counts), pa.uint32())]
    row_schema = PAIR_SCHEMA.set(0, pa.field("key", keys.type))
    return pa.table([pa.array(one).cast(kind) for one, kind in zip(columns, row_schema.types, strict=True)], row_schema)


def read_answer_rows(part: Partition, repeated_uses: NDArray[np.int64] | tuple[int, int] = (0, 0)) -> pa.Table:
    """Return the answers of `part` with everything that doesn't come from its clues (`make_answer_rows`).

    Counts that exceed the clues come from a starter. They stay, except `repeated_uses`, (2, answers), which come again
    as clues.
    """
    repeated_counts, repeated_decayed = repeated_uses
    clue_uses = np.bincount(part.clue_answer_rows, part.clue_counts, len(part.answers)).astype(np.int64)
    extra_counts = np.maximum(part.use_counts - clue_uses, 0)
    repeated_share = np.minimum(extra_counts, repeated_counts) / np.maximum(repeated_counts, 1)
    decayed_uses = np.maximum(part.decayed_uses - np.rint(repeated_share * repeated_decayed), 0).astype(np.uint32)
    extra_counts = np.maximum(extra_counts - repeated_counts, 0)
    return make_answer_rows(part, extra_counts, part.last_years, part.previous_years, decayed_uses)


def make_answer_rows(
    part: Partition, extra_counts: Counts, last_years: Counts, previous_years: Counts, decayed_uses: Counts
) -> pa.Table:
    """Return the answers of `part` as rows of LIST_SCHEMA with columns of counts, (answers,); 0 becomes null."""
    answers, scores = pa.array(part.answers.astype(str), pa.string()), part.list_scores
    rows = pa.table([answers, part.display_text_array, pa.array(scores, mask=scores == 0)], schema=LIST_SCHEMA)
    counts = {
        "count": extra_counts, "latest": np.zeros(len(answers)), "last": last_years, "previous": previous_years,
        "recent": decayed_uses,
    }  # fmt: skip
    for name, values in counts.items():
        column = pa.array(values, mask=values == 0).cast(ANSWER_SCHEMA.field(name).type)
        rows = rows.append_column(name, column)
    return rows


def order_by_answer(part: Partition) -> NDArray[np.uint32]:
    """Return the rows of the clue table in order of their answers, the order of clue embeddings."""
    return np.argsort(part.clue_answer_rows, kind="stable").astype(np.uint32)


def write_clue_embeddings(
    index_folder: Path, answer_length: int, embeddings: NDArray[np.int8], row_order: NDArray[np.uint32]
) -> None:
    """Write clue embeddings, (clues, REDUCED), in `row_order`."""
    part = schema.length_part(answer_length, schema.CLUE_EMBEDDINGS)
    array_file.write_arrays(schema.part_path(index_folder, part), {"embeddings": embeddings, "rows": row_order})
