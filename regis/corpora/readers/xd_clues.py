"""`xd-clues`: a table of clues as xd.saul.pw publishes it, one row for each time a clue was used.

Columns `pubid year answer clue`, parted by tabs, never quoted; the .zip as it comes, or the .tsv in it. An answer that
reads two ways, `A/B`, is an entry for each way; `N/A` and the like, with a way of one letter, is one answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import files
from regis.errors import SourceError

HEADER = "pubid\tyear\tanswer\tclue"
NOT_FOUR = Reject("not four columns")
YEAR = Reject("impossible year")
EMPTY = Reject("empty clue")
REDACTED = Reject("redacted answer")

YEARS: dict[str, int | None] = {str(year): year for year in range(1900, 2101)} | {"": None}


def read(path: Path) -> Iterator[Entry | Reject]:
    """The rows of a clue table. Raises SourceError if `path` holds none, an empty file included."""
    begins = ""
    for found in files.texts(path, (".tsv",)):
        first = next(found.lines, "")
        if isinstance(first, str) and first.strip().lower() == HEADER:
            for line in found.lines:
                yield from _row(line)
            return
        begins = begins or repr(files.shown(first))
    columns = HEADER.replace("\t", " ")
    if not begins:
        raise SourceError(f"{path} holds no .tsv file; expected a table with the columns {columns}")
    raise SourceError(
        f"{path} is no table with the columns {columns}, parted by tabs; it begins with {begins}; "
        "write that heading, and a line for each clue (pubid and year may be empty)"
    )


def _row(line: files.Line) -> tuple[Entry | Reject, ...]:
    """One line as its entry (two for `A/B`) or its reject."""
    if isinstance(line, Reject):
        return (line,)
    columns = line.split("\t")
    if len(columns) != 4:
        return (NOT_FOUR,)
    publisher, when, raw, words = columns
    if when not in YEARS:
        return (YEAR,)
    clue = text.clue(words)
    if not clue:
        return (EMPTY,)
    ways = raw.split("/")
    if len(ways) > 1 and any(len(text.answer(way)) == 1 for way in ways):
        ways = [raw]
    return tuple(_entry(way, clue, publisher, YEARS[when]) for way in ways)


def _entry(raw: str, clue: str, publisher: str, year: int | None) -> Entry | Reject:
    answer = text.answer(raw)
    if not text.fits_grid(answer):
        return files.wrong_length(answer)
    if answer[0] == "X" and len(answer) > 2 and not answer.strip("X"):
        return REDACTED
    return Entry(answer, clue, "" if len(raw) == len(answer) else text.clue(raw), publisher, year, 1.0)
