"""Messages between the server and the solving process. They have no letter of a solution unless asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from regis.puzzle import Cell, Puzzle


@dataclass(frozen=True)
class Question:
    """A question (a key of `questions.QUESTION_KINDS`), the letters typed, and what it's about."""

    kind: str
    letters: Mapping[Cell, str] = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()
    entry_name: str = ""


class SolveRequest(NamedTuple):
    puzzle_id: str
    puzzle: Puzzle


class DropRequest(NamedTuple):
    """A puzzle that no page asks about: its solving may end, since another puzzle waits."""

    puzzle_id: str


class AskRequest(NamedTuple):
    """A question to answer; its number comes back with the answer."""

    request_number: int
    puzzle_id: str
    question: Question


class SolvingStage(StrEnum):
    WAITING = "waiting"
    SOLVING = "solving"
    SOLVED = "solved"
    FAILED = "failed"


class SolvingState(NamedTuple):
    """How far the solving of a puzzle is, with a sentence about it."""

    puzzle_id: str
    stage: SolvingStage
    sentence: str = ""


class AskResponse(NamedTuple):
    """The answer to a question, or why there is none; neither if the puzzle isn't solved (anymore)."""

    request_number: int
    answer: dict[str, Any] | None = None
    problem: str = ""
