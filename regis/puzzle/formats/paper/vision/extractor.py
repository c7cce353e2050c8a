"""A process of its own that sees pages: a picture or a PDF of pictures in, what `pdf_extractor` says of a page out.

The paper is brought to one white and the grid found by its squares; the page is laid flat as its grid is, and a
network reads the text around it. Pictures come from anywhere, so time and memory are bounded here.
"""

from __future__ import annotations

import base64
import io
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import cv2
import numpy as np

from regis.puzzle.formats.files import is_picture
from regis.puzzle.formats.paper.pdf_extractor import limit_process
from regis.puzzle.formats.paper.vision import UnreadablePicture
from regis.puzzle.formats.paper.vision.grid_drawing import whiten, write_squares
from regis.puzzle.formats.paper.vision.page_text import Box, read_text
from regis.puzzle.formats.paper.vision.squares import find_spots, lay_flat, number_spots

MAX_PAGES = 3  # pictures of one PDF
MAX_MEMORY = 5 << 29  # bytes of this process, of which it uses 0.8 GB at most; threads ask for more
MAX_SECONDS = 60  # of its computing: a full page of a newspaper has 800 lines
LONG_SIDE = 3300  # pixels to which a page is enlarged or reduced: a letter at 300 dpi
LONG_SIDE_POINTS = 792.0
MAX_ENLARGED = 2.2
BACKGROUND_STEP = 8  # pixels of the page for one of its background
BACKGROUND_SPOT = 41  # pixels of the background that all ink is smaller than
SHEET_SIDE = 800  # pixels of a picture in which the corners of a sheet are looked for
MIN_TABLE_STEP = 40  # of 255, by which what it lies on is darker
TABLE_SHARE = 0.35  # of the way from that to the paper, from which on it is paper: shadows fall on it
MIN_SHEET_SHARE = 0.3  # of the picture
CORNER_SHARE = 0.03  # of an outline, by which it may leave its four sides
MAX_GRIDS = 4
MIN_PITCH = 12.0  # pixels
GRID_MARGIN = 0.2  # of a side, around a grid, where no text is


def list_pictures(data: bytes) -> Iterator[Any]:
    """List the pages, each (height, width) grey."""
    if not is_picture(data):  # but a PDF of some
        import pypdfium2

        document = pypdfium2.PdfDocument(data)
        if len(document) > MAX_PAGES:
            raise UnreadablePicture("long")
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
        raise UnreadablePicture("heic") from None
    except (cv2.error, OSError, ValueError):
        raise UnreadablePicture("large") from None
    if picture is None:
        raise UnreadablePicture("damaged")
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
    grid_boxes: list[Box]
    shapes: list[tuple[int, int]]  # of the grids: rows and columns
    glyphs: list[list[Any]]


def see_grids(picture: Any) -> FlatPage:
    """Find the grids of a page, lay it flat as the largest is, and draw them."""
    page = flat = even_out(picture)
    to_flat = None
    boxes: list[tuple[float, ...]] = []
    grids: list[Any] = []
    glyphs: list[list[Any]] = []
    for at, middles in number_spots(find_spots(page))[:MAX_GRIDS]:
        try:
            cells, view = lay_flat(page, at, middles)
        except UnreadablePicture:
            continue
        height, width = cells.shape[:2]
        if to_flat is None:
            flat, to_flat = lay_page_flat(page, view, (height, width))
        (left, top), (right, _) = cv2.perspectiveTransform(np.array([[[0.0, 0], [width, 0]]]), to_flat @ view)[0]
        pitch = (right - left) / width
        if pitch < MIN_PITCH:  # it stands upside down beside the largest
            continue
        box = left, top, right, top + pitch * height
        if any(box[0] < x1 and x0 < box[2] and box[1] < y1 and y0 < box[3] for x0, y0, x1, y1 in boxes):
            continue  # squares of the same grid, where the paper bends
        boxes.append(box)
        grids.append(whiten(cells))
        glyphs += write_squares(cells, left, top, pitch)
        margin = GRID_MARGIN * pitch
        corners = (left - margin, top - margin), (right + margin, top + pitch * height + margin)
        cv2.rectangle(flat, *(tuple(round(float(x)) for x in corner) for corner in corners), 255, -1)
    if to_flat is None:
        sheet = lay_sheet_flat(picture)
        flat = page if sheet is picture else even_out(sheet)
    grid_boxes = [(round(x0), round(y0), round(x1), round(y1)) for x0, y0, x1, y1 in boxes]
    return FlatPage(flat, draw_grids(flat.shape, grids, grid_boxes), grid_boxes, [x.shape[:2] for x in grids], glyphs)


