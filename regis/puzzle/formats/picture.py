"""Photographs and scans of printed puzzles: PNG, JPEG, and HEIC where pillow-heif is there (`paper.printed_puzzle`)."""

from __future__ import annotations

from regis.puzzle.formats.files import is_picture
from regis.puzzle.formats.shared.document import Document

detect = is_picture


def read(data: bytes, file_name: str) -> Document:
    """Read the puzzle on the picture. Raises PuzzleError."""
    from regis.puzzle.formats.paper.printed_puzzle import read_page

    return read_page(data, file_name)
