"""The lists of all slots of one length, weighed together by what is known of their cells.

A list is weighed by adding up, for each answer, what its letters are worth in their cells, and counted by adding up the
answers' probabilities letter by letter. What is in reach of a slot's best answer is kept between two looks at whole
lists, with that of all other slots in one table: so it is weighed and counted once a round, not once a slot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.models.lookup import foremost
from regis.models.tensors import Floats, Table
from regis.puzzle.alphabet import LETTERS, word

NARROW = 14.0
"""How many nats from the best may be what is weighed between two looks at whole lists? (Measured: docs/measured.md.)"""

Codes = NDArray[np.uint16]


class _List(NamedTuple):
    """Answers, or those of them that are in reach."""

    pairs: list[Codes]  # of letters (alphabet.paired), (answers,) each
    logp: Floats

    @classmethod
    def of(cls, among: CandidateList) -> _List:
        return cls(among.pairs, among.brief)

    def score(self, incoming: Table) -> Floats:
        """What each answer is worth beside `incoming`, (length, 26), natural logs."""
        score = self.logp.copy()
        if incoming.any():  # as it is in the first round only where the person wrote letters
            for pair, table in zip(self.pairs, _tables(incoming[None]), strict=True):
                score += table.ravel().take(pair)
        return score

    def near(self, score: Floats) -> _List:
        """What is in reach of the best."""
        near = np.flatnonzero(score > score.max() - NARROW) if len(score) else slice(0)
        return _List([pair[near] for pair in self.pairs], self.logp[near])


class Weighing:
    """The lists of some slots of one length. Whatever is said of all of them is in their order."""

    def __init__(self, lists: Sequence[CandidateList]) -> None:
        self._among = list(lists)
        self._whole = [_List.of(among) for among in lists]
        self._near = list(self._whole)
        self.missing = np.array([among.log_missing for among in lists])
        self._together = False  # whether what is in reach is in one table

    def use(self, place: int, among: CandidateList) -> None:
        """Slot number `place` has the list `among` from now on."""
        self._among[place], self.missing[place] = among, among.log_missing
        self._whole[place] = self._near[place] = _List.of(among)
        self._together = False

    def take_over(self, before: Weighing) -> list[int]:
        """Keeps what was in reach of the slots whose lists are the same as `before`: their places."""
        same = [i for i, among in enumerate(self._among) if among is before._among[i]]
        for place in same:
            self._near[place] = before._near[place]
        return same

    def narrow(self, incoming: Table, places: Iterable[int]) -> None:
        """Looks at whole lists of some slots for what is in reach of the best; `incoming` is (slots, length, 26)."""
        for place in places:
            whole = self._whole[place]
            self._near[place] = whole.near(whole.score(incoming[place]))
        self._together = False

    def _join(self) -> None:
        """Puts what is in reach into one table."""
        self._together = True
        sizes = np.array([len(near.logp) for near in self._near])
        self._owner = np.repeat(np.arange(len(sizes)), sizes)
        self._some = np.flatnonzero(sizes)  # slots with something in their list, and where that begins
        self._starts = (np.cumsum(sizes) - sizes)[self._some]
        self._logp = np.concatenate([near.logp for near in self._near])
        columns = zip(*(near.pairs for near in self._near), strict=True)
        length = self._among[0].letters.shape[1]
        widths = [LETTERS**2] * (length // 2) + [LETTERS] * (length % 2)
        self._pairs = [
            np.concatenate(column) + width * self._owner for column, width in zip(columns, widths, strict=True)
        ]

    def weigh(self, incoming: Table, unlisted: Table) -> tuple[Table, Table]:
        """P(the answer is in the list) of each slot, (slots,), and how likely each letter is if it is.

        `incoming` is (slots, length, 26), `unlisted` the weight of all answers in no list, (slots,), both natural logs.
        The letters' chances are (slots, length, 26), zeros for an empty list.
        """
        if not self._together:
            self._join()
        score = self._logp.copy()
        for pair, table in zip(self._pairs, _tables(incoming), strict=True):
            score += table.ravel().take(pair)
        listed, letters = np.zeros(len(incoming)), np.zeros(incoming.shape)
        if not len(self._some):
            return listed, letters
        top, total = np.zeros(len(incoming), np.float32), np.ones(len(incoming))
        top[self._some] = np.maximum.reduceat(score, self._starts)
        likely = np.exp(score - top[self._owner])
        total[self._some] = np.add.reduceat(likely, self._starts)
        odds = (self.missing + unlisted - top - np.log(total))[self._some]
        listed[self._some] = 1.0 / (1.0 + np.exp(np.clip(odds, -700, 700)))
        likely /= total[self._owner]
        for i, pair in enumerate(self._pairs):
            cells = letters[:, 2 * i : 2 * i + 2]
            counts = np.bincount(pair, likely, len(cells) * LETTERS ** cells.shape[1])
            if cells.shape[1] == 1:
                cells[:, 0] = counts.reshape(-1, LETTERS)
            else:
                both = counts.reshape(-1, LETTERS, LETTERS)
                cells[:, 0], cells[:, 1] = both.sum(axis=2), both.sum(axis=1)
        return listed, letters

    def ranked(self, place: int, incoming: Table, listed: float, count: int) -> tuple[tuple[str, float], ...]:
        """The `count` best answers of one slot's whole list with their probabilities, which are `listed` together."""
        score = self._whole[place].score(incoming)
        if not len(score):
            return ()
        letters = self._among[place].letters
        best = foremost(letters, score, count)
        p = np.exp(score - score.max())
        p *= listed / p.sum()
        return tuple((word(letters[i]), float(p[i])) for i in best)


def _tables(incoming: Table) -> list[Table]:
    """What each pair of letters is worth in each two cells, (slots, 26, 26), and each letter in an odd last one."""
    incoming = incoming.astype(np.float32)
    even = incoming.shape[1] // 2 * 2
    pairs = [first[:, :, None] + second[:, None, :] for first, second in zip(
        incoming[:, :even:2].swapaxes(0, 1), incoming[:, 1:even:2].swapaxes(0, 1), strict=True
    )]  # fmt: skip
    return [*pairs, *incoming[:, even:].swapaxes(0, 1)]
