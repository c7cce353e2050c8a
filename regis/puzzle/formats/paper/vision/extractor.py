"""Extracts pages from a picture, or from a PDF of pictures.

The background becomes white, and the white squares show where the grid is. The homography that rectifies the grid also
rectifies the page. A neural network then reads the text around the grid.
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
from regis.puzzle.formats.paper.vision.grid_drawing import read_glyphs, whiten
from regis.puzzle.formats.paper.vision.page_text import read_text
from regis.puzzle.formats.paper.vision.squares import rectify_grid

MAX_PAGES = 3  # pages of a PDF
MAX_SCALE = 2.2  # largest enlargement of a small picture
BACKGROUND_SCALE = 8  # pixels of the page per pixel of its background
BACKGROUND_WINDOW = 41  # pixels of the background; larger than any ink
MAX_GRIDS = 4  # grids of a page
GRID_MARGIN = 0.2  # fraction of a square's side; margin around a grid without text


def list_pictures(data: bytes) -> Iterator[Any]:
    """Yield the pages, each (height, width) grayscale."""
    if not is_picture(data):  # then it is a PDF
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


def normalize_background(picture: Any) -> Any:
    """Scale a page to its usual size, and make its background white."""
    long_side = max(picture.shape)
    scale = min(LONG_SIDE / long_side, MAX_SCALE)
    size = max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale))
    picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    small = cv2.resize(picture, None, fx=1 / BACKGROUND_SCALE, fy=1 / BACKGROUND_SCALE, interpolation=cv2.INTER_AREA)
    window = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (BACKGROUND_WINDOW, BACKGROUND_WINDOW))
    background = cv2.GaussianBlur(cv2.morphologyEx(cv2.medianBlur(small, 3), cv2.MORPH_CLOSE, window), (0, 0), 4)
    background = cv2.resize(background, size, interpolation=cv2.INTER_LINEAR).astype(np.float32)
    return np.clip(picture * (255 / np.maximum(background, 30)), 0, 255).astype(np.uint8)


class RectifiedPage(NamedTuple):
    """A rectified page and its grids; in pixels."""

    picture: Any  # without the grids
    grid_drawing: Any  # the grids alone
    lattices: list[Lattice]
    glyphs: list[Glyph]  # in the grids


def extract_grids(picture: Any) -> RectifiedPage:
    """Find the grids of a page, rectify the page by its largest grid, and move the grids to a separate drawing."""
    page = rectified = normalize_background(picture)
    drawing = to_rectified = None
    lattices: list[Lattice] = []
    glyphs: list[Glyph] = []
    for numbering, centers in group_squares(find_white_squares(page.astype(np.float32) / 255))[:MAX_GRIDS]:
        try:
            cells, homography = rectify_grid(page, numbering, centers)
        except UnreadablePicture:
            continue
        height, width = cells.shape[:2]
        if to_rectified is None:
            rectified, to_rectified = rectify_page(page, homography, (height, width))
            drawing = np.full(rectified.shape, 255, np.uint8)
        edge = np.array([[[0.0, 0], [width, 0]]])
        (left, top), (right, _) = cv2.perspectiveTransform(edge, to_rectified @ homography)[0]
        pitch = float(right - left) / width
        if pitch <= 0:  # upside down compared with the largest grid
            continue
        left, top, right, bottom = map(round, (left, top, right, top + pitch * height))
        lattice = Lattice(left, top, (right - left) / width, (bottom - top) / height, width, height)
        if any(
            lattice.left < x.right and x.left < lattice.right and lattice.top < x.bottom and x.top < lattice.bottom
            for x in lattices
        ):
            continue  # part of a grid that a curve of the paper split
        lattices.append(lattice)
        draw_grid(drawing, whiten(cells), lattice)
        glyphs += read_glyphs(cells, lattice)
        margin = GRID_MARGIN * pitch
        corners = (left - margin, top - margin), (right + margin, bottom + margin)
        cv2.rectangle(rectified, *(tuple(map(round, corner)) for corner in corners), 255, -1)
    if to_rectified is None:
        drawing = np.full(rectified.shape, 255, np.uint8)
    return RectifiedPage(rectified, drawing, lattices, glyphs)


def draw_grid(page: Any, cells: Any, lattice: Lattice) -> None:
    """Draw a grid at its position on a page, (height, width) grayscale."""
    height, width, side, _ = cells.shape
    left, top, right, bottom = map(round, (lattice.left, lattice.top, lattice.right, lattice.bottom))
    grid = cells.swapaxes(1, 2).reshape(height * side, width * side)
    grid = cv2.resize(grid, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    part = page[max(top, 0) : bottom, max(left, 0) : right]
    part[:] = grid[max(-top, 0) :, max(-left, 0) :][: part.shape[0], : part.shape[1]]


def rectify_page(page: Any, homography: Any, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Rectify a page by the homography of its grid; return the page, and the homography from old to new pixels."""
    grid_corners = np.array([[[0.0, 0], [shape[1], 0], [0, shape[0]]]])
    (x0, y0), (x1, y1), (x2, y2) = cv2.perspectiveTransform(grid_corners, homography)[0]
    pitch = (np.hypot(x1 - x0, y1 - y0) / shape[1] + np.hypot(x2 - x0, y2 - y0) / shape[0]) / 2
    height, width = page.shape
    corners = np.array([[[0.0, 0], [width, 0], [width, height], [0, height]]])
    side = max(height, width) / pitch
    outer = np.clip(cv2.perspectiveTransform(corners, np.linalg.inv(homography))[0], -2 * side, 2 * side)
    (left, top), (right, bottom) = outer.min(axis=0), outer.max(axis=0)
    scale = np.array([[pitch, 0, -left * pitch], [0, pitch, -top * pitch], [0, 0, 1]])
    to_rectified = scale @ np.linalg.inv(homography)
    size = min(round((right - left) * pitch), 2 * LONG_SIDE), min(round((bottom - top) * pitch), 2 * LONG_SIDE)
    return cv2.warpPerspective(page, to_rectified, size, flags=cv2.INTER_CUBIC, borderValue=255), to_rectified


def read_page(number: int, page: RectifiedPage) -> Page:
    """Read the text of a page."""
    pixels = np.repeat(page.grid_drawing[:, :, None], 3, axis=2)
    picture, glyphs = zlib.compress(pixels.tobytes(), 1), (*read_text(page.picture), *page.glyphs)
    return Page(number, glyphs, picture, page.grid_drawing.shape, 1.0, tuple(page.lattices), is_picture=True)


def recognize_pages(data: bytes, file_name: str) -> PageDocument:
    """Recognize the grids and text of each page. Raises PuzzleError."""
    cv2.setNumThreads(1)
    try:
        pages = [extract_grids(picture) for picture in list_pictures(data)]
        if not any(page.lattices for page in pages):
            raise UnreadablePicture("shows no crossword grid; take a picture of the whole page, straight from above")
        return PageDocument(tuple(read_page(number, page) for number, page in enumerate(pages)))
    except UnreadablePicture as reason:
        raise PuzzleError(f"{file_name} {reason}") from None
