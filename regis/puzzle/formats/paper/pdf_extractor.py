"""A process of its own that takes a PDF apart: bytes on standard input, what its pages draw and write as JSON out; or,
given the number of a page, a picture of that.

A PDF comes from anywhere, and PDFium is a large program in C++: here it may need too much time or memory, or crash, and
nothing else does. `page_objects` starts this file by its path, so it imports nothing of Regis. No script of the PDF is
run: this PDFium cannot. What nobody sees, white or invisible text, as a layer behind a scan, is left out.
"""

from __future__ import annotations

import base64
import ctypes
import json
import math
import struct
import sys
import zlib
from collections.abc import Iterator
from typing import Any

MAX_PAGES = 24  # pages that are read: a puzzle has one or two, a week's puzzles with their solutions a dozen
MAX_GLYPHS = 60_000  # characters of a PDF; a full page of a newspaper has 20,000
MAX_POINTS = 200_000  # points of what is drawn; a Sunday grid of rectangles has 4,000
MAX_FORM_DEPTH = 8  # drawings within drawings
MAX_MEMORY = 1 << 30  # bytes of this process
MAX_SECONDS = 10  # of computing

PICTURE_SIDE = 1800  # pixels of a page's longer side: small type can be read

WHITE_CHANNEL = 250  # from which on red, green and blue together are white on paper
INVISIBLE_TEXT = 3  # the mode of text that is not painted
MIN_SQUARE = 6.0
MAX_SQUARE = 80.0
"""Points of the side of a picture that may stand in a square."""

EVEN_STEP = 40  # of 255, within which a picture is of one colour
MIN_RING = 0.8  # of a circle that is ink, in a picture of one

CURVE_SEGMENT = 1
START_SEGMENT = 2
"""Kinds of a path's segments, as PDFium counts; 0 is a line."""


class TooMuch(Exception):
    """More pages, characters or points than a puzzle has."""


def limit_process(max_memory: int, max_seconds: int) -> None:
    """Bound the memory, in bytes, and the seconds of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))
    resource.setrlimit(resource.RLIMIT_CPU, (max_seconds, max_seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def extract_pages(data: bytes) -> dict[str, Any]:
    """Extract each page's size, glyphs, shapes and count of pictures; or say by a word why not."""
    import pypdfium2
    from pypdfium2 import raw

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return {"problem": "encrypted" if "password" in str(error).lower() else "damaged"}
    if len(document) > MAX_PAGES:
        return {"problem": "long", "count": len(document)}
    budget = {"glyphs": MAX_GLYPHS, "points": MAX_POINTS}
    pages = []
    for number in range(len(document)):
        try:
            page = document[number]
            shapes: list[Any] = []
            n_images = sum(_walk_objects(raw, (document, page), shapes, budget))
            glyphs = list(_list_glyphs(raw, page, budget))
        except pypdfium2.PdfiumError:
            return {"problem": "damaged"}
        box = page.get_cropbox()
        pages.append({
            "box": box, "rotation": page.get_rotation(), "glyphs": glyphs, "shapes": shapes, "images": n_images,
        })  # fmt: skip
    about = document.get_metadata_dict()
    return {"pages": pages, "title": about.get("Title", ""), "author": about.get("Author", "")}


