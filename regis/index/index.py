"""An open index: its manifest, its partitions by answer length, and its learned models.

Opening reads the manifest and checks that every file is there; everything else is read on demand. An open index doesn't
change, even if another one replaces it on the disk (regis.index.storage.index_files).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.errors import IndexError_, IndexUnreadable, UsageError
from regis.index.relations import Relations
from regis.index.storage import manifest, publish
from regis.index.storage.index_files import IndexFiles, open_folder
from regis.index.storage.manifest import Manifest
from regis.index.storage.validation import require
from regis.index.tables import answer_vectors, learned_models, schema
from regis.index.tables.partition import Partition
from regis.models.neural.bag_encoder import BagEncoder
from regis.models.neural.cross_encoder import CrossEncoder
from regis.models.neural.transformer import REDUCED_DIMENSIONS, TransformerEncoder, reduce_vectors
from regis.models.neural.vector_table import DIMENSIONS
from regis.models.strings.letter_model import LetterModel
from regis.models.strings.semi_markov import WordBigrams
from regis.models.strings.string_model import ShortStrings, StringModel
from regis.system import paths

T = TypeVar("T")

NO_ROWS = {"clues": 0, "answers": 0}  # rows of a length that the index lacks


class Index:
    """An open index. `index[5]` is the partition of five-letter answers, empty if there are none."""

    def __init__(self, files: Path | IndexFiles, record: manifest.Manifest, hides_newest_year: bool = False) -> None:
        """Take the index in the folder `files`, which may be unfinished (`open` takes only finished ones)."""
        self.files = files if isinstance(files, IndexFiles) else IndexFiles(files)
        self.manifest = record
        self.hides_newest_year = hides_newest_year  # whether it hides its newest year
        self._partitions: dict[int, Partition] = {}
        self._codebooks = answer_vectors.IndexCodebooks(self.files)
        self._cached: dict[Callable[[Index], Any], Any] = {}

    @classmethod
    def open(cls, index_folder: Path) -> Index:
        """Open the index at `index_folder`.

        Raises IndexMissing, IndexOutdated, IndexDamaged, or IndexUnreadable.
        """
        return cls(*open_folder(Path(index_folder)))

    @classmethod
    def open_finished(cls, built_folder: Path, record: manifest.Manifest) -> Index:
        """Write the manifest `record` of finished tables into `built_folder`, and open the index."""
        publish.write_manifest(built_folder, record)
        return cls.open(built_folder)

    @classmethod
    def open_by_fingerprint(cls, index_folder: Path, fingerprint: str) -> Index:
        """Open the index with this fingerprint: one at `index_folder`, even a past one, the default, or the starter.

        Raises IndexUnreadable if none of them has it.
        """
        others = paths.index_folder(), *filter(None, [paths.starter_folder()])
        for place in (index_folder, *index_folder.glob(f"{fingerprint}*"), *others):
            with suppress(IndexError_):
                index = cls.open(place)
                if index.fingerprint == fingerprint:
                    return index
        raise IndexUnreadable(
            f"no index {fingerprint} is at {index_folder}: it was deleted, replaced, or never there; try again"
        )

    @classmethod
    def open_with_clues(cls, index_folder: Path) -> Index:
        """Open the index at `index_folder`; raises UsageError if it has no clue texts, or what `open` raises."""
        index = cls.open(index_folder)
        if index.manifest.without_clues:
            advice = "make one that has some with `regis update` or `regis build`"
            raise UsageError(f"the index at {index_folder} has no clue texts to learn from; {advice}")
        return index

    def __reduce__(self) -> str:
        """Refuse to pickle: this process has locked the files and mapped them into memory."""
        raise UsageError(f"an open index can't leave its process; pass its path instead, {self.folder}")

    @property
    def folder(self) -> Path:
        return self.files.named_folder

    @property
    def fingerprint(self) -> str:
        return self.manifest.fingerprint

    def before_newest_year(self) -> Index:
        """Return a view of the index without the rows and counts of its newest year.

        Letters, pieces of phrases, and relations stay; they hardly depend on one year.
        """
        return Index(self.files, self.manifest, hides_newest_year=True)

    @property
    def lengths(self) -> list[int]:
        """Return the answer lengths in the index, ascending."""
        return sorted(map(int, self.manifest.lengths))

    def __getitem__(self, answer_length: int) -> Partition:
        if answer_length not in self._partitions:
            self._partitions[answer_length] = Partition(
                self.files, answer_length, self.manifest.lengths.get(str(answer_length), NO_ROWS),
                hides_newest_year=self.hides_newest_year, codebooks=self._codebooks,
            )  # fmt: skip
        return self._partitions[answer_length]

    def partitions(self) -> Iterator[Partition]:
        """Yield the partitions of all lengths, the shortest first."""
        yield from map(self.__getitem__, self.lengths)

    def get_cached(self, compute: Callable[[Index], T]) -> T:
        """Return `compute(index)`, computed once per open index."""
        if compute not in self._cached:
            self._cached[compute] = compute(self)
        value: T = self._cached[compute]
        return value

    def has_pair(self, clue: str, answer: str) -> bool:
        """Return whether the index has this exact clue, by its key, with this answer."""
        return self.last_pair_year(clue, answer) is not None

    def last_pair_year(self, clue: str, answer: str) -> int | None:
        """Return the newest year of this clue, by its key, with this answer: 0 if unknown, None if they never met."""
        part = self[len(answer)]
        if (row := part.answer_row(answer)) < 0:
            return None
        uses = part.find_uses(text.clue_key(clue))
        years = uses.last_years[uses.answer_rows == row]
        return int(years.max()) if len(years) else None

    @cached_property
    def encoder(self) -> BagEncoder | None:
        return learned_models.read_encoder(self.files)

    @cached_property
    def transformer(self) -> TransformerEncoder | None:
        """Return the strong clue encoder, if any."""
        return learned_models.read_transformer(self.files)

    @property
    def has_cross_encoder(self) -> bool:
        return self.files.has_part(schema.CROSS_ENCODER)

    @cached_property
    def cross_encoder(self) -> CrossEncoder | None:
        return learned_models.read_cross_encoder(self.files) if self.has_cross_encoder else None

    @property
    def encoders(self) -> dict[str, BagEncoder | TransformerEncoder]:
        both = {schema.ENCODER: self.encoder, schema.TRANSFORMER: self.transformer}
        return {name: encoder for name, encoder in both.items() if encoder is not None}

    @property
    def has_clue_embeddings(self) -> bool:
        """Return whether past clues have embeddings from the transformer."""
        with self.files.guard(schema.TRANSFORMER):
            return "axes" in self.files.read_arrays(schema.TRANSFORMER)

    def embed_clues(self, clues: Sequence[str]) -> NDArray[np.float32] | None:
        """Embed `clues`, to compare with past clues: (clues, REDUCED) unit vectors; None without past embeddings."""
        if self.transformer is None or not self.has_clue_embeddings:
            return None
        return reduce_vectors(self.transformer.encode(clues), self._axes)

    @cached_property
    def _axes(self) -> NDArray[np.float32]:
        """Return the orthogonal unit vectors that reduce vectors to embeddings, (DIMENSIONS, REDUCED)."""

        def unit(values: NDArray[np.float32]) -> bool:
            return bool((np.abs(values) < 2).all()) and np.allclose(
                values.T @ values, np.eye(REDUCED_DIMENSIONS), atol=1e-3
            )

        return self.files.read_array(schema.TRANSFORMER, "axes", np.float32, (DIMENSIONS, REDUCED_DIMENSIONS), unit)

    @cached_property
    def relations(self) -> Relations | None:
        there = self.files.has_part(schema.RELATIONS)
        return Relations(self.files, len(self.manifest.publishers)) if there else None

    @cached_property
    def letter_model(self) -> LetterModel:
        return LetterModel.from_trigrams(self.trigram_counts)

    @cached_property
    def trigram_counts(self) -> NDArray[np.float64]:
        """Return the trigram counts of used answers, (27, 27, 27)."""
        shape = 27, 27, 27
        return self.files.read_array(
            schema.LETTERS, "trigrams", np.float64, shape, lambda v: ((v >= 0) & (v < 1e12)).all()
        )

    @cached_property
    def fitted_values(self) -> dict[str, Any]:
        with self.files.guard(schema.LEARNED_FILE):
            values = json.loads(self.files.read_bytes(schema.LEARNED_FILE))
            require(isinstance(values, dict))
            return dict(values)

    @cached_property
    def string_model(self) -> StringModel:
        """Return the model of unlisted answers: letters, and phrases if there are any."""
        parts = self.files, self.manifest, self.hides_newest_year  # a reference to `self` would be a cycle

        def reopen() -> Index:
            return Index(*parts)

        def list_letters(length: int) -> NDArray[np.uint8]:
            part = reopen()[length]
            return part.answer_letters[part.is_live]

        short_strings = ShortStrings(self.letter_model, list_letters)
        return learned_models.read_string_model(
            self.files, short_strings, self.fitted_values, lambda words: reopen().count_bigrams(words)
        )

    def count_bigrams(self, words: NDArray[np.bytes_]) -> WordBigrams:
        """Count which of `words`, (words,) in capitals, follow each other in past clues."""

        def is_valid(arrays: Sequence[NDArray[Any]]) -> bool:
            types, sizes = [values.dtype.name for values in arrays], [len(values) for values in arrays]
            typed = types[:1] in (["uint32"], ["uint64"]) and types[1:] == ["float32", "uint64", "float32"]
            return typed and sizes == [sizes[0]] * 2 + [len(words)] * 2

        def count() -> WordBigrams:
            return learned_models.count_bigrams(self.partitions(), words)

        name = "bigrams-before" if self.hides_newest_year else "bigrams"
        return WordBigrams(*self.files.load_or_compute(name, count, is_valid))

    @cached_property
    def clue_bias(self) -> float:
        """Return how much a clue's meaning affects the pieces of an unlisted answer; 0 without an encoder."""
        with self.files.guard(schema.LEARNED_FILE):
            lean = float(self.fitted_values["phrases"]["lean"])
            require(0 <= lean < 10)
        return lean if self.encoder is not None else 0.0


