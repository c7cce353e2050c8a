"""`regis solve`: puzzles, solved and shown as the person asks for it."""

from __future__ import annotations

import dataclasses
import itertools
import sys
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO, get_args

from regis.cli.command import Command, Option, Positional
from regis.cli.options import FILES, Filler, IndexFolder, PuzzleFormat, Seconds, check_filler, opened
from regis.cli.printing import FAILED, FINE, UNSURE, report_error, show, warn
from regis.errors import PuzzleError, UsageError
from regis.system import atomic, threads
from regis.system.terminal import NARROWEST, Screen

if TYPE_CHECKING:
    from regis.index import Index
    from regis.puzzle import Puzzle, Slot
    from regis.puzzle.formats import PuzzleFile
    from regis.solving.solution import Solved

Picture = Literal["html", "svg", "png"]
PICTURES: tuple[Picture, ...] = get_args(Picture)
"""What shows the grid as a picture. They hold one puzzle, as puzzle files do."""

BYTES = (*FILES, "png")
"""What is not text and does not go to the screen."""

ENDINGS = {".jsonl": "json"} | {f".{name}": name for name in ("json", *PICTURES, *FILES)}
"""The format that the name of the output asks for where --format does not; any other name asks for text."""

PACE = 0.1
"""Seconds that a step of --watch stays where nobody says how long."""

UNREADABLE = (PuzzleError, OSError, MemoryError)
"""What goes wrong with one puzzle and leaves the others as they are."""


