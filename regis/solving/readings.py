"""What a reader says of the answers and strings of some slots, and their lists weighed by it.

A reader (regis.models.reader) says how much likelier a string is than those in a list are on average. Lists take that
over, and strings that are in none join them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import LEAST, CandidateList
from regis.candidates.found import Evidence
from regis.models.tensors import Table
from regis.puzzle import Slot
from regis.puzzle.alphabet import codes
from regis.solving.solution import Candidates, Reading
from regis.system.deadline import passed

READER = "reader"  # its name as evidence

HEEDED = 1.3
"""How much more do the reader's odds count in a grid that has collapsed? Their base is another there, too (`_base`).
(Measured: docs/measured.md.)"""

AT_ONCE = 8  # slots that are read between two looks at the clock


class _String(NamedTuple):
    """A string that was read."""

    place: int | None  # in the list
    logp: float  # natural log of how likely it was before
    reading: Reading


class Readings:
    """What was read so far of some of the slots of a grid, and their `lists`, weighed by it."""

    def __init__(self, known: Candidates, deadline: float, collapsed: bool) -> None:
        self._known = known
        self._deadline = deadline
        self._collapsed = collapsed
        self._of: dict[Slot, dict[str, _String]] = defaultdict(dict)
        self.lists: dict[Slot, CandidateList] = {}

    @property
    def count(self) -> int:
        """How many strings were read."""
        return sum(map(len, self._of.values()))

    def more(self, strings: Mapping[Slot, Sequence[str]]) -> bool:
        """Reads those of `strings` that are new; whether there was time for all of them."""
        assert self._known.read is not None, "or nothing is read"
        unread = {slot: [word for word in its if word not in self._of[slot]] for slot, its in strings.items()}
        new = [(slot, its) for slot, its in unread.items() if its]
        for start in range(0, len(new), AT_ONCE):
            if passed(self._deadline):
                return False
            some = dict(new[start : start + AT_ONCE])
            for slot, readings in self._known.read(some).items():
                told = zip(some[slot], readings, strict=True)
                self._of[slot].update((word, self._string(slot, word, reading)) for word, reading in told)
        self.lists |= {slot: _weighed(self._known.lists[slot], self._of[slot], self._collapsed) for slot, _ in new}
        return True

    def spread(self, slots: Iterable[Slot]) -> float:
        """How far apart the odds of what was read are, in natural log: the slots' mean standard deviation."""
        odds = ([one.reading.alone for one in self._of[slot].values()] for slot in slots)
        apart = [float(np.std(its)) for its in odds if len(its) > 1]
        return float(np.mean(apart)) if apart else 0.0

    def _string(self, slot: Slot, word: str, reading: Reading) -> _String:
        listed = self._known.lists[slot]
        place = listed.find(word)
        logp = listed.logp_at(place, lambda: self._known.strings_for(slot).string(codes(word)))
        return _String(place, logp, reading)


def _base(odds: Table, collapsed: bool) -> float:
    """What odds of listed answers are told from, in natural log: what those that were not read have, as far as we know.

    That is the mean of what was read, as odds: so the odds of all answers come to what they were. In a grid that has
    not `collapsed`, where nearly all that is likely is read, their logs' mean, which is less, serves better.
    """
    return float(np.logaddexp.reduce(odds) - np.log(len(odds)) if collapsed else odds.mean())


def _weighed(listed: CandidateList, read: Mapping[str, _String], collapsed: bool) -> CandidateList:
    """The list of a slot with what was `read` of some strings; those in no list join it.

    The odds move probability within the list; only a string that joins takes some from what is in no list.
    """
    odds = (HEEDED if collapsed else 1.0) * np.array([one.reading.odds for one in read.values()])
    known = [one.place is not None for one in read.values()]
    share = np.exp(odds - np.logaddexp.reduce(odds))
    odds -= _base(odds[known] if any(known) else odds, collapsed)
    logp = listed.logp.copy()
    evidence: dict[int, Evidence] = {}
    new: list[NDArray[np.uint8]] = []
    chances: list[float] = []
    for (word, (place, before, reading)), more, chance in zip(read.items(), odds.tolist(), share.tolist(), strict=True):
        if place is None:
            place = len(listed) + len(new)
            new.append(codes(word))
            chances.append(before + more)
        else:
            logp[place] = before + more
        evidence[place] = Evidence(READER, "reading", reading.said, chance, 0, None)
    logp -= np.log((np.exp(logp).sum() + LEAST) / (1 - listed.missing + LEAST))
    every = np.concatenate([logp, chances])
    every -= np.log(np.exp(every).sum() + listed.missing)

    def explain(i: int) -> tuple[Evidence, ...]:
        return (*listed.explain(i), evidence[i]) if i in evidence else listed.explain(i)

    size = len(listed)
    letters = np.array(new, np.uint8).reshape(-1, listed.letters.shape[1])
    missing = max(1 - float(np.exp(every).sum()), 0.0)
    weighed = replace(listed, logp=every[:size], explain=explain)
    return weighed.joined(letters, every[size:], missing, lambda i: (evidence[size + i],))
