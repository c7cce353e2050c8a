"""Making the tables of one answer length: equal pairs become one, sorted and counted; `schema` describes the tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from regis import text
from regis.index.storage import npy, parquet
from regis.index.storage.manifest import HIDDEN_ANSWERS
from regis.index.tables import schema
from regis.index.tables.arrow_schemas import ANSWER_SCHEMA, CLUE_SCHEMA, LIST_SCHEMA, PAIR_SCHEMA, answer_schema
from regis.index.tables.partition import Partition
from regis.models.numeric import sorted_search
from regis.models.strings.letter_model import count_trigrams
from regis.models.text import clue_features
from regis.puzzle import alphabet

ROW_AGGREGATES = {  # how equal rows become one
    "count": "sum",
    "latest": "sum",
    "last": "max",
    "previous": "max",
    "recent": "sum",
}

Counts = NDArray[np.integer[Any]]


class WrittenTables(NamedTuple):
    """How many rows were written for one answer length, and what their letters add up to."""

    clue_count: int
    answer_count: int
    trigram_counts: NDArray[np.float64]  # (27, 27, 27): counts over the answers that were used in puzzles
    hidden_count: int = 0  # answers that no clue and no list has, and only an encoder knows (layers.base_tables)

    @property
    def row_counts(self) -> dict[str, int]:
        """Return how many rows there are, as a manifest has it."""
        rows = {"clues": self.clue_count, "answers": self.answer_count}
        return rows | {HIDDEN_ANSWERS: self.hidden_count} if self.hidden_count else rows


def write_tables(index_folder: Path, answer_length: int, pair_rows: pa.Table, answer_rows: pa.Table) -> WrittenTables:
    """Write all tables of one answer length; equal rows become one.

    Parameters
    ----------
    pair_rows : rows of PAIR_SCHEMA.
    answer_rows : rows of LIST_SCHEMA, or of ANSWER_SCHEMA.
    """
    pair_rows = _merge_pairs(pair_rows)
    answers = _merge_answers(pair_rows, answer_rows)
    rows = pc.index_in(pair_rows["answer"], value_set=answers["answer"].combine_chunks())
    answers = answers.cast(answer_schema(answer_length)).combine_chunks()
    clues = pair_rows.set_column(2, "answer", rows).select(CLUE_SCHEMA.names).cast(CLUE_SCHEMA)
    _write_table(index_folder / schema.answers_file(answer_length), answers)
    _write_table(index_folder / schema.clues_file(answer_length), clues)
    backwards = pa.array([text.reverse_key(key) for key in clues["key"].to_pylist()], type=pa.string())
    reversed_order = pc.sort_indices(backwards).to_numpy().astype(np.uint32)
    npy.save_array(index_folder / schema.reversed_file(answer_length), reversed_order)
    for name, values in _make_postings(clues["key"].combine_chunks()).items():
        path = index_folder / schema.postings_file(answer_length, name)
        npy.save_array(path, values.astype(schema.POSTING_TYPES[name]))
    letters = parquet.to_letter_rows(answers["answer"].combine_chunks()) - alphabet.ASCII_A
    is_used = answers["count"].to_numpy() > 0
    hidden_count = int((~is_used & (answers["score"].to_numpy() == 0)).sum())
    return WrittenTables(len(clues), len(answers), count_trigrams(letters, is_used * 1.0), hidden_count)


def make_pair_rows(use_rows: pa.Table, newest_year: int) -> pa.Table:
    """Turn uses of clues into rows of PAIR_SCHEMA, each one use.

    Those from `newest_year` on, the corpus's newest year or 0 if none is known, count as its own.
    """
    years = use_rows["year"].to_numpy()
    is_newest = (years >= newest_year) & (newest_year > 0)
    counts = {
        "count": np.ones(len(use_rows)), "latest": is_newest, "last": years, "previous": np.where(is_newest, 0, years),
        "recent": schema.decay_uses(years, newest_year),
    }  # fmt: skip
    columns = {name: pa.array(values).cast(PAIR_SCHEMA.field(name).type) for name, values in counts.items()}
    return pa.table({name: use_rows[name] for name in ("key", "clue", "answer")} | columns, schema=PAIR_SCHEMA)


def _merge_pairs(pair_rows: pa.Table) -> pa.Table:
    """Merge rows of one key and answer, sorted by both, with what was counted; the wording is the last one seen."""
    ordered = pair_rows.sort_by([("last", "ascending"), ("clue", "ascending")])
    return _aggregate_rows(ordered, ["key", "answer"], {"clue": "last", **ROW_AGGREGATES}, PAIR_SCHEMA)


def _merge_answers(pair_rows: pa.Table, answer_rows: pa.Table) -> pa.Table:
    """Build the answer table of all that were used or listed, with the first text of any; answers are strings yet."""
    rows = pa.concat_tables([pair_rows.drop_columns(["key", "clue"]), answer_rows], promote_options="default")
    return _aggregate_rows(rows, ["answer"], {"text": "first", **ROW_AGGREGATES, "score": "max"}, ANSWER_SCHEMA)


def _aggregate_rows(
    rows: pa.Table, key_columns: list[str], aggregates: Mapping[str, str], schema: pa.Schema
) -> pa.Table:
    """Merge all `rows` that are equal in `key_columns`, sorted by those; `aggregates` says how the others are gathered.

    A number that no row has is 0.
    """
    groups = rows.group_by(key_columns, use_threads=False)  # threads would mix first and last
    merged = groups.aggregate(list(aggregates.items()))
    columns = []
    for field in schema:
        name = field.name if field.name in key_columns else f"{field.name}_{aggregates[field.name]}"
        column = merged[name].cast(field.type)
        columns.append(column if pa.types.is_string(field.type) else pc.fill_null(column, 0))
    return pa.table(columns, schema=schema).sort_by([(name, "ascending") for name in key_columns]).combine_chunks()


def _make_postings(clue_keys: pa.StringArray) -> dict[str, NDArray[np.generic]]:
    """Index clues by their features, and measure each clue's TF-IDF vector.

    A clue's vector has, for each of its features, the inverse document frequency times clue_features.KIND_WEIGHTS.
    """
    rows, codes, kinds = clue_features.extract_features(clue_keys.to_pylist())
    order = np.lexsort((rows, codes))
    distinct = order[sorted_search.run_starts(codes[order], rows[order])]
    rows, codes, kinds = rows[distinct], codes[distinct], kinds[distinct]
    starts = sorted_search.run_starts(codes)
    sizes = np.diff(np.append(starts, len(codes)))
    rarity = np.repeat(clue_features.inverse_frequency(sizes, len(clue_keys)), sizes)
    weights = rarity * clue_features.KIND_WEIGHTS[kinds]
    norms = np.sqrt(np.bincount(rows, weights=weights**2, minlength=len(clue_keys)))
    return {
        "features": codes[starts],
        "starts": np.append(starts, len(codes)),
        "rows": rows,
        "norms": np.maximum(norms, 1e-6),
    }


def _write_table(path: Path, table: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="lz4", use_dictionary=False, write_page_checksum=True)


def write_fitted_values(index_folder: Path, fitted_values: Mapping[str, Any]) -> None:
    """Write what was fitted, by the keys of schema, into the index."""
    (index_folder / schema.LEARNED_FILE).write_text(json.dumps(fitted_values, indent=1) + "\n", encoding="utf-8")


def read_pairs_and_answers(
    part: Partition, repeated_uses: NDArray[np.int64] | tuple[int, int] = (0, 0)
) -> tuple[pa.Table, pa.Table]:
    """Read all that is in `part`: its clues with answers, rows of PAIR_SCHEMA, and its answers, see `make_answer_rows`.

    What was counted beside the clues, as the starter's answers were in an index that began with it, stays so, but for
    `repeated_uses`, (2, answers): uses that come again as clues, how many and how much by their age. Of uses by their
    age only answers know.
    """
    repeated_counts, repeated_decayed = repeated_uses
    answers = pa.array(part.answers.astype(str), pa.string()).take(pa.array(part.clue_answer_rows))
    pairs = part.clue_table().set_column(2, "answer", answers)
    pairs = pairs.append_column("recent", pa.nulls(len(pairs), pa.uint32())).cast(PAIR_SCHEMA)
    extra_counts = part.use_counts - np.bincount(part.clue_answer_rows, part.clue_counts, len(part.answers)).astype(
        np.int64
    )
    extra_counts = np.maximum(extra_counts, 0)
    repeated_share = np.minimum(extra_counts, repeated_counts) / np.maximum(repeated_counts, 1)
    decayed_uses = np.maximum(part.decayed_uses - np.rint(repeated_share * repeated_decayed), 0).astype(np.uint32)
    extra_counts = np.maximum(extra_counts - repeated_counts, 0)
    return pairs, make_answer_rows(part, extra_counts, part.last_years, part.previous_years, decayed_uses)


def make_answer_rows(
    part: Partition, extra_counts: Counts, last_years: Counts, previous_years: Counts, decayed_uses: Counts
) -> pa.Table:
    """Return the answers of `part`, rows of LIST_SCHEMA, with columns of what is known of them beside clues.

    A score that no list gives is null, and so is a number that is 0.

    Parameters
    ----------
    extra_counts : (answers,) uses beside the clues.
    last_years : (answers,) year of the last use, 0 if unknown.
    previous_years : (answers,) year of the last use before the newest year, 0 if unknown.
    decayed_uses : (answers,) uses by their age, see schema.decay_uses.
    """
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
    """Return the rows of the clue table in the order of their answers, (clues,): the order of clue embeddings."""
    return np.argsort(part.clue_answer_rows, kind="stable").astype(np.uint32)


def write_clue_embeddings(
    index_folder: Path, answer_length: int, embeddings: NDArray[np.int8], row_order: NDArray[np.uint32]
) -> None:
    """Write the embeddings of the clues of one length.

    Parameters
    ----------
    embeddings : (clues, REDUCED), in `row_order`.
    row_order : (clues,) rows of the clue table, see `order_by_answer`.
    """
    for name, values in (("clues", embeddings), ("by-answer", row_order)):
        file_name = schema.encoder_length_file(schema.TRANSFORMER_FOLDER, answer_length, name)
        npy.save_array(index_folder / file_name, values)
