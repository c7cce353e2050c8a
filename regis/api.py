"""Regis as a library: read a puzzle, solve it, ask about it. What stands here is kept; all else may change.

Every function raises a class of `regis.errors` whose message is one sentence that says what to do, also where it is
called wrongly. An `index` is a path, an index that `open_index` opened (quicker where many puzzles are solved), or None
for the one that the command line would use.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from regis.calls import Count, PathLike, Seconds, checked, sound
from regis.candidates.candidate_list import Candidate
from regis.errors import PuzzleError, UsageError
from regis.index import Index
from regis.puzzle import Cell, Puzzle, entry_names, formats
from regis.render import RENDERERS, html
from regis.solving import hint as hints
from regis.solving import pipeline
from regis.solving.explain import Explanation, explain
from regis.solving.hint import Hint
from regis.solving.solution import DOUBTFUL, Answer, Budget, Solved
from regis.system import paths
from regis.system.terminal import Screen

__all__ = ["Index", "Puzzle", "Result", "guess", "open_index", "read", "solve"]

NO_FILE = "puzzle"  # the name of a puzzle that came from no file


@checked
def open_index(path: PathLike | None = None) -> Index:
    """The index at `path`, or the one that the command line would use."""
    return Index.open(paths.index(None if path is None else Path(path)))


@checked
def read(path: PathLike) -> Puzzle:
    """The puzzle in a file, never with its solution; letters that a person wrote into the file are its `given`."""
    return formats.read(formats.open_file(Path(path)))[0]


@checked
def solve(
    puzzle: PathLike | Puzzle,
    *,
    index: PathLike | Index | None = None,
    filler: str = "belief",
    seconds: Seconds | None = None,
    reveal: bool = False,
) -> Result:
    """Solves a puzzle or the file of one. Letters that the person wrote are kept, with `reveal` only if not doubted.

    `filler` and `seconds` are those of the command line. What `given` holds are letters, A to Z, several in a rebus
    square.
    """
    if isinstance(puzzle, Puzzle):
        name, what = NO_FILE, sound(puzzle)
    else:
        name, what = paths.shown(os.fspath(puzzle)), read(puzzle)
    opened = _index(index)
    return Result(pipeline.solve(what, opened, filler, Budget(seconds), reveal), opened, name)


@checked
def guess(
    clue: str, pattern: str | Count, *, index: PathLike | Index | None = None, limit: Count = 10
) -> tuple[Candidate, ...]:
    """The likeliest answers to a clue, best first. `pattern` has `?` for unknown letters, or is how many there are."""
    found = pipeline.candidates(clue, entry_names.pattern(str(pattern)), _index(index))
    return tuple(found[i] for i in range(min(len(found), limit)))


@dataclass(frozen=True, repr=False)
class Result:
    """A solved puzzle. `print` shows it as the command line does, and a notebook draws it."""

    solved: Solved
    index: Index
    name: str

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Every entry in clue order: slot, clue, answer, confidence, evidence, alternatives."""
        return self.solved.answers

    @property
    def cells(self) -> Mapping[Cell, str]:
        """What each filled square holds, by (row, column) from 0; several letters in a rebus square."""
        return self.solved.solution.cells

    @property
    def confidence(self) -> Mapping[Cell, float]:
        """P(right) of each filled square."""
        return self.solved.solution.confidence

    @property
    def sure(self) -> bool:
        """Whether every square is filled and at least 90 % sure."""
        return hints.sure(self.solved, DOUBTFUL)

    @property
    def doubts(self) -> Mapping[Cell, float]:
        """The person's letters that are probably wrong, each with P(right)."""
        return hints.checked(self.solved)[1]

    @checked
    def __getitem__(self, entry: str) -> Answer:
        """`result["17A"]`. Raises PuzzleError if there is no such entry."""
        return self.only(_one(entry)).answers[0]

    @checked
    def only(self, entries: str) -> Result:
        """`result.only("17A,23D")`: the same without the other entries."""
        slots = entry_names.slots(entries, self.solved.puzzle, self.name)
        if gone := set(slots) - {answer.slot for answer in self.answers}:
            raise PuzzleError(f"this result was narrowed down to others than {min(map(str, gone))}; ask the whole one")
        return replace(self, solved=hints.only(self.solved, slots))

    @checked
    def hint(self) -> Hint | None:
        """The letter that helps most, or a few answers to one entry; None if all is written or nothing sure enough."""
        return hints.hint(self.solved)

    @checked
    def explain(self, entry: str, limit: Count = 5) -> Explanation:
        """Why an entry is filled as it is, with up to `limit` candidates; what another filler solved, `belief` does."""
        puzzle, solved = self.solved.puzzle, self.solved
        slots = entry_names.slots(_one(entry), puzzle, self.name)
        if solved.solution.beliefs is None:
            solved = pipeline.solve(puzzle, self.index)
        return explain(pipeline.answered(solved, reveal=True), slots, limit)[0]

    @checked
    def json(self) -> dict[str, Any]:
        """What `regis solve --format json` writes."""
        return dict(json.loads(RENDERERS["json"](self.solved, self.name, Screen())))

    def __str__(self) -> str:
        return RENDERERS["text"](self.solved, self.name, Screen()).rstrip()

    def __repr__(self) -> str:
        return f"<Result {self.name}: {len(self.answers)} entries, {'sure' if self.sure else 'not all sure'}>"

    def _repr_html_(self) -> str:
        return html.fragment(self.solved)


def _index(index: PathLike | Index | None) -> Index:
    return index if isinstance(index, Index) else open_index(index)


def _one(entry: str) -> str:
    """`entry`, the name of a single one. Raises UsageError."""
    if len(entry_names.names(entry)) > 1:
        raise UsageError(f"{entry!r} names several entries; name one, or take `only`")
    return entry
