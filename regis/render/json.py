"""A solved puzzle as one JSON object on one line. Its keys are a contract: programs rely on them.

All characters beyond ASCII are written as escapes, so that a line stays whole in any encoding and nothing in a clue
can act on a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from regis.candidates import Candidate
from regis.fill import Answer, Solved
from regis.puzzle import BLOCK, Direction
from regis.screen import Screen

PLACES = 6
"""Decimals of a probability."""


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The puzzle as an object; `screen` makes no difference.

    cells and confidence are rows of the grid, null for a block; an empty cell is "" with confidence 0.
    """
    grid, solution = solved.puzzle.grid, solved.solution
    cells = [
        [None if x == BLOCK else solution.cells.get((r, c), "") for c, x in enumerate(row)]
        for r, row in enumerate(grid.rows)
    ]
    confidence = [
        [None if x is None else _rounded(solution.confidence.get((r, c), 0.0)) if x else 0 for c, x in enumerate(row)]
        for r, row in enumerate(cells)
    ]
    return line(
        {
            "file": file,
            "title": solved.puzzle.title,
            "author": solved.puzzle.author,
            "copyright": solved.puzzle.copyright,
            "notes": solved.puzzle.notes,
            "circles": sorted(solved.puzzle.circles),
            "shaded": sorted(solved.puzzle.shaded),
            "cells": cells,
            "confidence": confidence,
            "entries": [_entry(answer) for answer in solved.answers],
            "filler": solved.filler,
            "seconds": round(solved.seconds, 3),
            "index": solved.index,
        }
    )


def guess(clue: str, pattern: str, candidates: Sequence[Candidate], missing: float, index: str) -> str:
    """The candidates for one clue as an object."""
    found = [
        {
            "answer": c.answer,
            "probability": _rounded(c.probability),
            "evidence": [{**e._asdict(), "score": _rounded(e.score)} for e in c.evidence],
        }
        for c in candidates
    ]
    return line({"clue": clue, "pattern": pattern, "candidates": found, "missing": _rounded(missing), "index": index})


def line(value: dict[str, Any]) -> str:
    """Any object on one line."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n"


def _entry(answer: Answer) -> dict[str, Any]:
    return {
        "number": answer.slot.number,
        "direction": "across" if answer.slot.direction is Direction.ACROSS else "down",
        "clue": answer.clue,
        "answer": answer.answer,
        "confidence": _rounded(answer.confidence),
        "found_by": list(dict.fromkeys(e.finder for e in answer.evidence)),
        "alternatives": [[word, _rounded(p)] for word, p in answer.alternatives],
    }


def _rounded(p: float) -> float:
    return round(float(p), PLACES)
