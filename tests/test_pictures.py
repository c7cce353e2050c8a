"""Photographs and scans are read as the puzzles that they show; other files are refused in one sentence."""

import io
import re
import struct
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import papers
import pytest
from make_puzzles import shape
from PIL import Image, ImageDraw, ImageFont
from test_paper import mini

from regis.errors import PuzzleError
from regis.puzzle import Direction, Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.puzzle.formats.paper import printed_puzzle

CAN_RECOGNIZE = all(map(find_spec, printed_puzzle.PICTURE_LIBRARIES))
needs_recognition = pytest.mark.skipif(not CAN_RECOGNIZE, reason="needs the extra paper")

SIDE = 100  # pixels of a square
CLUES = {key: clue.replace("\n", " ") for key, clue in papers.CLUES.items()} | {"6A": "Rocket salad"}
CIRCLE = next(iter(papers.CIRCLES))


def draw_page(rows: tuple[str, ...] = papers.ROWS) -> Image.Image:
    """Draw the sampler's puzzle on a US Letter page at 200 dpi, with clues in two columns."""
    page = Image.new("L", (1700, 2200), 255)
    pen = ImageDraw.Draw(page)
    grid = shape(rows)
    pen.text((150, 60), "Sampler", font=ImageFont.load_default(60))
    for r, row in enumerate(rows):
        for c, content in enumerate(row):
            x, y = 150 + c * SIDE, 200 + r * SIDE
            pen.rectangle((x, y, x + SIDE, y + SIDE), outline=0, fill=0 if content == "#" else 255, width=3)
            if (r, c) == CIRCLE:
                pen.ellipse((x + 4, y + 4, x + SIDE - 4, y + SIDE - 4), outline=0, width=3)
            if number := grid.cell_numbers.get((r, c)):
                pen.text((x + 10, y + 6), str(number), font=ImageFont.load_default(30))
    for direction, x in zip(Direction, (150, 900), strict=True):
        y = 800
        pen.text((x, y), direction.name, font=ImageFont.load_default(36))
        for key, clue in CLUES.items():
            if key.endswith(direction):
                y += 60
                pen.text((x, y), f"{key[:-1]}  {clue[:36]}", font=ImageFont.load_default(30))
    return page


def encode(picture: Image.Image, kind: str = "PNG") -> bytes:
    data = io.BytesIO()
    picture.save(data, kind)
    return data.getvalue()


def read(data: bytes) -> Puzzle:
    return formats.read_puzzle(PuzzleFile("x", data))[0]


def photograph(page: Image.Image) -> bytes:
    """Return a JPEG of the page on a dark table, at an angle."""
    homography = (0.92, 0.06, 0, -0.04, 0.95, 0, 2e-5, -3e-5)
    return encode(page.transform((2000, 2400), Image.Transform.PERSPECTIVE, homography, fillcolor=60), "JPEG")


@needs_recognition
@pytest.mark.slow
@pytest.mark.parametrize(
    "make_picture",
    [
        encode,
        photograph,
        lambda page: encode(page.rotate(180)),
        lambda page: encode(page.rotate(90, expand=True), "JPEG"),
        lambda page: encode(page, "PDF"),
    ],
    ids=["scan", "photograph", "upside down", "sideways", "PDF of a picture"],
)
def test_pictures_of_a_page_are_read(make_picture):
    data = make_picture(draw_page())
    puzzle, confidence = read(data), formats.read_confidence(PuzzleFile("x", data))
    assert puzzle.grid == shape(papers.ROWS) and confidence.is_picture
    assert puzzle.circles == {CIRCLE} and not puzzle.given
    clues = {slot: CLUES[str(slot)][:36].replace(" ", "") for slot in puzzle.grid.slots}
    wrong = {slot for slot, clue in puzzle.clues.items() if clue.replace(" ", "") != clues[slot]}
    assert len(wrong) <= 1 and wrong <= set(confidence.doubtful_clues)


@needs_recognition
@pytest.mark.slow
def test_handwritten_letters_are_given_and_doubtful():
    page = draw_page()
    pen = ImageDraw.Draw(page)
    white = [cell for cell in shape(papers.ROWS).cells if cell != CIRCLE]
    written = dict(zip(white[1:9], "RABETKSM", strict=True))
    for (r, c), letter in written.items():
        pen.text((150 + c * SIDE + 32, 200 + r * SIDE + 28), letter, font=ImageFont.load_default(64), fill=40)
    for make_picture in (encode, photograph):
        data = make_picture(page)
        puzzle, confidence = read(data), formats.read_confidence(PuzzleFile("x", data))
        assert puzzle.given == written and puzzle.grid == shape(papers.ROWS)
        assert set(confidence.doubtful_squares) == set(written)


