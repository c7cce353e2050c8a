"""Clues, each with answers to choose from: what the reader learns on (building.training.reader).

Beside the right answer stand wrong ones of the kind that it will meet: those that an encoder of the index thinks best,
the one of them with most letters alike, answers that differ in one letter, and strings with a letter or two changed.
Clues are drawn by how new they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.training.answers import HALF_LIFE, OLDEST
from regis.index import Index, Partition, schema
from regis.puzzle.alphabet import word

ANSWERS = 10  # to choose from, the right one among them
THOUGHT = 4  # of those that an encoder thinks of
NEAR = 2  # of those that differ in one letter
POOL = 24  # how many are drawn from what an encoder thinks, for THOUGHT and the one with most letters alike
SOFT = 1.7  # by how much log odds are divided before they are drawn from, so that not only the best are
CHANGED_ONCE = 0.6  # share of the changed strings in which one letter is changed, not two
SHORTEST, LONGEST = 3, 21  # letters of the answers that are learned on


class Choice(NamedTuple):
    clue: str
    answers: tuple[str, ...]  # the first is right


class Clues(NamedTuple):
    """Clues that were drawn: parallel arrays."""

    length: NDArray[np.int64]
    row: NDArray[np.int64]  # of the clue table of that length


def drawn(index: Index, count: int, generator: np.random.Generator) -> Clues:
    """`count` clues of `index`, or all if there are not so many; newer ones are likelier, in no order."""
    lengths, rows, chances = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    newest = index.manifest.newest_year or 0
    for part in index.parts():
        if SHORTEST <= part.length <= LONGEST and len(part.names) > 1:
            live = np.flatnonzero(part.clue_count > 0)
            lengths.append(np.full(len(live), part.length))
            rows.append(live)
            chances.append(0.5 ** ((newest - part.clue_last[live].astype(np.int64)).clip(0, OLDEST) / HALF_LIFE))
    length, row, chance = np.concatenate(lengths), np.concatenate(rows), np.concatenate(chances)
    some = generator.choice(
        len(row), min(count, len(row)), replace=False, p=chance / chance.sum() if len(chance) else None
    )
    return Clues(length[some], row[some])


def choices(index: Index, clues: Clues, generator: np.random.Generator) -> list[Choice]:
    """What is to be chosen for `clues`, in their order."""
    found: dict[int, Choice] = {}
    for length in np.unique(clues.length).tolist():
        places = np.flatnonzero(clues.length == length)
        part = index[length]
        rows = clues.row[places]
        said = part.clue_column.of(rows)
        right = part.clue_answer[rows].astype(np.int64)
        thought = _thought(index, part, said, generator)
        for place, clue, answer, pool in zip(places.tolist(), said, right.tolist(), thought, strict=True):
            found[place] = Choice(clue, _answers(part, answer, pool[pool != answer], generator))
    return [found[place] for place in range(len(clues.row))]


def _thought(
    index: Index, part: Partition, clues: list[str], generator: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Rows of what the best encoder of `index` thinks of each of `clues`, drawn without replacement (Gumbel)."""
    home = schema.TRANSFORMER if index.transformer is not None else schema.ENCODER
    vectors = index.encoders[home].encode(clues)
    score = part.vectors(home).score(vectors)
    score = score / SOFT - np.log(-np.log(generator.random(score.shape, np.float32).clip(1e-9, 1 - 1e-7)))
    score[:, ~part.exists] = -np.inf
    count = min(POOL, score.shape[1])
    yield from np.argpartition(-score, count - 1, axis=1)[:, :count]


def _answers(part: Partition, right: int, pool: NDArray[np.int64], generator: np.random.Generator) -> tuple[str, ...]:
    """The right answer and the wrong ones, no string twice."""
    letters = part.letters[right]
    apart = (part.letters != letters).sum(axis=1)
    pool = generator.permutation(pool[part.exists[pool]])
    like = pool[np.argsort(apart[pool], kind="stable")[:1]]
    near = generator.permutation(np.flatnonzero((apart == 1) & part.exists))[:NEAR]
    rows = dict.fromkeys([right, *pool[:THOUGHT].tolist(), *like.tolist(), *near.tolist()])
    found = dict.fromkeys(word(part.letters[row]) for row in rows)
    while len(found) < ANSWERS:
        changed = letters.copy()
        for i in generator.permutation(len(letters))[: 1 if generator.random() < CHANGED_ONCE else 2]:
            changed[i] = generator.choice(np.delete(np.arange(26), changed[i]))
        found[word(changed)] = None
    return tuple(found)[:ANSWERS]
