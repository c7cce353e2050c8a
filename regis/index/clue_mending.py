"""Clues that were read from a picture: mended by the words of past clues, and known where a past clue is the same.

Measured: docs/experiments/clue-mending.md.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from regis import text
from regis.index.index import Index
from regis.index.tables import bigram_counts
from regis.models.text import lookalike_words
from regis.models.text.lookalike_words import FeatureCounts
from regis.puzzle.formats.files import KnownClue
from regis.system import paths


def look_up_clue(index: Index, clue: str, answer_length: int) -> KnownClue:
    """Spell a clue as past clues would where letters look alike, and find whether it is one, of an answer so long."""
    spelling = lookalike_words.mend_clue(clue, index.get_cached(_count_features))
    key = text.clue_key(spelling)
    return KnownClue(clue, spelling, bool(key) and len(index[answer_length].find_uses(key).answer_rows) > 0)


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
