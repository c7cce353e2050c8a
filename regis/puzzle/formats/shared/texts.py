"""Texts in files: bytes to text, HTML to what a browser shows, lenient JSON, and cleaning."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any

from regis import text
from regis.errors import PuzzleError

ITALIC_START = "\ufdd0"
ITALIC_END = "\ufdd1"
"""Marks around italics in a document's clues. Unicode defines them as characters that no text has."""
_ITALIC_MARK = re.compile(f"[{ITALIC_START}{ITALIC_END}]")
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LINE_BREAK = re.compile("\r\n?|[\v\f\u2028\u2029]")


def decode_text(data: bytes) -> str:
    """Decode a file as UTF-8, as UTF-16 if it has that mark, or else as cp1252. Normalize line ends; drop trailing NULs
    and DOS end marks."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        decoded = data.decode("utf-16", "replace")
    else:
        try:
            decoded = data.decode("utf-8-sig")
        except UnicodeError:
            decoded = text.decode_cp1252(data)
    return decoded.replace("\r\n", "\n").replace("\r", "\n").rstrip("\0\x1a")


def nonblank_lines(section: str) -> list[str]:
    return [row.strip() for row in section.split("\n") if row.strip()]


def clean_text(raw: object) -> str:
    """Remove control characters, half characters, and outer spaces."""
    if not isinstance(raw, str):
        return str(raw) if isinstance(raw, int) and not isinstance(raw, bool) else ""
    if not raw.isprintable():
        raw = _CONTROL.sub(" ", _LINE_BREAK.sub("\n", raw.translate(text.CP1252_TWINS)))
    return raw.strip()


def clean_line(raw: object) -> str:
    return " ".join(part.strip(" ") for part in clean_text(raw).split("\n"))


def clean_clue(raw: object) -> str:
    """Clean a clue, without spaces around its line breaks."""
    return "\n".join(part.strip(" ") for part in clean_text(raw).split("\n"))


def join_texts(raw_texts: Iterable[object]) -> str:
    """Join distinct nonblank texts, one per line."""
    return "\n".join(dict.fromkeys(raw for raw in raw_texts if isinstance(raw, str) and raw.strip()))


def text_from_html(raw: object) -> object:
    """Return what a browser shows of an HTML text; other types as they are."""
    return text.html_to_text(raw) if isinstance(raw, str) else raw


def clue_from_html(raw: str) -> str:
    """Return what a browser shows of an HTML clue, with marks around italics."""
    return mark_italics((text.html_to_text(piece), italic) for piece, italic in text.split_italics(raw))


def mark_italics(pieces: Iterable[tuple[str, bool]]) -> str:
    """Join the pieces of a clue, and put marks around italics."""
    runs = [("".join(piece for piece, _ in run), italic) for italic, run in groupby(pieces, key=itemgetter(1))]
    return "".join(f"{ITALIC_START}{run}{ITALIC_END}" if italic and run.strip() else run for run, italic in runs)


def show_italics(clue: str) -> str:
    """Replace the marks of italics with quotation marks for titles."""
    return text.quote_italics((piece, i % 2 == 1) for i, piece in enumerate(_ITALIC_MARK.split(clue)))


def replace_italics(clue: str, start: str, end: str) -> str:
    return clue.replace(ITALIC_START, start).replace(ITALIC_END, end)


def join_names(names: Sequence[str]) -> str:
    """Join names as people do: 'A', 'A and B', 'A, B and C'."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


_ODD_FIELDS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""Errors of missing or odd fields; invalid JSON is a ValueError."""

_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.?)*"?|,(?=\s*[]}])', re.DOTALL)
"""A comma at the end of a list or an object; or a string, which is skipped."""


def parse_json(raw: str) -> Any:
    """Parse JSON, even with line feeds in strings or trailing commas; raises ValueError or RecursionError."""
    try:
        return json.loads(raw, strict=False)
    except ValueError:
        return json.loads(_LAST_COMMA.sub(lambda found: found[0].removeprefix(","), raw), strict=False)


@contextmanager
def parse_json_file(data: bytes, file_name: str, format_name: str) -> Iterator[Any]:
    """Parse a file; raises PuzzleError for invalid JSON, or for fields that the format doesn't have."""
    with refuse_incomplete(file_name, format_name):
        yield parse_json(decode_text(data))


@contextmanager
def refuse_incomplete(file_name: str, format_name: str, kind: str = "JSON") -> Iterator[None]:
    """Raise errors of missing or odd fields as PuzzleError."""
    try:
        yield
    except _ODD_FIELDS as cause:
        raise PuzzleError(
            f"{file_name} isn't complete {kind} of this format ({format_name}); download it again"
        ) from cause


def date_of_milliseconds(raw: object) -> object:
    """Convert milliseconds since 1970 to a day, '2014-01-06'; leave other values as they are."""
    if isinstance(raw, int) and 0 < raw < 1 << 43:  # the year 2248
        return dt.datetime.fromtimestamp(raw / 1000, dt.UTC).date().isoformat()
    return raw if isinstance(raw, str) else ""
