"""What a command is: its texts, its typed arguments, and its work; and options that several commands share.

Every command is a frozen dataclass whose fields are the arguments. A field is annotated with its type and a note,
`limit: Annotated[int, Option("how many answers", "N")] = 10`; `parser` builds the grammar from these. The type says how
to read a word: `int` is a whole number above 0, `float` a number of seconds, `Literal` one of its words, `bool` an
option without a word, and a tuple takes all words. A field without a default must be given.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, NamedTuple, NewType, dataclass_transform, get_args

from regis.cli.printing import COMMON_EXIT_CODES_HELP, STDOUT_PATH, write_result
from regis.errors import IndexMissing, UsageError
from regis.system import paths
from regis.system.paths import INDEX_VARIABLE
from regis.system.terminal import Screen

if TYPE_CHECKING:
    from regis.index import Index
    from regis.system.parallel.workers import Workers


class Positional(NamedTuple):
    """An argument by position. Help and messages call it `metavar`, or list its choices."""

    help: str
    metavar: str | None = None


class Option(NamedTuple):
    """An option --name, named like the field. `{default}` in the help is the field's default."""

    help: str
    metavar: str | None = None
    group: str = ""  # only one option of a group may be given
    short: str = ""  # a single letter for the same option


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True)
class Command(ABC):
    """One command, named like its class; an instance is one call of it."""

    quiet: Annotated[bool, Option("print only results and errors", short="q")] = False

    name: ClassVar[str]
    help: ClassVar[str]  # one sentence: what it does
    usage: ClassVar[str] = ""  # its arguments by position, if their list doesn't show them
    interrupted_message: ClassVar[str] = "nothing was done"  # the state of things after Ctrl-C
    examples: ClassVar[str]
    exit_codes_help: ClassVar[str] = COMMON_EXIT_CODES_HELP

    def __init_subclass__(cls) -> None:
        cls.name = cls.__name__.lower()
        dataclass(frozen=True, kw_only=True)(cls)

    @abstractmethod
    def run(self) -> int:
        """Run the command, and return the exit code. Slow imports belong here."""


PuzzleFormat = Literal["puz", "ipuz", "xd"]
PUZZLE_FORMATS: tuple[PuzzleFormat, ...] = get_args(PuzzleFormat)  # puzzle files that Regis writes
BINARY_FORMATS = (*PUZZLE_FORMATS, "png")  # bytes, which aren't printed on the screen

TextFormat = Literal["text", "json"]
TEXT_FORMATS: tuple[TextFormat, ...] = get_args(TextFormat)  # one file may have several puzzles

PictureFormat = Literal["html", "svg", "png"]
PICTURE_FORMATS: tuple[PictureFormat, ...] = get_args(PictureFormat)
"""Formats that show the grid as a picture. A file has only one puzzle."""

FORMAT_BY_SUFFIX = {
    **{"": "text", ".txt": "text", ".json": "json", ".jsonl": "json"},
    **{f".{name}": name for name in (*PICTURE_FORMATS, *PUZZLE_FORMATS)},
}
"""The format by the suffix of the output, if --format isn't given."""


def choose_format(given: str | None, file: Path | None, formats: Sequence[str]) -> str:
    """Return --format, else the format in `formats` that the name of `file` implies. Raises UsageError if none."""
    named = given or FORMAT_BY_SUFFIX.get(file.suffix.lower() if file else "")
    if named in formats:
        return str(named)
    suffixes = [suffix for suffix, name in FORMAT_BY_SUFFIX.items() if suffix and name in formats]
    raise UsageError(f"{file} doesn't end in a format Regis writes; use {', '.join(suffixes)}, or --format")


OutputPath = NewType("OutputPath", Path)
"""Where to write: a file."""

OutputPlace = NewType("OutputPlace", Path)
"""Where to write: a file, or a folder for one file per puzzle."""


class FolderPath(type(Path())):  # type: ignore[misc]  # before Python 3.12, pathlib's Path itself has no subclasses
    """The path of a folder, typed with a slash at its end."""


