"""What a file is, by its content: the marks of each format, and of files that people take for puzzles."""

from __future__ import annotations

import re

from regis.puzzle.formats.shared.texts import decode_text

JPZ_BYTES = 1 << 14  # bytes within which the root of a .jpz starts
JPZ_ROOT = re.compile(rb"<((?:\w+:)?(?:crossword-compiler|rectangular-puzzle))\b")
_TXT_START = re.compile(r"\s*<ACROSS PUZZLE(?: V2)?>", re.IGNORECASE)
_EXOLVE_BEGIN = re.compile(rb"^[ \t]*exolve-begin[ \t\r]*$", re.MULTILINE)
_EXOLVE_GRID = re.compile(rb"^[ \t]*exolve-grid[ \t\r]*(?::|$)", re.MULTILINE)
_WEB_PAGE = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.DOTALL | re.IGNORECASE
)

UNREADABLE_KINDS = (
    (rb"\brawc\b", "has a puzzle packed by PuzzleMe (rawc), which Regis can't unpack; print its page to a PDF"),
    (rb'\A(?=.*"celldata")(?=.*"cluedata")', "is an acrostic, which Regis can't solve; choose a crossword"),
    (_WEB_PAGE.pattern,
     "is a web page without a whole puzzle in it; save the page again, or print it to a PDF"),
    (rb"\A(?:GIF8|RIFF....WEBP|II\*\0|MM\0\*)",
     "is a kind of picture Regis can't read; save it as PNG or JPEG"),
    (rb"\A(?:\{\\rtf|\xd0\xcf\x11\xe0|PK\x03\x04.*word/document\.xml)",
     "is a word processor document; save it as a PDF there"),
)  # fmt: skip
"""Marks of such files -> what to say after their names."""

OWN_SUFFIX = ".ccw"
OWN_KIND = "is a Crossword Compiler file that only it can read; export it there as .jpz or .ipuz"
"""What to say of the one kind recognized by its name, since its mark is unknown."""


def has_fields(data: bytes, *names: str) -> bool:
    """Return whether `data` starts like a JSON object and names all these fields somewhere, in any encoding."""
    plain = _drop_nuls(data)
    return plain[:64].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"{") and all(
        f'"{name}"'.encode() in plain for name in names
    )


def is_puz(data: bytes) -> bool:
    """Return whether `data` has the mark of a .puz, maybe after something else, but isn't a zip."""
    return data.find(b"ACROSS&DOWN\0") >= 2 and not data.startswith(b"PK\3\4")


def is_ipuz(data: bytes) -> bool:
    """Return whether `data` is a JSON object, maybe wrapped, that names ipuz or has its fields."""
    start = _drop_nuls(data[:128]).lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if not has_fields(data, "puzzle"):
        return start.startswith(b"ipuz")
    return has_fields(data, "clues") or b"ipuz.org/" in _drop_nuls(data)


def may_be_jpz(data: bytes) -> bool:
    """Return whether `data` has the root element of a .jpz, or is a zip."""
    return data.startswith(b"PK\3\4") or starts_as_jpz(data)


def starts_as_jpz(data: bytes) -> bool:
    """Return whether `data` starts with the root element of a .jpz, even in UTF-16."""
    return bool(JPZ_ROOT.search(_drop_nuls(data[:JPZ_BYTES])))


def is_uclick(data: bytes) -> bool:
    """Return whether `data` is XML or a JSON object with fields that only this format has."""
    start = _drop_nuls(data[:4096])
    is_xml = b"<AllAnswer" in start and b"<crossword" in start
    return is_xml or has_fields(data, "AllAnswer", "AcrossClue") or has_fields(data, "acrossClue", "solution")


def is_web_page(data: bytes) -> bool:
    return bool(_WEB_PAGE.match(data))


def is_cfp(data: bytes) -> bool:
    return b"<CROSSFIRE" in _drop_nuls(data[:1024])


def is_exolve(data: bytes) -> bool:
    """Return whether a line of `data` starts an Exolve puzzle, even within something else, such as a web page."""
    plain = _drop_nuls(data)
    return bool(b"exolve-grid" in plain and _EXOLVE_BEGIN.search(plain) and _EXOLVE_GRID.search(plain))


def is_txt(data: bytes) -> bool:
    """Return whether `data` starts with the first tag; cutting a character in half does no harm."""
    return bool(_TXT_START.match(decode_text(data[:256].removeprefix(b"\xef\xbb\xbf"))))


def _drop_nuls(data: bytes) -> bytes:
    """Make UTF-16 of plain letters readable."""
    return data.replace(b"\0", b"")


def describe_kind(data: bytes, suffix: str) -> str:
    """Say what an unreadable file is and what to do; '' if unknown."""
    found = (said for pattern, said in UNREADABLE_KINDS if re.search(pattern, data, re.DOTALL | re.IGNORECASE))
    return next(found, OWN_KIND if suffix.lower() == OWN_SUFFIX else "")
