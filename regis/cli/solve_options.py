"""The options of `regis solve`: what they mean, and which of them contradict each other.

Workers get them unchanged (cli.puzzle_output.RenderSpec).
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self, TextIO

from regis.cli.command import (
    BINARY_FORMATS,
    PICTURE_FORMATS,
    PUZZLE_FORMATS,
    TEXT_FORMATS,
    ClusterAddress,
    Command,
    ExitZero,
    FillerName,
    GridNumber,
    IndexFolder,
    JobCount,
    Option,
    OutputPlace,
    PageNumber,
    PictureFormat,
    Positional,
    PuzzleFormat,
    TextFormat,
    TimeLimit,
    choose_format,
    names_folder,
)
from regis.cli.printing import STDOUT_PATH
from regis.errors import UsageError
from regis.system.terminal import MIN_COLUMNS, Screen

if TYPE_CHECKING:
    from regis.solving.filler import NamedFiller


OUTPUT_FORMATS = (*TEXT_FORMATS, *PICTURE_FORMATS, *PUZZLE_FORMATS)

DEFAULT_PACE = 0.1
"""Seconds that a step of --watch stays on the screen by default."""


class SolveOptions(Command):
    puzzles: Annotated[tuple[Path, ...], Positional("a puzzle file, folder, or zip, or - for standard input", "PUZZLE")]
    index: IndexFolder = None
    filler: FillerName = "belief"
    seconds: TimeLimit = None
    jobs: JobCount = 1
    cluster: ClusterAddress = None
    watch: Annotated[bool, Option("show the grid step by step as it's filled")] = False
    pace: Annotated[float | None, Option(
        f"with --watch, seconds to show each step (default: {DEFAULT_PACE}); they count toward --seconds",
        "S",
    )] = None  # fmt: skip
    format: Annotated[Literal[TextFormat, PictureFormat, PuzzleFormat] | None, Option(
        "text, json, a page, a picture, or a puzzle file with Regis's letters (default: by FILE's name, else "
        "text)"
    )] = None  # fmt: skip
    output: Annotated[OutputPlace | None, Option(
        "write to FILE, or one file per puzzle to a folder", "FILE", short="o"
    )] = None  # fmt: skip
    width: Annotated[int | None, Option("columns of text (default: the terminal's, $COLUMNS, or 80)", "N")] = None
    grade: Annotated[bool, Option(
        "mark letters that differ from the file's solution (html, svg, png)"
    )] = False  # fmt: skip
    numbers: Annotated[bool, Option("show the numbers in the grid (text)")] = False
    ascii: Annotated[bool, Option("draw the grid with plain characters (text)")] = False
    only: Annotated[tuple[str, ...], Option("show only these entries: 17A 23D or 17A,23D", "ENTRIES")] = ()
    check: Annotated[bool, Option("only say which of your letters are probably wrong", group="letters")] = False
    hint: Annotated[bool, Option("only give one letter, or a few answers to one entry", group="letters")] = False
    reveal: Annotated[bool, Option("replace your letters that are probably wrong", group="letters")] = False
    page: PageNumber = None
    grid: GridNumber = None
    exit_zero: ExitZero = False

    @property
    def output_format(self) -> str:
        """The format of the result. Raises UsageError if neither --format nor the name of the file says."""
        return choose_format(self.format, self.output_file, OUTPUT_FORMATS)

    @property
    def output_file(self) -> Path | None:
        return None if self.output == STDOUT_PATH else self.output

    @property
    def output_folder(self) -> Path | None:
        """The folder in which each puzzle gets a file of its own."""
        return self.output if self.output and names_folder(self.output, self.format, self.puzzles) else None

    @property
    def entry_words(self) -> str:
        """The names behind --only."""
        return " ".join(self.only)

    def find_filler(self) -> NamedFiller:
        """Return the filler. Raises UsageError if the name is unknown."""
        from regis.solving.belief import BELIEF

        if self.filler == BELIEF.name:
            return BELIEF
        from regis.ancestors import find_filler

        return find_filler(self.filler)

    def move_entries_to_only(self) -> Self:
        """Move entries among the puzzles to --only, as the 23D of `--only 17A 23D`, unless a file has that name."""
        from regis.puzzle.entry_names import NAME_CONTINUATION

        entries = [
            path for path in self.puzzles if self.only and NAME_CONTINUATION.fullmatch(str(path)) and not path.exists()
        ]
        if len(entries) == len(self.puzzles):
            return self
        puzzles = tuple(path for path in self.puzzles if path not in entries)
        return dataclasses.replace(self, puzzles=puzzles, only=(*self.only, *map(str, entries)))

    def choose_screen(self, stream: TextIO | None) -> Screen:
        """Return what `stream` can show (None: a file), within the limits that the options set."""
        screen = Screen.for_stream(stream)
        width = max(self.width, MIN_COLUMNS) if self.width else screen.width
        unicode = screen.unicode and not self.ascii
        return dataclasses.replace(screen, width=width, show_numbers=self.numbers, unicode=unicode)

    def refuse_contradictions(self) -> None:
        """Raise UsageError if options contradict each other, before anything is opened or read."""
        from regis.puzzle import entry_names

        self.find_filler()
        instead = "--check" if self.check else "--hint" if self.hint else ""
        if self.only:
            entry_names.parse_entry_names(self.entry_words)
        if self.output_folder and not self.format:
            raise UsageError(f"{self.output} is a folder; add --format to say what goes into it")
        if self.grade and self.output_format not in PICTURE_FORMATS:
            raise UsageError("--grade needs --format html, svg, or png")
        if self.numbers and self.output_format != "text":
            raise UsageError(f"--numbers is for text, not {self.output_format}; remove one")
        if self.output_format == "png":
            from regis.render import drawing

            drawing.check_pillow()
        if instead and self.output_format not in ("text", "json"):
            raise UsageError(f"{instead} needs text or json, not {self.output_format}; remove one")
        if self.output_format in BINARY_FORMATS and not self.output_file and sys.stdout.isatty():
            raise UsageError(f"a .{self.output_format} can't go to the screen; add --output NAME.{self.output_format}")
        if self.pace and not self.watch:
            raise UsageError("--pace needs --watch")
        if self.watch and (self.jobs > 1 or self.cluster):
            raise UsageError("--watch can't be combined with --jobs or --cluster")
        if self.watch and (instead or self.only):
            raise UsageError(f"--watch can't be combined with {instead or '--only'}")
        if self.watch and self.output_format != "text" and not self.output_file:
            raise UsageError("--watch uses standard output; send the result to a file with --output FILE")