needs_opencv = pytest.mark.skipif(not find_spec("cv2"), reason="needs opencv-python-headless")


@needs_opencv
@pytest.mark.parametrize("slope", [-0.05, 0.0, 0.03])
def test_slanted_lines_are_sheared_until_they_are_horizontal(slope: float):
    from regis.puzzle.formats.paper.vision.page_text import shear_column

    rows, columns = np.mgrid[:600, :800]
    column = np.where((rows + slope * columns) % 50 < 20, 0, 255).astype(np.uint8)
    sheared, added = shear_column(column)
    dark = (sheared[100 + added : -100 - added, 20:-20] < 128).mean(axis=1)
    assert ((dark < 0.2) | (dark > 0.8)).mean() > 0.8


def draw_line(text: str, *, size: int = 40, sheet: Any = None, baseline: int = 60, left: int = 40) -> Any:
    """Draw a line of text on a sheet, (80, 900) gray by default."""
    sheet = Image.new("L", (900, 80), 255) if sheet is None else Image.fromarray(sheet)
    ImageDraw.Draw(sheet).text((left, baseline), text, font=ImageFont.load_default(size), anchor="ls", fill=0)
    return np.array(sheet)


def find_lines(sheet: Any) -> Any:
    from regis.puzzle.formats.paper.vision import lines

    return lines.find_lines(sheet)


def read_line(sheet: Any) -> str:
    from regis.puzzle.formats.paper.vision.words import read_words

    (line,) = find_lines(sheet)
    return " ".join(word.text for word in read_words(line))


@needs_recognition
@pytest.mark.parametrize(
    "text",
    [
        "15 Topper for a Whopper", '"So I said ..."', "'Tis the dogs' day", "5 M.R.I. and C.E.O.",
        '"I" or "me"', '1 "Oh!"',
        "Well-known, or not?", "a - b", "Tic-tac-toe",
        "P, Q & R", "7-up or 1D", '(Ho!) "he said"', "What's 50% + $3?", "8 Apollo 11 (1969)", '1 "I, Robot" author',
    ],
)  # fmt: skip
def test_a_line_is_read_as_it_is_printed(text: str):
    assert read_line(draw_line(text)) == text


@needs_recognition
def test_an_underline_is_not_a_blank():
    sheet = draw_line("Novel Emma here")
    sheet[64:66, 150:250] = 0
    assert read_line(sheet) == "Novel Emma here"


@needs_recognition
@pytest.mark.parametrize(
    "text",
    [
        "Once ___ a time", "Cul-de-___", "___ and away!", '"___ the season"', "Pe___phone ___ ___", "Van ___, band",
        "yes—no", "1999–2001", "So — or not?", "A – – –", "Wait ... a sec",
        "on and on...", "etc. so. no.",
    ],
)  # fmt: skip
def test_blanks_and_dashes_are_read_by_their_ink(text: str):
    """The font has neither blanks nor dashes as in newspapers, so they are drawn."""
    font, x, sheet = ImageFont.load_default(40), 40, np.full((80, 900), 255, np.uint8)
    for part in re.split("(___|–|—)", text):
        if width := {"___": 50, "–": 20, "—": 40}.get(part):
            top = 64 if part == "___" else 48
            sheet[top : top + 3, int(x) + 1 : int(x) + width] = 0
            x += width + 1
        else:
            sheet = draw_line(part, sheet=sheet, left=int(x))
            x += font.getlength(part)
    assert read_line(sheet) == text


@needs_opencv
@pytest.mark.parametrize("slope", [-0.004, 0.0, 0.004])
def test_lines_are_found_and_deskewed(slope: float):
    """Each line has only its own ink: no descenders of the line above, no dots of the line below."""
    import cv2

    sheet = np.full((260, 900), 255, np.uint8)
    for baseline in (70, 114, 158):
        sheet = draw_line("gypsies in a jumping mood", sheet=sheet, baseline=baseline)
    skew = np.array([[1, 0, 0], [slope, 1, 20]], float)
    found = find_lines(cv2.warpAffine(sheet, skew, (900, 260), borderValue=255))
    assert [line.baseline for line in found] == pytest.approx([90, 134, 178], abs=2)
    assert [line.slope for line in found] == pytest.approx([slope] * 3, abs=0.001)
    first, second, third = (line.picture < 128 for line in found)
    n_pixels = (sheet[30:82] < 128).sum()
    for picture in (first, second, third):
        assert picture.sum() == pytest.approx(n_pixels, rel=0.03)


