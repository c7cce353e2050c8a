"""`xd-clues`: a table of clue uses as on xd.saul.pw, the .zip or the .tsv in it.

Columns `pubid year answer clue`, separated by tabs, never quoted. `A/B` is an entry for each reading; if a reading has
one letter, as in `N/A`, it is one answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from regis import text
from regis.corpora import entry
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import text_files
from regis.errors import SourceError

HEADER_LINE = "pubid\tyear\tanswer\tclue"
NOT_FOUR_COLUMNS = Reject("not four columns")
IMPOSSIBLE_YEAR = Reject("impossible year")
EMPTY_CLUE = Reject("empty clue")
REDACTED_ANSWER = Reject("redacted answer")

YEAR_BY_TEXT: dict[str, int | None] = {str(year): year for year in range(1900, 2101)} | {"": None}


def read(path: Path) -> Iterator[Entry | Reject]:
    """Yield the rows of a clue table; raises SourceError if `path` isn't one."""
    first_line = ""
    for found in text_files.read_texts(path, (".tsv",)):
        first = next(found.lines, "")
        if isinstance(first, str) and first.strip().lower() == HEADER_LINE:
            for line in found.lines:
                yield from _row_entries(line)
            return
        first_line = first_line or repr(text_files.shorten_line(first))
    columns = HEADER_LINE.replace("\t", " ")
    if not first_line:
        raise SourceError(f"{path} contains no .tsv file; expected a table with the columns {columns}")
    raise SourceError(
        f"{path} isn't a table with the columns {columns}, separated by tabs; it starts with {first_line}; "
        f"write that heading, then one clue per line (pubid and year may be empty)"
    )


def _row_entries(line: text_files.TextLine) -> tuple[Entry | Reject, ...]:
    """Return one line as its entry (two for `A/B`) or its reject."""
    if isinstance(line, Reject):
        return (line,)
    columns = line.split("\t")
    if len(columns) != 4:
        return (NOT_FOUR_COLUMNS,)
    publisher, year_text, raw, words = columns
    if year_text not in YEAR_BY_TEXT:
        return (IMPOSSIBLE_YEAR,)
    clue = text.clean_clue(words)
    if not clue:
        return (EMPTY_CLUE,)
    ways = raw.split("/")
    if len(ways) > 1 and any(len(text.normalize_answer(way)) == 1 for way in ways):
        ways = [raw]
    return tuple(_clue_entry(way, clue, publisher, YEAR_BY_TEXT[year_text]) for way in ways)


def _clue_entry(raw: str, clue: str, publisher: str, year: int | None) -> Entry | Reject:
    answer = text.normalize_answer(raw)
    if not text.fits_grid(answer):
        return entry.reject_length(answer)
    if answer[0] == "X" and len(answer) > 2 and not answer.strip("X"):
        return REDACTED_ANSWER
    return Entry(answer, clue, "" if len(raw) == len(answer) else text.clean_clue(raw), publisher, year, 1.0)
