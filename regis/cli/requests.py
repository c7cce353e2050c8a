"""How `regis solve` shows a solved puzzle, and what a person asks for in its place: --check, --hint, --grade.

With --grade they ask for the file's own solution: only then, and after the solving, is it looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from regis.puzzle import Slot, formats, listed
from regis.puzzle.formats import PuzzleFile
from regis.render import RENDERERS, Renderer, json, png
from regis.render import hint as text
from regis.solving import hint
from regis.solving.solved import Solved
from regis.text import MAX_LENGTH


class Manner(NamedTuple):
    render: Renderer
    sure: Callable[[Solved], bool]  # whether nothing of what it shows is doubtful


def manner(format: str, checked: bool, hinted: bool) -> Manner:
    """How to show a solved puzzle in a format, or with --check or --hint; what is bytes has no text of its own."""
    if checked:
        return Manner(
            json.check if format == "json" else text.check,
            lambda solved: not (solved.checked.wrong or solved.checked.late),
        )
    if hinted:
        return Manner(json.hint if format == "json" else text.hint, lambda solved: hint.hint(solved) is not None)
    return Manner(RENDERERS.get(format, RENDERERS["text"]), lambda solved: solved.sure)


def graded(solved: Solved, file: PuzzleFile) -> tuple[Solved, Sequence[str]]:
    """`solved` with what is wrong, and a sentence where the file does not say what is right."""
    from regis.evaluation import score

    truth = score.truth(file)
    if truth is None:
        return solved, [f"{file.name}: it has no solution that can be read, so no letter is marked"]
    return score.graded(solved, truth), ()


def data(solved: Solved, file: PuzzleFile, format: str) -> tuple[bytes, Sequence[str]]:
    """What goes into a file that is not text, and a sentence for what could not."""
    if format == "png":
        return png.render(solved), ()
    return formats.filled(file, format, solved.solution.cells)


def too_long(slots: Sequence[Slot], file: PuzzleFile) -> Sequence[str]:
    """A sentence where entries to be shown are longer than any answer that an index holds."""
    long = [slot for slot in slots if len(slot) > MAX_LENGTH]
    if not long:
        return ()
    why = f"longer than {MAX_LENGTH} letters, for which no index has answers"
    return [f"{file.name}: {listed(long)}: {why}; letters without a crossing are mere guesses"]


def doubts(solved: Solved, file: str) -> Sequence[str]:
    """One sentence for each of the person's letters in what is shown that is probably wrong."""
    late = [f"{file}: {text.LATE}"] if solved.checked.late else []
    wrong = [(solved.puzzle.given[cell], text.place(solved.puzzle, cell)) for cell in solved.checked.wrong]
    return late + [f"{file}: the {letter} that you wrote in {place} is probably wrong" for letter, place in wrong]
