"""Clues that come to an index which is there: the tables of one answer length, merged with what is new.

Answers are sorted, so a new one moves the rows behind it, and whatever goes by those rows moves along: clues, the forms
of relations, the encoders' answers. What was learned from the corpus as a whole stays, until the index is built or
taught again: weights, pieces of phrases, the words of clues as answers, which relations lead to a new answer.

Nobody has taught the encoders a new answer. It gets the mean vector of those answers that the encoder thinks best of
for its clue, which makes it likelier by clues like that one, and by no others (measured: docs/measured.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.index import schema, writer
from regis.index.partition import Partition
from regis.index.reader import Index
from regis.index.relation_writer import write_forms
from regis.models.embedding import DIMENSIONS, quantised
from regis.models.ngram import trigram_counts
from regis.models.transformer import GIST, in_bytes

ALIKE = 10
"""How many answers a new one is the mean of."""


NO_FORMS = (np.empty(0, np.int64),) * 3


class Encoder(Protocol):
    """The clues' side of an encoder (regis.models.embedding, regis.models.transformer)."""

    def encode(self, clues: Sequence[str]) -> NDArray[np.float32]: ...


class Merged(NamedTuple):
    """What an answer length holds now."""

    clues: int
    answers: int
    trigrams: NDArray[np.float64]  # (27, 27, 27): counts over answers that were not used before


def merge(index: Index, folder: Path, length: int, asked: pa.Table) -> Merged:
    """Writes into `folder` all tables of `length` of `index`, with the spilled clues `asked` (see `spill`) in them."""
    part = index[length]
    pairs = writer.seen(asked, index.manifest.newest_year or 0)
    named = schema.NAMED.empty_table()
    before: NDArray[np.bytes_] = np.empty(0, f"S{length}")
    trigrams: NDArray[np.float64] = np.zeros((27, 27, 27))
    if part is not None:
        pairs = pa.concat_tables([_pairs(part), pairs])
        named, before = _named(part), part.names
        trigrams = -trigram_counts(part.letters, (part.count > 0).astype(np.float64))
    done = writer.write_tables(folder, length, pairs, named)
    merged = Partition(folder, length, {"clues": done.clues, "answers": done.answers}, hidden=False)
    after = merged.names
    moved = np.searchsorted(after, before)
    if index.relations is not None:
        words, rows, endings = index.relations.forms(length, len(before)) if part is not None else NO_FORMS
        write_forms(folder, length, words, moved[rows], endings)
    clues = _clues(asked)
    fresh = np.setdiff1d(np.arange(len(after)), moved)
    said = [clues.get(name.decode(), []) for name in after[fresh]]
    for home, encoder in ((schema.ENCODER, index.encoder), (schema.TRANSFORMER, index.transformer)):
        if encoder is not None:
            files = [schema.encoder_file(home, length, name) for name in ("answers", "scales", "bias")]
            for file, new in zip(files, _newcomers(part, home, encoder, said), strict=True):
                values = np.empty((len(after), *new.shape[1:]), new.dtype)
                values[fresh] = new
                if part is not None:
                    values[moved] = np.load(index.folder / file)
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                np.save(folder / file, values)
    if (index.folder / schema.TRANSFORMER).is_dir():
        _write_gists(index, folder, part, merged)
    return Merged(done.clues, done.answers, trigrams + done.trigrams)


def _write_gists(index: Index, folder: Path, before: Partition | None, after: Partition) -> None:
    """What clues mean: gists that were there move along, the transformer reads new clues."""
    order = writer.answer_order(after)
    gists = np.zeros((len(order), GIST), np.int8)
    known: NDArray[np.int64] = np.full(len(order), -1)
    if before is not None:
        was = pc.index_in(_keyed(after), value_set=_keyed(before).take(pa.array(before.clues_by_answer)))
        known = pc.fill_null(was, -1).to_numpy().astype(np.int64)[order]
        gists[known >= 0] = before.clue_gists[known[known >= 0]]
    fresh = np.flatnonzero(known < 0)
    said = index.clue_embeddings(after.clue_column.take(pa.array(order[fresh])).to_pylist())
    assert said is not None, "only where there is a transformer"
    gists[fresh] = in_bytes(said)
    writer.write_clue_embeddings(folder, after.length, gists, order)


def _keyed(part: Partition) -> pa.StringArray:
    """Each clue's key and answer in one string."""
    answers = pa.array(part.names.astype(str), pa.string()).take(pa.array(part.clue_answer))
    return pc.binary_join_element_wise(part.key_column, answers, "\t")


def _pairs(part: Partition) -> pa.Table:
    """The clue table with its answers as strings."""
    table = part.table(schema.clues_file(part.length))
    answers = pa.array(part.names[part.clue_answer].astype(str), pa.string())
    return table.set_column(2, "answer", answers).cast(schema.PAIRS)


def _named(part: Partition) -> pa.Table:
    """The answer table as what lists say."""
    table = part.table(schema.answers_file(part.length))
    columns = {"answer": pa.array(part.names.astype(str), pa.string()), "text": pc.fill_null(table["text"], "")}
    return pa.table(columns | {name: table[name] for name in ("sources", "score")}, schema=schema.NAMED)


def _clues(asked: pa.Table) -> dict[str, list[str]]:
    """The clues of each answer."""
    clues: dict[str, list[str]] = {}
    for answer, clue in zip(asked["answer"].to_pylist(), asked["clue"].to_pylist(), strict=True):
        clues.setdefault(answer, []).append(clue)
    return clues


def _newcomers(
    part: Partition | None, home: str, encoder: Encoder, said: Sequence[Sequence[str]]
) -> tuple[NDArray[Any], ...]:
    """Rows of the answers' tables, scales and biases for new answers with these clues.

    Vectors are zeros, no opinion, where the encoder knows no answer of the length.
    """
    vectors = np.zeros((len(said), DIMENSIONS), np.float32)
    bias = np.zeros(len(said), np.float32)
    if part is not None and len(part.names):
        known = part.vectors(home)
        once = known.bias[part.count == 1]
        bias += (once if len(once) else known.bias).mean()
        for row, clues in enumerate(said):
            best = np.argsort(-known.score(encoder.encode(clues)), axis=1)[:, :ALIKE]
            vectors[row] = known.table.unpacked(best.ravel()).mean(axis=0)
    return *quantised(vectors), bias.astype(np.float16)