def _list_glyphs(raw: Any, page: Any, budget: dict[str, int]) -> Iterator[list[Any]]:
    """List character, left, bottom, right, top, baseline, bold, italic, in the order of the page's text."""
    text = page.get_textpage()
    box, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    colour = [ctypes.c_uint() for _ in range(4)]
    for i in range(raw.FPDFText_CountChars(text)):
        budget["glyphs"] -= 1
        if budget["glyphs"] < 0:
            raise TooMuch
        character = raw.FPDFText_GetUnicode(text, i)
        if not character or raw.FPDFText_IsGenerated(text, i) == 1:
            continue
        owner = raw.FPDFText_GetTextObject(text, i)
        if owner and raw.FPDFTextObj_GetTextRenderMode(owner) == INVISIBLE_TEXT:
            continue
        if raw.FPDFText_GetFillColor(text, i, *map(ctypes.byref, colour)) and (
            all(channel.value >= WHITE_CHANNEL for channel in colour[:3]) or not colour[3].value
        ):
            continue
        raw.FPDFText_GetLooseCharBox(text, i, box)
        raw.FPDFText_GetCharOrigin(text, i, x, y)
        name.value = b""
        raw.FPDFText_GetFontInfo(text, i, name, 128, flags)
        font = name.value.decode("utf-8", "replace").lower()
        is_bold = "bold" in font or "black" in font or raw.FPDFText_GetFontWeight(text, i) >= 600
        is_italic = bool(flags.value & 64) or "italic" in font or "oblique" in font
        hyphen = raw.FPDFText_IsHyphen(text, i) == 1
        corners = [round(value, 2) for value in (box.left, box.bottom, box.right, box.top, x.value, y.value)]
        yield [0x2D if hyphen else character, *corners, int(is_bold), int(is_italic)]


def _walk_objects(raw: Any, place: tuple[Any, Any], shapes: list[Any], budget: dict[str, int]) -> Iterator[int]:
    """Append the paths of a page to `shapes`, those in forms too, as they are painted; yield 1 for each picture."""
    page = place[1]
    objects = [raw.FPDFPage_GetObject(page, i) for i in range(raw.FPDFPage_CountObjects(page))]
    yield from _walk(raw, place, objects, (1, 0, 0, 1, 0, 0), shapes, budget, 0)


def _walk(
    raw: Any, place: tuple[Any, Any], objects: list[Any], outer: tuple[float, ...], shapes: list[Any],
    budget: dict[str, int], depth: int,
) -> Iterator[int]:  # fmt: skip
    """Walk through objects, and those within them; it has what their kinds need."""
    for item in objects:
        budget["points"] -= 1
        if budget["points"] < 0:
            raise TooMuch
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            yield 1
            shapes += _read_image(raw, place, item, _multiply(_matrix(raw, item), outer))
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth < MAX_FORM_DEPTH:
            inner = [raw.FPDFFormObj_GetObject(item, i) for i in range(raw.FPDFFormObj_CountObjects(item))]
            yield from _walk(raw, place, inner, _multiply(_matrix(raw, item), outer), shapes, budget, depth + 1)
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            shape = _read_path(raw, item, outer, budget)
            if shape:
                shapes.append(shape)


def _read_image(raw: Any, place: tuple[Any, Any], item: Any, matrix: tuple[float, ...]) -> Iterator[list[Any]]:
    """Read a picture in a square as the shape that it shows: its colour, or a ring."""
    a, b, c, d, e, f = matrix
    width, height = abs(a) + abs(c), abs(b) + abs(d)
    if not MIN_SQUARE <= min(width, height) <= max(width, height) <= MAX_SQUARE:
        return
    bitmap = raw.FPDFImageObj_GetRenderedBitmap(*place, item)
    if not bitmap:
        return
    columns, rows, stride = (get(bitmap) for get in (
        raw.FPDFBitmap_GetWidth, raw.FPDFBitmap_GetHeight, raw.FPDFBitmap_GetStride
    ))  # fmt: skip
    pixels = ctypes.string_at(raw.FPDFBitmap_GetBuffer(bitmap), stride * rows)
    n_channels = stride // max(columns, 1)
    raw.FPDFBitmap_Destroy(bitmap)

    def colour_at(x: float, y: float) -> list[int]:
        start = int(y * (rows - 1) + 0.5) * stride + int(x * (columns - 1) + 0.5) * n_channels
        channels = pixels[start : start + n_channels]
        blue, green, red = channels[:3] if n_channels >= 3 else 3 * channels[:1]
        share = channels[3] / 255 if n_channels == 4 else 1.0
        return [round(share * channel + 255 * (1 - share)) for channel in (red, green, blue)]

    lights = [sum(colour_at(x / 8, y / 8)) / 3 for x in range(1, 8) for y in range(1, 8)]
    corners = [[a * x + c * y + e, b * x + d * y + f] for x, y in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))]
    if max(lights) - min(lights) < EVEN_STEP:
        yield [[*colour_at(0.5, 0.5), 255], None, 0, [[0, corners]]]
    for i in range(30, 50):
        ring = [colour_at(0.5 + i / 100 * math.cos(k / 4), 0.5 + i / 100 * math.sin(k / 4)) for k in range(25)]
        if (
            sum(sum(colour) / 3 < max(lights) - EVEN_STEP for colour in ring) > MIN_RING * len(ring)
            and lights[24] > 128
        ):
            yield [None, [0, 0, 0, 255], 1, [[1, corners]]]
            return


