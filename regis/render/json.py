"""A solved puzzle as one JSON object on one line. Its keys are a contract: programs rely on them.

All characters beyond ASCII are written as escapes, so that a line stays whole in any encoding and nothing in a clue
can act on a terminal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from regis.candidates.candidate_list import Candidate
from regis.puzzle import Cell, Direction
from regis.solving import hint as hints
from regis.solving.explain import Explanation
from regis.solving.solved import Answer, Solved
from regis.system.terminal import Screen

PLACES = 6  # decimals of a probability


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The puzzle as an object; `screen` makes no difference.

    cells and confidence are rows of the grid, null for a block; an empty cell is "" with confidence 0.
    """
    puzzle, solution = solved.puzzle, solved.solution

    def sure(cell: Cell) -> float | None:
        return _rounded(solution.confidence.get(cell, 0.0)) if solution.cells.get(cell) else 0

    return line(
        {
            "file": file,
            **{name: getattr(puzzle, name) for name in ("title", "author", "copyright", "notes")},
            **{name: sorted(getattr(puzzle, name)) for name in ("circles", "shaded")},
            "bars": sorted(puzzle.grid.bars),
            "cells": puzzle.grid.drawn(lambda cell: solution.cells.get(cell, ""), None),
            "confidence": puzzle.grid.drawn(sure, None),
            "theme": _theme(solved),
            "either": {str(one.slot): [one.first, one.other] for one in solved.either},
            "entries": [_entry(answer) for answer in solved.answers],
            "filler": solved.filler,
            "seconds": round(solved.seconds, 3),
            "late": solved.late,
            "index": solved.index,
        }
    )


def guess(clue: str, pattern: str, candidates: Sequence[Candidate], missing: float, index: str) -> str:
    """The candidates for one clue as an object."""
    found = [_candidate(candidate) for candidate in candidates]
    return line({"clue": clue, "pattern": pattern, "candidates": found, "missing": _rounded(missing), "index": index})


def check(solved: Solved, file: str, screen: Screen) -> str:
    """Which of the person's letters are probably wrong; rows and columns count from 0, as in `cells`."""
    found, given = solved.checked, solved.puzzle.given
    wrong = [{"row": r, "column": c, "letter": given[r, c], "right": _rounded(p)} for (r, c), p in found.wrong.items()]
    written = found.judged + found.others + found.late
    told = {"file": file, "written": written, "judged": found.judged, "late": found.late > 0}
    return line({**told, "wrong": wrong})


def hint(solved: Solved, file: str, screen: Screen) -> str:
    """One letter, or a few answers to one entry; `entry` is null where there is no hint."""
    found = hints.hint(solved)
    row, column = found.cell if found and found.cell else (None, None)
    told = {"file": file, "entry": str(found.slot) if found else None, "row": row, "column": column}
    if found is None:
        return line({**told, "letter": "", "answers": [], "probability": 0.0})
    share = _rounded(found.probability)
    return line({**told, "letter": found.letter, "answers": list(found.answers), "probability": share})


def explanation(explained: Explanation, file: str) -> str:
    """Why an entry was filled as it was."""
    choices = [{**_candidate(c.candidate), "alone": _rounded(c.alone), "rank": c.rank} for c in explained.choices]
    squares = [
        {
            "row": square.cell[0],
            "column": square.cell[1],
            "letter": square.letter,
            "written": square.written,
            "crossing": str(square.crossing.slot) if square.crossing else None,
            "heard": [[letter, _rounded(p)] for letter, p in square.heard],
        }
        for square in explained.squares
    ]
    return line(
        {
            "file": file,
            **_entry(explained.answer),
            "why": explained.why,
            "candidates": choices,
            "missing": {"alone": _rounded(explained.missing[0]), "probability": _rounded(explained.missing[1])},
            "squares": squares,
            "pieces": list(explained.pieces),
            "pieces_probability": _rounded(explained.pieces_share),
        }
    )


def line(value: dict[str, Any]) -> str:
    """Any object on one line."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n"


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "answer": candidate.answer,
        "probability": _rounded(candidate.probability),
        "evidence": [{**e._asdict(), "score": _rounded(e.score)} for e in candidate.evidence],
    }


def _theme(solved: Solved) -> dict[str, Any] | None:
    """What answers have in common, and the phrase of which each of them was made."""
    if (theme := solved.theme) is None:
        return None
    return {"edit": theme.said, "phrases": {str(slot): phrase for slot, phrase in theme.phrases.items()}}


def _entry(answer: Answer) -> dict[str, Any]:
    return {
        "number": answer.slot.number,
        "direction": "across" if answer.slot.direction is Direction.ACROSS else "down",
        "cells": answer.slot.cells,
        "clue": answer.clue,
        "answer": answer.answer,
        "confidence": _rounded(answer.confidence),
        "found_by": list(dict.fromkeys(e.finder for e in answer.evidence)),
        "alternatives": [[word, _rounded(p)] for word, p in answer.alternatives],
    }


def _rounded(p: float) -> float:
    return round(float(p), PLACES)
