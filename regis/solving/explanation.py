"""What speaks for and against the answer to one entry: candidates, crossings, and a sentence that says why.

`explaining` takes a solved puzzle apart into this; `render` shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from regis.candidates.candidate_list import Candidate
from regis.puzzle import Cell
from regis.solving.solution import Answer


class Choice(NamedTuple):
    """One candidate: its probability by the clue alone and in `candidate` with the crossings, and its evidence."""

    candidate: Candidate
    alone: float
    rank: int  # by the clue alone, 1 the best


class Square(NamedTuple):
    """One square of the entry and what is said of it from outside."""

    cell: Cell
    letter: str  # what stands there
    written: str  # what the person wrote there; '' for nothing
    crossing: Answer | None  # None where the square is unchecked
    heard: tuple[tuple[str, float], ...]  # the letters that crossing and person think of, best first


@dataclass(frozen=True)
class Explanation:
    """Everything that speaks for and against the answer to one entry."""

    answer: Answer
    choices: tuple[Choice, ...]  # the best with the crossings, best first; the best by the clue alone among them
    missing: tuple[float, float]  # P(in no list) by the clue alone, and with the crossings
    squares: tuple[Square, ...]
    pieces: tuple[str, ...]  # of an answer in no list; empty where the phrase model does not know it either
    pieces_share: float  # P(it is made of these pieces, if it is right)
    why: str  # one or two sentences
