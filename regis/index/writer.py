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
from regis.index import arrays, schema, tables
from regis.index.manifest import HIDDEN
from regis.index.partition import Partition
from regis.models import features, lookup
from regis.models.ngram import trigram_counts
from regis.puzzle import alphabet

GATHERED = {"count": "sum", "latest": "sum", "last": "max", "previous": "max"}  # how equal rows become one


Years = NDArray[np.integer[Any]]


class Written(NamedTuple):
    clues: int
    answers: int
    trigrams: NDArray[np.float64]  # (27, 27, 27): counts over the answers that were used in puzzles
    hidden: int = 0  # answers that no clue and no list has, and only an encoder knows (regis.index.wide)

    @property
    def sizes(self) -> dict[str, int]:
        """How many rows there are, as a manifest has it."""
        rows = {"clues": self.clues, "answers": self.answers}
        return rows | {HIDDEN: self.hidden} if self.hidden else rows


def write_tables(folder: Path, length: int, pairs: pa.Table, listed: pa.Table) -> Written:
    """Writes all tables of `length` from rows like tables.PAIRS and tables.LISTED; equal ones become one."""
    pairs = _merged(pairs)
    answers = _answers(pairs, listed)
    rows = pc.index_in(pairs["answer"], value_set=answers["answer"].combine_chunks())
    answers = answers.cast(tables.answers_schema(length)).combine_chunks()
    clues = pairs.set_column(2, "answer", rows).cast(tables.CLUES)
    _write_table(folder / schema.answers_file(length), answers)
    _write_table(folder / schema.clues_file(length), clues)
    backwards = pa.array([text.reversed_key(key) for key in clues["key"].to_pylist()], type=pa.string())
    arrays.save(folder / schema.reversed_file(length), pc.sort_indices(backwards).to_numpy().astype(np.uint32))
    for name, values in _postings(clues["key"].combine_chunks()).items():
        arrays.save(folder / schema.postings_file(length, name), values.astype(schema.POSTINGS[name]))
    letters = tables.letters(answers["answer"].combine_chunks()) - alphabet.FIRST
    used = answers["count"].to_numpy() > 0
    hidden = int((~used & (answers["score"].to_numpy() == 0)).sum())
    return Written(len(clues), len(answers), trigram_counts(letters, used * 1.0), hidden)


def seen(used: pa.Table, newest: int) -> pa.Table:
    """Uses of clues as rows like tables.PAIRS, each one use; those from `newest` on, the corpus's newest year or 0 if
    none is known, count as its own."""
    year = used["year"].to_numpy()
    fresh = (year >= newest) & (newest > 0)
    counts = {"count": np.ones(len(used)), "latest": fresh, "last": year, "previous": np.where(fresh, 0, year)}
    columns = {name: pa.array(values).cast(tables.PAIRS.field(name).type) for name, values in counts.items()}
    return pa.table({name: used[name] for name in ("key", "clue", "answer")} | columns, schema=tables.PAIRS)


def _merged(pairs: pa.Table) -> pa.Table:
    """One row per key and answer, sorted by both, with what was counted; the wording is the last one seen."""
    ordered = pairs.sort_by([("last", "ascending"), ("clue", "ascending")])
    return _grouped(ordered, ["key", "answer"], {"clue": "last", **GATHERED}, tables.PAIRS)


def _answers(pairs: pa.Table, listed: pa.Table) -> pa.Table:
    """The answer table but for the type of its answers: of all that were used or listed, with the first text of any."""
    rows = pa.concat_tables([pairs.drop_columns(["key", "clue"]), listed], promote_options="default")
    return _grouped(rows, ["answer"], {"text": "first", **GATHERED, "score": "max"}, tables.ANSWERS)


