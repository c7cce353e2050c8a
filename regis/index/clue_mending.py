"""Clues that were read from a picture, mended by the words of past clues."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from regis.errors import IndexError_
from regis.index.index import Index
from regis.index.tables import bigram_counts
from regis.models.text import lookalike_words
from regis.models.text.lookalike_words import FeatureCounts


def mend_clue(index: Index, clue: str) -> str:
    """Spell a clue as the past clues of an index would, where letters look alike."""
    return lookalike_words.mend_clue(clue, index.get_cached(_count_features))


def _count_features(index: Index) -> FeatureCounts:
    return bigram_counts.count_features(index.partitions())


def open_mender(index_folder: Path) -> Callable[[str], str]:
    """Return what mends a clue by the index in a folder, opened when it is first asked; without one clues stay."""

    @cache
    def open_index() -> Index | None:
        try:
            index = Index.open(index_folder)
            index.get_cached(_count_features)
        except IndexError_:
            return None
        return index

    def mend(clue: str) -> str:
        index = open_index()
        return mend_clue(index, clue) if index else clue

    return mend
