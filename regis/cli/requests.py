"""What a person asks of a puzzle but its whole solution: --only, --check, --hint of `regis solve`, and `explain`.

With --grade they ask for the file's own solution: only then, and after the solving, is it looked at.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Sequence
from typing import NamedTuple, TextIO

from regis.cli.arguments import PICTURES
from regis.errors import UsageError
from regis.evaluation import score
from regis.index import Index
from regis.puzzle import Puzzle, Slot, entry_names, formats
from regis.puzzle.formats import PuzzleFile
from regis.render import RENDERERS, Renderer, explanation, json, png
from regis.render import hint as text
from regis.solving import hint
from regis.solving.explain import explain
from regis.solving.solution import DOUBTFUL, Solved
from regis.system.terminal import Screen


class View(NamedTuple):
    """A way to show a solved puzzle, and whether that leaves nothing doubtful."""

    render: Renderer
    sure: Callable[[Solved], bool]


def view(arguments: argparse.Namespace) -> View:
    """What the options of `regis solve` ask for. Raises UsageError where they contradict each other."""
    if arguments.only:
        entry_names.names(arguments.only)
    if arguments.grade and arguments.format not in PICTURES:
        raise UsageError("--grade marks letters in a picture; name --format html, svg or png too")
    if arguments.format == "png":
        png.check()
    if not (arguments.check or arguments.hint):
        render = RENDERERS.get(arguments.format, RENDERERS["text"])  # the others are bytes
        return View(render, lambda solved: hint.sure(solved, DOUBTFUL))
    option = "--check" if arguments.check else "--hint"
    if arguments.format not in ("text", "json"):
        raise UsageError(f"{option} can be shown as text or json, not as {arguments.format}; leave one of them out")
    told = json if arguments.format == "json" else text
    if arguments.check:
        return View(told.check, lambda solved: not hint.checked(solved)[1])
    return View(told.hint, lambda solved: hint.hint(solved) is not None)


def screen(arguments: argparse.Namespace, stream: TextIO | None) -> Screen:
    """What `stream` can show (None: a file), and what the person wants of that."""
    can = Screen.of(stream)
    return dataclasses.replace(can, numbers=arguments.numbers, unicode=can.unicode and not arguments.ascii)


def entries(arguments: argparse.Namespace, puzzle: Puzzle, file: str) -> Sequence[Slot]:
    """The slots that are asked for. Raises PuzzleError if the puzzle has no such entry."""
    return entry_names.slots(arguments.only, puzzle, file) if arguments.only else puzzle.grid.slots


def graded(solved: Solved, file: PuzzleFile) -> tuple[Solved, Sequence[str]]:
    """`solved` with what is wrong, and a sentence where the file does not say what is right."""
    truth = score.truth(file)
    if truth is None:
        return solved, [f"{file.name}: it has no solution that can be read, so no letter is marked"]
    return score.graded(solved, truth), ()


def data(solved: Solved, file: PuzzleFile, format: str) -> tuple[bytes, Sequence[str]]:
    """What goes into a file that is not text, and a sentence for what could not."""
    if format == "png":
        return png.render(solved), ()
    return formats.written(file, format, solved.solution.cells)


def explanations(arguments: argparse.Namespace, index: Index, screen: Screen) -> tuple[Sequence[str], str]:
    """Warnings, and why the entries that are asked for are filled as they are. Raises PuzzleError or UsageError."""
    entry_names.names(arguments.entries)
    file = formats.open_file(arguments.puzzle)
    puzzle, warnings = formats.read(file)
    explained = explain(puzzle, entry_names.slots(arguments.entries, puzzle, file.name), index, arguments.limit)
    if arguments.format == "json":
        return warnings, "".join(json.explanation(one, file.name) for one in explained)
    return warnings, "\n".join(explanation.render(one, screen) for one in explained)


def doubts(solved: Solved, file: str) -> Sequence[str]:
    """One sentence for each of the person's letters in what is shown that is probably wrong."""
    given = solved.puzzle.given
    return [
        f"{file}: the {given[cell]} that you wrote in {text.place(solved.puzzle, cell)} is probably wrong"
        for cell in hint.checked(solved)[1]
    ]