class Solve(Command):
    help = "Solves puzzle files and prints grid and answers."
    interrupted = "what was not printed yet is not solved, and no file was written"
    examples = """examples:
  regis solve today.puz
  regis solve --format json --output solved.jsonl monday.puz tuesday.puz
  regis solve --format ipuz --output solved.ipuz today.puz
  regis solve --format html --output today.html today.puz
  regis solve --format html --output pages puzzles/2014
  regis solve --filler singletons --seconds 5 archive.zip
  regis solve --filler singletons --watch --pace 0.5 mini.puz
  regis solve --check today.puz
  regis solve --hint --only 17A today.puz
  regis solve --only 17A,23D today.puz
  regis solve --numbers --ascii today.puz

Letters that you wrote into the file are kept; those that are probably wrong are told of on standard error.
"""

    puzzles: Annotated[tuple[Path, ...], Positional("a puzzle file, a folder, a zip, or -", "PUZZLE")]
    index: IndexFolder = None
    filler: Filler = "belief"
    seconds: Seconds = None
    watch: Annotated[bool, Option("show the grid step by step while it is filled")] = False
    pace: Annotated[float | None, Option(
        f"with --watch, how long a step stays on a terminal (default: {PACE}); the pauses count for --seconds", "S"
    )] = None  # fmt: skip
    format: Annotated[Literal["text", "json", Picture, PuzzleFormat] | None, Option(
        "for people or programs, a page or picture, or the puzzle file with its letters (default: as FILE's name says, "
        "else text)"
    )] = None  # fmt: skip
    output: Annotated[Path | None, Option(
        "write to FILE, whole or not at all; into a folder, one file a puzzle", "FILE", short="o"
    )] = None  # fmt: skip
    width: Annotated[int | None, Option("columns of the text (default: the terminal's, $COLUMNS, 80)", "N")] = None
    grade: Annotated[bool, Option(
        "mark the letters that are wrong by the file's own solution (html, svg and png)"
    )] = False  # fmt: skip
    numbers: Annotated[bool, Option("show the numbers in the grid, too (text)")] = False
    ascii: Annotated[bool, Option("draw the grid with plain characters (text)")] = False
    only: Annotated[str | None, Option("show only these entries: 17A,23D", "ENTRIES")] = None
    check: Annotated[bool, Option("tell only which of your letters are probably wrong", group="letters")] = False
    hint: Annotated[bool, Option("tell only one letter, or a few answers to one entry", group="letters")] = False
    reveal: Annotated[bool, Option("replace your letters that are probably wrong", group="letters")] = False

    @property
    def wanted(self) -> str:
        """The format of the result."""
        return self.format or ENDINGS.get(self.output.suffix.lower() if self.output else "", "text")

    @property
    def folder(self) -> Path | None:
        """Where each puzzle gets a file of its own."""
        return self.output if self.output and self.output.is_dir() else None

    def run(self) -> int:
        """Solves every puzzle; one that cannot be read is reported and does not stop the others."""
        threads.one()
        from regis.cli import requests
        from regis.index import extent

        self.refuse_contradictions()
        index = opened(self.index)
        warn(extent.warnings(index))
        if self.folder:
            atomic.check(self.folder / f"puzzle.{self.wanted}", (), index.folder)
        elif self.output:
            spared = [path for path in self.puzzles if not self._saves(path)]
            atomic.check(self.output, spared, index.folder)
        folder = requests.Folder(self.folder, self.puzzles, index.folder) if self.folder else None
        view = requests.view(self.wanted, self.check, self.hint)
        screen = self._screen(None if self.output else sys.stdout)
        finished: list[str] = []
        failures: list[int] = []
        sure = True
        for file, puzzle, slots in self._readable(failures):
            solved = self._shown(self._solved(puzzle, index), file, slots)
            sure &= view.sure(solved)
            if self.wanted in BYTES:
                data, lost = requests.data(solved, file, self.wanted)
                if folder:
                    folder.put(file, self.wanted, data)
                elif self.output:
                    atomic.write(self.output, data)
                else:
                    show(data)
                warn(lost)
                continue
            if folder:
                folder.put(file, self.wanted, view.render(solved, file.name, screen))
                continue
            gap = "\n" if finished and self.wanted == "text" else ""
            finished.append(gap + view.render(solved, file.name, screen))
            if not self.output:
                show(finished[-1])
        if self.output and finished:
            atomic.write(self.output, "".join(finished))
        return FAILED if failures else FINE if sure else UNSURE

    def _saves(self, path: Path) -> bool:
        """Whether `path` is a file of the format that --format names, and of one that keeps all else with letters."""
        from regis.puzzle.formats import FORMATS

        fills = self.format in FILES and FORMATS[self.format].fill is not None
        return fills and path.suffix.lower() == f".{self.format}" and not zipfile.is_zipfile(path)

    def refuse_contradictions(self) -> None:
        """Raises UsageError where the options cannot all be followed, before anything else is opened or read."""
        from regis.puzzle import entry_names
        from regis.render import png

        check_filler(self.filler)
        instead = "--check" if self.check else "--hint" if self.hint else ""
        if self.only:
            entry_names.names(self.only)
        if self.folder and not self.format:
            raise UsageError(f"{self.output} is a folder, which gets a file for each puzzle; name --format too")
        if self.grade and self.wanted not in PICTURES:
            raise UsageError("--grade marks letters in a picture; name --format html, svg or png too")
        if self.wanted == "png":
            png.check()
        if instead and self.wanted not in ("text", "json"):
            raise UsageError(f"{instead} can be shown as text or json, not as {self.wanted}; leave one of them out")
        if self.wanted in BYTES and not self.output and (sys.stdout is None or sys.stdout.isatty()):
            raise UsageError(f"a .{self.wanted} does not go to the screen; say where with --output NAME.{self.wanted}")
        if self.pace and not self.watch:
            raise UsageError("--pace is how long a step of --watch stays; name --watch too")
        if self.watch and (instead or self.only):
            raise UsageError(f"--watch shows the whole grid, and {instead or '--only'} a part; leave one of them out")
        if self.watch and self.wanted != "text" and not self.output:
            raise UsageError("--watch shows steps where the result would go; send that to a file with --output FILE")

    def _readable(self, failures: list[int]) -> Iterator[tuple[PuzzleFile, Puzzle, Sequence[Slot]]]:
        """Each puzzle when its turn comes, with the slots to show; one that cannot be read adds to `failures`.

        Raises UsageError where several puzzles would go into a file that holds one.
        """
        from regis.cli import requests
        from regis.puzzle import entry_names, formats

        files: Iterable[PuzzleFile] = self._files(failures)
        if self.wanted in (*FILES, *PICTURES) and not self.folder:
            files = list(itertools.islice(files, 2))
            if max(len(files), len(self.puzzles)) > 1:
                raise UsageError(f"a .{self.wanted} holds one puzzle; name one, or a folder with --output for many")
        for file in files:
            try:
                puzzle, warnings = formats.read(file)
                slots = entry_names.slots(self.only, puzzle, file.name) if self.only else puzzle.grid.slots
            except UNREADABLE as error:
                failures.append(report_error(error))
                continue
            warn([*warnings, *requests.too_long(slots, file)])
            yield file, puzzle, slots

    def _files(self, failures: list[int]) -> Iterator[PuzzleFile]:
        """The files in all places that were named, one at a time; a place that cannot be read adds to `failures`."""
        from regis.puzzle import formats

        for path in self.puzzles:
            try:
                yield from formats.open_files(path)
            except UNREADABLE as error:
                failures.append(report_error(error))

    def _solved(self, puzzle: Puzzle, index: Index) -> Solved:
        """The puzzle, solved, and watched if the person wants to."""
        from regis.cli.watch import Watching

        watch = Watching(puzzle, self._screen(sys.stdout), self.pace or PACE, show) if self.watch else None
        if watch:
            watch("looking the clues up", lambda: puzzle.given)
        from regis.solving.pipeline import solve
        from regis.solving.solution import Budget, unwatched

        solved = solve(puzzle, index, self.filler, Budget(self.seconds), self.reveal, watch or unwatched)
        if watch:
            watch.close()
        return solved

    def _shown(self, solved: Solved, file: PuzzleFile, slots: Sequence[Slot]) -> Solved:
        """What of it is to be shown: graded, only some entries. Doubts about the person's letters are reported."""
        from regis.cli import requests
        from regis.solving import hint

        if self.grade:
            solved, ungraded = requests.graded(solved, file)
            warn(ungraded)
        if self.only:
            solved = hint.only(solved, slots)
        if not (self.check or self.hint):
            warn(requests.doubts(solved, file.name))
        return solved

    def _screen(self, stream: TextIO | None) -> Screen:
        """What `stream` can show (None: a file), and what the person wants of that."""
        can = Screen.of(stream)
        width = max(self.width, NARROWEST) if self.width else can.width
        return dataclasses.replace(can, width=width, numbers=self.numbers, unicode=can.unicode and not self.ascii)
