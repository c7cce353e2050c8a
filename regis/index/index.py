"""An index, opened: its manifest, its partitions by answer length, and what was learned from it.

Opening reads the manifest and checks that every file is there; nothing else is touched until it is asked for. An index
that is open stays as it is, also when another takes its place on the disk (regis.system.held).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.errors import IndexError_, IndexUnreadable, UsageError
from regis.index import bigrams, columns, learned, listing, manifest, opening, publish, schema, vectors
from regis.index.opening import must, reading
from regis.index.partition import Partition
from regis.index.relations import Relations
from regis.models.bigrams import Bigrams
from regis.models.embedding import DIMENSIONS, Encoder
from regis.models.ngram import LetterModel
from regis.models.reader import Reader
from regis.models.short_strings import ShortStrings
from regis.models.transformer import AXES, REDUCED, Transformer, reduced
from regis.models.unlisted import StringModel
from regis.system import paths
from regis.system.held import Held, hold

T = TypeVar("T")

NOTHING = {"clues": 0, "answers": 0}  # rows of a length that an index does not hold


class Index:
    """An index that is open. `index[5]` is the partition of five-letter answers, an empty one if there are none."""

    def __init__(self, home: Path | Held, record: manifest.Manifest, hidden: bool = False) -> None:
        """The tables in the folder `home`, whose files are as they are, if nothing is listed for it (`open` does)."""
        self.home = home if isinstance(home, Held) else Held(home)
        self.manifest = record
        self.hidden = hidden  # whether it is as it was before its newest year
        self._partitions: dict[int, Partition] = {}
        self._books = vectors.Books(self.home)
        self._derived: dict[Callable[[Index], Any], Any] = {}

    @classmethod
    def open(cls, folder: Path) -> Index:
        """The index at `folder`. Raises IndexMissing, IndexOutdated, IndexDamaged or IndexUnreadable."""
        with opening.readable(folder):
            home = hold(lambda: paths.standing(Path(folder)))
        record = opening.read(home)
        home.listed, home.kept = record.listed, columns.kept(record)
        return cls(home, record)

    @classmethod
    def finished(cls, folder: Path, record: manifest.Manifest) -> Index:
        """The index whose tables are finished in `folder`, with its manifest `record`, opened."""
        (folder / manifest.NAME).write_bytes(listing.with_files(record, folder).to_json().encode())
        index = cls.open(folder)
        index.home.kept = None  # most are on their way to somewhere else
        return index

    @classmethod
    def same(cls, folder: Path, fingerprint: str) -> Index:
        """The index of this fingerprint that is or was at `folder`; it is there while somebody has it open.

        On another machine it may also be what that would use by itself, or the starter. Raises IndexUnreadable if it
        is nowhere.
        """
        for place in (folder, *publish.replaced(folder), paths.index(), *filter(None, [paths.starter()])):
            with suppress(IndexError_):
                index = cls.open(place)
                if index.fingerprint == fingerprint:
                    return index
        raise IndexUnreadable(
            f"no index {fingerprint} is at {folder}, it was deleted or replaced, or never there; do this again"
        )

    @classmethod
    def with_clues(cls, folder: Path) -> Index:
        """The index at `folder`, for what needs the clues themselves.

        Raises as `open` does, and UsageError where the index is distilled.
        """
        index = cls.open(folder)
        if index.manifest.distilled:
            raise UsageError(f"the index at {folder} is distilled, it holds no clues; do this with one that was built")
        return index

    def __copy__(self) -> Index:
        return self

    def __deepcopy__(self, memo: object) -> Index:
        """Itself: nothing of it changes."""
        return self

    def __reduce__(self) -> str:
        """What is open is held by this process, and mapped into its memory."""
        raise UsageError(f"an open index stays in the process that opened it; give another its path, {self.folder}")

    @property
    def folder(self) -> Path:
        """Where the index was opened."""
        return self.home.folder

    @property
    def fingerprint(self) -> str:
        return self.manifest.fingerprint

    def as_it_was(self) -> Index:
        """The same index before the newest year in it: that year's rows hidden, its counts taken off.

        Letters, pieces of phrases and relations stay as they are: of one year among many they hardly depend.
        """
        return Index(self.home, self.manifest, hidden=True)

    @property
    def lengths(self) -> list[int]:
        """The answer lengths that the index holds, ascending."""
        return sorted(map(int, self.manifest.lengths))

    def __getitem__(self, length: int) -> Partition:
        if length not in self._partitions:
            sizes = self.manifest.lengths.get(str(length), NOTHING)
            self._partitions[length] = Partition(
                self.home, length, sizes, hidden=self.hidden, distilled=self.manifest.distilled, books=self._books
            )
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

    def kept(
        self, name: str, make: Callable[[], Iterable[NDArray[Any]]], fits: Callable[[Sequence[NDArray[Any]]], bool]
    ) -> Sequence[NDArray[Any]]:
        """The arrays that `make` works out of this index, once where unpacked columns are kept (columns.once)."""
        return columns.once(self.home, name, make, fits)

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
        return learned.encoder(self.home)

    @cached_property
    def transformer(self) -> Transformer | None:
        """The strong clue encoder, None if this index has none."""
        with reading(self.home, schema.TRANSFORMER):
            home = self.home / schema.TRANSFORMER
            return Transformer(home) if home.is_dir() else None

    @property
    def reads(self) -> bool:
        """Whether it has what reads a clue and an answer together, which takes a while to open."""
        with reading(self.home, schema.READER):
            return (self.home / schema.READER).is_dir()

    @cached_property
    def reader(self) -> Reader | None:
        """What reads a clue and an answer together, None if this index has none."""
        return learned.reader(self.home) if self.reads else None

    @property
    def encoders(self) -> dict[str, Encoder | Transformer]:
        """The clue encoders that this index has, by their folders in it."""
        both = {schema.ENCODER: self.encoder, schema.TRANSFORMER: self.transformer}
        return {home: encoder for home, encoder in both.items() if encoder is not None}

    @property
    def embeds(self) -> bool:
        """Whether the transformer has read its past clues, so that others can be compared with them."""
        with reading(self.home, schema.TRANSFORMER):
            return (self.home / schema.TRANSFORMER / AXES).is_file()

    def clue_embeddings(self, clues: Sequence[str]) -> NDArray[np.float32] | None:
        """What `clues` mean beside past clues, (clues, REDUCED) unit vectors; None where those were not read."""
        if self.transformer is None or not self.embeds:
            return None
        return reduced(self.transformer.encode(clues), self._axes)

    @cached_property
    def _axes(self) -> NDArray[np.float32]:
        """What cuts vectors down to embeddings, (DIMENSIONS, REDUCED): unit vectors, perpendicular to each other."""

        def unit(values: NDArray[np.float32]) -> bool:
            return bool((np.abs(values) < 2).all()) and np.allclose(values.T @ values, np.eye(REDUCED), atol=1e-3)

        return columns.read(self.home, f"{schema.TRANSFORMER}/{AXES}", np.float32, (DIMENSIONS, REDUCED), unit)

    @cached_property
    def relations(self) -> Relations | None:
        """What thesauri and dictionaries say, None if no source of this index was one."""
        with reading(self.home, schema.RELATED):
            there = (self.home / schema.RELATED).is_dir()
        return Relations(self.home, len(self.manifest.publishers)) if there else None

    @cached_property
    def letters(self) -> LetterModel:
        """The letter model over all answers that were used."""
        return LetterModel.from_counts(self.trigrams)

    @cached_property
    def trigrams(self) -> NDArray[np.float64]:
        """(27, 27, 27): how often each letter follows which two in answers that were used (regis.models.ngram)."""
        shape = 27, 27, 27
        return columns.read(self.home, schema.LETTERS, np.float64, shape, lambda v: ((v >= 0) & (v < 1e12)).all())

    @cached_property
    def learned(self) -> dict[str, Any]:
        """What was fitted when the index was built: `learned.json`."""
        with reading(self.home, schema.LEARNED):
            values = json.loads((self.home / schema.LEARNED).read_bytes())
            must(isinstance(values, dict))
            return dict(values)

    @cached_property
    def strings(self) -> StringModel:
        """What answers in no list look like: the letter model, and the phrase model if the index has one."""
        home, record, hidden = self.home, self.manifest, self.hidden  # itself would hold it, and it itself

        def again() -> Index:
            return Index(home, record, hidden)

        def listed(length: int) -> NDArray[np.uint8]:
            part = again()[length]
            return part.letters[part.exists]

        short = ShortStrings(self.letters, listed)
        return learned.strings(home, short, self.learned, lambda words: again().bigrams(words))

    def bigrams(self, words: NDArray[np.bytes_]) -> Bigrams:
        """Which of `words` follow which in past clues."""

        def fits(found: Sequence[NDArray[Any]]) -> bool:
            kinds, sizes = [values.dtype.name for values in found], [len(values) for values in found]
            typed = kinds[:1] in (["uint32"], ["uint64"]) and kinds[1:] == ["float32", "uint64", "float32"]
            return typed and sizes == [sizes[0]] * 2 + [len(words)] * 2

        name = "bigrams before" if self.hidden else "bigrams"
        return Bigrams(*self.kept(name, lambda: bigrams.counted(self.parts(), words), fits))

    @cached_property
    def lean(self) -> float:
        """How far a clue's meaning leans the pieces of an unlisted answer; 0 without an encoder."""
        with reading(self.home, schema.LEARNED):
            lean = float(self.learned["phrases"]["lean"])
            must(0 <= lean < 10)
        return lean if self.encoder is not None else 0.0
