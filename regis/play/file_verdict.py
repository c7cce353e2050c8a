"""The verdict of a file's own solution: check, reveal, the end.

Nothing else in this room reads a solution. It stays on the server; the page gets only what it asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from regis import text
from regis.play.messages import Question
from regis.play.open_puzzles import MAX_OPEN_PUZZLES, OpenPuzzle
from regis.puzzle import Cell, formats
from regis.puzzle.formats import PuzzleFile

JUDGED_KINDS = ("check", "complete", "reveal")
"""The questions that a solution answers."""


class FileVerdicts:
    def __init__(self, read: Callable[..., Any]) -> None:
        """Start without solutions; `read` calls a function that reads a file, as `FileReader.call` does."""
        self._read = read
        self._find_solution = functools.lru_cache(MAX_OPEN_PUZZLES)(self._read_solution)

    def list_kinds(self, open_puzzle: OpenPuzzle) -> tuple[str, ...]:
        """List the questions that the file answers: with a scrambled solution, only whether a full grid is right."""
        if open_puzzle.paper is not None:
            return ()
        solution, is_scrambled = self._find_solution(open_puzzle.puzzle_file)
        return JUDGED_KINDS if solution else ("complete",) if is_scrambled else ()

    def answer_question(self, open_puzzle: OpenPuzzle, question: Question) -> dict[str, Any] | None:
        """Answer a question from the file's solution; None if it can't."""
        if question.kind not in self.list_kinds(open_puzzle):
            return None
        letters, cells = question.letters, question.cells
        solution, _ = self._find_solution(open_puzzle.puzzle_file)
        if solution is None:
            fits = self._read(formats.fits_scrambled_solution, open_puzzle.puzzle_file, letters)
            return {"wrong": not fits, "unknown": 0}
        right = {cell for cell, typed in letters.items() if _is_accepted(typed, solution[cell])}
        if question.kind == "complete":
            return {"wrong": right != solution.keys(), "unknown": 0}
        if question.kind == "reveal":
            return {"cells": [{"cell": cell, "letter": solution[cell]} for cell in cells]}
        asked = [cell for cell in cells if cell in letters]
        return {"verdicts": [{"cell": cell, "verdict": "right" if cell in right else "wrong"} for cell in asked]}

    def _read_solution(self, file: PuzzleFile) -> tuple[Mapping[Cell, str] | None, bool]:
        """Return the file's solution, and whether it has a scrambled one."""
        return self._read(formats.read_solution, file), self._read(formats.has_scrambled_solution, file)


def _is_accepted(typed: str, true: str) -> bool:
    """Return whether `typed` may stand for the content: all of it, its first letter, or one of two."""
    typed, true = (text.fold_accents(content).upper() for content in (typed, true))
    from regis.solving.rebus.squares import CONTENT_SEPARATOR, is_right_content  # imported after the page is sent

    wanted = {true, true[:1], *true.split(CONTENT_SEPARATOR)}
    is_whole = is_right_content(typed, true) or is_right_content(true, typed)
    return is_whole or not wanted.isdisjoint((typed, *typed.split(CONTENT_SEPARATOR)))
