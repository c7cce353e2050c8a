"""Pages that were seen in a picture, or a PDF of pictures.

The paper is brought to one white and the grid found by its squares; the page is laid flat as its grid is, and a
network reads the text around it.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import cv2
import numpy as np

from regis.errors import PuzzleError
from regis.puzzle.formats.files import is_picture
from regis.puzzle.formats.paper.lattice import find_white_squares, group_squares
from regis.puzzle.formats.paper.page_objects import LONG_SIDE, Glyph, Lattice, Page, PageDocument
from regis.puzzle.formats.paper.vision import UnreadablePicture
from regis.puzzle.formats.paper.vision.grid_drawing import whiten, write_squares
from regis.puzzle.formats.paper.vision.page_text import read_text
from regis.puzzle.formats.paper.vision.squares import lay_flat

MAX_PAGES = 3  # pictures of one PDF
MAX_ENLARGED = 2.2
BACKGROUND_STEP = 8  # pixels of the page for one of its background
BACKGROUND_SPOT = 41  # pixels of the background that all ink is smaller than
MAX_GRIDS = 4
GRID_MARGIN = 0.2  # of a side, around a grid, where no text is


def list_pictures(data: bytes) -> Iterator[Any]:
    """List the pages, each (height, width) grey."""
    if not is_picture(data):  # but a PDF of some
        import pypdfium2

        document = pypdfium2.PdfDocument(data)
        if len(document) > MAX_PAGES:
            raise UnreadablePicture("has too many pictures for a puzzle; save the puzzle's pictures as a separate PDF")
        for page in document:
            scale = LONG_SIDE / max(*page.get_size(), 1.0)
            yield page.render(scale=scale, grayscale=True).to_numpy()
        return
    try:
        if data[4:8] == b"ftyp":
            import pillow_heif

            picture = np.asarray(pillow_heif.open_heif(io.BytesIO(data)).to_pillow().convert("L"))
        else:
            picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    except ImportError:
        raise UnreadablePicture("is a picture that needs pillow-heif; save it as JPEG") from None
    except (cv2.error, OSError, ValueError):
        raise UnreadablePicture("is damaged or too large; save a smaller picture") from None
    if picture is None:
        raise UnreadablePicture("is a damaged picture; download it again")
    yield picture


def even_out(picture: Any) -> Any:
    """Bring a page to its size, and its paper to one white."""
    long_side = max(picture.shape)
    factor = min(LONG_SIDE / long_side, MAX_ENLARGED)
    size = max(1, round(picture.shape[1] * factor)), max(1, round(picture.shape[0] * factor))
    picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC)
    small = cv2.resize(picture, None, fx=1 / BACKGROUND_STEP, fy=1 / BACKGROUND_STEP, interpolation=cv2.INTER_AREA)
    spot = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (BACKGROUND_SPOT, BACKGROUND_SPOT))
    paper = cv2.GaussianBlur(cv2.morphologyEx(cv2.medianBlur(small, 3), cv2.MORPH_CLOSE, spot), (0, 0), 4)
    paper = cv2.resize(paper, size, interpolation=cv2.INTER_LINEAR).astype(np.float32)
    return np.clip(picture * (255 / np.maximum(paper, 30)), 0, 255).astype(np.uint8)


class FlatPage(NamedTuple):
    """A page that was laid flat, with what is seen of its grids; in pixels."""

    picture: Any  # without the grids
    grid_drawing: Any  # the grids alone
    lattices: list[Lattice]
    glyphs: list[Glyph]  # in the grids


def see_grids(picture: Any) -> FlatPage:
    """Find the grids of a page, lay it flat as the largest is, and draw them."""
    page = flat = even_out(picture)
    drawing = to_flat = None
    lattices: list[Lattice] = []
    glyphs: list[Glyph] = []
    for at, middles in group_squares(find_white_squares(page.astype(np.float32) / 255))[:MAX_GRIDS]:
        try:
            cells, view = lay_flat(page, at, middles)
        except UnreadablePicture:
            continue
        height, width = cells.shape[:2]
        if to_flat is None:
            flat, to_flat = lay_page_flat(page, view, (height, width))
            drawing = np.full(flat.shape, 255, np.uint8)
        (left, top), (right, _) = cv2.perspectiveTransform(np.array([[[0.0, 0], [width, 0]]]), to_flat @ view)[0]
        pitch = float(right - left) / width
        if pitch <= 0:  # it stands upside down beside the largest
            continue
        left, top, right, bottom = map(round, (left, top, right, top + pitch * height))
        lattice = Lattice(left, top, (right - left) / width, (bottom - top) / height, width, height)
        if any(
            lattice.left < x.right and x.left < lattice.right and lattice.top < x.bottom and x.top < lattice.bottom
            for x in lattices
        ):
            continue  # squares of the same grid, where the paper bends
        lattices.append(lattice)
        draw_grid(drawing, whiten(cells), lattice)
        glyphs += write_squares(cells, lattice)
        margin = GRID_MARGIN * pitch
        corners = (left - margin, top - margin), (right + margin, bottom + margin)
        cv2.rectangle(flat, *(tuple(map(round, corner)) for corner in corners), 255, -1)
    if to_flat is None:
        drawing = np.full(flat.shape, 255, np.uint8)
    return FlatPage(flat, drawing, lattices, glyphs)


def draw_grid(page: Any, cells: Any, lattice: Lattice) -> None:
    """Draw a grid into its place on a page, (height, width) grey."""
    height, width, side, _ = cells.shape
    left, top, right, bottom = map(round, (lattice.left, lattice.top, lattice.right, lattice.bottom))
    flat = cells.swapaxes(1, 2).reshape(height * side, width * side)
    drawn = cv2.resize(flat, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    part = page[max(top, 0) : bottom, max(left, 0) : right]
    part[:] = drawn[max(-top, 0) :, max(-left, 0) :][: part.shape[0], : part.shape[1]]


def lay_page_flat(page: Any, view: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Lay the whole page as its grid is, and return it with what makes the one's pixels of the other's."""
    (x0, y0), (x1, y1), (x2, y2) = cv2.perspectiveTransform(np.array([[[0.0, 0], [shape[1], 0], [0, shape[0]]]]), view)[
        0
    ]
    pitch = (np.hypot(x1 - x0, y1 - y0) / shape[1] + np.hypot(x2 - x0, y2 - y0) / shape[0]) / 2
    height, width = page.shape
    corners = np.array([[[0.0, 0], [width, 0], [width, height], [0, height]]])
    side = max(height, width) / pitch
    outer = np.clip(cv2.perspectiveTransform(corners, np.linalg.inv(view))[0], -2 * side, 2 * side)
    (left, top), (right, bottom) = outer.min(axis=0), outer.max(axis=0)
    scale = np.array([[pitch, 0, -left * pitch], [0, pitch, -top * pitch], [0, 0, 1]])
    to_flat = scale @ np.linalg.inv(view)
    size = min(round((right - left) * pitch), 2 * LONG_SIDE), min(round((bottom - top) * pitch), 2 * LONG_SIDE)
    return cv2.warpPerspective(page, to_flat, size, flags=cv2.INTER_CUBIC, borderValue=255), to_flat


def read_flat_page(number: int, flat: FlatPage) -> Page:
    """Read the text of a page."""
    pixels = np.repeat(flat.grid_drawing[:, :, None], 3, axis=2)
    picture, glyphs = zlib.compress(pixels.tobytes(), 1), (*read_text(flat.picture), *flat.glyphs)
    return Page(number, glyphs, picture, flat.grid_drawing.shape, 1.0, tuple(flat.lattices), is_picture=True)


def recognize_pages(data: bytes, file_name: str) -> PageDocument:
    """See each page; raises PuzzleError."""
    cv2.setNumThreads(1)
    try:
        pages = [see_grids(picture) for picture in list_pictures(data)]
        if not any(page.lattices for page in pages):
            raise UnreadablePicture("shows no crossword grid; take a picture of the whole page, straight from above")
        read = (read_flat_page(number, page) for number, page in enumerate(pages))
        return PageDocument(tuple(read), is_picture=True)
    except UnreadablePicture as reason:
        raise PuzzleError(f"{file_name} {reason}") from None
