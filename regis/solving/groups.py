"""The slots of one length at work: what they believe of their answers and cells, by what comes in from crossings.

What hardly changed is not looked at again: a belief holds while the messages stand still, what is in reach in a list or
a phrase model while they did not move much. So a grid that is filled again, with a few other lists, costs what these
change (solving.propagation goes on from where it was).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.models.tensors import Table
from regis.models.unlisted import StringModel
from regis.puzzle import Slot
from regis.puzzle.alphabet import ALPHABET
from regis.solving.solution import Candidates
from regis.solving.weighing import Weighing
from regis.system.deadline import passed

UNSURE = 0.02  # P(unlisted) from which a slot's phrases are looked at; they take the most time
STILL = 0.001  # change of the messages, relative to a cell's likeliest letter, up to which a belief still holds
REFRESH, ANEW = 5, 10
"""In every so many rounds whole lists are looked at, else what is in reach of the best (weighing), and all pieces of
phrases, else those that weighed something then. (Measured: docs/measured.md.)"""

MOVED = 0.02
"""By how much, relative to a cell's likeliest letter, must messages have moved for that? (Measured:
docs/measured.md.)"""


class Group:
    """The slots of one length, and what they believe; `rows` are theirs among all cells of all slots."""

    def __init__(self, slots: list[Slot], first: int, candidates: Candidates) -> None:
        self.slots = slots
        self.shape = len(slots), len(slots[0]), len(ALPHABET)
        self.rows = slice(first, first + self.shape[0] * self.shape[1])
        self.lists = Weighing([candidates.lists[slot] for slot in slots])
        self.belief = np.zeros(self.shape)
        self.listed = np.full(len(slots), 0.5)
        self._near: dict[int, _Near] = {}  # by slot: what its unlisted answers look like, of phrases in reach
        self._formed = np.full(self.shape, np.inf)  # the evidence that beliefs were formed on,
        self._narrowed = np.full(self.shape, np.inf)  # and by which lists were last looked at

    def go_on(self, before: Group) -> None:
        """Takes over what the same slots believed, but for those that have other lists now."""
        self.belief, self.listed = before.belief.copy(), before.listed.copy()
        for place in self.lists.take_over(before.lists):
            self._formed[place], self._narrowed[place] = before._formed[place], before._narrowed[place]
            if place in before._near:
                self._near[place] = before._near[place]

    def use(self, place: int, among: CandidateList) -> None:
        """Slot number `place` has the list `among` from now on."""
        self.lists.use(place, among)
        self._formed[place] = self._narrowed[place] = np.inf
        self._near.pop(place, None)

    def wake(self) -> None:
        """No belief holds any more, whatever comes in."""
        self._formed[:] = np.inf

    @property
    def unsure(self) -> NDArray[np.bool_]:
        return self.listed < 1 - UNSURE

    @property
    def doubted(self) -> list[Slot]:
        """The slots whose list may be wrong."""
        return [slot for slot, unsure in zip(self.slots, self.unsure, strict=True) if unsure]

    def seen(self, incoming: Table) -> Seen:
        """What comes in, (slots, length, 26), natural logs, and the slots that it is new to."""
        top = incoming.max(axis=2)
        evidence = np.exp(incoming - top[:, :, None])
        awake = np.flatnonzero(_apart(self._formed, evidence) > STILL)
        return Seen(incoming, awake, evidence[awake], top[awake].sum(axis=1))

    def form(
        self, seen: Seen, weights: Table, marginals: Table, candidates: Candidates, phrases: float, age: int
    ) -> None:
        """Forms new beliefs on what is `seen`, of which the letter model makes these `weights` and `marginals`.

        Up to the time `phrases` answers in no list may be phrases, where a list may be wrong. How many rounds ago
        messages began or went on is their `age`. Six parameters, since slots of all lengths are read by the letter
        model together.
        """
        incoming, awake, evidence, top = seen
        if not len(awake):
            return
        if not passed(phrases):
            those = np.flatnonzero(self.unsure[awake])
            models = candidates.strings_of([self.slots[awake[i]] for i in those])
            for i, model in zip(those, models, strict=True):
                if passed(phrases):
                    break
                near = self._in_reach(int(awake[i]), model, evidence[i], age)
                weights[i], marginals[i] = near.with_phrases(evidence[i], float(weights[i]), marginals[i])
        if age % REFRESH == 0:
            moved = _apart(self._narrowed[awake], evidence) > MOVED
            self._narrowed[awake[moved]] = evidence[moved]
            self.lists.narrow(incoming, awake[moved])
        self.listed[awake], letters = self.lists.weigh(incoming[awake], weights + top, awake)
        share = self.listed[awake, None, None]
        self.belief[awake] = share * letters + (1 - share) * marginals
        self._formed[awake] = evidence

    def _in_reach(self, place: int, model: StringModel, evidence: Table, age: int) -> StringModel:
        """What a slot's unlisted answers look like by its `model`, of phrases in reach."""
        near = self._near.get(place)
        if near is None or (age % ANEW == 0 and _apart(near.evidence, evidence) > MOVED):
            near = self._near[place] = _Near(evidence, model.near(evidence))
        return near.model


class Seen(NamedTuple):
    """What comes in from the cells of slots of one length, in natural logs, and those that it is new to."""

    incoming: Table  # (slots, length, 26)
    awake: NDArray[np.intp]  # the slots for which it changed
    evidence: Table  # (awake, length, 26): beside each cell's likeliest letter, as factors
    top: Table  # (awake,): how likely the likeliest letters are together


class _Near(NamedTuple):
    evidence: Table  # (length, 26)
    model: StringModel  # of what is in reach by that


class Ranked(Mapping[Slot, tuple[tuple[str, float], ...]]):
    """The best answers of each slot's list, so many; worked out once somebody asks for them.

    `groups` go with what comes in from their cells, (slots, length, 26), natural logs.
    """

    def __init__(self, slots: Sequence[Slot], groups: Sequence[tuple[Group, Table]], count: int) -> None:
        self._slots = slots
        self._count = count
        self._places = {
            slot: (group, i, row)
            for group, rows in groups
            for i, (slot, row) in enumerate(zip(group.slots, rows, strict=True))
        }
        self._known: dict[Slot, tuple[tuple[str, float], ...]] = {}

    def __getitem__(self, slot: Slot) -> tuple[tuple[str, float], ...]:
        if slot not in self._known:
            group, place, row = self._places[slot]
            self._known[slot] = group.lists.ranked(place, row, float(group.listed[place]), self._count)
        return self._known[slot]

    def __iter__(self) -> Iterator[Slot]:
        return iter(self._slots)

    def __len__(self) -> int:
        return len(self._slots)


def _apart(some: Table, others: Table) -> Table:
    """By how much evidence differs most, of each slot."""
    apart: Table = np.abs(some - others).max(axis=(-2, -1))
    return apart
