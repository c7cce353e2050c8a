"""Files that people take for puzzles and Regis cannot read: which kind each is, and what to do about it."""

from __future__ import annotations

import re

UNREADABLE_KINDS = (
    (rb"\brawc\b", "has its puzzle packed in PuzzleMe's way (rawc), which changes often; print its page to a PDF"),
    (rb'\A(?=.*"celldata")(?=.*"cluedata")', "is an acrostic, which Regis cannot solve; name a crossword"),
    (rb"\A\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)\b",
     "is a web page and not the puzzle in it; save that as .puz, .ipuz, .jpz or .json, or print the page to a PDF"),
    (rb"\A(?:GIF8|RIFF....WEBP|II\*\0|MM\0\*)",
     "is a picture of a kind that Regis does not read; save it as PNG or JPEG, and name that"),
    (rb"\A(?:\{\\rtf|\xd0\xcf\x11\xe0|PK\x03\x04.*word/document\.xml)",
     "is a document of a word processor; save it as a PDF there, and name that"),
)  # fmt: skip
"""What such files hold -> what a sentence says of them, behind their names."""

OWN_SUFFIX = ".ccw"
OWN_KIND = "is a file of Crossword Compiler's own, which only that reads; export it there as .jpz or .ipuz"
"""The one kind that is told by its name: we know no mark of it."""


def describe_kind(data: bytes, suffix: str) -> str:
    """Say of a file that is no puzzle for Regis which kind it is and what to do; '' where that is not known."""
    found = (said for pattern, said in UNREADABLE_KINDS if re.search(pattern, data, re.DOTALL | re.IGNORECASE))
    return next(found, OWN_KIND if suffix.lower() == OWN_SUFFIX else "")
