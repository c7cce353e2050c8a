"""A PDF taken apart: what its pages write, and a picture of what else they draw.

No script of the PDF is run: this PDFium cannot. What nobody sees, white or invisible text, as a layer behind a scan, is
left out, and so is what is printed a second time at its place, as for bold.
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

MAX_PAGES = 24  # pages that are read: a puzzle has one or two, a week's puzzles with their solutions a dozen
MAX_PARTS = 100_000  # characters and drawings of a PDF; a full page of a newspaper has 20,000
DOTS_PER_POINT = 200 / 72  # of what is drawn: the thinnest lines are seen
SHOWN_SIDE = 1800  # pixels of it in a picture for people: small type can be read
WHITE_CHANNEL = 250  # from which on red, green and blue together are white on paper
PLACES_PER_POINT = 100  # that glyphs may have
MIN_HEIGHT = 1.0  # points of text that can be read
UNMAPPED_SIGN = "\ufffd"  # a glyph of which the PDF doesn't say what character it is


def extract_pages(data: bytes, file_name: str) -> PageDocument:
    """Extract each page's glyphs, and its picture without them.

    Raises
    ------
    PuzzleError : the file is damaged, encrypted, or more than a puzzle has.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
        if len(document) > MAX_PAGES:
            raise PuzzleError(f"{file_name} has {len(document)} pages; save one puzzle's pages as a separate PDF")
        pages, n_parts = [], 0
        for number in range(len(document)):
            page = document[number]
            parts = itertools.chain(_list_glyphs(page), _hide_text(page))
            glyphs = list(itertools.islice(parts, MAX_PARTS - n_parts + 1))
            n_parts += len(glyphs)
            if n_parts > MAX_PARTS:
                raise PuzzleError(
                    f"{file_name} has more on its pages than a puzzle; save one puzzle's pages as a separate PDF"
                )
            scale = min(DOTS_PER_POINT, LONG_SIDE / max(*page.get_size(), 1.0))
            pixels, width, height = _render(page, scale, is_grey=False)
            picture = zlib.compress(pixels, 1)
            pages.append(Page(number, tuple(filter(None, glyphs)), picture, (height, width), scale))
    except pypdfium2.PdfiumError as error:
        is_locked = "password" in str(error).lower()
        told = "is a PDF with a password; save it without one" if is_locked else "is a damaged PDF; download it again"
        raise PuzzleError(f"{file_name} {told}") from None
    title, author = (clean_line(document.get_metadata_value(key)) for key in ("Title", "Author"))
    return PageDocument(tuple(pages), title, author)


def _list_glyphs(page: Any) -> Iterator[Glyph | None]:
    """List the glyphs in the order of the page's text, with None for each that is left out."""
    from pypdfium2 import raw

    text, unit = page.get_textpage(), 1 / PLACES_PER_POINT
    width, height = (round(side * PLACES_PER_POINT) for side in page.get_size())
    box, x, y, place_x, place_y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double(), ctypes.c_int(), ctypes.c_int()
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    colour = [ctypes.c_uint() for _ in range(4)]
    printed: set[tuple[str, int, int]] = set()

    def place(x: float, y: float) -> tuple[float, float]:
        raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, place_x, place_y)
        return place_x.value * unit, place_y.value * unit

    for i in range(raw.FPDFText_CountChars(text)):
        character = chr(raw.FPDFText_GetUnicode(text, i))
        if "\ud800" <= character < "\udc00":  # half of one; the other is left out
            both = character + chr(raw.FPDFText_GetUnicode(text, i + 1))
            character = both.encode("utf-16", "surrogatepass").decode("utf-16", "replace")[0]
        mode = raw.FPDFTextObj_GetTextRenderMode(raw.FPDFText_GetTextObject(text, i))
        has_colour = raw.FPDFText_GetFillColor(text, i, *map(ctypes.byref, colour))
        is_white = all(channel.value >= WHITE_CHANNEL for channel in colour[:3]) or not colour[3].value
        is_written = (
            character != "\0" and not "\udc00" <= character < "\ue000" and raw.FPDFText_IsGenerated(text, i) != 1
        )
        if not is_written or mode == raw.FPDF_TEXTRENDERMODE_INVISIBLE or (has_colour and is_white):
            yield None
            continue
        if raw.FPDFText_HasUnicodeMapError(text, i) == 1:
            character = UNMAPPED_SIGN
        if raw.FPDFText_IsHyphen(text, i) == 1:
            character = "-"
        raw.FPDFText_GetLooseCharBox(text, i, box)
        raw.FPDFText_GetCharOrigin(text, i, x, y)
        corners = place(box.left, box.top), place(box.right, box.bottom)
        (left, right), (top, bottom) = (sorted(values) for values in zip(*corners, strict=True))
        baseline = place(x.value, y.value)[1]
        at = character, round(2 * left), round(2 * baseline)  # half points: no letter is so narrow
        if not character.isspace() and (bottom - top < MIN_HEIGHT or at in printed):
            yield None
            continue
        printed.add(at)
        if "\ufb00" <= character <= "\ufb06":  # ligatures
            character = unicodedata.normalize("NFKC", character)
        name.value = b""
        raw.FPDFText_GetFontInfo(text, i, name, 128, flags)
        font = name.value.decode("utf-8", "replace").lower()
        is_bold = "bold" in font or "black" in font or raw.FPDFText_GetFontWeight(text, i) >= 600
        is_italic = bool(flags.value & 64) or "italic" in font or "oblique" in font
        yield Glyph(character, left, top, right, bottom, baseline, is_bold, is_italic)


def _hide_text(page: Any) -> Iterator[None]:
    """Make the text of a page invisible; yield for each object there, and within them."""
    from pypdfium2 import raw

    for item in page.get_objects():
        if item.type == raw.FPDF_PAGEOBJ_TEXT:
            raw.FPDFTextObj_SetTextRenderMode(item, raw.FPDF_TEXTRENDERMODE_INVISIBLE)
        yield


def _render(page: Any, scale: float, *, is_grey: bool) -> tuple[bytes, int, int]:
    """Render a page upright; return its pixels, row by row, and how many a row and a column have."""
    bitmap = page.render(scale=scale, grayscale=is_grey, rev_byteorder=not is_grey)
    return bitmap.to_numpy().tobytes(), bitmap.width, bitmap.height


def draw_page(data: bytes, _: str, number: int) -> bytes:
    """Draw a page as a grey PNG."""
    import pypdfium2

    page = pypdfium2.PdfDocument(data)[number]
    pixels, width, height = _render(page, SHOWN_SIDE / max(*page.get_size(), 1.0), is_grey=True)
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
