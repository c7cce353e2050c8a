"""The markup of .xd, called xdown: `{/italics/}`, `{@a link | href: https://example.com@}`, `{\\as it is\\}`.

Version 4 of the format names what a link or picture has beside its text. Puzzmo's files of before tell it by its place:
`{@a link|https://example.com@}`, `{![https://example.com/a.png|a picture|200]!}`.
"""

from __future__ import annotations

import re

from regis import text

DEEPEST = 8  # spans within each other that are read: one of each kind that styles a text, and a link
ITALIC, PICTURE = "/", "!"
NAMED = PICTURE + "@#"  # spans whose text has an address or colours behind a bar

_SPAN = re.compile(r"\{([/*_~^=@!#-])([^{}]*?)\1\}")
_LITERAL = re.compile(r"\{\\(.*?)\\\}", re.DOTALL)
_ADDRESS = re.compile(r"https?:|data:", re.IGNORECASE)
_HIDE = {ord(sign): 0xDC00 + ord(sign) for sign in "{}\\"}  # to what no decoded text has
_SHOW = {hidden: sign for sign, hidden in _HIDE.items()}


def line(raw: str) -> str:
    """What is shown of a header."""
    return text.from_html(_html(_hidden(raw))).translate(_SHOW)


def clue(raw: str) -> str:
    """What is shown of a clue, with quotation marks for italics.

    A backslash outside of markup is a line break there, as before version 4, and a doubled one is a plain one.
    """
    lines = _hidden(raw).replace("\\\\", chr(_HIDE[ord("\\")])).split("\\")
    return text.clue_from_html(_html("\n".join(part.strip(" ") for part in lines))).translate(_SHOW)


def _hidden(raw: str) -> str:
    """`raw` with the signs of its literals hidden; an empty one is a line break."""
    end = raw.rfind("\\}") + 2  # of the last, so that no opening is followed up in vain
    return _LITERAL.sub(lambda found: found[1].translate(_HIDE) or "\n", raw[:end]) + raw[end:]


def _html(raw: str) -> str:
    """`raw` in HTML, of which italics are all that is left of its markup."""
    html = text.to_html(raw)
    for _ in range(DEEPEST):
        html, spans = _SPAN.subn(_content, html)
        if not spans:
            break
    return html


def _content(span: re.Match[str]) -> str:
    kind, inside = span.groups()
    if kind in NAMED:
        shown, _, more = inside.partition("|")
        if kind == PICTURE and _ADDRESS.match(shown.strip("![ ")):
            shown = more.partition("|")[0].strip("!]")
        return shown.strip()
    return f"<i>{inside}</i>" if kind == ITALIC else inside
