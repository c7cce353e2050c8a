"""What may be a puzzle in a saved web page: JSON in its scripts and attributes, even packed in a string, and XML.

The formats decide what each piece is.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote

from regis.puzzle.formats.shared.texts import decode_text

MIN_LENGTH = 200  # characters; no puzzle is shorter
MAX_DEPTH = 12  # objects within objects

_BEGIN = re.compile(r"""\{(?=\s*")|(?P<quote>["'])(?=\{|%7B|eyJ|<\?xml)""", re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)


def list_embedded(data: bytes) -> Iterator[bytes]:
    """List what may be a puzzle in a web page, each as a file of its own."""
    page = _Page()
    page.feed(decode_text(data))
    for text in page.texts:
        if len(text) >= MIN_LENGTH:
            yield text.encode(errors="replace")  # the reader of Crossword Compiler's files handles scripts
            for value in _list_values(text):
                yield from _list_files(value, MAX_DEPTH)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._is_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_script = tag == "script"
        self.texts += [value for _, value in attrs if value]

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False

    def handle_data(self, data: str) -> None:
        if self._is_script:
            self.texts.append(data)


def _list_values(text: str) -> Iterator[Any]:
    """List the objects in a script, and the strings that hold one, with anything between them."""
    start, budget = 0, 8 << 20  # characters that are parsed without finding a puzzle
    while budget > 0 and (found := _BEGIN.search(text, start)):
        if found["quote"] == "'":  # JSON has no single-quoted strings
            end = text.find("'", found.end())
            start = max(end, found.end())
            yield text[found.end() : end]
            continue
        try:
            value, start = _DECODER.raw_decode(text, found.start())
            yield value
        except json.JSONDecodeError as error:
            start = found.end()
            budget -= error.pos - found.start()
        except RecursionError:
            return


def _list_files(value: Any, depth: int) -> Iterator[bytes]:
    """List what may be files in a value: first the value itself, then its parts."""
    if isinstance(value, dict) and depth:
        written = json.dumps(value)
        if len(written) >= MIN_LENGTH:
            yield written.encode()
            for part in value.values():
                yield from _list_files(part, depth - 1)
    elif isinstance(value, list) and depth:
        for part in value:
            yield from _list_files(part, depth - 1)
    elif isinstance(value, str) and len(value) >= MIN_LENGTH:
        if value.startswith("eyJ"):
            try:
                value = base64.b64decode(value).decode()
            except (binascii.Error, UnicodeDecodeError):
                return
        value = unquote(value) if value[:3].upper() == "%7B" else value
        if value.startswith("{") and depth:
            try:
                yield from _list_files(json.loads(value, strict=False), depth - 1)
            except (ValueError, RecursionError):
                return
        elif value.startswith("<"):
            yield value.encode(errors="replace")
