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
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.index import arrays, schema, writer
from regis.index.partition import Partition
from regis.index.reader import Index
from regis.index.relations import write_forms
from regis.models import lookup
from regis.models.embedding import DIMENSIONS, AnswerVectors, Bytes, Encoder, quantised
from regis.models.ngram import trigram_counts
from regis.models.transformer import REDUCED, Transformer, to_bytes

ALIKE = 10  # how many answers a new one is the mean of


def merge(index: Index, folder: Path, length: int, used: pa.Table) -> writer.Written:
    """Writes into `folder` all tables of `length` of `index`, with the clues `used` (rows of schema.USED) in them.

    Trigrams are those of answers that were not used before.
    """
    part = index[length]
    names = pa.array(part.names.astype(str), pa.string())
    before = part.clue_table().set_column(2, "answer", names.take(pa.array(part.clue_answer))).cast(schema.PAIRS)
    pairs = pa.concat_tables([before, writer.seen(used, index.manifest.newest_year or 0)])
    listed = pa.table([names, part.texts, pa.array(part.score)], schema=schema.LISTED)
    done = writer.write_tables(folder, length, pairs, listed)
    merged = Partition(folder, length, {"clues": done.clues, "answers": done.answers})
    moved, _ = lookup.place(merged.names, part.names)
    if index.relations is not None:
        words, rows, endings = index.relations.forms(length, len(part.names))
        write_forms(folder, length, words, moved[rows], endings)
    clues: dict[str, list[str]] = {}
    for answer, clue in zip(used["answer"].to_pylist(), used["clue"].to_pylist(), strict=True):
        clues.setdefault(answer, []).append(clue)
    fresh = np.setdiff1d(np.arange(len(merged.names)), moved)
    said = [clues.get(name.decode(), []) for name in merged.names[fresh]]
    for home, encoder in ((schema.ENCODER, index.encoder), (schema.TRANSFORMER, index.transformer)):
        if encoder is not None:
            known = part.vectors(home)
            new = _newcomers(part, known, encoder, said)
            for name, old, added in zip(("answers", "scales", "bias"), _columns(known), new, strict=True):
                values = np.empty((len(merged.names), *old.shape[1:]), old.dtype)
                values[moved], values[fresh] = old, added
                arrays.save(folder / schema.encoder_file(home, length, name), values)
    if index.transformer is not None:
        _write_clue_embeddings(index, folder, part, merged)
    return done._replace(trigrams=done.trigrams - trigram_counts(part.letters, (part.count > 0).astype(np.float64)))


def _write_clue_embeddings(index: Index, folder: Path, before: Partition, after: Partition) -> None:
    """What clues mean: embeddings that were there move along, the transformer reads new clues."""
    order = writer.answer_order(after)
    embeddings = np.zeros((len(order), REDUCED), np.int8)
    was = pc.index_in(_keyed(after), value_set=_keyed(before).take(pa.array(before.clues_by_answer)))
    known = pc.fill_null(was, -1).to_numpy().astype(np.int64)[order]
    embeddings[known >= 0] = before.clue_embeddings[known[known >= 0]]
    fresh = np.flatnonzero(known < 0)
    said = index.clue_embeddings(after.clue_column.take(pa.array(order[fresh])).to_pylist())
    assert said is not None, "only where there is a transformer"
    embeddings[fresh] = to_bytes(said)
    writer.write_clue_embeddings(folder, after.length, embeddings, order)


def _keyed(part: Partition) -> pa.StringArray:
    """Each clue's key and answer in one string."""
    answers = pa.array(part.names.astype(str), pa.string()).take(pa.array(part.clue_answer))
    return pc.binary_join_element_wise(part.key_column, answers, "\t")


def _columns(vectors: AnswerVectors) -> tuple[NDArray[Any], ...]:
    """Vectors as they are written: answers, scales, bias."""
    assert isinstance(vectors.table, Bytes), "an index with clues is not packed"
    return *vectors.table, vectors.bias.astype(np.float16)


def _newcomers(
    part: Partition, known: AnswerVectors, encoder: Encoder | Transformer, said: Sequence[Sequence[str]]
) -> tuple[NDArray[Any], ...]:
    """The same for new answers with these clues.

    Vectors are zeros, no opinion, where the encoder knows no answer of the length.
    """
    vectors = np.zeros((len(said), DIMENSIONS), np.float32)
    bias = np.zeros(len(said), np.float32)
    if len(known.bias):
        once = known.bias[part.count == 1]
        bias += (once if len(once) else known.bias).mean()
        for row, clues in enumerate(said):
            best = np.argsort(-known.score(encoder.encode(clues)), axis=1)[:, :ALIKE]
            vectors[row] = known.table.unpacked(best.ravel()).mean(axis=0)
    return _columns(AnswerVectors(Bytes(*quantised(vectors)), bias))
