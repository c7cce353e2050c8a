"""PDF, with text as newspapers and constructing programs print it, or of pictures (`paper.printed_puzzle`).

Reading pages takes number libraries, which other puzzles do without; so they come in with the first PDF.
"""

from __future__ import annotations

from regis.puzzle.formats.files import is_pdf
from regis.puzzle.formats.shared.document import Document

detect = is_pdf


def read(data: bytes, file_name: str) -> Document:
    """Read the puzzle on the pages. Raises PuzzleError."""
    from regis.puzzle.formats.paper.printed_puzzle import read_page

    return read_page(data, file_name)
