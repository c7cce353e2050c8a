"""What stands on pages: glyphs and shapes, in points from the top left corner of each page as it is shown.

A process of its own takes a PDF apart (`pdf_extractor`) or sees a picture (`vision.extractor`), within bounds of time
and memory. Pictures need libraries that not everybody wants: the extra `paper`.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import subprocess
import sys
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.errors import PuzzleError
from regis.puzzle.formats.files import is_picture
from regis.puzzle.formats.shared.texts import clean_line, join_names
from regis.system import paths
from regis.system.os_errors import describe_install

PAPER_EXTRA = "paper"
PICTURE_LIBRARIES = {"cv2": "OpenCV", "onnxruntime": "onnxruntime", "rapidocr": "rapidocr"}
PDF_PROGRAM = str(Path(__file__).with_name("pdf_extractor.py"))
PICTURE_MODULE = "regis.puzzle.formats.paper.vision.extractor"
MAX_PICTURE_PIXELS = 120_000_000  # telephones make 50 million
PICTURE_SETTINGS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1") | {
    "OPENCV_IO_MAX_IMAGE_PIXELS": str(MAX_PICTURE_PIXELS),
    "OPENCV_LOG_LEVEL": "OFF",
}
"""The environment of who sees pictures: threads of these libraries would cost more memory than they save time."""

MAX_SECONDS = 60  # for taking one file apart, which has 10 of computing; a machine may be busy
MAX_PICTURE_SECONDS = 300  # for seeing one, which has 60 of computing; most take 7
MIN_HEIGHT = 1.0  # points of text that can be read
MAX_CACHED_FILES = 4  # files that stay taken apart: one command reads the same file several times

LUMINANCE = np.array([0.299, 0.587, 0.114], np.float32) / 255
"""How much of the light is red, green and blue."""

TOO_COSTLY = "takes more time or memory than a puzzle; print its page to a new PDF"

Point = tuple[float, float]
"""Right of the page's left edge and below its upper one."""