def names_folder(place: Path, output_format: str | None, sources: Sequence[Path]) -> bool:
    """Return whether `place` is a folder with a file for each puzzle in `sources`; it may not exist yet."""
    from regis.puzzle.formats import is_archive

    if place.is_dir() or isinstance(place, FolderPath) or place == STDOUT_PATH:
        return place != STDOUT_PATH
    if place.exists() or (place.suffix and place.suffix.lower() in FORMAT_BY_SUFFIX):
        return False
    return output_format in (*PUZZLE_FORMATS, *PICTURE_FORMATS) and (
        len(sources) > 1 or any(path.is_dir() or is_archive(path) for path in sources)
    )


PageNumber = Annotated[int | None, Option("read the puzzle on page N of a PDF", "N")]
GridNumber = Annotated[int | None, Option("read the Nth puzzle of a PDF or a picture, or of its --page", "N")]

ExitZero = Annotated[bool, Option("exit with 0 instead of 3 if something is unsure")]

ReportOutput = Annotated[OutputPath | None, Option("write to FILE instead of standard output", "FILE", short="o")]


class Report(Command):
    """A command that prints one report, as text or JSON."""

    format: Annotated[TextFormat | None, Option("text or json (default: by FILE's name, else text)")] = None
    output: ReportOutput = None

    @property
    def is_json(self) -> bool:
        """Return whether the report is JSON. Raises UsageError if neither --format nor the name of the file says."""
        return choose_format(self.format, self.output, TEXT_FORMATS) == "json"

    def check_output(self, inputs: Sequence[Path] = (), index_folder: Path | None = None) -> None:
        """Raise OutputError or UsageError if the report can't be written, before the work."""
        choose_format(self.format, self.output, TEXT_FORMATS)
        if self.output and self.output != STDOUT_PATH:
            from regis.system.files import atomic

            atomic.check_writable(self.output, inputs, index_folder)

    def choose_screen(self) -> Screen:
        return Screen.for_stream(None if self.output else sys.stdout)

    def write(self, report: str) -> int:
        return write_result(report, self.output)


FillerName = Annotated[
    str, Option("belief, singletons, domains, climb, backtrack, or cells (default: {default})", "NAME")
]
# not a Literal, so that `unknown_name` can list the names
TimeLimit = Annotated[float | None, Option("stop each puzzle after S seconds with what's been filled", "S")]

IndexFolder = Annotated[
    Path | None,
    Option(f"the index to use (default: ${INDEX_VARIABLE}, else the one you built, else the starter)", "DIR"),
]

CLUSTER_VARIABLE = "REGIS_CLUSTER"  # the default of --cluster

JobCount = Annotated[int, Option("how many processes to use (default: {default})", "N", group="crew")]
ClusterAddress = Annotated[str | None, Option(
    f"use the workers of the Dask scheduler at ADDRESS (default: ${CLUSTER_VARIABLE})", "ADDRESS", group="crew"
)]  # fmt: skip


def own_index_option(purpose: str) -> Option:
    """Make the --index of a command that needs the user's own index."""
    return Option(f"{purpose} (default: ${INDEX_VARIABLE}, else the one you built)", "DIR")


OwnIndexFolder = Annotated[Path | None, own_index_option("the index to change")]


def open_index(given: Path | None) -> Index:
    from regis.index import Index

    return Index.open(paths.index_folder(given))


def choose_workers(jobs: int, cluster: str | None) -> Workers:
    """Choose the workers: --cluster or --jobs, else the cluster in the environment."""
    from regis.cli.progress import print_beside_bar
    from regis.system.parallel.workers import Workers

    return Workers(jobs, _cluster_address(jobs, cluster), print_beside_bar)


def is_shared(jobs: int, cluster: str | None) -> bool:
    """Return whether other processes would do the work."""
    return jobs > 1 or bool(_cluster_address(jobs, cluster))


def _cluster_address(jobs: int, cluster: str | None) -> str:
    if cluster == "":
        raise UsageError("argument --cluster: the address is empty; write tcp://HOST:PORT")
    return cluster or (os.environ.get(CLUSTER_VARIABLE, "") if jobs == 1 else "")


def own_index_folder(given: Path | None) -> Path:
    """Return the folder of the user's own index. Raises IndexMissing if there is only the starter."""
    folder = paths.own_index_folder(given)
    if paths.has_only_starter(given):
        raise IndexMissing(
            "this needs your own index, because the starter has no clues: run `regis fetch xd-clues wordnet`, "
            "then `regis build`"
        )
    return folder