def _matrix(raw: Any, item: Any) -> tuple[float, ...]:
    matrix = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(item, matrix):
        return (1, 0, 0, 1, 0, 0)
    return (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _multiply(inner: tuple[float, ...], outer: tuple[float, ...]) -> tuple[float, ...]:
    a, b, c, d, e, f = inner
    p, q, r, s, t, u = outer
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _colour(get_colour: Any, item: Any) -> list[int]:
    channels = [ctypes.c_uint() for _ in range(4)]
    found = get_colour(item, *map(ctypes.byref, channels))
    return [channel.value for channel in channels] if found else [0, 0, 0, 255]


def _read_path(raw: Any, item: Any, outer: tuple[float, ...], budget: dict[str, int]) -> list[Any] | None:
    """Read colour of the fill or null, colour of the stroke or null, its width, and parts: [is curved, points]."""
    fill_mode, is_stroked = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(item, fill_mode, is_stroked)
    if not fill_mode.value and not is_stroked.value:
        return None
    a, b, c, d, e, f = matrix = _multiply(_matrix(raw, item), outer)
    parts: list[list[Any]] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    n_segments = raw.FPDFPath_CountSegments(item)
    budget["points"] -= max(n_segments, 0)
    if budget["points"] < 0:
        raise TooMuch
    for i in range(n_segments):
        segment = raw.FPDFPath_GetPathSegment(item, i)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = [round(a * x.value + c * y.value + e, 3), round(b * x.value + d * y.value + f, 3)]
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == START_SEGMENT or not parts:
            parts.append([0, []])
        parts[-1][0] |= int(kind == CURVE_SEGMENT)
        parts[-1][1].append(point)
        if raw.FPDFPathSegment_GetClose(segment) and parts[-1][1][0] != point:
            parts[-1][1].append(parts[-1][1][0])
    width = ctypes.c_float()
    raw.FPDFPageObj_GetStrokeWidth(item, width)
    return [
        _colour(raw.FPDFPageObj_GetFillColor, item) if fill_mode.value else None,
        _colour(raw.FPDFPageObj_GetStrokeColor, item) if is_stroked.value else None,
        round(width.value * math.sqrt(abs(matrix[0] * matrix[3] - matrix[1] * matrix[2])), 3),
        parts,
    ]


def render_page(data: bytes, number: int) -> dict[str, Any]:
    """Draw a page as a grey PNG, in base64."""
    import pypdfium2

    page = pypdfium2.PdfDocument(data)[number]
    bitmap = page.render(scale=PICTURE_SIDE / max(*page.get_size(), 1.0), grayscale=True)
    pixels, width, stride = bytes(bitmap.buffer), bitmap.width, bitmap.stride
    rows = (b"\0" + pixels[start : start + width] for start in range(0, bitmap.height * stride, stride))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, bitmap.height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"".join(rows))),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return {"picture": base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()}


def write_pages() -> None:
    """Write what the PDF on standard input holds, as JSON, on standard output."""
    limit_process(MAX_MEMORY, MAX_SECONDS)
    try:
        data = sys.stdin.buffer.read()
        said = render_page(data, int(sys.argv[1])) if sys.argv[1:] else extract_pages(data)
    except TooMuch:
        said = {"problem": "crowded"}
    except MemoryError:
        said = {"problem": "costly"}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    write_pages()
