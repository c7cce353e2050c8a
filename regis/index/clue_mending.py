"""Clues that were read from a picture, mended by the words of past clues."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from regis.index.index import Index
from regis.index.tables import bigram_counts
from regis.models.text import lookalike_words
from regis.models.text.lookalike_words import FeatureCounts
from regis.system import paths


def mend_clue(index: Index, clue: str) -> str:
    """Spell a clue as the past clues of an index would, where letters look alike."""
    return lookalike_words.mend_clue(clue, index.get_cached(_count_features))


def _count_features(index: Index) -> FeatureCounts:
    return bigram_counts.count_features(index.partitions())


_open_index = lru_cache(maxsize=1)(Index.open)


def mend_clue_by_folder(clue: str, index_folder: Path | None = None) -> str:
    """Spell a clue by the index in a folder, None for the one that is used.

    Raises
    ------
    IndexError_ : it is not there, damaged, or cannot be read now.
    UsageError : no folder can be chosen.
    """
    return mend_clue(_open_index(paths.index_folder(index_folder)), clue)
