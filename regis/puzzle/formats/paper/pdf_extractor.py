"""The glyphs of a PDF's pages, and a picture of everything else on them.

The PDF's scripts don't run, because this build of PDFium can't run any. Text that nobody sees is dropped: white text,
and invisible text such as the layer behind a scan. So are glyphs printed twice in one position, a way to make bold.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
import unicodedata
import zlib
from collections.abc import Iterator
from typing import Any

from regis.errors import PuzzleError
from regis.puzzle.formats.paper.page_objects import LONG_SIDE, Glyph, Page, PageDocument
from regis.puzzle.formats.shared.texts import clean_line

MAX_PAGES = 24  # a puzzle has one or two; a week's puzzles with their solutions have a dozen
MAX_OBJECTS = 100_000  # characters and page objects of a PDF; a full newspaper page has 20,000
PIXELS_PER_POINT = 200 / 72  # resolution of the picture; enough for the thinnest lines
PREVIEW_SIDE = 1800  # pixels of a page's longer side when people see it; enough for small type
MIN_WHITE = 250  # of 255; text is white if red, green, and blue all reach it
UNITS_PER_POINT = 100  # resolution of glyph positions
MIN_HEIGHT = 1.0  # points; smaller text is unreadable
UNMAPPED_SIGN = "\ufffd"  # stands for a glyph that the PDF doesn't map to a character


def extract_pages(data: bytes, file_name: str) -> PageDocument:
    """Extract each page's glyphs and its picture without them.

    Raises PuzzleError if the file is damaged, encrypted, or too large for a puzzle.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
        if len(document) > MAX_PAGES:
            raise PuzzleError(f"{file_name} has {len(document)} pages; save one puzzle's pages as a separate PDF")
        pages, n_objects = [], 0
        for number in range(len(document)):
            page = document[number]
            objects = itertools.chain(_list_glyphs(page), _hide_text(page))
            glyphs = list(itertools.islice(objects, MAX_OBJECTS - n_objects + 1))
            n_objects += len(glyphs)
            if n_objects > MAX_OBJECTS:
                raise PuzzleError(
                    f"{file_name} has more on its pages than a puzzle; save one puzzle's pages as a separate PDF"
                )
            scale = min(PIXELS_PER_POINT, LONG_SIDE / max(*page.get_size(), 1.0))
            pixels, width, height = _render(page, scale, is_gray=False)
            picture = zlib.compress(pixels, 1)
            pages.append(Page(number, tuple(filter(None, glyphs)), picture, (height, width), scale))
    except pypdfium2.PdfiumError as error:
        is_locked = "password" in str(error).lower()
        reason = "is a PDF with a password; save it without one" if is_locked else "is a damaged PDF; download it again"
        raise PuzzleError(f"{file_name} {reason}") from None
    title, author = (clean_line(document.get_metadata_value(key)) for key in ("Title", "Author"))
    return PageDocument(tuple(pages), title, author)


def _list_glyphs(page: Any) -> Iterator[Glyph | None]:
    """List the glyphs in the file's order, with None for each dropped one."""
    from pypdfium2 import raw

    text, unit = page.get_textpage(), 1 / UNITS_PER_POINT
    width, height = (round(side * UNITS_PER_POINT) for side in page.get_size())
    box, x, y, device_x, device_y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double(), ctypes.c_int(), ctypes.c_int()
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    color = [ctypes.c_uint() for _ in range(4)]
    printed: set[tuple[str, int, int]] = set()

    def locate(x: float, y: float) -> tuple[float, float]:
        raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, device_x, device_y)
        return device_x.value * unit, device_y.value * unit

    for i in range(raw.FPDFText_CountChars(text)):
        character = chr(raw.FPDFText_GetUnicode(text, i))
        if "\ud800" <= character < "\udc00":  # a high surrogate; the low one that follows is dropped
            pair = character + chr(raw.FPDFText_GetUnicode(text, i + 1))
            character = pair.encode("utf-16", "surrogatepass").decode("utf-16", "replace")[0]
        mode = raw.FPDFTextObj_GetTextRenderMode(raw.FPDFText_GetTextObject(text, i))
        has_color = raw.FPDFText_GetFillColor(text, i, *map(ctypes.byref, color))
        is_white = all(channel.value >= MIN_WHITE for channel in color[:3]) or not color[3].value
        is_in_file = (
            character != "\0" and not "\udc00" <= character < "\ue000" and raw.FPDFText_IsGenerated(text, i) != 1
        )
        if not is_in_file or mode == raw.FPDF_TEXTRENDERMODE_INVISIBLE or (has_color and is_white):
            yield None
            continue
        if raw.FPDFText_HasUnicodeMapError(text, i) == 1:
            character = UNMAPPED_SIGN
        if raw.FPDFText_IsHyphen(text, i) == 1:
            character = "-"
        raw.FPDFText_GetLooseCharBox(text, i, box)
        raw.FPDFText_GetCharOrigin(text, i, x, y)
        corners = locate(box.left, box.top), locate(box.right, box.bottom)
        (left, right), (top, bottom) = (sorted(values) for values in zip(*corners, strict=True))
        baseline = locate(x.value, y.value)[1]
        position = character, round(2 * left), round(2 * baseline)  # to half a point; every letter is wider
        if not character.isspace() and (bottom - top < MIN_HEIGHT or position in printed):
            yield None
            continue
        printed.add(position)
        if "\ufb00" <= character <= "\ufb06":  # ligatures
            character = unicodedata.normalize("NFKC", character)
        name.value = b""
        raw.FPDFText_GetFontInfo(text, i, name, 128, flags)
        font = name.value.decode("utf-8", "replace").lower()
        is_bold = "bold" in font or "black" in font or raw.FPDFText_GetFontWeight(text, i) >= 600
        is_italic = bool(flags.value & 64) or "italic" in font or "oblique" in font
        yield Glyph(character, left, top, right, bottom, baseline, is_bold, is_italic)


def _hide_text(page: Any) -> Iterator[None]:
    """Make the text of a page invisible; yield once per object, including nested ones."""
    from pypdfium2 import raw

    for item in page.get_objects():
        if item.type == raw.FPDF_PAGEOBJ_TEXT:
            raw.FPDFTextObj_SetTextRenderMode(item, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
        yield


def _render(page: Any, scale: float, *, is_gray: bool) -> tuple[bytes, int, int]:
    """Render a page upright; return its pixels row by row, its width, and its height."""
    bitmap = page.render(scale=scale, grayscale=is_gray, rev_byteorder=not is_gray)
    return bitmap.to_numpy().tobytes(), bitmap.width, bitmap.height


def draw_page(data: bytes, _: str, number: int) -> bytes:
    """Draw a page as a grayscale PNG."""
    import pypdfium2

    page = pypdfium2.PdfDocument(data)[number]
    pixels, width, height = _render(page, PREVIEW_SIDE / max(*page.get_size(), 1.0), is_gray=True)
    rows = (b"\0" + pixels[start : start + width] for start in range(0, len(pixels), width))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"".join(rows))),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
