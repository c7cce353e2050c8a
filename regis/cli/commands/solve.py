"""`regis solve`: puzzles, solved and shown as the person asks for it."""

from __future__ import annotations

import dataclasses
import itertools
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self, TextIO

from regis.cli.command import Command, Option, Positional
from regis.cli.options import (
    BYTES,
    ENDINGS,
    FILES,
    PICTURES,
    STDOUT,
    Cluster,
    Filler,
    IndexFolder,
    Jobs,
    Picture,
    PuzzleFormat,
    Seconds,
    Target,
    check_filler,
    crew,
    misnamed,
    opened,
)
from regis.cli.printing import FINE, UNSURE, mute, report_error, show, warn
from regis.cli.status import Status
from regis.errors import OutputError, PuzzleError, UsageError
from regis.system import atomic, paths, threads
from regis.system.terminal import NARROWEST, Screen

if TYPE_CHECKING:
    from regis.cli.folder import Folder
    from regis.cli.showing import Asked, Showing, Shown
    from regis.index import Index
    from regis.puzzle.formats import PuzzleFile

UNWRITTEN = (".jpz", ".pdf", ".jpg", ".jpeg", ".gif", ".doc", ".docx", ".htm", ".xml", ".csv", ".zip", ".gz")
"""Endings of names that ask for what is not written."""

PACE = 0.1
"""Seconds that a step of --watch stays where nobody says how long."""

UNREADABLE = (PuzzleError, OSError, MemoryError)
"""What goes wrong with one puzzle and leaves the others as they are."""


