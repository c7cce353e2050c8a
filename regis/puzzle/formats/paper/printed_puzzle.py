"""A puzzle read from printed pages: a PDF with text, or pictures of pages.

One process takes the file apart (`paper.page_objects`), another reads what is found (`paper.page_reading`), so that
no page takes more time or memory than a puzzle does.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from regis.errors import PuzzleError
from regis.puzzle.formats.files import is_picture
from regis.puzzle.formats.paper import page_objects
from regis.puzzle.formats.shared.document import Document

READING_MODULE = "regis.puzzle.formats.paper.page_reading"


@lru_cache(maxsize=page_objects.MAX_CACHED_FILES)
def read_page(
    data: bytes,
    file_name: str,
    rows: tuple[str, ...] = (),
    added: tuple[int, int] = (0, 0),
    page_number: int | None = None,
    grid_number: int | None = None,
) -> Document:
    """Read the puzzle on a photograph or scan, or on the pages of a PDF.

    Parameters
    ----------
    rows : the grid with blocks as a person saw them; () where that is right.
    added : rows above and columns left of what was read, in `rows`; below 0 those that `rows` lacks.
    page_number, grid_number : which page, and which of the grids there, from 1; None for the one with its clues.

    Raises
    ------
    PuzzleError : the page cannot be read.
    UsageError : the grid has no entry, or is larger than its page; or there is none at that place.
    """
    pages = pickle.dumps((_take_apart(data, file_name), file_name, rows, added, page_number, grid_number))
    written = page_objects.run_python(pages, page_objects.MAX_SECONDS, "-m", READING_MODULE)
    if not written:
        raise PuzzleError(f"{file_name} {page_objects.TOO_COSTLY}")
    said = pickle.loads(written)
    if isinstance(said, Exception):
        raise said
    assert isinstance(said, Document)
    return said


def type_clues(document: Document, typed_clues: Mapping[str, str]) -> Document:
    """Put clues that a person typed, by the names of their entries, for those that were read."""
    assert document.confidence is not None, "it is a page"
    slots = [slot for slot in document.grid.slots if str(slot) in typed_clues]
    clues = {slot: " ".join(typed_clues[str(slot)].split()) for slot in slots}
    confidence = replace(document.confidence, clues={**document.confidence.clues, **dict.fromkeys(clues, 1.0)})
    return replace(document, clues={**document.clues, **clues}, confidence=confidence)


def _lacks_characters(document: page_objects.PageDocument) -> bool:
    """Return whether most glyphs of a PDF are in fonts that don't say which characters they are."""
    glyphs = [glyph.character for page in document.pages for glyph in page.glyphs if not glyph.character.isspace()]
    return 2 * glyphs.count("\ufffd") > len(glyphs)


def _take_apart(data: bytes, file_name: str) -> page_objects.PageDocument:
    if is_picture(data):
        return page_objects.read_pictures(data, file_name)
    document = page_objects.read_pages(data, file_name)
    if not any(page.glyphs for page in document.pages):
        if all((page.pixels == 255).all() for page in document.pages):
            raise PuzzleError(f"{file_name} has empty pages; choose a PDF with a grid and its clues")
        document = page_objects.read_pictures(data, file_name)
    elif _lacks_characters(document):
        try:
            document = page_objects.read_pictures(data, file_name)._replace(lacks_characters=True)
        except PuzzleError as error:
            raise PuzzleError(
                f"{file_name} has fonts without a Unicode map, so its picture must be read, but {error}"
            ) from None
    return document
