"""A process of its own that takes a PDF apart: bytes on standard input, what its pages write and draw as JSON out; or,
given the number of a page, a picture of that.

A PDF comes from anywhere, and PDFium is a large program in C++: here it may need too much time or memory, or crash, and
nothing else does. `page_objects` starts this file by its path, so it imports nothing of Regis. No script of the PDF is
run: this PDFium cannot. What nobody sees, white or invisible text, as a layer behind a scan, is left out.
"""

from __future__ import annotations

import base64
import ctypes
import json
import struct
import sys
import zlib
from collections.abc import Iterator
from typing import Any

MAX_PAGES = 24  # pages that are read: a puzzle has one or two, a week's puzzles with their solutions a dozen
MAX_PARTS = 100_000  # characters and drawings of a PDF; a full page of a newspaper has 20,000
MAX_DEPTH = 8  # drawings within drawings
MAX_MEMORY = 1 << 30  # bytes of this process
MAX_SECONDS = 10  # of computing

DOTS_PER_POINT = 200 / 72  # of what is drawn: the thinnest lines are seen
MAX_SIDE = 3300  # pixels of a page's longer side, however large it is
SHOWN_SIDE = 1800  # pixels of it in a picture for people: small type can be read

WHITE_CHANNEL = 250  # from which on red, green and blue together are white on paper
UNMAPPED_SIGN = 0xFFFD  # a glyph of which the PDF doesn't say what character it is
INVISIBLE_TEXT = 3  # the mode of text that is not painted


class TooMuch(Exception):
    """More pages, characters or drawings than a puzzle has."""


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
    """Extract each page's box, glyphs, and picture without its text; or say by a word why not."""
    import pypdfium2
    from pypdfium2 import raw

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return {"problem": "encrypted" if "password" in str(error).lower() else "damaged"}
    if len(document) > MAX_PAGES:
        return {"problem": "long", "count": len(document)}
    pages, n_parts = [], 0
    for number in range(len(document)):
        try:
            page = document[number]
            glyphs = list(_list_glyphs(raw, page))
            objects = [raw.FPDFPage_GetObject(page, i) for i in range(raw.FPDFPage_CountObjects(page))]
            n_parts += len(glyphs) + _hide_text(raw, objects, 0)
            if n_parts > MAX_PARTS:
                raise TooMuch
            about = {"box": page.get_cropbox(), "rotation": page.get_rotation(), "glyphs": glyphs}
            pages.append({**about, **_draw_page(page)})
        except pypdfium2.PdfiumError:
            return {"problem": "damaged"}
    properties = document.get_metadata_dict()
    return {"pages": pages, "title": properties.get("Title", ""), "author": properties.get("Author", "")}


def _list_glyphs(raw: Any, page: Any) -> Iterator[list[Any]]:
    """List character, left, bottom, right, top, baseline, bold, italic, in the order of the page's text."""
    text = page.get_textpage()
    box, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    colour = [ctypes.c_uint() for _ in range(4)]
    n_glyphs = raw.FPDFText_CountChars(text)
    if n_glyphs > MAX_PARTS:
        raise TooMuch
    for i in range(n_glyphs):
        character = raw.FPDFText_GetUnicode(text, i)
        if not character or raw.FPDFText_IsGenerated(text, i) == 1:
            continue
        if raw.FPDFText_HasUnicodeMapError(text, i) == 1:
            character = UNMAPPED_SIGN
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


def _hide_text(raw: Any, objects: list[Any], depth: int) -> int:
    """Make the text among objects, and within them, invisible; return how many objects there are."""
    n_objects = len(objects)
    for item in objects if n_objects <= MAX_PARTS else ():
        kind = raw.FPDFPageObj_GetType(item)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            raw.FPDFTextObj_SetTextRenderMode(item, INVISIBLE_TEXT)
        elif kind == raw.FPDF_PAGEOBJ_FORM and depth < MAX_DEPTH:
            inner = [raw.FPDFFormObj_GetObject(item, i) for i in range(raw.FPDFFormObj_CountObjects(item))]
            n_objects += _hide_text(raw, inner, depth + 1)
    return n_objects


def _draw_page(page: Any) -> dict[str, Any]:
    """Draw a page upright: red, green and blue of its pixels, packed, in base64, and how many make a point."""
    scale = min(DOTS_PER_POINT, MAX_SIDE / max(*page.get_size(), 1.0))
    pixels, width, height = _render(page, scale, is_grey=False)
    return {"picture": base64.b64encode(zlib.compress(pixels, 1)).decode(), "size": [height, width], "scale": scale}


def _render(page: Any, scale: float, *, is_grey: bool) -> tuple[bytes, int, int]:
    """Render a page; return its pixels, row by row, and how many a row and a column have."""
    bitmap = page.render(scale=scale, grayscale=is_grey, rev_byteorder=not is_grey)
    pixels, length = bytes(bitmap.buffer), bitmap.width * bitmap.n_channels
    rows = (pixels[start : start + length] for start in range(0, bitmap.height * bitmap.stride, bitmap.stride))
    return b"".join(rows), bitmap.width, bitmap.height


def render_page(data: bytes, number: int) -> dict[str, Any]:
    """Draw a page as a grey PNG, in base64."""
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