class Glyph(NamedTuple):
    """One character on a page; a space is one, too."""

    character: str
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    is_bold: bool
    is_italic: bool
    probability: float = 1.0  # that it is this character

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def centre(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


class Lattice(NamedTuple):
    """The lines of a grid: top left corner, the sides of a square, how many columns and rows; in points."""

    left: float
    top: float
    pitch_x: float
    pitch_y: float
    width: int
    height: int

    @property
    def right(self) -> float:
        return self.left + self.pitch_x * self.width

    @property
    def bottom(self) -> float:
        return self.top + self.pitch_y * self.height


@dataclass(frozen=True)
class Page:
    """One page: glyphs as they were written, and what is drawn without them.

    Attributes
    ----------
    picture : red, green and blue of its pixels, row by row, packed.
    size : rows and columns of it.
    scale : pixels of a point.
    lattices : grids that were found already.
    """

    number: int
    glyphs: tuple[Glyph, ...]
    picture: bytes
    size: tuple[int, int]
    scale: float
    lattices: tuple[Lattice, ...] | None = None
    is_picture: bool = False  # whether its text was seen, which a file with text says itself

    @functools.cached_property
    def pixels(self) -> NDArray[np.uint8]:
        """Return what is drawn: (rows, columns, 3) red, green and blue."""
        return np.frombuffer(zlib.decompress(self.picture), np.uint8).reshape(*self.size, 3)


class PageDocument(NamedTuple):
    """The pages of a file, and what it says of its title and author in its properties."""

    pages: tuple[Page, ...]
    title: str
    author: str
    is_picture: bool = False
    lacks_characters: bool = False  # whether it is a picture because its fonts don't say what characters they show


def run_python(data: bytes, max_seconds: float, *arguments: str) -> bytes:
    """Run a Python with these arguments on data; return what it writes, nothing where its bounds ended it."""
    places = [str(paths.PACKAGE_FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, **PICTURE_SETTINGS, "PYTHONPATH": os.pathsep.join(places)}
    try:
        return subprocess.run(
            [sys.executable, "-P", *arguments],
            input=data, capture_output=True, timeout=max_seconds, check=False, env=environment,
        ).stdout  # fmt: skip
    except subprocess.TimeoutExpired:
        return b""


@functools.lru_cache(maxsize=MAX_CACHED_FILES)
def _extract(data: bytes, max_seconds: float, *arguments: str) -> dict[str, Any]:
    """Have a file taken apart; a word under `problem` says why it was not."""
    try:
        said = json.loads(run_python(data, max_seconds, *arguments))
    except ValueError:  # the process was ended: by its bounds, or by what is wrong with the file
        return {"problem": "costly"}
    return said if isinstance(said, dict) else {"problem": "damaged"}


def draw_page(data: bytes, number: int, file_name: str) -> tuple[bytes, str]:
    """Return a page of a file that was read as a picture, with its media type. Raises PuzzleError."""
    if is_picture(data):
        kinds = {b"\x89": "image/png", b"\xff": "image/jpeg"}
        return data, kinds.get(data[:1], "image/heic")
    said = _extract(data, MAX_SECONDS, PDF_PROGRAM, str(number))
    if "picture" not in said:
        raise PuzzleError(f"{file_name} has a page that can't be shown; open the file in another program")
    return base64.b64decode(said["picture"]), "image/png"


def read_pages(data: bytes, file_name: str) -> PageDocument:
    """Read the pages of a PDF.

    Raises
    ------
    PuzzleError : the file is damaged, encrypted, or more than a puzzle has.
    """
    problems = {
        "encrypted": "is a PDF with a password; save it without one",
        "damaged": "is a damaged PDF; download it again",
        "long": "has {count} pages; save one puzzle's pages as a separate PDF",
        "crowded": "has more on its pages than a puzzle; save one puzzle's pages as a separate PDF",
        "costly": TOO_COSTLY,
    }
    return _parse_document(_extract(data, MAX_SECONDS, PDF_PROGRAM), problems, file_name)


def read_pictures(data: bytes, file_name: str) -> PageDocument:
    """Read the pages of a photograph, a scan, or a PDF of them.

    Raises
    ------
    PuzzleError : what it needs is missing, or the file is damaged, shows no grid, or more than a puzzle has.
    """
    if lacking := [name for module, name in PICTURE_LIBRARIES.items() if find_spec(module) is None]:
        needed = f"reading one needs {join_names(lacking)}"
        raise PuzzleError(f"{file_name} is a picture of a page, and {needed}; {describe_install(PAPER_EXTRA)}")
    problems = {
        "library": f"can't be read, because onnxruntime can't be loaded; {describe_install(PAPER_EXTRA)}",
        "network": f"can't be read, because rapidocr has no network for lines; {describe_install(PAPER_EXTRA)}",
        "damaged": "is a damaged picture; download it again",
        "heic": "is a picture that needs pillow-heif; save it as JPEG",
        "large": "is damaged or too large; save a smaller picture",
        "long": "has too many pictures for a puzzle; save the puzzle's pictures as a separate PDF",
        "grid": "shows no crossword grid; take a picture of the whole page, straight from above",
        "costly": "takes more time or memory than a page; save a smaller picture",
    }
    said = _extract(data, MAX_PICTURE_SECONDS, "-m", PICTURE_MODULE)
    return _parse_document(said, problems, file_name, is_picture=True)


def _parse_document(
    said: Mapping[str, Any], problems: Mapping[str, str], file_name: str, *, is_picture: bool = False
) -> PageDocument:
    if problem := said.get("problem"):
        raise PuzzleError(f"{file_name} {problems[problem].format(count=said.get('count'))}")
    pages = tuple(_parse_page(number, page, is_picture) for number, page in enumerate(said["pages"]))
    return PageDocument(pages, clean_line(said["title"]), clean_line(said["author"]), is_picture)


def _parse_page(number: int, page: Mapping[str, Any], is_picture: bool) -> Page:
    turn = _turn_upright(page["box"], page["rotation"])
    glyphs: list[Glyph] = []
    for code, left, bottom, right, top, origin_x, origin_y, bold, italic, *sure in page["glyphs"]:
        (x0, y0), (x1, y1), (_, baseline) = turn(left, bottom), turn(right, top), turn(origin_x, origin_y)
        box = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        character = chr(code)
        if 0xDC00 <= code < 0xE000 and glyphs and "\ud800" <= glyphs[-1].character < "\udc00":
            character = (glyphs.pop().character + character).encode("utf-16", "surrogatepass").decode("utf-16")
        glyphs.append(Glyph(character, *box, baseline, bool(bold), bool(italic), *sure))
    whole = (glyph for glyph in glyphs if not "\ud800" <= glyph.character < "\ue000")  # no halves of characters
    lattices = tuple(Lattice(*x) for x in page["lattices"]) if "lattices" in page else None
    picture = base64.b64decode(page["picture"])
    return Page(number, tuple(_clean_glyphs(whole)), picture, tuple(page["size"]), page["scale"], lattices, is_picture)


def _clean_glyphs(glyphs: Iterable[Glyph]) -> Iterator[Glyph]:
    """Leave out what is printed a second time at its place, as for bold, and what has no height; part ligatures."""
    printed: set[tuple[str, int, int]] = set()
    for glyph in glyphs:
        place = glyph.character, round(2 * glyph.left), round(2 * glyph.baseline)  # half points: no letter is so narrow
        if not glyph.character.isspace() and (glyph.height < MIN_HEIGHT or place in printed):
            continue
        printed.add(place)
        is_ligature = "\ufb00" <= glyph.character <= "\ufb06"
        yield glyph._replace(character=unicodedata.normalize("NFKC", glyph.character)) if is_ligature else glyph


def _turn_upright(box: tuple[float, ...], rotation: int) -> Callable[[float, float], Point]:
    """Return what makes of a point of the file one of the page as it is shown, turned by `rotation` degrees."""
    left, bottom, right, top = box
    return {
        90: lambda x, y: (y - bottom, x - left),
        180: lambda x, y: (right - x, y - bottom),
        270: lambda x, y: (top - y, right - x),
    }.get(rotation, lambda x, y: (x - left, top - y))
