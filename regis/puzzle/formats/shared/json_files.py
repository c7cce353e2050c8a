"""JSON as websites keep their puzzles: parsed also where it is nearly JSON, refused in one sentence where it is not."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from regis.errors import PuzzleError
from regis.puzzle.formats.shared import texts

_ODD_FIELDS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""What comes of fields that are not there or hold something else; JSON that is none is a ValueError."""

_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.?)*"?|,(?=\s*[]}])', re.DOTALL)
"""A comma at the end of a list or an object; or a string, to pass over."""


def parse_json(raw: str) -> Any:
    """Parse JSON, also with line feeds and tabs as they are in its strings, or commas at an end.

    Raises
    ------
    ValueError, RecursionError : it is no JSON, or nested too deeply.
    """
    try:
        return json.loads(raw, strict=False)
    except ValueError:
        return json.loads(_LAST_COMMA.sub(lambda found: found[0].removeprefix(","), raw), strict=False)


def parse_json_file(data: bytes) -> Any:
    """Parse a file within `refuse_incomplete`."""
    return parse_json(texts.decode_text(data))


@contextmanager
def refuse_incomplete(file_name: str, format_name: str) -> Iterator[None]:
    """Raise PuzzleError for what is no JSON, or whose fields are not those of the format."""
    try:
        yield
    except _ODD_FIELDS as cause:
        raise PuzzleError(
            f"{file_name} isn't complete JSON of this format ({format_name}); download it again"
        ) from cause


def date_of_milliseconds(raw: object) -> object:
    """Return the day of a time in milliseconds since 1970, '2014-01-06'; anything else as it is."""
    if isinstance(raw, int) and 0 < raw < 1 << 43:  # the year 2248
        return dt.datetime.fromtimestamp(raw / 1000, dt.UTC).date().isoformat()
    return raw if isinstance(raw, str) else ""
