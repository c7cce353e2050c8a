"""What the server and the process that solves say to each other. No letter of a solution is in it that nobody asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from regis.puzzle import Cell, Puzzle


@dataclass(frozen=True)
class Question:
    """What is asked (`questions.ANSWERS` by name), what the person has written, and what they ask about."""

    what: str
    letters: Mapping[Cell, str] = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()
    entry: str = ""


class Solve(NamedTuple):
    """To be solved: a puzzle, under a name."""

    name: str
    puzzle: Puzzle


class Ask(NamedTuple):
    """To be answered; `number` comes back with the answer."""

    number: int
    name: str
    question: Question


class Stage(StrEnum):
    """How far the solving of a puzzle is."""

    WAITING = "waiting"
    SOLVING = "solving"
    SOLVED = "solved"
    FAILED = "failed"


class State(NamedTuple):
    """The same with a sentence about it."""

    name: str
    stage: Stage
    said: str = ""


class Told(NamedTuple):
    """The answer to a question, or a sentence why there is none; neither if the puzzle is not solved (any more)."""

    number: int
    reply: dict[str, Any] | None = None
    problem: str = ""
