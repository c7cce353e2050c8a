"""Asking: what an index has to say of a puzzle, clue by clue, before any letter is looked at.

Every clue is asked for all answers of its slot's length, whatever letters are known, so that the probabilities mean the
same everywhere; the filler then brings letters and lists together. What a filler may ask for besides (Candidates) is
answered here, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from regis import text
from regis.candidates.candidate_list import CandidateList
from regis.candidates.kin import Kin
from regis.candidates.query import Query
from regis.candidates.ranking import Ranker
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.index import Index
from regis.models import clue_style
from regis.models.clue_spelling import american
from regis.models.clue_style import unstopped
from regis.models.clue_typing import with_blank
from regis.models.unlisted import StringModel
from regis.puzzle import Puzzle, Slot
from regis.solving import novelty
from regis.solving.cross_references import wordings
from regis.solving.solution import Candidates, Reading, Wanted
from regis.system.deadline import FOREVER


def candidates(clue: str, pattern: str, index: Index) -> CandidateList:
    """All answers for `clue` of the length of `pattern`, given its letters ('P?I'), with probabilities."""
    (clue,) = _worded([(clue, len(pattern))], index)
    return index.derived(Ranker).lists([Query(clue, "?" * len(pattern), original=clue)])[0].given(pattern)


def known(puzzle: Puzzle, index: Index, deadline: float = FOREVER) -> Candidates:
    """What `index` has to say of the puzzle, clue by clue, before any letter is looked at, until the deadline."""
    worded = _worded([(clue, len(slot)) for slot, clue in puzzle.clues.items()], index)
    asked = dict(zip(puzzle.clues, worded, strict=True))
    clues = _Clues(replace(puzzle, clues=asked), index, deadline)
    return _Worded(clues, clues.first).candidates(deadline)


def _worded(clues: Sequence[tuple[str, int]], index: Index) -> list[str]:
    """How clues, each with the length of its answer, are asked for; those of a puzzle together, since they say how it
    writes them.

    No note of how the answer is written, unless the index has the clue with it; nor another spelling.
    """
    typed = [(with_blank(clue), length) for clue, length in clues]
    enumerated = clue_style.enumerated(typed)
    asked = [(clue, clue_style.asked(clue, length, enumerated), length) for clue, length in typed]
    plain = unstopped([_unless_known(clue, bare, length, index) for clue, bare, length in asked])
    each = zip(plain, american(plain), clues, strict=True)
    return [_unless_known(clue, spelled, length, index) for clue, spelled, (_, length) in each]


def _unless_known(clue: str, plain: str, length: int, index: Index) -> str:
    """A clue as it is `plain`, unless the index has it as it is."""
    key = text.clue_key(clue)
    known = key != text.clue_key(plain) and len(index[length].uses(key).answers)
    return clue if known else plain


class _Clues:
    """A puzzle's clues on their way to lists of candidates; each wording is asked for once."""

    def __init__(self, puzzle: Puzzle, index: Index, deadline: float) -> None:
        self.puzzle = puzzle
        self.ranker = index.derived(Ranker)
        self.index = index
        self.kin = Kin(index)
        self.oftener = novelty.oftener(puzzle, index.manifest.newest_year)
        self.first = wordings(puzzle, {})
        queries = [self.query(slot, clue, len(slot)) for slot, clue in self.first.items()]
        if index.transformer is not None:
            index.transformer.begin(self.first.values())
        self.lists = dict(zip(self.first.items(), self.ranker.lists(queries, deadline), strict=True))
        self.unlisted: dict[str, StringModel] = {}  # what an answer in no list looks like, by clue

    def query(self, slot: Slot, clue: str, length: int) -> Query:
        oftener = self.oftener if length in novelty.LENGTHS else 1.0
        return Query(clue, "?" * length, self.puzzle.clues.get(slot, ""), oftener)

    def listed(self, wording: Mapping[Slot, str], deadline: float) -> Mapping[Slot, CandidateList]:
        """The list for each clue as it is worded, that for its first wording mixed in; that alone once it is late."""
        new = [(slot, clue) for slot, clue in wording.items() if (slot, clue) not in self.lists]
        pairs = [
            (self.query(slot, clue, len(slot)), self.query(slot, self.first[slot], len(slot))) for slot, clue in new
        ]
        self.lists |= {new[place]: among for place, among in self.ranker.mixed(pairs, deadline)}
        return {
            slot: self.lists.get((slot, clue), self.lists[slot, self.first[slot]]) for slot, clue in wording.items()
        }

    def models(self, clues: Sequence[str]) -> list[StringModel]:
        """What an answer in no list looks like, for each of `clues`."""
        if new := list(dict.fromkeys(clue for clue in clues if clue not in self.unlisted)):
            self.unlisted.update(zip(new, self.index.derived(UnlistedPrior).about(new), strict=True))
        return [self.unlisted[clue] for clue in clues]


class _Worded(NamedTuple):
    """What is known with the clues worded as in `wording`, and what may be asked besides (Candidates)."""

    clues: _Clues
    wording: Mapping[Slot, str]

    def candidates(self, deadline: float) -> Candidates:
        index = self.clues.index
        return Candidates(
            self.clues.listed(self.wording, deadline),
            self.matching,
            index.strings,
            self.clued,
            self.knowing,
            self.longer,
            self.read if index.reads else None,
            self.clues.kin.place,
        )

    def matching(self, slot: Slot, pattern: str) -> CandidateList:
        return self.clues.ranker.lists([Query("", pattern)])[0]

    def clued(self, slots: Sequence[Slot]) -> list[StringModel]:
        return self.clues.models([self.wording[slot] for slot in slots])

    def knowing(self, sure: Mapping[Slot, str], deadline: float) -> Candidates | None:
        again = wordings(self.clues.puzzle, sure)
        return self._replace(wording=again).candidates(deadline) if again != self.wording else None

    def longer(self, wanted: Collection[Wanted], depth: int | None, deadline: float) -> Mapping[Wanted, CandidateList]:
        queries = [self.clues.query(slot, self.wording[slot], length) for slot, length in wanted]
        return dict(zip(wanted, self.clues.ranker.lists(queries, deadline, depth), strict=True))

    def read(self, strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[Reading]]:
        reader = self.clues.index.reader
        assert reader is not None, "only where there is one"
        odds = reader.odds([(self.wording[slot], its) for slot, its in strings.items()])
        trust, said = reader.trust, reader.said
        return {
            slot: [Reading(trust * p, said(word), p) for word, p in zip(its, one.tolist(), strict=True)]
            for (slot, its), one in zip(strings.items(), odds, strict=True)
        }
