"""A solved puzzle as a standalone page, and as a fragment for notebooks.

The page is one file without scripts. It prints well, follows the screen's light or dark mode, and shows the answers on
request; the user's own letters always show. The puzzle's text is escaped, and its writing direction isolated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from regis.puzzle import DOUBTFUL_BELOW, Direction, Puzzle
from regis.render import drawing, reasons, text_grid
from regis.render.drawing import DrawnSquare, drawing_values
from regis.solving.explanation import Explanation
from regis.solving.filler import Fill
from regis.solving.solved_puzzle import Answer, SolvedPuzzle
from regis.system.terminal import Screen, plain_text


def render(solved: SolvedPuzzle, file_name: str, screen: Screen) -> str:
    puzzle, shared = solved.puzzle, _shared_values(solved)
    about = (puzzle.author, puzzle.date.isoformat() if puzzle.date else "", puzzle.copyright)
    return drawing.fill_template(
        "puzzle.html",
        title=plain_text(puzzle.title) or plain_text(Path(file_name).name),
        about=[shown for text in about if (shown := plain_text(text))],
        notes=plain_text(puzzle.notes),
        origin=f"Filled by Regis, {solved.filler}, with index {solved.index_fingerprint}.",
        max_column_squares=17,
        legend=list(_legend_sentences(solved, shared["squares"])),
        row_descriptions=[
            ", ".join(map(_describe_square, row)) for _, row in groupby(shared["squares"], key=lambda x: x.row)
        ],
        **shared,
    )


def render_fragment(solved: SolvedPuzzle) -> str:
    """Render one <div>: title, grid, entries."""
    return drawing.fill_template("fragment.html", title=plain_text(solved.puzzle.title), **_shared_values(solved))


def render_unsolved(puzzle: Puzzle) -> str:
    """Render one <div>: title, grid with the letters written so far, clues."""
    answers = tuple(Answer(slot, puzzle.clues.get(slot, ""), "", 1.0, (), ()) for slot in puzzle.grid.slots)
    fill = Fill(puzzle.given, dict.fromkeys(puzzle.given, 1.0), {})
    return render_fragment(SolvedPuzzle(puzzle, fill, answers, filler="", seconds=0.0, index_fingerprint=""))


def render_explanation(explanation: Explanation) -> str:
    """Render one <div>: why an entry is answered as it is, its candidates, and its crossings."""
    return drawing.fill_template(
        "explanation.html",
        describe_evidence=reasons.describe_evidence,
        describe_crossing=reasons.describe_crossing,
        **vars(explanation),
    )


def _shared_values(solved: SolvedPuzzle) -> dict[str, Any]:
    """Return what page and fragment share: the grid, and 'Across' and 'Down' if they have entries."""
    lists = [(d.name.capitalize(), [a for a in solved.answers if a.slot.direction is d]) for d in Direction]
    return {
        "lists": [(name, entries) for name, entries in lists if entries],
        "slot_text": partial(text_grid.slot_text, solved, screen=Screen()),
        "doubtful_below": DOUBTFUL_BELOW,
        "max_answer_length": 15,
        "wrong_cells": solved.wrong_cells or frozenset(),
        **drawing_values(solved),
    }


def _legend_sentences(solved: SolvedPuzzle, squares: Sequence[DrawnSquare]) -> Iterator[str]:
    yield text_grid.grid_legend(solved, None)
    if any(square.doubt_level for square in squares):
        yield "The less sure a letter is, the more its square is hatched."
    if solved.wrong_cells is not None:
        n_wrong = sum(square.is_wrong for square in squares)
        yield (
            f"A cross in the corner: wrong according to the file's solution; {n_wrong} letter{'s' * (n_wrong != 1)}."
            if n_wrong
            else "All letters match the solution in the file."
        )
    if 0 < sum(square.is_own for square in squares) < len(solved.fill.cells):
        yield "Bold: your letters."


def _describe_square(square: DrawnSquare) -> str:
    """Describe a square for people who can't see it."""
    if square.is_block:
        return "block"
    marks = [f"{square.p_right:.0%} sure"] * bool(square.doubt_level)
    marks += ["wrong"] * square.is_wrong + ["yours"] * square.is_own
    marks += ["circled"] * square.is_circled + ["shaded"] * square.is_shaded
    marks += [f"bar {side}" for side in ("right", "below") if side[0].upper() in square.bar_sides]
    return (square.content or "empty") + (f" ({', '.join(marks)})" if marks else "")
