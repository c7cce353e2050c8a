"""PDFs for tests, written operator by operator: text in any script, rectangles, lines, circles; no library draws them.

The fonts are named and not embedded, which is enough for a reader that shows nothing.
"""

from collections.abc import Iterable, Mapping, Sequence

PAGE_WIDTH, PAGE_HEIGHT = 612, 792
ADVANCE = 0.5  # of the type size, for every character
FONTS = ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique")
REGULAR, BOLD, ITALIC = range(3)


class PdfPage:
    """One page; places are in points from its top left corner."""

    def __init__(self, rotation: int = 0) -> None:
        self.operators: list[str] = []
        self.rotation = rotation

    def write(self, x: float, y: float, text: str, size: float = 9, font: int = REGULAR, mode: int = 0) -> float:
        """Write a text with its baseline at `y`; return where it ends."""
        codes = text.encode("utf-16-be").hex()
        place = f"{x:.2f} {PAGE_HEIGHT - y:.2f}"
        self.operators.append(f"BT {mode} Tr /F{font} {size} Tf 1 0 0 1 {place} Tm <{codes}> Tj ET")
        return x + ADVANCE * size * len(text.encode("utf-16-be")) / 2

    def rectangle(
        self, x: float, y: float, width: float, height: float, fill: float | None = None, stroke: float | None = None
    ) -> None:
        """Draw a rectangle filled with a gray (0 is black), framed by a line of this width, or both."""
        colors = (f"{fill} g " if fill is not None else "") + (f"0 G {stroke} w " if stroke is not None else "")
        paint = "B" if fill is not None and stroke is not None else "f" if fill is not None else "S"
        self.operators.append(f"{colors}{x} {PAGE_HEIGHT - y - height} {width} {height} re {paint} 0 g")

    def line(self, x0: float, y0: float, x1: float, y1: float, thickness: float = 0.5) -> None:
        self.operators.append(f"0 G {thickness} w {x0} {PAGE_HEIGHT - y0} m {x1} {PAGE_HEIGHT - y1} l S")

    def circle(self, x: float, y: float, radius: float) -> None:
        self._go_round(x, y, radius, "0 G 0.4 w", "S")

    def disc(self, x: float, y: float, radius: float, fill: float) -> None:
        self._go_round(x, y, radius, f"{fill} g", "f 0 g")

    def _go_round(self, x: float, y: float, radius: float, color: str, paint: str) -> None:
        y, k = PAGE_HEIGHT - y, 0.5523 * radius
        r = radius
        self.operators.append(
            f"{color} {x + r} {y} m {x + r} {y + k} {x + k} {y + r} {x} {y + r} c {x - k} {y + r} {x - r} {y + k} "
            f"{x - r} {y} c {x - r} {y - k} {x - k} {y - r} {x} {y - r} c "
            f"{x + k} {y - r} {x + r} {y - k} {x + r} {y} c {paint}"
        )


def draw_grid(
    page: PdfPage,
    rows: Sequence[str],
    numbers: Mapping[tuple[int, int], int],
    x: float = 60,
    y: float = 100,
    side: float = 24,
    contents: Mapping[tuple[int, int], str] | None = None,
    circles: Iterable[tuple[int, int]] = (),
    shades: Mapping[tuple[int, int], float] | None = None,
    bars: Iterable[tuple[tuple[int, int], tuple[int, int]]] = (),
    block: float = 0,
) -> None:
    """Draw a grid, `#` a block, each square a rectangle with its frame."""
    for r, row in enumerate(rows):
        for c, sign in enumerate(row):
            fill = block if sign == "#" else (shades or {}).get((r, c), 1)
            page.rectangle(x + c * side, y + r * side, side, side, fill, 0.5)
    for r, c in circles:
        page.circle(x + (c + 0.5) * side, y + (r + 0.5) * side, side / 2 - 1)
    for (r, c), (below, _) in bars:
        x0, y0 = (x + c * side, y + (r + 1) * side) if below > r else (x + (c + 1) * side, y + r * side)
        page.line(x0, y0, x0 + side * (below > r), y0 + side * (below == r), 2.5)
    for (r, c), number in numbers.items():
        page.write(x + c * side + 1.5, y + r * side + 7, str(number), 6.5)
    for (r, c), content in (contents or {}).items():
        size = 13 if len(content) == 1 else 8
        width = ADVANCE * size * len(content)
        page.write(x + (c + 0.5) * side - width / 2, y + (r + 0.8) * side, content, size)


def _to_unicode() -> str:
    ranges = "\n".join(f"<{i:02x}00> <{i:02x}ff> <{i:02x}00>" for i in range(0x100))
    blocks = []
    lines = ranges.split("\n")
    for i in range(0, len(lines), 100):
        part = lines[i : i + 100]
        blocks.append(f"{len(part)} beginbfrange\n" + "\n".join(part) + "\nendbfrange")
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n" + "\n".join(blocks) + "\nendcmap end end"
    )


def pdf_bytes(pages: Sequence[PdfPage], title: str = "", author: str = "", extra_trailer: str = "") -> bytes:
    objects: list[bytes] = []

    def add(content: str | bytes) -> int:
        objects.append(content.encode("latin-1") if isinstance(content, str) else content)
        return len(objects)

    def add_stream(content: str) -> int:
        return add(f"<< /Length {len(content)} >> stream\n{content}\nendstream")

    cmap = add_stream(_to_unicode())
    fonts = []
    for name in FONTS:
        flags = 32 | (64 if "Oblique" in name else 0)
        descriptor = add(
            f"<< /Type /FontDescriptor /FontName /{name} /Flags {flags} /FontBBox [0 -200 600 800] /ItalicAngle 0 "
            "/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>"
        )
        below = add(
            f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /CIDSystemInfo << /Registry (Adobe) "
            f"/Ordering (Identity) /Supplement 0 >> /FontDescriptor {descriptor} 0 R /DW {int(1000 * ADVANCE)} >>"
        )
        fonts.append(add(
            f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H /DescendantFonts [{below} 0 R] "
            f"/ToUnicode {cmap} 0 R >>"
        ))  # fmt: skip
    resources = add(f"<< /Font << {' '.join(f'/F{i} {font} 0 R' for i, font in enumerate(fonts))} >> >>")
    parent = len(objects) + 1 + 2 * len(pages)
    kids = []
    for page in pages:
        turned = page.rotation == 90  # the drawing is on its side, and the page is turned
        content = add_stream("\n".join([f"0 1 -1 0 {PAGE_HEIGHT} 0 cm"] * turned + page.operators))
        size = f"{PAGE_HEIGHT} {PAGE_WIDTH}" if turned else f"{PAGE_WIDTH} {PAGE_HEIGHT}"
        kids.append(add(
            f"<< /Type /Page /Parent {parent} 0 R /MediaBox [0 0 {size}] /Rotate {page.rotation} "
            f"/Resources {resources} 0 R /Contents {content} 0 R >>"
        ))  # fmt: skip
    add(f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] >>")
    catalog = add(f"<< /Type /Catalog /Pages {parent} 0 R >>")
    about = " ".join(
        f"/{key} <feff{text.encode('utf-16-be').hex()}>" for key, text in (("Title", title), ("Author", author)) if text
    )
    info = add(f"<< {about} >>")
    data, places = b"%PDF-1.7\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010} 00000 n \n" for at in places)
    trailer = f"trailer << /Size {len(objects) + 1} /Root {catalog} 0 R /Info {info} 0 R {extra_trailer} >>"
    return data + f"{table}{trailer}\nstartxref\n{len(data)}\n%%EOF\n".encode("latin-1")
