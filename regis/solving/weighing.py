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


class _Joined(NamedTuple):
    """The lists of some slots of one length, one after another."""

    sizes: NDArray[np.intp]  # answers of each slot, (slots,)
    logp: Floats
    pairs: list[NDArray[np.intp]]  # of letters, those of each slot beyond all possible ones of the slots before

    @classmethod
    def of(cls, lists: Sequence[_List], length: int) -> _Joined:
        sizes = np.array([len(one.logp) for one in lists])
        owner = np.arange(len(sizes)).repeat(sizes)
        columns = zip(*(one.pairs for one in lists), strict=True)
        widths = [LETTERS**2] * (length // 2) + [LETTERS] * (length % 2)
        pairs = [np.concatenate(column) + width * owner for column, width in zip(columns, widths, strict=True)]
        return cls(sizes, np.concatenate([one.logp for one in lists]), pairs)


class Weighing:
    """The lists of some slots of one length. Whatever is said of all of them is in their order."""

    def __init__(self, lists: Sequence[CandidateList]) -> None:
        self._among = list(lists)
        self._whole = [_List.of(among) for among in lists]
        self._near = list(self._whole)
        self.missing = np.array([among.log_missing for among in lists])
        self._length = lists[0].letters.shape[1]
        self._together: tuple[NDArray[np.intp], _Joined] | None = None  # of which slots, and what is in reach of them

    def use(self, place: int, among: CandidateList) -> None:
        """Slot number `place` has the list `among` from now on."""
        self._among[place], self.missing[place] = among, among.log_missing
        self._whole[place] = self._near[place] = _List.of(among)
        self._together = None

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
        self._together = None

    def weigh(self, incoming: Table, unlisted: Table, places: NDArray[np.intp]) -> tuple[Table, Table]:
        """P(the answer is in the list) of the slots at `places`, in order, and how likely each letter is if it is.

        `incoming` is (places, length, 26), `unlisted` the weight of all answers in no list, (places,), both natural
        logs. The letters' chances are (places, length, 26), zeros for an empty list.
        """
        sizes, logp, pairs = self._joined(places)
        score = logp.copy()
        for pair, table in zip(pairs, _tables(incoming), strict=True):
            score += table.ravel().take(pair)
        listed, letters = np.zeros(len(incoming)), np.zeros(incoming.shape)
        some = np.flatnonzero(sizes)  # slots with something in their list, and where that begins
        if not len(some):
            return listed, letters
        starts = (np.cumsum(sizes) - sizes)[some]
        top, total = np.zeros(len(incoming), np.float32), np.ones(len(incoming))
        top[some] = np.maximum.reduceat(score, starts)
        likely = np.exp(score - top.repeat(sizes))
        total[some] = np.add.reduceat(likely, starts)
        odds = (self.missing[places] + unlisted - top - np.log(total))[some]
        listed[some] = 1.0 / (1.0 + np.exp(np.clip(odds, -700, 700)))
        share = likely / total.repeat(sizes)
        for i, pair in enumerate(pairs):
            cells = letters[:, 2 * i : 2 * i + 2]
            counts = np.bincount(pair, share, len(cells) * LETTERS ** cells.shape[1])
            if cells.shape[1] == 1:
                cells[:, 0] = counts.reshape(-1, LETTERS)
            else:
                both = counts.reshape(-1, LETTERS, LETTERS)
                cells[:, 0], cells[:, 1] = both.sum(axis=2), both.sum(axis=1)
        return listed, letters

    def _joined(self, places: NDArray[np.intp]) -> _Joined:
        """What is in reach of some slots, in one table, which is kept while they are the same."""
        if self._together is None or not np.array_equal(places, self._together[0]):
            self._together = places, _Joined.of([self._near[place] for place in places], self._length)
        return self._together[1]

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
