"""Features of listed strings for a regression: their lists, ranks, words, and letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis import text
from regis.index.storage import parquet
from regis.models import arrays
from regis.models.strings.letter_model import LetterModel
from regis.puzzle import alphabet

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_WORDS = 4  # words of a string; more count as this many
LENGTH_GROUPS = (5, 6, 8, 11)  # first lengths of groups in which the number of words means different things
LIST_COUNT_STEPS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20)  # numbers of lists with a string; each step makes it likelier


class ListedStrings(NamedTuple):
    answers: pa.StringArray  # in order of arrival
    word_counts: NDArray[np.int64]  # (strings,) the most words in any list
    string_index: NDArray[np.int64]  # (memberships,) ascending
    list_numbers: NDArray[np.int64]  # (memberships,)
    list_ranks: NDArray[np.float64]  # (memberships,) 0 to 1, the list's rank of the string

    @classmethod
    def from_rows(cls, list_rows: pa.Table) -> ListedStrings:
        """Collect rows of LISTED_SCHEMA that aren't coined; of equal rows in a list, the best counts."""
        string_index, answers = distinct_answers(list_rows)
        numbers = list_rows["list"].to_numpy().astype(np.int64)
        ranks = list_rows["score"].to_numpy().astype(np.float64)
        spaces = pc.count_substring(pc.fill_null(list_rows["text"], ""), " ").to_numpy()
        word_counts = np.ones(len(answers), np.int64)
        np.maximum.at(word_counts, string_index, spaces + 1)
        order = np.lexsort((-ranks, numbers, string_index))
        order = order[arrays.run_starts(string_index[order], numbers[order])]
        return cls(answers, word_counts, string_index[order], numbers[order], ranks[order])

    def take(self, rows: NDArray[np.int64]) -> ListedStrings:
        """Return the strings at `rows`, ascending."""
        new_index = np.full(len(self.answers), -1)
        new_index[rows] = np.arange(len(rows))
        string_index = new_index[self.string_index]
        stays = string_index >= 0
        columns = (string_index[stays], self.list_numbers[stays], self.list_ranks[stays])
        return ListedStrings(self.answers.take(pa.array(rows)), self.word_counts[rows], *columns)

    def split_batches(self) -> Iterator[ListedStrings]:
        """Yield a part of the strings at a time, because their features take memory."""
        for rows in np.array_split(np.arange(len(self.answers)), len(self.answers) // 200_000 + 1):
            yield self.take(rows)

    @property
    def letters(self) -> NDArray[np.uint8]:
        """Return the letter table, (strings, length), 0 to 25."""
        return letter_table(self.answers)


class FeatureMaker:
    def __init__(self, list_count: int, trigram_counts: NDArray[np.float64]) -> None:
        self.letter_model = LetterModel.from_trigrams(trigram_counts)
        self.list_sizes = np.zeros(list_count)
        self._rank_bounds = np.array([np.full(list_count, np.inf), np.full(list_count, -np.inf)])
        starts = np.cumsum([0, list_count, list_count, list_count, text.MAX_ANSWER_LENGTH + 1, MAX_WORDS + 1,
                            (MAX_WORDS + 1) * (len(LENGTH_GROUPS) + 1), len(LIST_COUNT_STEPS), 2])  # fmt: skip
        *self._starts, self.feature_count = starts.tolist()

    def count_rows(self, list_rows: pa.Table) -> None:
        """Count the strings of each list, and record whether it ranks them."""
        numbers, ranks = list_rows["list"].to_numpy(), list_rows["score"].to_numpy()
        self.list_sizes += np.bincount(numbers, minlength=len(self.list_sizes))
        np.minimum.at(self._rank_bounds[0], numbers, ranks)
        np.maximum.at(self._rank_bounds[1], numbers, ranks)

    def make_features(self, strings: ListedStrings) -> csr_matrix:
        """Return the features of strings, (strings, feature_count)."""
        from scipy.sparse import csr_matrix

        letters = strings.letters
        count, length = letters.shape
        members, rank, top, of_length, of_words, of_both, of_lists, of_letters = self._starts
        rows, numbers = strings.string_index, strings.list_numbers
        is_ranked = (self._rank_bounds[0] < self._rank_bounds[1])[numbers]
        ranked_rows, ranked_numbers, ranks = rows[is_ranked], numbers[is_ranked], strings.list_ranks[is_ranked]
        log_ranks = -np.log(1 - ranks + 1 / self.list_sizes[ranked_numbers])
        words = np.minimum(strings.word_counts, MAX_WORDS)
        length_group = np.searchsorted(LENGTH_GROUPS, length, side="right")
        every_row, ones = np.arange(count), np.ones(count)
        blocks = [
            (rows, members + numbers, np.ones(len(rows))),
            (ranked_rows, rank + ranked_numbers, ranks),
            (ranked_rows, top + ranked_numbers, log_ranks),
            (every_row, np.full(count, of_length + length), ones),
            (every_row, of_words + words, ones),
            (every_row, of_both + words * (len(LENGTH_GROUPS) + 1) + length_group, ones),
        ]
        list_counts = np.bincount(rows, minlength=count)
        for step, least in enumerate(LIST_COUNT_STEPS):
            enough = np.flatnonzero(list_counts >= least)
            blocks.append((enough, np.full(len(enough), of_lists + step), np.ones(len(enough))))
        letter_logp = self.letter_model.string_logliks(letters) / length + 3.0
        for power in (1, 2):
            blocks.append((every_row, np.full(count, of_letters + power - 1), letter_logp**power))
        row, column, value = (np.concatenate([block[k] for block in blocks]) for k in range(3))
        return csr_matrix((value, (row, column)), (count, self.feature_count))


def distinct_answers(list_rows: pa.Table) -> tuple[NDArray[np.int64], pa.StringArray]:
    """Return the index of each row's answer among the distinct answers, (rows,), and these in order of arrival."""
    encoded = list_rows["answer"].combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary


def letter_table(answers: pa.StringArray) -> NDArray[np.uint8]:
    return parquet.to_utf8_bytes(answers)[1].reshape(len(answers), -1) - alphabet.ASCII_A