def _grouped(rows: pa.Table, by: list[str], how: Mapping[str, str], kinds: pa.Schema) -> pa.Table:
    """A table of these `kinds`: one row for all `rows` that are equal `by` some columns, sorted by those, the others
    gathered as `how` says. A number that no row has is 0."""
    found = rows.group_by(by, use_threads=False).aggregate(list(how.items()))  # threads would mix first and last
    columns = []
    for kind in kinds:
        column = found[kind.name if kind.name in by else f"{kind.name}_{how[kind.name]}"].cast(kind.type)
        columns.append(column if pa.types.is_string(kind.type) else pc.fill_null(column, 0))
    return pa.table(columns, schema=kinds).sort_by([(name, "ascending") for name in by]).combine_chunks()


def _postings(keys: pa.StringArray) -> dict[str, NDArray[np.generic]]:
    """Feature -> clues, and the length of each clue's TF-IDF vector.

    A clue's vector has, for each of its features, the inverse document frequency times features.KIND_WEIGHT.
    """
    rows, codes, kinds = features.features(keys.to_pylist())
    order = np.lexsort((rows, codes))
    once = order[lookup.begins(codes[order], rows[order])]
    rows, codes, kinds = rows[once], codes[once], kinds[once]
    starts = lookup.begins(codes)
    sizes = np.diff(np.append(starts, len(codes)))
    weight = np.repeat(features.inverse_frequency(sizes, len(keys)), sizes) * features.KIND_WEIGHT[kinds]
    norms = np.sqrt(np.bincount(rows, weights=weight**2, minlength=len(keys)))
    return {
        "features": codes[starts],
        "starts": np.append(starts, len(codes)),
        "rows": rows,
        "norms": np.maximum(norms, 1e-6),
    }


def _write_table(path: Path, table: pa.Table) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="lz4", use_dictionary=False, write_page_checksum=True)


def write_learned(folder: Path, learned: Mapping[str, Any]) -> None:
    """Writes what was fitted, by the keys of schema, under the index `folder`."""
    (folder / schema.LEARNED).write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")


def held(part: Partition, again: NDArray[np.int64] | int = 0) -> tuple[pa.Table, pa.Table]:
    """All that is in `part`: its clues with answers, rows of tables.PAIRS, and its answers, as `listed`.

    What was counted beside the clues, as the starter's answers were in an index that began with it, stays so, but for
    so many uses of each answer that come `again`.
    """
    answers = pa.array(part.names.astype(str), pa.string()).take(pa.array(part.clue_answer))
    pairs = part.clue_table().set_column(2, "answer", answers).cast(tables.PAIRS)
    beside = part.count - np.bincount(part.clue_answer, part.clue_count, len(part.names)).astype(np.int64)
    return pairs, listed(part, np.maximum(beside - again, 0), part.last, part.previous)


def listed(part: Partition, beside: Years, last: Years, previous: Years) -> pa.Table:
    """The answers of `part`, rows of tables.LISTED, and behind those the columns of what is known `beside` clues.

    That is how often they were used, in which year for the last time, and for the last time before the newest year.
    The score of an answer that no list has is null, and so is a number that is 0.
    """
    names = pa.array(part.names.astype(str), pa.string())
    found = pa.table([names, part.texts, pa.array(part.score, mask=part.score == 0)], schema=tables.LISTED)
    counted = {"count": beside, "latest": np.zeros(len(names)), "last": last, "previous": previous}
    for name, values in counted.items():
        column = pa.array(values, mask=values == 0).cast(tables.ANSWERS.field(name).type)
        found = found.append_column(name, column)
    return found


def answer_order(part: Partition) -> NDArray[np.uint32]:
    """The rows of the clue table in the order of their answers: the order in which clue embeddings are kept."""
    return np.argsort(part.clue_answer, kind="stable").astype(np.uint32)


def write_clue_embeddings(folder: Path, length: int, embeddings: NDArray[np.int8], order: NDArray[np.uint32]) -> None:
    """Writes the `embeddings` of the clues of one length under the index `folder`, in the `answer_order`."""
    for name, values in (("clues", embeddings), ("by-answer", order)):
        arrays.save(folder / schema.encoder_file(schema.TRANSFORMER, length, name), values)
