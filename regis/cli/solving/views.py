"""How `regis solve` shows a solved puzzle, and what a person asks for in its place: --check, --hint, --grade.

With --grade they ask for the file's own solution: only then, and after the solving, is it looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from regis.puzzle import Slot, format_slot_names, formats
from regis.puzzle.formats import PuzzleFile
from regis.render import RENDERERS, Renderer, json, png
from regis.render.reports import hint as text
from regis.solving import hint
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.text import MAX_ANSWER_LENGTH


class View(NamedTuple):
    """How a solved puzzle is shown."""

    render: Renderer
    is_sure: Callable[[SolvedPuzzle], bool]  # whether nothing of what it shows is doubtful


def choose_view(output_format: str, only_check: bool, only_hint: bool) -> View:
    """Choose how to show a solved puzzle in a format, or with --check or --hint; bytes have no text of their own."""
    if only_check:
        render = json.render_check if output_format == "json" else text.render_check
        return View(render, lambda solved: not (solved.given_check.doubted_letters or solved.given_check.n_late))
    if only_hint:
        render = json.render_hint if output_format == "json" else text.render_hint
        return View(render, lambda solved: hint.find_hint(solved) is not None)
    return View(RENDERERS.get(output_format, RENDERERS["text"]), lambda solved: solved.is_confident)


def grade_puzzle(solved: SolvedPuzzle, file: PuzzleFile) -> tuple[SolvedPuzzle, Sequence[str]]:
    """Mark what is wrong by the file's own solution; say in a sentence where it has none."""
    from regis.evaluation import score

    truth = score.read_truth(file)
    if truth is None:
        return solved, [f"{file.name}: it has no solution that can be read, so no letter is marked"]
    return score.mark_wrong_cells(solved, truth), ()


def encode_puzzle(solved: SolvedPuzzle, file: PuzzleFile, output_format: str) -> tuple[bytes, Sequence[str]]:
    """Encode what goes into a file that is not text, with a sentence for what could not."""
    if output_format == "png":
        return png.render(solved), ()
    return formats.write_fill(file, output_format, solved.fill.cells)


def warn_of_long_entries(slots: Sequence[Slot], file: PuzzleFile) -> Sequence[str]:
    """Say in a sentence where entries to be shown are longer than any answer that an index holds."""
    long_slots = [slot for slot in slots if len(slot) > MAX_ANSWER_LENGTH]
    if not long_slots:
        return ()
    why = f"longer than {MAX_ANSWER_LENGTH} letters, for which no index has answers"
    return [f"{file.name}: {format_slot_names(long_slots)}: {why}; letters without a crossing are mere guesses"]


def warn_of_doubted_letters(solved: SolvedPuzzle, file_name: str, reveal: bool) -> Sequence[str]:
    """Say in a sentence each which of the person's letters in what is shown are probably wrong."""
    late = [f"{file_name}: {text.NO_TIME_SENTENCE}"] if solved.given_check.n_late else []
    puzzle, wrong = solved.puzzle, solved.given_check.doubted_letters
    places = [f"the {puzzle.given[cell]} that you wrote as {text.describe_cell(puzzle, cell)}" for cell in wrong]
    cure = "" if reveal else "; `--reveal` replaces it"
    return late + [f"{file_name}: {place} is probably wrong{cure}" for place in places]
