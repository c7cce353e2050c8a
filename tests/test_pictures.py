"""Puzzles read from photographs and scans: what was printed is read, what is no puzzle is refused in one sentence."""

import io
import shutil
from importlib.util import find_spec
from pathlib import Path

import papers
import pytest
from make_puzzles import shape
from PIL import Image, ImageDraw, ImageFont

from regis.errors import PuzzleError
from regis.puzzle import Direction, Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.puzzle.formats.paper import page_objects

CAN_SEE = bool(find_spec("cv2")) and bool(shutil.which("tesseract"))
needs_eyes = pytest.mark.skipif(not CAN_SEE, reason="needs opencv-python-headless and Tesseract")

SIDE = 100  # pixels of a square
CLUES = {key: clue.replace("\n", " ") for key, clue in papers.CLUES.items()} | {"6A": "Rocket salad"}
CIRCLE = next(iter(papers.CIRCLES))


def draw_page(rows: tuple[str, ...] = papers.ROWS) -> Image.Image:
    """Draw the sampler's puzzle as a page of a letter at 200 dpi, with clues in two columns."""
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


def seen_aside(page: Image.Image) -> bytes:
    """The page on a dark table, leaning away, as a JPEG."""
    lean = (0.92, 0.06, 0, -0.04, 0.95, 0, 2e-5, -3e-5)
    return encode(page.transform((2000, 2400), Image.Transform.PERSPECTIVE, lean, fillcolor=60), "JPEG")


@needs_eyes
@pytest.mark.slow
@pytest.mark.parametrize(
    "take",
    [
        encode,
        seen_aside,
        lambda page: encode(page.rotate(180)),
        lambda page: encode(page.rotate(90, expand=True), "JPEG"),
        lambda page: encode(page, "PDF"),
    ],
    ids=["scan", "aside", "upside down", "turned", "PDF of a picture"],
)
def test_what_is_pictured_is_read(take):
    data = take(draw_page())
    puzzle, confidence = read(data), formats.read_confidence(PuzzleFile("x", data))
    assert puzzle.grid == shape(papers.ROWS)
    assert puzzle.circles == {CIRCLE} and not puzzle.given
    due = {slot: CLUES[str(slot)][:36].replace(" ", "") for slot in puzzle.grid.slots}
    wrong = {slot for slot, clue in puzzle.clues.items() if clue.replace(" ", "") != due[slot]}
    assert len(wrong) <= 1 and wrong <= set(confidence.doubtful_clues)


def cat() -> Image.Image:
    picture = Image.new("L", (800, 600), 180)
    pen = ImageDraw.Draw(picture)
    for box in ((200, 200, 600, 560), (260, 80, 540, 320), (300, 160, 340, 200), (460, 160, 500, 200)):
        pen.ellipse(box, outline=20, fill=90, width=5)
    return picture


@needs_eyes
@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (encode(cat()), "shows no grid of a crossword; take a picture of the whole page"),
        (encode(cat())[:200], "is a damaged picture"),
        (encode(draw_page().crop((0, 0, 370, 2200))), "shows no grid of a crossword"),
        (b"\x89PNG\r\n\x1a\n", "is a damaged picture"),
    ],
    ids=["a cat", "cut off", "half a grid", "a sign alone"],
)
def test_what_is_no_page_is_refused(data: bytes, told: str):
    with pytest.raises(PuzzleError, match=f"^x {told}"):
        read(data)


@needs_eyes
@pytest.mark.slow
def test_a_tesseract_of_other_languages_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    with pytest.raises(PuzzleError, match="Tesseract has no English data; install Tesseract with its English data"):
        read(encode(draw_page().rotate(1, fillcolor=255)))


def test_what_lacks_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(page_objects, "find_spec", lambda name: None)
    monkeypatch.setattr(page_objects.shutil, "which", lambda name: None)
    with pytest.raises(
        PuzzleError, match=r"needs OpenCV and Tesseract; .*\.\[paper\]', and install Tesseract .*apt-get"
    ):
        read(encode(cat()))


def test_a_folder_is_not_searched_for_pictures(tmp_path: Path):
    tmp_path.joinpath("cat.png").write_bytes(encode(cat()))
    tmp_path.joinpath("a.puz").write_bytes(papers.puz())
    assert [Path(file.name).name for file in formats.open_files(tmp_path)] == ["a.puz"]
