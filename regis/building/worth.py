"""What a list is worth: how often its words turn out to be answers, by list and by length.

Words without a clue are ranked by a score, which says how often such a word becomes an answer: each 1 / SLOPE more is e
times as often (measured: docs/measured.md). What lists say themselves cannot be compared. So their words are held
against the answers that came up in the newest year below the layers and were never used before; a word that had been an
answer already tells nothing. Words that the same lists have, and no other, are one group; such a word is as likely as
so many of its group came up, by length where there are enough, beside the words that are listed below. In a group what
a list says of each word counts as it stands, and so does how odd its letters are (`plausible`).

Of an index without clues those answers are taken that were used once, in its newest year. What was listed there before
it was used is not known, but for the words of dictionaries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.building import plausible, uses
from regis.index import Index, tables
from regis.index.layers import Layers
from regis.models import lookup

SLOPE = 4.0  # natural logs of how often words come up, in one unit of their scores
USUAL = 0.5  # score of a word of which nothing is said
STRENGTH = 3.0  # new answers as which counts what is known of a group before, and of all lengths for one
ENOUGH = 50  # new answers that the lists below had; with fewer, lists are believed as they stand
LEAST, MOST = -3.0, 1.0  # scores
DIGITS = 3  # of a score
SMALLEST = 0.001  # the least score that is one: 0 is for what no list has

Group = tuple[bool, ...]


class Words(NamedTuple):
    """The words of lists, of one length, each once: parallel arrays."""

    names: NDArray[np.bytes_]
    group: NDArray[np.int64]  # which of `groups`
    groups: list[Group]  # for each layer whether it has the word, and then whether some list below has
    said: NDArray[np.float64]  # score in its list, and how odd it is
    open: NDArray[np.bool_]  # whether it was no answer before the newest year
    hit: NDArray[np.bool_]  # whether it was one then, for the first time


class Counted(NamedTuple):
    """How many of some words would have come up if they were usual ones, and how many did."""

    expected: float
    hits: float

    def __add__(self, other: object) -> Counted:
        assert isinstance(other, Counted)
        return Counted(self.expected + other.expected, self.hits + other.hits)

    def ratio(self, before: float) -> float:
        """How many times as often as usual they came up, `before` being what is believed without them."""
        return (self.hits + STRENGTH * before) / (self.expected + STRENGTH)


def weigh(layers: Layers, below: Index) -> pa.Table:
    """The entries of all `layers` that count on top of `below`, rows of tables.LAYER, words with their scores there."""
    ordered = uses.once(layers, below)
    together = pa.concat_tables([tables.LAYER.empty_table(), *ordered])
    listed = pc.equal(together["clue"], "").to_numpy(zero_copy_only=False)
    layer = np.repeat(np.arange(len(ordered)), [len(entries) for entries in ordered])
    if not listed.any():
        return together
    answers = together["answer"].filter(pa.array(listed))
    sizes, rows = pc.utf8_length(answers).to_numpy(), np.flatnonzero(listed)
    given = together["score"].to_numpy()
    usual = _usual(below)
    every: dict[int, Words] = {}
    place: dict[int, NDArray[np.int64]] = {}
    for length in np.unique(sizes).tolist():
        here = np.flatnonzero(sizes == length)
        names = answers.take(pa.array(here)).to_numpy(zero_copy_only=False).astype(f"S{length}")
        unique, place[length] = np.unique(names, return_inverse=True)
        member = np.zeros((len(unique), len(ordered)), bool)
        member[place[length], layer[rows[here]]] = True
        best = np.full(len(unique), -np.inf)
        np.maximum.at(best, place[length], given[rows[here]])
        every[length] = _words(unique, member, best, below)
    found = _scores(every, usual)
    scores = given.astype(np.float64)
    for length, score in found.items():
        scores[rows[sizes == length]] = score[place[length]]
    column = tables.LAYER.get_field_index("score")
    return together.set_column(column, tables.LAYER.field("score"), pa.array(scores.astype(np.float32)))


def _words(names: NDArray[np.bytes_], member: NDArray[np.bool_], said: NDArray[np.float64], below: Index) -> Words:
    """The words `names`, sorted, of which the lists `member` say `said`, held against what lies below."""
    known = _Known.of(below, names.dtype.itemsize)
    place, there = lookup.place(known.names, names)
    which = np.column_stack([member, _taken(known.listed, place, there)])
    groups, group = np.unique(which, axis=0, return_inverse=True)
    return Words(
        names,
        group.ravel(),
        [tuple(row) for row in groups.tolist()],
        said + np.log(plausible.shares(names, below)) / SLOPE,
        ~_taken(known.used, place, there),
        _taken(known.new, place, there),
    )


def _scores(every: Mapping[int, Words], usual: Mapping[int, float]) -> Mapping[int, NDArray[np.float64]]:
    """The scores of the words of each length, beside how often a `usual` word of a length comes up."""
    counted: dict[int, list[Counted]] = {}
    whole: dict[Group, Counted] = defaultdict(lambda: Counted(0.0, 0.0))
    for length, words in every.items():
        expected = usual.get(length, 0.0) * np.exp(SLOPE * (words.said - USUAL)) * words.open
        sums = [np.bincount(words.group, one, len(words.groups)) for one in (expected, words.hit)]
        counted[length] = [Counted(*pair) for pair in np.stack(sums, axis=1).tolist()]
        for group, one in zip(words.groups, counted[length], strict=True):
            whole[group] += one
    found = {}
    for length, words in every.items():
        pairs = zip(words.groups, counted[length], strict=True)
        ratios = np.array([one.ratio(whole[group].ratio(1.0)) if usual else 1.0 for group, one in pairs])
        score = np.clip(words.said + np.log(ratios)[words.group] / SLOPE, LEAST, MOST)
        found[length] = np.where(np.abs(score) < SMALLEST, SMALLEST, np.round(score, DIGITS))
    return found


class _Known(NamedTuple):
    """What lies below, of one length: parallel arrays, by the answers in their order."""

    names: NDArray[np.bytes_]
    used: NDArray[np.bool_]  # before the newest year
    new: NDArray[np.bool_]  # used in that year for the first time
    listed: NDArray[np.bool_]  # by some list
    score: NDArray[np.float32]

    @classmethod
    def of(cls, below: Index, length: int) -> _Known:
        part = below[length]
        rows = np.flatnonzero(part.exists)
        if below.manifest.distilled:
            new = (part.count == 1) & (part.last == (below.manifest.newest_year or 0))
        else:
            new = (part.count > 0) & (below.as_it_was()[length].count == 0)
        listed = part.score != 0
        if below.relations is not None and len(rows):
            listed[below.relations.forms(length, len(part.names))[1]] = True
        return cls(part.names[rows], ((part.count > 0) & ~new)[rows], new[rows], listed[rows], part.score[rows])


def _usual(below: Index) -> Mapping[int, float]:
    """How often a word with the score USUAL, that lists below have, came up as a new answer, by length; none if that
    is not known."""
    counted = {}
    for length in below.lengths:
        known = _Known.of(below, length)
        mine = known.listed & ~known.used
        scored = mine & (known.score != 0)
        score = np.where(known.score != 0, known.score, known.score[scored].mean() if scored.any() else USUAL)
        counted[length] = Counted(float(np.exp(SLOPE * (score[mine] - USUAL)).sum()), float(known.new[mine].sum()))
    whole = sum(counted.values(), Counted(0.0, 0.0))
    if whole.hits < ENOUGH:
        return {}
    rate = whole.hits / whole.expected
    return {length: rate * Counted(rate * one.expected, one.hits).ratio(1.0) for length, one in counted.items()}


def _taken(values: NDArray[np.bool_], place: NDArray[np.int64], there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of the wanted at `place` their `values`, False for those that are not `there`."""
    return there & (values[place] if len(values) else False)