def draw_grids(shape: tuple[int, int], grids: Sequence[Any], boxes: Sequence[Box]) -> Any:
    """Draw grids into their boxes on a white page: (height, width) grey."""
    page = np.full(shape, 255, np.uint8)
    for cells, (left, top, right, bottom) in zip(grids, boxes, strict=True):
        height, width, side, _ = cells.shape
        flat = cells.swapaxes(1, 2).reshape(height * side, width * side)
        drawn = cv2.resize(flat, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
        top_cut, left_cut = max(-top, 0), max(-left, 0)
        part = page[max(top, 0) : bottom, max(left, 0) : right]
        part[:] = drawn[top_cut : top_cut + part.shape[0], left_cut : left_cut + part.shape[1]]
    return page


def lay_sheet_flat(picture: Any) -> Any:
    """Lay a sheet without a grid, as the second page of clues, flat by its corners, where what it lies on is darker."""
    scale = SHEET_SIDE / max(picture.shape)
    small = cv2.medianBlur(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), 9)
    table = float(np.median(np.concatenate([small[0], small[-1], small[:, 0], small[:, -1]])))
    paper = float(np.quantile(small, 0.9))
    is_sheet = (small > table + TABLE_SHARE * (paper - table)).astype(np.uint8)
    if paper - table < MIN_TABLE_STEP or is_sheet.mean() < MIN_SHEET_SHARE:
        return picture
    outlines, _ = cv2.findContours(is_sheet, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    outline = cv2.convexHull(max(outlines, key=cv2.contourArea))
    corners = cv2.approxPolyDP(outline, CORNER_SHARE * cv2.arcLength(outline, True), True)[:, 0] / scale
    if len(corners) != 4:
        return picture
    first = int(np.argmin(corners.sum(axis=1)))
    corners = np.roll(corners, -first, axis=0)  # from the top left; the outline goes either way round
    corners = corners if corners[1, 0] > corners[3, 0] else corners[[0, 3, 2, 1]]
    width, height = (float(np.hypot(*(corners[k] - corners[0]))) for k in (1, 3))
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    view = cv2.getPerspectiveTransform(corners.astype(np.float32), flat)
    return cv2.warpPerspective(picture, view, (round(width), round(height)), flags=cv2.INTER_CUBIC)


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


def to_points(page: FlatPage) -> dict[str, Any]:
    """Read the text of a page, and put its pixels into points, those above the bottom edge of the page."""
    scale, (bottom, right) = LONG_SIDE_POINTS / LONG_SIDE, page.picture.shape

    def is_in_grid(glyph: list[Any]) -> bool:  # a number that was read beside a grid that bends
        x, y = (glyph[1] + glyph[3]) / 2, (glyph[2] + glyph[4]) / 2
        return any(x0 < x < x1 and y0 < y < y1 for x0, y0, x1, y1 in page.grid_boxes)

    def point(x: float, y: float) -> list[float]:
        return [round(float(x) * scale, 2), round(float(bottom - y) * scale, 2)]

    texts = [x for x in read_text(page.picture, page.grid_boxes) if not is_in_grid(x)]
    glyphs = [
        [code, *point(left, below), *point(x1, top), *point(x, baseline), *about]
        for code, left, below, x1, top, x, baseline, *about in [*texts, *page.glyphs]
    ]
    pixels = np.repeat(page.grid_drawing[:, :, None], 3, axis=2)
    return {
        "box": [0, 0, right * scale, bottom * scale],
        "rotation": 0,
        "glyphs": glyphs,
        "picture": base64.b64encode(zlib.compress(pixels.tobytes(), 1)).decode(),
        "size": page.grid_drawing.shape,
        "scale": 1 / scale,
        "lattices": [
            [x0 * scale, y0 * scale, (x1 - x0) / width * scale, (y1 - y0) / height * scale, width, height]
            for (x0, y0, x1, y1), (height, width) in zip(page.grid_boxes, page.shapes, strict=True)
        ],
    }


def see_pages(data: bytes) -> dict[str, Any]:
    """See each page; or say by a word why not."""
    pages = [see_grids(picture) for picture in list_pictures(data)]
    if not any(page.grid_boxes for page in pages):
        return {"problem": "grid"}
    return {"pages": [to_points(page) for page in pages], "title": "", "author": ""}


def write_pages() -> None:
    """Write what the picture on standard input shows, as JSON, on standard output."""
    limit_process(MAX_MEMORY, MAX_SECONDS)
    cv2.setNumThreads(1)
    try:
        said = see_pages(sys.stdin.buffer.read())
    except UnreadablePicture as reason:
        said = {"problem": str(reason)}
    except (MemoryError, cv2.error):
        said = {"problem": "costly"}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    write_pages()
