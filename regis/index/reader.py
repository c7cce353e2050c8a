"""An index, opened: its manifest, its partitions by answer length, and what was learned from it.

Opening reads the manifest and checks that every file is there; nothing else is touched until it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from regis import text
from regis.errors import IndexDamaged, UsageError
from regis.index import manifest, schema
from regis.index.partition import UNREADABLE, Partition, must
from regis.index.relations import Relations
from regis.models.embedding import BUCKETS, DIMENSIONS, Bytes, Encoder
from regis.models.ngram import LetterModel
from regis.models.quantization import Packed, read_book
from regis.models.segmentation import PhraseModel
from regis.models.transformer import AXES, GIST, Transformer, cut_down
from regis.models.unlisted import StringModel

T = TypeVar("T")

NOTHING = {"clues": 0, "answers": 0}
"""Rows of a length that an index does not hold."""


class Index:
    """An index that is open. `index[5]` is the partition of five-letter answers, an empty one if there are none."""

    def __init__(self, folder: Path, record: manifest.Manifest, hidden: bool = False) -> None:
        self.folder = folder
        self.manifest = record
        self._hidden = hidden
        self._partitions: dict[int, Partition] = {}
        self._derived: dict[Callable[[Index], Any], Any] = {}

    @classmethod
    def open(cls, folder: Path) -> Index:
        """The index at `folder`. Raises IndexMissing, IndexOutdated or IndexDamaged."""
        folder = Path(folder)
        before = folder.with_name(folder.name + ".previous")
        if not folder.exists() and before.is_dir():
            folder = before  # a build was killed between its last two renames; see writing.publish
        return cls(folder, manifest.read(folder))

    @classmethod
    def with_clues(cls, folder: Path) -> Index:
        """The same, for what needs the clues themselves. Raises UsageError too, where the index is distilled."""
        index = cls.open(folder)
        if index.manifest.distilled:
            raise UsageError(f"the index at {folder} is distilled, it holds no clues; do this with one that was built")
        return index

    @property
    def fingerprint(self) -> str:
        return self.manifest.fingerprint

    def as_it_was(self) -> Index:
        """The same index before the newest year in it: that year's rows hidden, its counts taken off."""
        return Index(self.folder, self.manifest, hidden=True)

    @property
    def lengths(self) -> list[int]:
        """The answer lengths that the index holds, ascending."""
        return sorted(map(int, self.manifest.lengths))

    def __getitem__(self, length: int) -> Partition:
        if length not in self._partitions:
            sizes = self.manifest.lengths.get(str(length), NOTHING)
            self._partitions[length] = Partition(self.folder, length, sizes, self._hidden)
        return self._partitions[length]

    def parts(self) -> Iterator[Partition]:
        """The partitions of all lengths, the shortest first."""
        yield from map(self.__getitem__, self.lengths)

    def derived(self, make: Callable[[Index], T]) -> T:
        """`make(index)`, made once: what others work out of an index is kept as long as the index is."""
        if make not in self._derived:
            self._derived[make] = make(self)
        made: T = self._derived[make]
        return made

    def holds(self, clue: str, answer: str) -> bool:
        """Whether exactly this clue (by its key) stands in the index with this answer."""
        return self.last(clue, answer) is not None

    def last(self, clue: str, answer: str) -> int | None:
        """The newest year of this clue (by its key) with this answer, 0 if unknown; None if the index has not both."""
        part = self[len(answer)]
        if (row := part.answer_row(answer)) < 0:
            return None
        uses = part.uses(text.clue_key(clue))
        years = uses.last[uses.answers == row]
        return int(years.max()) if len(years) else None

    @cached_property
    def encoder(self) -> Encoder | None:
        """The learned clue encoder, None if this index has none."""
        folder = self.folder / schema.ENCODER
        if not folder.is_dir():
            return None
        try:
            scales = np.load(folder / "feature-scales.npy", mmap_mode="r").view(np.ndarray)
            must(scales.dtype == np.float16 and scales.shape == (BUCKETS,) and bool(np.isfinite(scales).all()))
            if self.manifest.distilled:
                codes = np.load(folder / "feature-codes.npy", mmap_mode="r").view(np.ndarray)
                must(codes.dtype == np.uint8 and codes.shape == (BUCKETS, schema.FEATURE_PIECES))
                book = read_book(folder / "feature-book.npy", schema.FEATURE_PIECES, DIMENSIONS)
                return Encoder(Packed(codes, scales, book, DIMENSIONS))
            table = np.load(folder / "features.npy", mmap_mode="r").view(np.ndarray)
            must(table.dtype == np.int8 and table.shape == (BUCKETS, DIMENSIONS))
            return Encoder(Bytes(table, scales))
        except UNREADABLE as cause:
            raise self._damaged(schema.ENCODER) from cause

    @cached_property
    def transformer(self) -> Transformer | None:
        """The strong clue encoder, None if this index has none."""
        folder = self.folder / schema.TRANSFORMER
        if not folder.is_dir():
            return None
        try:
            return Transformer(folder)
        except UNREADABLE as cause:
            raise self._damaged(schema.TRANSFORMER) from cause

    def clue_embeddings(self, clues: Sequence[str]) -> NDArray[np.float32] | None:
        """What `clues` mean beside past clues, unit vectors (clues, GIST); None without a transformer or past clues."""
        if self.transformer is None or self.manifest.distilled:
            return None
        return cut_down(self.transformer.encode(clues), self._axes)

    @cached_property
    def _axes(self) -> NDArray[np.float32]:
        """What cuts vectors down to gists, (DIMENSIONS, GIST): unit vectors, each perpendicular to all others."""
        try:
            axes = np.load(self.folder / schema.TRANSFORMER / AXES, allow_pickle=False)
            must(axes.dtype == np.float32 and axes.shape == (DIMENSIONS, GIST) and bool((np.abs(axes) < 2).all()))
            must(np.allclose(axes.T @ axes, np.eye(GIST), atol=1e-3))
            return np.asarray(axes)
        except UNREADABLE as cause:
            raise self._damaged(schema.TRANSFORMER) from cause

    @cached_property
    def relations(self) -> Relations | None:
        """What thesauri and dictionaries say, None if no source of this index was one."""
        if not (self.folder / schema.RELATED).is_dir():
            return None
        return Relations(self.folder, len(self.manifest.publishers))

    @cached_property
    def letters(self) -> LetterModel:
        """The letter model over all answers of the index."""
        return LetterModel.from_counts(self.trigrams)

    @cached_property
    def trigrams(self) -> NDArray[np.float64]:
        """(27, 27, 27): how often each letter follows which two in answers that were used (regis.models.ngram)."""
        try:
            counts: NDArray[np.float64] = np.load(self.folder / schema.LETTERS, allow_pickle=False)
            must(counts.dtype == np.float64 and counts.shape == (27, 27, 27))
            must(bool(((counts >= 0) & (counts < 1e12)).all()))
            return counts
        except UNREADABLE as cause:
            raise self._damaged(schema.LETTERS) from cause

    @cached_property
    def learned(self) -> dict[str, Any]:
        """What was fitted when the index was built: `learned.json`."""
        try:
            values = json.loads((self.folder / schema.LEARNED).read_text(encoding="utf-8"))
        except UNREADABLE as cause:
            raise self._damaged(schema.LEARNED) from cause
        if not isinstance(values, dict):
            raise self._damaged(schema.LEARNED)
        return values

    @cached_property
    def strings(self) -> StringModel:
        """What answers in no list look like: the letter model, and the phrase model if the index has one."""
        path = self.folder / schema.PHRASES
        if not path.is_file():
            return StringModel(self.letters)
        try:
            table = pq.read_table(path, page_checksum_verification=True)
            pieces = table["piece"].to_pylist()
            chances = np.stack([table[name].to_numpy() for name in ("first", "middle", "last")]).astype(np.float64)
            must(bool(np.isfinite(chances).all()) and bool((chances >= 0).all()))
            must(all(piece.isascii() and piece.isalpha() and piece.isupper() for piece in pieces))
        except UNREADABLE as cause:
            raise self._damaged(schema.PHRASES) from cause
        try:
            share = {int(n): float(p) for n, p in self.learned["phrases"]["share"].items()}
            must(all(0 <= p < 1 for p in share.values()))
        except UNREADABLE as cause:
            raise self._damaged(schema.LEARNED) from cause
        return StringModel(self.letters, PhraseModel(pieces, chances), share)

    @cached_property
    def lean(self) -> float:
        """How far a clue's meaning leans the pieces of an unlisted answer; 0 without an encoder."""
        try:
            lean = float(self.learned["phrases"]["lean"])
            must(0 <= lean < 10)
        except UNREADABLE as cause:
            raise self._damaged(schema.LEARNED) from cause
        return lean if self.encoder is not None else 0.0

    def _damaged(self, name: str) -> IndexDamaged:
        return manifest.damaged(self.folder, name)
