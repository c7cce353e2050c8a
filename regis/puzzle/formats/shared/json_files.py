"""JSON as websites keep their puzzles: known by its fields, refused in one sentence where some are not there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from regis.errors import PuzzleError
from regis.puzzle.formats.shared import texts

_ODD_FIELDS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""What comes of fields that are not there or hold something else; JSON that is none is a ValueError."""


def has_fields(data: bytes, *names: str) -> bool:
    """Return whether `data` begins as a JSON object and names all these fields somewhere, whatever its encoding."""
    plain = data.replace(b"\0", b"")  # of UTF-16, too
    return plain[:64].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"{") and all(
        f'"{name}"'.encode() in plain for name in names
    )


def field_detector(*names: str) -> Callable[[bytes], bool]:
    """Make the `detect` of a format whose files are JSON objects with these fields, which no other format has."""
    return lambda data: has_fields(data, *names)


def parse_json_file(data: bytes) -> Any:
    """Parse a file within `refuse_incomplete`."""
    return texts.parse_json(texts.decode_text(data))


@contextmanager
def refuse_incomplete(file_name: str, format_name: str) -> Iterator[None]:
    """Raise PuzzleError for what is no JSON, or whose fields are not those of the format."""
    try:
        yield
    except _ODD_FIELDS as cause:
        raise PuzzleError(f"{file_name} is no complete JSON of this format ({format_name}); fetch it again") from cause


def date_of_milliseconds(raw: object) -> str:
    """Return the day of a time in milliseconds since 1970, '2014-01-06'; a text as it is; '' for anything else."""
    if isinstance(raw, int) and 0 < raw < 1 << 43:  # the year 2248
        return dt.datetime.fromtimestamp(raw / 1000, dt.UTC).date().isoformat()
    return texts.line_from_html(raw) if isinstance(raw, str) else ""
