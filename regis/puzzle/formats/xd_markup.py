"""The markup of .xd, called xdown: `{/italics/}`, `{@a link | href: https://example.com@}`, `{\\as it is\\}`.

Version 4 of the format names what a link or picture has beside its text. Puzzmo's files of before tell it by its place:
`{@a link|https://example.com@}`, `{![https://example.com/a.png|a picture|200]!}`.
"""

from __future__ import annotations

import re

from regis import text
from regis.puzzle.formats.shared import texts

MAX_SPAN_DEPTH = 8  # spans within each other that are read: one of each kind that styles a text, and a link
TAGS = {"/": "i", "^": "sup", "~": "sub"}  # kinds of spans that a clue shows
PICTURE_KIND = "!"
ADDRESSED_KINDS = PICTURE_KIND + "@#"  # spans whose text has an address or colours behind a bar

_SPAN = re.compile(r"\{([/*_~^=@!#-])([^{}]*?)\1\}")
_LITERAL = re.compile(r"\{\\(.*?)\\\}", re.DOTALL)
_ADDRESS = re.compile(r"https?:|data:", re.IGNORECASE)
_HIDING = {ord(sign): 0xDC00 + ord(sign) for sign in "{}\\"}  # to what no decoded text has
_SHOWING = {hidden: sign for sign, hidden in _HIDING.items()}


def line_from_markup(raw: str) -> str:
    """Return what is shown of a header."""
    return text.html_to_text(_html_of(_hide_literals(raw))).translate(_SHOWING)


def clue_from_markup(raw: str) -> str:
    """Return what is shown of a clue, with marks around what is in italics.

    A backslash outside of markup is a line break there, as before version 4, and a doubled one is a plain one.
    """
    lines = _hide_literals(raw).replace("\\\\", chr(_HIDING[ord("\\")])).split("\\")
    return texts.clue_from_html(_html_of("\n".join(part.strip(" ") for part in lines))).translate(_SHOWING)


def _hide_literals(raw: str) -> str:
    """Hide the signs of literals; an empty one is a line break."""
    end = raw.rfind("\\}") + 2  # of the last, so that no opening is followed up in vain
    return _LITERAL.sub(lambda found: found[1].translate(_HIDING) or "\n", raw[:end]) + raw[end:]


def _html_of(raw: str) -> str:
    """Turn `raw` into HTML, of whose markup italics and raised numbers are left."""
    html = text.text_to_html(raw)
    for _ in range(MAX_SPAN_DEPTH):
        html, spans = _SPAN.subn(_span_content, html)
        if not spans:
            break
    return html


def _span_content(span: re.Match[str]) -> str:
    kind, inside = span.groups()
    if kind in ADDRESSED_KINDS:
        shown, _, more = inside.partition("|")
        if kind == PICTURE_KIND and _ADDRESS.match(shown.strip("![ ")):
            shown = more.partition("|")[0].strip("!]")
        return shown.strip()
    tag = TAGS.get(kind)
    return f"<{tag}>{inside}</{tag}>" if tag else inside
