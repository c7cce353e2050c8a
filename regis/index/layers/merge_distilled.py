"""What comes to an index without clues, such as the starter: its tables of one answer length, merged with what is new.

As in `merge`, whatever goes by the rows of answers moves along. Of a new clue its number is kept, as of those that were
distilled (building.distil). Vectors stay packed: those of an answer that was used more often, so that it belongs to
another tier, are packed again with that tier's codebook, and new answers with the codebook of theirs.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index.index import Index
from regis.index.layers import oov_vectors
from regis.index.layers.merge import carry_answer_rows
from regis.index.storage import parquet
from regis.index.tables import packed_postings, schema, writer
from regis.index.tables.distilled import AnswerColumns, HashedClues, write_answer_table, write_hashed_clues
from regis.index.tables.partition import Partition
from regis.models.numeric import sorted_search
from regis.models.strings.letter_model import count_trigrams
from regis.models.text import clue_features as words
from regis.puzzle.alphabet import letter_table

AnswerRows = NDArray[np.int64]


def merge_distilled_tables(
    index: Index, index_folder: Path, answer_length: int, use_rows: pa.Table, list_rows: pa.Table
) -> writer.WrittenTables:
    """Write all tables of one answer length of a distilled `index` with new clues and words merged into them.

    Parameters and result are those of `merge.merge_tables`.
    """
    part = index[answer_length]
    uses = _NewUses.from_rows(use_rows, answer_length)
    added = np.array(list_rows["answer"].to_pylist(), f"S{answer_length}")
    answers = np.unique(np.concatenate([part.answers, uses.answers, added]))
    moved_rows, _ = sorted_search.find_sorted(answers, part.answers)
    new_rows, _ = sorted_search.find_sorted(answers, uses.answers)
    decayed_uses = schema.decay_uses(uses.years, index.manifest.latest_year or 0)
    new_uses = new_rows, uses.years, decayed_uses
    use_counts = _write_answers(part, index_folder, answers, moved_rows, new_uses, list_rows)
    _write_hashed_clues(part, index_folder, moved_rows, uses, new_rows)
    _write_packed_postings(part, index_folder, moved_rows, use_rows, new_rows)
    oov_answers = oov_vectors.collect_oov_answers(np.setdiff1d(answers, part.answers), use_rows, list_rows)
    carry_answer_rows(index, index_folder, answers, oov_answers, parquet.save_packed_array)
    newly_used = (use_counts > 0).astype(np.float64)
    newly_used[moved_rows] -= part.use_counts > 0
    return writer.WrittenTables(0, len(answers), count_trigrams(letter_table(answers), newly_used))


class _NewUses(NamedTuple):
    """Uses of clues in any order: parallel arrays."""

    clue_hashes: NDArray[np.uint64]
    answers: NDArray[np.bytes_]
    years: NDArray[np.uint16]

    @classmethod
    def from_rows(cls, use_rows: pa.Table, answer_length: int) -> _NewUses:
        hashes = {key: words.hash_word(key) for key in use_rows["key"].unique().to_pylist()}
        clue_hashes = np.array([hashes[key] for key in use_rows["key"].to_pylist()], np.uint64)
        return cls(
            clue_hashes, np.array(use_rows["answer"].to_pylist(), f"S{answer_length}"), use_rows["year"].to_numpy()
        )


def _write_answers(
    part: Partition, index_folder: Path, answers: NDArray[np.bytes_], moved_rows: AnswerRows,
    uses: tuple[AnswerRows, NDArray[np.uint16], NDArray[np.uint32]], list_rows: pa.Table,
) -> NDArray[np.int64]:  # fmt: skip
    """Write the table of `answers`; return how often each was used."""
    rows, years, use_weights = uses
    use_counts = np.bincount(rows, minlength=len(answers))
    use_counts[moved_rows] += part.use_counts
    last_years = np.zeros(len(answers), np.uint16)
    last_years[moved_rows] = part.last_years
    np.maximum.at(last_years, rows, years)
    decayed_uses = np.bincount(rows, use_weights, len(answers)).astype(np.uint32)
    decayed_uses[moved_rows] += part.decayed_uses
    scores = np.full(len(answers), -np.inf, np.float32)  # no list, which may score below 0
    scores[moved_rows] = np.where(part.is_live, part.list_scores, -np.inf)
    texts = np.full(len(answers), None, object)
    texts[moved_rows] = part.display_text_array.to_pylist()
    list_positions, _ = sorted_search.find_sorted(answers, np.array(list_rows["answer"].to_pylist(), answers.dtype))
    np.maximum.at(scores, list_positions, list_rows["score"].to_numpy())
    for row, text in zip(list_positions.tolist(), list_rows["text"].to_pylist(), strict=True):
        texts[row] = texts[row] or text
    columns = AnswerColumns(answers, pa.array(texts, pa.string()), use_counts, last_years, decayed_uses, scores)
    write_answer_table(index_folder, part.length, columns)
    return use_counts


def _write_hashed_clues(
    part: Partition, index_folder: Path, moved_rows: AnswerRows, new_uses: _NewUses, answer_rows: AnswerRows
) -> None:
    """Write the numbers of past clues; those of `new_uses` have the answers `answer_rows`."""
    old_clues, old_answers, old_counts, old_years = part.hashed_clues
    clues = np.concatenate([old_clues, new_uses.clue_hashes])
    answers = np.concatenate([moved_rows[old_answers], answer_rows])
    counts = np.concatenate([old_counts, np.ones(len(answer_rows), np.uint32)])
    years = np.concatenate([old_years, new_uses.years])
    order = np.lexsort((answers, clues))
    clues, answers = clues[order], answers[order]
    starts = sorted_search.run_starts(clues, answers)
    counts, years = np.add.reduceat(counts[order], starts), np.maximum.reduceat(years[order], starts)
    write_hashed_clues(index_folder, part.length, HashedClues(clues[starts], answers[starts], counts, years))


def _write_packed_postings(
    part: Partition, index_folder: Path, moved_rows: AnswerRows, use_rows: pa.Table, answer_rows: AnswerRows
) -> None:
    """Write which words clues of each answer have; those of `use_rows` have the answers `answer_rows`."""
    features, starts, answers = part.packed_postings
    before = packed_postings.encode_pairs(np.repeat(features, np.diff(starts)), moved_rows[answers])
    more = packed_postings.pair_features(use_rows["key"].to_pylist(), answer_rows)
    pairs = sorted_search.unique_sorted(np.concatenate([before, more]))
    packed_postings.write_packed_postings(index_folder, part.length, pairs)
