"""Clues and words that come to an index which is there: the tables of one answer length, merged with what is new.

Answers are sorted, so a new one moves the rows behind it, and whatever goes by those rows moves along: clues, the forms
of relations, the encoders' answers. What was learned from the corpus as a whole stays, until the index is built or
taught again: weights, pieces of phrases, the words of clues as answers, which relations lead to a new answer. For an
index without clues `merge_packed` does the same.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.index import arrays, newcomers, vectors, writer
from regis.index.index import Index
from regis.index.partition import Partition
from regis.index.related import Save, write_forms
from regis.index.relations import renumbered
from regis.models import lookup
from regis.models.ngram import trigram_counts
from regis.models.transformer import REDUCED, to_bytes


def merge(index: Index, folder: Path, length: int, used: pa.Table, listed: pa.Table) -> writer.Written:
    """Writes into `folder` all tables of `length` of `index`, with the clues `used` and the words `listed` in them.

    Those are rows of tables.USED and tables.LISTED. Trigrams are those of answers that were not used before.
    """
    part = index[length]
    before, known = writer.held(part, _again(part, used, index.manifest.begun_to))
    pairs = pa.concat_tables([before, writer.seen(used, index.manifest.newest_year or 0)])
    done = writer.write_tables(folder, length, pairs, pa.concat_tables([known, listed], promote_options="default"))
    merged = Partition(folder, length, done.sizes)
    carry(index, folder, merged.names, newcomers.of(np.setdiff1d(merged.names, part.names), used, listed))
    if index.embeds:
        _write_clue_embeddings(index, folder, part, merged)
    return done._replace(trigrams=done.trigrams - trigram_counts(part.letters, (part.count > 0).astype(np.float64)))


def _again(part: Partition, used: pa.Table, begun_to: int) -> NDArray[np.int64]:
    """How many of the uses that `part` counts beside its clues, those of the starter, come now as clues, by answer.

    As in a build, those until the last year that the starter knew may be among its own (building.inherit).
    """
    seen = used["answer"].filter(pc.less_equal(used["year"], begun_to))
    place, there = lookup.place(part.names, seen.to_numpy(zero_copy_only=False).astype(part.names.dtype))
    return np.bincount(place[there], minlength=len(part.names)) if begun_to else np.zeros(len(part.names), np.int64)


def carry(
    index: Index, folder: Path, names: NDArray[np.bytes_], new: newcomers.Newcomers, save: Save = arrays.save
) -> None:
    """Writes what goes by the rows of answers, now `names`, `new` ones among them: forms of relations, encoders."""
    length = names.dtype.itemsize
    part = index[length]
    if index.relations is not None:
        forms = renumbered(index.relations.forms(length, len(part.names)), part.names, names)
        write_forms(folder, length, forms, save)
    for home, encoder in index.encoders.items():
        vectors.write(folder, home, length, newcomers.inherited(part, names, home, encoder, new))


def _write_clue_embeddings(index: Index, folder: Path, before: Partition, after: Partition) -> None:
    """What clues mean: embeddings that were there move along, the transformer reads new clues."""
    order = writer.answer_order(after)
    embeddings = np.zeros((len(order), REDUCED), np.int8)
    was = pc.index_in(keyed(after), value_set=keyed(before).take(pa.array(before.clues_by_answer)))
    known = pc.fill_null(was, -1).to_numpy().astype(np.int64)[order]
    embeddings[known >= 0] = before.clue_embeddings[known[known >= 0]]
    fresh = np.flatnonzero(known < 0)
    said = index.clue_embeddings(after.clue_column.of(order[fresh]))
    assert said is not None, "only where there is a transformer"
    embeddings[fresh] = to_bytes(said)
    writer.write_clue_embeddings(folder, after.length, embeddings, order)


def keyed(part: Partition) -> pa.StringArray:
    """Each clue's key and answer in one string."""
    answers = pa.array(part.names.astype(str), pa.string()).take(pa.array(part.clue_answer))
    return pc.binary_join_element_wise(pa.array(part.key_column.all, pa.string()), answers, "\t")
