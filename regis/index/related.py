"""What words have to do with each other, all of it as arrays: two such joined, and one written into an index.

`relating` makes them of what sources say, `relations` looks them up one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index import arrays, schema
from regis.index.relations import Forms
from regis.models import lookup
from regis.text import MAX_LENGTH

Save = Callable[[Path, NDArray[Any]], None]  # how an array is written

NO_ANSWER = -1


class Related(NamedTuple):
    """Relations, what is an inflection of what, and which answers words are, as parallel arrays in any order."""

    heads: NDArray[np.uint64]  # hashes
    words: NDArray[np.integer[Any]]  # numbers
    kinds: NDArray[np.integer[Any]]
    sources: NDArray[np.integer[Any]]
    inflected: NDArray[np.uint64]  # hashes, ascending
    bases: NDArray[np.uint64]
    endings: NDArray[np.integer[Any]]
    forms: Mapping[int, Forms]  # by the answers' length

    @property
    def anything(self) -> bool:
        """Whether anything is said at all."""
        return bool(len(self.heads) or len(self.inflected))

    @property
    def answers(self) -> NDArray[np.int64]:
        """Which answer each word is as it stands, by the word's number: row and length in one; NO_ANSWER for none."""
        numbers = [self.words, *(word for word, _, _ in self.forms.values())]
        found = np.full(1 + max(int(one.max(initial=0)) for one in numbers), NO_ANSWER)
        for length, (word, row, ending) in self.forms.items():
            plain = ending == 0
            found[word[plain]] = row[plain].astype(np.int64) * (MAX_LENGTH + 1) + length
        return found

    def numbered(self, number: NDArray[np.int64]) -> Related:
        """What is said of the words that have a `number`, not -1, by which they then go."""
        which = number[self.words] >= 0
        words, forms = number[self.words[which]], {}
        for length, (word, row, ending) in self.forms.items():
            there = number[word] >= 0
            forms[length] = number[word[there]], row[there], ending[there]
        return self.only(which)._replace(words=words, forms=forms)

    def only(self, which: NDArray[np.bool_]) -> Related:
        """The same with these relations alone."""
        heads, words, kinds, sources = self.heads[which], self.words[which], self.kinds[which], self.sources[which]
        return self._replace(heads=heads, words=words, kinds=kinds, sources=sources)


def joined(mine: Related, theirs: Related) -> Related:
    """`mine` and what `theirs` says besides; the rows in their forms are of the same answers.

    They number words each in its own way, so two words are one if they are the same answer as they stand. Of `theirs`
    is left out what is said of words that are no answer as they stand, and what is an inflection of what.
    """
    ours, others = mine.answers, theirs.answers
    known, first = np.unique(ours, return_index=True)
    place, there = lookup.place(known, others)
    number = np.where(there, first[place], len(ours) + np.arange(len(others)))
    theirs = theirs.numbered(np.where(others == NO_ANSWER, -1, number))
    one = np.where(ours == NO_ANSWER, np.arange(len(ours)), first[np.searchsorted(known, ours)])
    alike = mine.numbered(one)
    theirs = theirs.only(~_among(theirs[:3], alike[:3]))
    heads, words, kinds, sources = (np.concatenate(both) for both in zip(mine[:4], theirs[:4], strict=True))
    forms = {}
    for length, some in theirs.forms.items():
        new = ~_among(some, alike.forms[length])
        word, row, ending = (np.append(*both) for both in zip(mine.forms[length], (x[new] for x in some), strict=True))
        order = np.lexsort((ending, word))
        forms[length] = word[order], row[order], ending[order]
    return mine._replace(heads=heads, words=words, kinds=kinds, sources=sources, forms=forms)


def _among(some: Sequence[NDArray[Any]], others: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Which rows of the columns `some` are among the rows of the columns `others`."""
    places = np.zeros(len(some[0]) + len(others[0]), np.int64)
    for column in zip(some, others, strict=True):
        values, place = np.unique(np.append(*column), return_inverse=True)
        _, places = np.unique(places * len(values) + place, return_inverse=True)
    return np.isin(places[: len(some[0])], places[len(some[0]) :])


def write(folder: Path, related: Related, save: Save = arrays.save) -> None:
    """Writes the tables into the index `folder`, equal relations once."""
    names = ["heads", "kinds", "words", "sources"]
    said = (related.heads, related.kinds, related.words, related.sources)
    once = pa.table([*map(pa.array, said)], names).group_by(names).aggregate([])
    rows = once.sort_by([(name, "ascending") for name in names])
    heads, starts = np.unique(rows["heads"].to_numpy(), return_index=True)
    columns = {name: rows[name].to_numpy() for name in names} | {
        "heads": heads, "starts": np.append(starts, len(rows)),
        "inflected": related.inflected, "bases": related.bases, "endings": related.endings,
    }  # fmt: skip
    for name, values in columns.items():
        _save(folder, name, values, None, save)
    for length, forms in related.forms.items():
        write_forms(folder, length, forms, save)


def write_forms(folder: Path, length: int, forms: Forms, save: Save = arrays.save) -> None:
    """Writes which rows of the answer table words are, with which endings, by the word's number."""
    for name, values in zip(schema.FORMS, forms, strict=True):
        _save(folder, name, values, length, save)


def _save(folder: Path, name: str, values: NDArray[Any], length: int | None, save: Save) -> None:
    save(folder / schema.relations_file(name, length), values.astype(schema.RELATIONS[name]))
