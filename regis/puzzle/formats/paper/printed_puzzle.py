"""Reads a puzzle from a PDF with text, or from pictures of pages.

One process extracts the pages, and another reads the puzzle on them, each within limits of time and memory
(`paper.page_process`). Pictures need more libraries, those of the extra `paper`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec

from regis.errors import PuzzleError
from regis.puzzle.formats.files import is_picture
from regis.puzzle.formats.paper import PAPER_EXTRA
from regis.puzzle.formats.paper.page_objects import PageDocument
from regis.puzzle.formats.paper.page_process import Task, run_task
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.texts import join_names
from regis.system.os_errors import describe_install

TOO_COSTLY = "takes more time or memory than a puzzle; print its page to a new PDF"
EXTRACTION = Task("pdf_extractor", "extract_pages", 1 << 30, 10, 60, TOO_COSTLY)
DRAWING = EXTRACTION._replace(
    function="draw_page", failure_message="has a page that can't be shown; open the file in another program"
)
RECOGNITION = Task(
    "vision.extractor",
    "recognize_pages",
    5 << 29,
    60,
    300,
    "takes more time or memory than a page; save a smaller picture",
)  # most pictures take 7 seconds and 0.8 GB; threads reserve more memory than they use
READING = Task("page_reading", "read_document", 2 << 30, 20, 60, TOO_COSTLY)

PICTURE_LIBRARIES = {"cv2": "OpenCV", "onnxruntime": "onnxruntime", "rapidocr": "rapidocr"}
MAX_CACHED_FILES = 4  # one command reads the same file several times


@lru_cache(maxsize=MAX_CACHED_FILES)
def read_page(
    data: bytes,
    file_name: str,
    rows: tuple[str, ...] = (),
    added: tuple[int, int] = (0, 0),
    page_number: int | None = None,
    grid_number: int | None = None,
) -> Document:
    """Read the puzzle in a photograph, a scan, or a PDF.

    Parameters
    ----------
    rows : the grid as a person corrected it, () if it needs no correction.
    added : rows above and columns to the left that the correction adds; negative if it removes some.
    page_number, grid_number : the page and the grid on it, from 1; None for the grid that has clues.

    Raises
    ------
    PuzzleError : the page can't be read.
    UsageError : the corrected grid has no entry or is larger than its page, or the requested grid doesn't exist.
    """
    pages = _extract_pages(data, file_name)
    document: Document = run_task(READING, pages, file_name, rows, added, page_number, grid_number)
    return document


def draw_page(data: bytes, number: int, file_name: str) -> tuple[bytes, str]:
    """Return a picture of a page and its media type. Raises PuzzleError."""
    if is_picture(data):
        kinds = {b"\x89": "image/png", b"\xff": "image/jpeg"}
        return data, kinds.get(data[:1], "image/heic")
    return run_task(DRAWING, data, file_name, number), "image/png"


def type_clues(document: Document, typed_clues: Mapping[str, str]) -> Document:
    """Replace clues with those that a person typed, by the names of their entries."""
    assert document.confidence is not None, "it is a page"
    slots = [slot for slot in document.grid.slots if str(slot) in typed_clues]
    clues = {slot: " ".join(typed_clues[str(slot)].split()) for slot in slots}
    confidence = replace(document.confidence, clues={**document.confidence.clues, **dict.fromkeys(clues, 1.0)})
    return replace(document, clues={**document.clues, **clues}, confidence=confidence)


@lru_cache(maxsize=MAX_CACHED_FILES)
def _extract_pages(data: bytes, file_name: str) -> PageDocument:
    if is_picture(data):
        return _recognize_pages(data, file_name)
    document: PageDocument = run_task(EXTRACTION, data, file_name)
    glyphs = [glyph.character for page in document.pages for glyph in page.glyphs if not glyph.character.isspace()]
    if not any(page.glyphs for page in document.pages):
        if all((page.pixels == 255).all() for page in document.pages):
            raise PuzzleError(f"{file_name} has empty pages; choose a PDF with a grid and its clues")
        return _recognize_pages(data, file_name)
    if 2 * glyphs.count("\ufffd") <= len(glyphs):
        return document
    try:
        return _recognize_pages(data, file_name)._replace(lacks_characters=True)
    except PuzzleError as error:
        raise PuzzleError(
            f"{file_name} has fonts without a Unicode map, so it must be read as a picture, but {error}"
        ) from None


def _recognize_pages(data: bytes, file_name: str) -> PageDocument:
    """Recognize the text and grids of a picture, or a PDF of pictures. Raises PuzzleError."""
    if missing := [name for module, name in PICTURE_LIBRARIES.items() if find_spec(module) is None]:
        needed = f"reading one needs {join_names(missing)}"
        raise PuzzleError(f"{file_name} is a picture of a page, and {needed}; {describe_install(PAPER_EXTRA)}")
    document: PageDocument = run_task(RECOGNITION, data, file_name)
    return document
