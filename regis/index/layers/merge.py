"""Merging new clues and words into the tables of one answer length.

Answers are sorted, so a new one moves the rows after it, and everything that refers to rows: clues, forms of relations,
answer vectors. What was learned from the whole corpus stays until the index is built or taught again. An index without
clue texts, such as the starter, stores only hashes and words of new clues, too.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.index.index import Index
from regis.index.layers import oov_vectors
from regis.index.relation_arrays import write_forms
from regis.index.storage.index_files import IndexFiles
from regis.index.tables import answer_vectors, writer
from regis.index.tables.partition import Partition
from regis.index.tables.vocabulary import FeatureAnswers
from regis.models import arrays
from regis.models.neural.transformer import REDUCED_DIMENSIONS, quantize_embeddings
from regis.models.strings.letter_model import count_trigrams


def merge_tables(
    index: Index, index_folder: Path, answer_length: int, use_rows: pa.Table, list_rows: pa.Table
) -> writer.WrittenTables:
    """Write all tables of one answer length of `index`, merged with rows of USE_SCHEMA and LIST_SCHEMA.

    The result counts all merged rows, but trigrams only of answers that weren't used before.
    """
    part, keeps_clues, vocabulary = index[answer_length], not index.manifest.without_clues, None
    new_pairs = writer.make_pair_rows(use_rows, index.manifest.newest_year or 0, keeps_clues=keeps_clues)
    if not keeps_clues:
        new_answers = use_rows["answer"].to_numpy(zero_copy_only=False).astype(f"S{answer_length}")
        new_words = FeatureAnswers.from_clues(use_rows["key"].to_pylist(), new_answers)
        vocabulary = FeatureAnswers.from_partition(part).concat(new_words)
    known_answers = writer.read_answer_rows(part, _count_repeated_uses(part, new_pairs, index.manifest.begun_to))
    done = writer.write_tables(
        index_folder,
        answer_length,
        pa.concat_tables([writer.read_pair_rows(part), new_pairs]),
        pa.concat_tables([known_answers, list_rows], promote_options="default"),
        vocabulary,
    )
    merged = Partition(IndexFiles(index_folder), answer_length, done.row_counts)
    oov_clues = oov_vectors.collect_oov_clues(np.setdiff1d(merged.answers, part.answers), use_rows)
    if index.relations is not None:
        write_forms(index_folder, answer_length, index.relations.move_forms(part.answers, merged.answers))
    for name, encoder in index.encoders.items():
        vectors = oov_vectors.extend_answer_vectors(part, merged.answers, name, encoder, oov_clues)
        answer_vectors.write_answer_vectors(index_folder, name, answer_length, vectors)
    if index.has_clue_embeddings:
        _extend_clue_embeddings(index, index_folder, part, merged)
    known_trigrams = count_trigrams(part.answer_letters, (part.use_counts > 0).astype(np.float64))
    return done._replace(trigram_counts=done.trigram_counts - known_trigrams)


def _count_repeated_uses(part: Partition, new_pairs: pa.Table, last_starter_year: int) -> NDArray[np.int64]:
    """Count, by answer, the starter's uses in `part` that have no clues there and now come again with clues.

    As in a build, uses up to `last_starter_year` may be the starter's (building.inheritance). Returns (2, answers): the
    number of uses, and the uses decayed by age.
    """
    repeated = new_pairs.filter(pc.less_equal(new_pairs["last"], last_starter_year or -1))
    answers = repeated["answer"].to_numpy(zero_copy_only=False).astype(part.answers.dtype)
    place, there = arrays.find_sorted(part.answers, answers)
    weights = (repeated[name].to_numpy()[there] for name in ("count", "recent"))
    return np.array([np.bincount(place[there], one, len(part.answers)) for one in weights]).astype(np.int64)


def _extend_clue_embeddings(index: Index, index_folder: Path, before: Partition, after: Partition) -> None:
    """Write the clue embeddings: move the old ones, and encode new clues."""
    order = writer.order_by_answer(after)
    embeddings = np.zeros((len(order), REDUCED_DIMENSIONS), np.int8)
    old_keys = clue_answer_keys(writer.read_pair_rows(before)).take(pa.array(before.clues_by_answer))
    old_rows = pc.fill_null(pc.index_in(clue_answer_keys(writer.read_pair_rows(after)), value_set=old_keys), -1)
    old_rows = old_rows.to_numpy().astype(np.int64)[order]
    embeddings[old_rows >= 0] = before.clue_embeddings[old_rows[old_rows >= 0]]
    new_rows = np.flatnonzero(old_rows < 0)
    new_embeddings = index.embed_clues(after.clue_texts.take_texts(order[new_rows]))
    assert new_embeddings is not None, "only where there is a transformer"
    embeddings[new_rows] = quantize_embeddings(new_embeddings)
    writer.write_clue_embeddings(index_folder, after.length, embeddings, order)


def clue_answer_keys(pair_rows: pa.Table) -> pa.StringArray:
    """Join each clue's key, or its hash, with its answer, for rows of PAIR_SCHEMA."""
    return pc.binary_join_element_wise(pair_rows["key"].cast(pa.string()), pair_rows["answer"], "\t").combine_chunks()
