"""Clues that were read from a page: mended by the words of past clues, known where a past clue is the same, and beside
their answer, once a grid is filled, near one that it had.

Measured: docs/experiments/clue-mending.md.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from regis import text
from regis.index.index import Index
from regis.index.tables import bigram_counts
from regis.models.text import lookalike_words
from regis.models.text.lookalike_words import FeatureCounts
from regis.puzzle.formats.files import KnownClue
from regis.system import paths

TRIED_CHARACTERS = string.ascii_lowercase + string.digits + " "  # for one that was misread; blanks are seen for sure


def look_up_clue(index: Index, clue: str, answer_length: int) -> KnownClue:
    """Spell a clue as past clues would where letters look alike, and find whether it is one, of an answer so long."""
    spelling = lookalike_words.mend_clue(clue, index.get_cached(_count_features))
    key = text.clue_key(spelling)
    return KnownClue(clue, spelling, bool(key) and len(index[answer_length].find_uses(key).answer_rows) > 0)


def spell_near_clue(index: Index, clue: str, answer: str) -> str | None:
    """Spell a clue as the past clue of an answer that is one letter, digit or space away from it.

    None where there is none or are several, or the answer had the clue as it is.
    """
    partition = index[len(answer)]
    row = partition.answer_row(answer)
    if row < 0 or not clue:
        return None
    spellings = {text.clue_key(other): other for other in [clue, *_list_misreadings(clue)]}
    found = [key for key in spellings if key and row in partition.find_uses(key).answer_rows]
    return spellings[found[0]] if len(found) == 1 and found[0] != text.clue_key(clue) else None


def _list_misreadings(clue: str) -> Iterator[str]:
    """List what a clue may be if a character of it was missed, misread or put in.

    Of those that count as the same the plainest comes last.
    """
    for i, character in itertools.product(range(len(clue) + 1), TRIED_CHARACTERS):
        beside = clue[i : i + 1] or clue[-1:]
        missed = character.upper() if i == 0 or clue[max(i - 1, 0) : i + 1].isupper() else character
        yield clue[:i] + missed + clue[i:]
        yield clue[:i] + (character.upper() if beside.isupper() else character) + clue[i + 1 :]
    for i in range(len(clue)):
        yield clue[:i] + clue[i + 1 :]


def _count_features(index: Index) -> FeatureCounts:
    return bigram_counts.count_features(index.partitions())


_open_index = lru_cache(maxsize=1)(Index.open)


def look_up_clue_by_folder(clue: str, answer_length: int, index_folder: Path | None = None) -> KnownClue:
    """Look up a clue in the index in a folder, None for the one that is used.

    Raises
    ------
    IndexError_ : it is not there, damaged, or cannot be read now.
    UsageError : no folder can be chosen.
    """
    return look_up_clue(_open_index(paths.index_folder(index_folder)), clue, answer_length)
