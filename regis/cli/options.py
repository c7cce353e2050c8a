"""Options that several commands have, and what they stand for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NewType, get_args

from regis.cli.command import Option
from regis.errors import IndexMissing, UsageError
from regis.system import paths
from regis.system.paths import VARIABLE

if TYPE_CHECKING:
    from regis.index import Index
    from regis.system.crew import Crew

PuzzleFormat = Literal["puz", "ipuz", "xd"]
FILES: tuple[PuzzleFormat, ...] = get_args(PuzzleFormat)  # formats of puzzle files that can be written
BYTES = (*FILES, "png")  # what is not text and does not go to the screen

Picture = Literal["html", "svg", "png"]
PICTURES: tuple[Picture, ...] = get_args(Picture)
"""What shows the grid as a picture. They hold one puzzle, as puzzle files do."""

ENDINGS = {".jsonl": "json"} | {f".{name}": name for name in ("json", *PICTURES, *FILES)}
"""The format that the name of the output asks for where --format does not; any other name asks for text."""

Target = NewType("Target", Path)
"""Where to write: a file, or a folder that is there."""

STDOUT = Path("-")
"""Instead of a file to write: standard output."""

Format = Annotated[Literal["text", "json"], Option("for people or programs (default: {default})")]

Filler = Annotated[str, Option("belief, singletons, domains, climb, backtrack or cells (default: {default})", "NAME")]
# not a Literal: `unknown` names what there is
Seconds = Annotated[
    float | None, Option("stop each puzzle after S seconds, with what is found and filled by then", "S")
]

IndexFolder = Annotated[
    Path | None,
    Option(f"the index to use (default: ${VARIABLE}, else what `regis build` made, else the starter)", "DIR"),
]

CLUSTER = "REGIS_CLUSTER"  # names the cluster that is used where nobody says otherwise

Jobs = Annotated[int, Option("processes side by side (default: {default})", "N", group="crew")]
Cluster = Annotated[str | None, Option(
    f"let the workers of the Dask scheduler at ADDRESS do it (default: ${CLUSTER})", "ADDRESS", group="crew"
)]  # fmt: skip


def own_index(what: str) -> Option:
    """--index of a command that needs an index of the person's own."""
    return Option(f"{what} (default: ${VARIABLE}, else what `regis build` made)", "DIR")


OwnIndex = Annotated[Path | None, own_index("the index to change")]

EMPTY = "the name is empty; write that of a file or folder, or . for the current one"
"""What is said of '', which would otherwise be the current folder and is a slip, mostly in a script."""


def misnamed(file: Path, format: str) -> Sequence[str]:
    """A sentence where a file to be written is named as one of another format is; --format was given, and counts."""
    ending = file.suffix.lower()
    if ending not in (*ENDINGS, ".jpz") or ENDINGS.get(ending) == format:
        return ()
    return [f"{file} will hold {format}, as --format says; other programs may go by its name"]


def opened(given: Path | None) -> Index:
    """The index to use, open."""
    from regis.index import Index

    return Index.open(paths.index(given))


def crew(jobs: int, cluster: str | None) -> Crew:
    """Who does the work: --cluster or --jobs, and where neither is given, the cluster that the environment names."""
    from regis.cli.progress import beside
    from regis.system.crew import Crew

    if cluster == "":
        raise UsageError("argument --cluster: the address is empty; write tcp://HOST:PORT")
    named = os.environ.get(CLUSTER, "") if jobs == 1 else ""
    return Crew(jobs, cluster or named, beside)


def own(given: Path | None) -> Path:
    """The folder of an index of the person's own. Raises IndexMissing where the starter is all there is."""
    folder = paths.own(given)
    if paths.only_starter(given):
        raise IndexMissing(
            "this needs an index of your own, and there is only the starter, which holds no clues: `regis fetch "
            "xd-clues wordnet`, then `regis build`"
        )
    return folder


def check_filler(name: str) -> None:
    """Before anything else is opened or read. Raises UsageError."""
    from regis.solving import fillers

    fillers.check(name)
