"""From one puzzle to what `regis solve` says of it, whoever does that: this process, another one, another machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from regis.cli import requests
from regis.cli.options import BYTES, FILES
from regis.errors import PuzzleError
from regis.index import Index
from regis.puzzle import Puzzle, Slot
from regis.puzzle.formats import PuzzleFile
from regis.solving.pipeline import solve
from regis.solving.solution import Watch, unwatched
from regis.system.terminal import Screen


class Asked(NamedTuple):
    """A puzzle, and the slots that are to be shown."""

    file: PuzzleFile
    puzzle: Puzzle
    slots: Sequence[Slot]
    place: Path | None  # where its own file goes; None if it gets none


class Shown(NamedTuple):
    """What is said of a puzzle."""

    file: PuzzleFile  # without its bytes, but where these may be written over
    content: str | bytes | PuzzleError  # why there is none, where its format has no place for it
    sure: bool  # whether nothing of it is doubtful
    warnings: Sequence[str]
    place: Path | None  # as it was asked


@dataclass(frozen=True)
class Showing:
    """What a person wants of each puzzle, and the index for it: all that a worker must know (regis.system.crew)."""

    folder: Path
    fingerprint: str
    filler: str
    seconds: float | None
    reveal: bool
    format: str
    check: bool
    hint: bool
    grade: bool
    only: bool  # whether only some slots are to be shown
    screen: Screen

    def __call__(self) -> Callable[[Asked], Shown]:
        return partial(self.shown, Index.same(self.folder, self.fingerprint))

    def shown(self, index: Index, asked: Asked, watch: Watch = unwatched) -> Shown:
        """A puzzle, solved, graded if that is wanted, and in its format; and doubts about the person's letters."""
        file, puzzle, slots, place = asked
        solved = solve(puzzle, index, self.filler, self.seconds, self.reveal, watch)
        warnings: list[str] = []
        if self.grade:
            solved, ungraded = requests.graded(solved, file)
            warnings += ungraded
        if self.only:
            solved = solved.only(slots)
        if not (self.check or self.hint):
            warnings += requests.doubts(solved, file.name)
        manner = requests.manner(self.format, self.check, self.hint)
        content: str | bytes | PuzzleError
        if self.format in BYTES:
            try:
                content, lost = requests.data(solved, file, self.format)
                warnings += lost
            except PuzzleError as error:
                content = error
        else:
            content = manner.render(solved, file.name, self.screen)
        if self.format not in FILES:
            file = file._replace(data=b"")
        return Shown(file, content, manner.sure(solved), warnings, place)