@needs_opencv
@pytest.mark.parametrize("side", [1, 2, 3])
def test_halftone_dots_are_not_lines(side: int):
    sheet = np.full((600, 900), 255, np.uint8)
    for x in range(0, 900, 2 * side + 2):
        for y in range(0, 600, 2 * side + 2):
            sheet[y : y + side, x : x + side] = 0
    assert not find_lines(sheet)


def cat_picture() -> Image.Image:
    picture = Image.new("L", (800, 600), 180)
    pen = ImageDraw.Draw(picture)
    for box in ((200, 200, 600, 560), (260, 80, 540, 320), (300, 160, 340, 200), (460, 160, 500, 200)):
        pen.ellipse(box, outline=20, fill=90, width=5)
    return picture


def decompression_bomb() -> bytes:
    """Return a PNG that claims 40 billion pixels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", 200_000, 200_000, 8, 0, 0, 0, 0)
    rest = (
        struct.pack(">I", zlib.crc32(header)) + struct.pack(">I", 0) + b"IEND" + struct.pack(">I", zlib.crc32(b"IEND"))
    )
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + rest


def four_pages() -> bytes:
    data, sheet = io.BytesIO(), Image.new("L", (170, 220), 200)
    sheet.save(data, "PDF", save_all=True, append_images=[sheet] * 3)
    return data.getvalue()


def pdf_without_unicode_map() -> bytes:
    """Return a page of bold text in a file that doesn't map its glyphs to characters.

    In PDFium's own bold font, a glyph's number is 17 below its character.
    """

    def encode_glyph_numbers(shown: re.Match[bytes]) -> bytes:
        codes = bytes.fromhex(shown[1].decode()).decode("utf-16-be")
        return b"<" + "".join(chr(ord(x) - 17) for x in codes).encode("utf-16-be").hex().encode() + b"> Tj"

    return re.sub(
        rb"<([0-9a-f]+)> Tj",
        encode_glyph_numbers,
        re.sub(rb"/ToUnicode \d+ 0 R", b"", mini()).replace(b"/F0 ", b"/F1 "),
    )


@needs_recognition
@pytest.mark.slow
def test_a_pdf_without_a_unicode_map_is_read_as_a_picture():
    puzzle, warnings = formats.read_puzzle(PuzzleFile("x.pdf", pdf_without_unicode_map()))
    assert puzzle.grid == shape(papers.ROWS)
    assert formats.read_confidence(PuzzleFile("x.pdf", pdf_without_unicode_map())).is_picture
    assert "x.pdf has fonts without a Unicode map, so the picture of its page was read" in warnings


def test_a_pdf_without_a_unicode_map_needs_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(printed_puzzle, "find_spec", lambda name: None)
    with pytest.raises(PuzzleError, match=r"^x has fonts without a Unicode map, so .* needs OpenCV, onnxruntime"):
        read(pdf_without_unicode_map())


@needs_recognition
@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (encode(cat_picture()), "shows no crossword grid; take a picture of the whole page"),
        (encode(cat_picture())[:200], "is a damaged picture"),
        (encode(draw_page().crop((0, 0, 370, 2200))), "shows no crossword grid"),
        (b"\x89PNG\r\n\x1a\n", "is a damaged picture"),
        (encode(Image.new("L", (8000, 6250), 200)), "shows no crossword grid"),
        (decompression_bomb(), "is a damaged picture"),
        (four_pages(), "has too many pictures for a puzzle"),
    ],
    ids=["a cat", "cut off", "half a grid", "a signature alone", "50 megapixels", "a bomb", "four pages"],
)
def test_pictures_without_a_page_are_refused(data: bytes, message: str):
    with pytest.raises(PuzzleError, match=f"^x {message}"):
        read(data)


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(printed_puzzle, "find_spec", lambda name: None)
    with pytest.raises(PuzzleError, match=r"needs OpenCV, onnxruntime and rapidocr; .*pip install .*\.\[paper\]'"):
        read(encode(cat_picture()))
    monkeypatch.setattr(printed_puzzle, "find_spec", lambda name: None if name == "rapidocr" else find_spec(name))
    if find_spec("cv2") and find_spec("onnxruntime"):
        with pytest.raises(PuzzleError, match="reading one needs rapidocr; "):
            read(encode(cat_picture()))


def test_a_folder_is_not_searched_for_pages(tmp_path: Path):
    tmp_path.joinpath("bill.pdf").write_bytes(mini())
    tmp_path.joinpath("cat.png").write_bytes(encode(cat_picture()))
    tmp_path.joinpath("a.puz").write_bytes(papers.puz())
    assert [Path(file.name).name for file in formats.open_files(tmp_path)] == ["a.puz"]