def starter_warnings(index: Index) -> list[str]:
    starter = _open_starter(index)
    shortfalls = [] if starter is None or index.manifest.starter else list_shortfalls(index.manifest, starter.manifest)
    if not shortfalls:
        return []
    mend = "use another with --index, or none: `regis add` then starts one on top of the starter"
    return [f"the index at {index.folder} knows less than the starter that ships: {', '.join(shortfalls)}; {mend}"]


def outdated_starter_warnings(index: Index) -> list[str]:
    starter = _open_starter(index)
    if starter is None or index.manifest.starter in ("", starter.fingerprint):
        return []
    return ["it's on top of another version's starter; the next `regis add` moves it to this one's"]


def list_shortfalls(manifest: Manifest, starter: Manifest) -> list[str]:
    """Return what an index has less of than the starter: 'fewer past clues (8 for 20)'."""
    sizes = (
        ("answers", manifest.answer_count, starter.answer_count),
        ("past clues", manifest.clue_use_count, starter.clue_use_count),
    )
    shortfalls = [f"fewer {what} ({own:,} instead of {starters:,})" for what, own, starters in sizes if own < starters]
    encoder_folders = (schema.ENCODER, schema.TRANSFORMER)
    if any(map(starter.has_part, encoder_folders)) and not any(map(manifest.has_part, encoder_folders)):
        shortfalls.append("no clue encoder (run `regis learn`)")
    return shortfalls


def _open_starter(index: Index) -> Index | None:
    """Open the starter; return None if it is missing or `index` itself."""
    folder = paths.starter_folder()
    if folder is None or folder == index.folder:
        return None
    with suppress(IndexError_):
        return Index.open(folder)
    return None