class Solve(Command):
    help = "Solves puzzle files and prints grid and answers."
    interrupted = "what was not printed or written yet must be solved again; a file is whole or not there"
    examples = """examples:
  regis solve today.puz
  regis solve --format json --output solved.jsonl monday.puz tuesday.puz
  regis solve --format ipuz --output solved.ipuz today.puz
  regis solve --format html --output today.html today.puz
  regis solve --format html --output pages puzzles/2014
  regis solve --filler singletons --seconds 5 archive.zip
  regis solve --jobs 8 --output solved.jsonl archive.zip
  regis solve --filler singletons --watch --pace 0.5 mini.puz
  regis solve --check today.puz
  regis solve --hint --only 17A today.puz
  regis solve --only 17A 23D today.puz
  regis solve --numbers --ascii today.puz

Letters that you wrote into the file are kept; those that are probably wrong are told of on standard error.
"""

    puzzles: Annotated[tuple[Path, ...], Positional("a puzzle file, a folder, a zip, or -", "PUZZLE")]
    index: IndexFolder = None
    filler: Filler = "belief"
    seconds: Seconds = None
    jobs: Jobs = 1
    cluster: Cluster = None
    watch: Annotated[bool, Option("show the grid step by step while it is filled")] = False
    pace: Annotated[float | None, Option(
        f"with --watch, how long a step stays on a terminal (default: {PACE}); the pauses count for --seconds", "S"
    )] = None  # fmt: skip
    format: Annotated[Literal["text", "json", Picture, PuzzleFormat] | None, Option(
        "for people or programs, a page or picture, or the puzzle file with its letters (default: as FILE's name says, "
        "else text)"
    )] = None  # fmt: skip
    output: Annotated[Target | None, Option(
        "write to FILE, whole or not at all; into a folder, one file a puzzle", "FILE", short="o"
    )] = None  # fmt: skip
    width: Annotated[int | None, Option("columns of the text (default: the terminal's, $COLUMNS, 80)", "N")] = None
    grade: Annotated[bool, Option(
        "mark the letters that are wrong by the file's own solution (html, svg and png)"
    )] = False  # fmt: skip
    numbers: Annotated[bool, Option("show the numbers in the grid, too (text)")] = False
    ascii: Annotated[bool, Option("draw the grid with plain characters (text)")] = False
    only: Annotated[tuple[str, ...], Option("show only these entries: 17A 23D or 17A,23D", "ENTRIES")] = ()
    check: Annotated[bool, Option("tell only which of your letters are probably wrong", group="letters")] = False
    hint: Annotated[bool, Option("tell only one letter, or a few answers to one entry", group="letters")] = False
    reveal: Annotated[bool, Option("replace your letters that are probably wrong", group="letters")] = False

    @property
    def wanted(self) -> str:
        """The format of the result."""
        return self.format or ENDINGS.get(self.file.suffix.lower() if self.file else "", "text")

    @property
    def file(self) -> Path | None:
        """Where the result goes; None for standard output."""
        return None if self.output == STDOUT else self.output

    @property
    def folder(self) -> Path | None:
        """Where each puzzle gets a file of its own."""
        return self.file if self.file and self.file.is_dir() else None

    def run(self) -> int:
        """Solves every puzzle; one that cannot be read is reported and does not stop the others."""
        threads.one()
        asked = self._parted()
        with Status(None if asked.watch else sys.stderr) as status:
            status.say("opening the index ...")
            return asked._solved(status)

    def _parted(self) -> Self:
        """This, with entries that stand behind --only where puzzles do, as the 23D of `--only 17A 23D`, among `only`.

        A file that is called so is a puzzle.
        """
        from regis.puzzle.entry_names import PART

        more = [path for path in self.puzzles if self.only and PART.fullmatch(str(path)) and not path.exists()]
        if len(more) == len(self.puzzles):
            return self
        puzzles = tuple(path for path in self.puzzles if path not in more)
        return dataclasses.replace(self, puzzles=puzzles, only=(*self.only, *map(str, more)))

    @property
    def entries(self) -> str:
        """The names behind --only."""
        return " ".join(self.only)

    def _solved(self, status: Status) -> int:
        """Solves every puzzle, and says what is being done; returns the exit code."""
        from regis.cli.folder import Folder
        from regis.index import extent
        from regis.puzzle import formats

        self.refuse_contradictions()
        index = opened(self.index)
        warned = extent.warnings(index)
        status.clear()
        warn(warned)
        filled: list[Path] = []  # what is read and may be written over
        if self.folder:
            atomic.check(self.folder / f"puzzle.{self.wanted}", (), index.folder)
        elif self.file:
            filled = [path for path in self.puzzles if formats.fills(path, self.wanted)]
            if not self.format and any(paths.within(self.file, path) for path in filled):
                alone = (
                    f", or --format {self.wanted} to have its letters written into it" if len(self.puzzles) == 1 else ""
                )
                raise UsageError(f"{self.file} is read here, so it is not written over; name another file{alone}")
            atomic.check(self.file, [path for path in self.puzzles if path not in filled], index.folder)
            warn(misnamed(self.file, self.wanted) if self.format else ())
        folder = Folder(self.folder, self.puzzles, index.folder) if self.folder else None
        finished: list[bytes] = []
        failures: list[int] = []
        sure, gap = True, ""
        for file, content, certain, warnings, place in self._in_turn(
            index, self._readable(folder, failures, status), status
        ):
            status.clear()
            warn(warnings)
            if isinstance(content, PuzzleError):
                failures.append(report_error(content))
                continue
            sure &= certain
            if place:
                atomic.write(place, content)
                continue
            said = gap + content if isinstance(content, str) else content
            gap = "\n" if self.wanted == "text" else ""
            if self.file:
                finished.append(said.encode() if isinstance(said, str) else said)
                if any(formats.changed(self.file, file, read, finished[-1]) for read in filled):
                    raise OutputError(f"{self.file} has changed since it was read, so it stays; solve it again")
            else:  # a page says of itself that it is UTF-8, and an .svg has to be, whatever goes there otherwise
                show(said.encode() if isinstance(said, str) and self.wanted in PICTURES else said)
        if self.file and finished:
            atomic.write(self.file, b"".join(finished))
        return max(failures, default=FINE if sure else UNSURE)

    def _in_turn(self, index: Index, asked: Iterator[Asked], status: Status) -> Iterator[Shown]:
        """What is said of each puzzle, in their order, whoever solves them and however long each takes."""
        from regis.system.crew import in_turn, results

        showing = self._showing(index)
        if self.watch:
            yield from (self._watched(showing, index, one) for one in asked)
            return
        many = crew(self.jobs, self.cluster)
        others: Iterable[Asked] = asked
        if not many.alone(asked):
            first = list(itertools.islice(asked, 2))  # one puzzle is solved here
            others = first if len(first) < 2 else itertools.chain(first, asked)
        alone = many.alone(others)
        make = (lambda: partial(self._told, showing, index, status)) if alone else showing
        with closing(results(make, others, many)) as found:
            yield from in_turn(found if alone else status.counting(found))

    def _told(self, showing: Showing, index: Index, status: Status, asked: Asked) -> Shown:
        """What is said of a puzzle, and meanwhile, what is being done."""
        name = Path(asked.file.name).name
        status.clear()
        status.say(f"{name}: looking {len(asked.puzzle.grid.slots)} clues up ...")
        return showing.shown(index, asked, lambda done, _: status.say(f"{name}: filling the grid, {done} ..."))

    def _showing(self, index: Index) -> Showing:
        """What the person wants of each puzzle."""
        from regis.cli.showing import Showing

        return Showing(
            folder=index.folder.absolute(),
            fingerprint=index.fingerprint,
            filler=self.filler,
            seconds=self.seconds,
            reveal=self.reveal,
            format=self.wanted,
            check=self.check,
            hint=self.hint,
            grade=self.grade,
            only=bool(self.only),
            screen=self._screen(None if self.file else sys.stdout),
        )

    def _watched(self, showing: Showing, index: Index, asked: Asked) -> Shown:
        """What is said of a puzzle that the person watches while it is solved."""
        from regis.cli.watch import Watching

        def drawn(steps: str) -> None:
            try:
                show(steps)
            except (BrokenPipeError, OutputError):
                if not self.file:
                    raise
                mute(FINE)  # nobody looks on, and the result goes elsewhere

        watch = Watching(asked.puzzle, self._screen(sys.stdout), self.pace or PACE, drawn)
        watch("looking the clues up", lambda: asked.puzzle.given)
        shown = showing.shown(index, asked, watch)
        watch.close()
        return shown

    def refuse_contradictions(self) -> None:
        """Raises UsageError where the options cannot all be followed, before anything else is opened or read."""
        from regis.puzzle import entry_names
        from regis.render import png

        check_filler(self.filler)
        instead = "--check" if self.check else "--hint" if self.hint else ""
        if self.only:
            entry_names.names(self.entries)
        if self.folder and not self.format:
            raise UsageError(f"{self.output} is a folder, which gets a file for each puzzle; name --format too")
        if not self.format and self.file and self.file.suffix.lower() in UNWRITTEN:
            names = ", ".join(("txt", *(ending.removeprefix(".") for ending in ENDINGS)))
            raise UsageError(f"{self.file} asks for what Regis does not write; end it in one of {names}")
        if self.grade and self.wanted not in PICTURES:
            raise UsageError("--grade marks letters in a picture; name --format html, svg or png too")
        if self.numbers and self.wanted != "text":
            raise UsageError(f"--numbers shows numbers in a grid of text, not in {self.wanted}; leave one of them out")
        if self.wanted == "png":
            png.check()
        if instead and self.wanted not in ("text", "json"):
            raise UsageError(f"{instead} can be shown as text or json, not as {self.wanted}; leave one of them out")
        if self.wanted in BYTES and not self.file and sys.stdout.isatty():
            raise UsageError(f"a .{self.wanted} does not go to the screen; say where with --output NAME.{self.wanted}")
        if self.pace and not self.watch:
            raise UsageError("--pace is how long a step of --watch stays; name --watch too")
        if self.watch and (self.jobs > 1 or self.cluster):
            raise UsageError("--watch shows one grid at a time; leave out --jobs and --cluster")
        if self.watch and (instead or self.only):
            raise UsageError(f"--watch shows the whole grid, and {instead or '--only'} a part; leave one of them out")
        if self.watch and self.wanted != "text" and not self.file:
            raise UsageError("--watch shows steps where the result would go; send that to a file with --output FILE")

    def _readable(self, folder: Folder | None, failures: list[int], status: Status) -> Iterator[Asked]:
        """Each puzzle when its turn comes, with the slots to show; one that cannot be had so adds to `failures`.

        So does one that nothing in the `folder` can be made of: its place is that of a file that is read, say.

        Raises UsageError where several puzzles would go into a file that holds one.
        """
        from regis.cli import requests
        from regis.cli.showing import Asked
        from regis.puzzle import entry_names, formats

        files: Iterable[PuzzleFile] = self._files(failures, status)
        if self.wanted in (*FILES, *PICTURES) and not self.folder:
            files = list(itertools.islice(files, 2))
            if max(len(files), len(self.puzzles)) > 1:
                many = f"there is no folder {self.file}; make it first" if self.file else "a folder with --output"
                raise UsageError(f"a .{self.wanted} holds one puzzle; name one, or for many: {many}")
        for file in files:
            try:
                puzzle, warnings = formats.read(file)
                slots = entry_names.slots(self.entries, puzzle, file.name) if self.only else puzzle.grid.slots
                if self.wanted in FILES:
                    formats.written(file, self.wanted)  # what the format has no place for is told before the work
                place = folder.place(file, self.wanted) if folder else None
            except (*UNREADABLE, OutputError, UsageError) as error:
                status.clear()
                failures.append(report_error(error))
                continue
            status.clear()
            warn([*warnings, *requests.too_long(slots, file)])
            yield Asked(file, puzzle, slots, place)

    def _files(self, failures: list[int], status: Status) -> Iterator[PuzzleFile]:
        """The files in all places that were named, one at a time; a place that cannot be read adds to `failures`."""
        from regis.cli import passed_over
        from regis.puzzle import formats

        for path in self.puzzles:
            try:
                yield from formats.open_files(path)
                status.clear()
                passed_over.tell_archives([path])
            except UNREADABLE as error:
                status.clear()
                failures.append(report_error(error))

    def _screen(self, stream: TextIO | None) -> Screen:
        """What `stream` can show (None: a file), and what the person wants of that."""
        can = Screen.of(stream)
        width = max(self.width, NARROWEST) if self.width else can.width
        return dataclasses.replace(can, width=width, numbers=self.numbers, unicode=can.unicode and not self.ascii)
