"""Puzzles read from photographs and scans: what was printed is read, what is no puzzle is refused in one sentence."""

import io
import shutil
import struct
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

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


@needs_eyes
@pytest.mark.slow
def test_letters_that_a_person_wrote_are_given_and_doubtful():
    page = draw_page()
    pen = ImageDraw.Draw(page)
    white = [cell for cell in shape(papers.ROWS).cells if cell != CIRCLE]
    written = dict(zip(white[1:9], "RABETKSM", strict=True))
    for (r, c), letter in written.items():
        pen.text((150 + c * SIDE + 32, 200 + r * SIDE + 28), letter, font=ImageFont.load_default(64), fill=40)
    for take in (encode, seen_aside):
        puzzle, confidence = read(take(page)), formats.read_confidence(PuzzleFile("x", take(page)))
        assert puzzle.given == written and puzzle.grid == shape(papers.ROWS)
        assert set(confidence.doubtful_squares) == set(written)


needs_opencv = pytest.mark.skipif(not find_spec("cv2"), reason="needs opencv-python-headless")


@needs_opencv
@pytest.mark.parametrize("turn", [0, 180])
def test_a_sheet_without_a_grid_is_laid_flat_by_its_corners(turn: int):
    """Where its corners are seen on a darker table; what stood at a place of it stands there again."""
    import numpy as np

    from regis.puzzle.formats.paper.vision.extractor import lay_sheet_flat

    sheet = Image.new("L", (1700, 2200), 255)
    ImageDraw.Draw(sheet).rectangle((340, 1540, 510, 1760), fill=0)
    lean = (0.92, 0.06, -250, -0.04, 0.95, -150, 2e-5, -3e-5)
    aside = sheet.transform((2300, 2700), Image.Transform.PERSPECTIVE, lean, fillcolor=60).rotate(turn)
    flat = lay_sheet_flat(np.asarray(aside))
    height, width = flat.shape
    rows, columns = np.nonzero(np.pad(flat[20:-20, 20:-20], 20, constant_values=255) < 100)
    box = [columns.min() / width, rows.min() / height, columns.max() / width, rows.max() / height]
    due = [0.2, 0.7, 0.3, 0.8] if not turn else [0.7, 0.2, 0.8, 0.3]
    assert box == pytest.approx(due, abs=0.02)


@needs_opencv
def test_a_sheet_whose_corners_are_not_seen_stays_as_it_is():
    import numpy as np

    from regis.puzzle.formats.paper.vision.extractor import lay_sheet_flat

    for picture in (np.full((900, 700), 250, np.uint8), np.asarray(cat())):
        assert lay_sheet_flat(picture) is picture


@needs_opencv
@pytest.mark.parametrize("slope", [-0.05, 0.0, 0.03])
def test_lines_that_lean_are_made_level(slope: float):
    import numpy as np

    from regis.puzzle.formats.paper.vision.page_text import level_lines

    rows, columns = np.mgrid[:600, :800]
    column = np.where((rows + slope * columns) % 50 < 20, 0, 255).astype(np.uint8)
    level, added = level_lines(column)
    dark = (level[100 + added : -100 - added, 20:-20] < 128).mean(axis=1)
    assert ((dark < 0.2) | (dark > 0.8)).mean() > 0.8


@needs_opencv
def test_letters_stand_for_blanks_and_dashes_stay():
    import numpy as np

    from regis.puzzle.formats.paper.vision.marks import fill_blanks

    sheet = np.full((200, 300), 255, np.uint8)
    for top in (20, 120):
        sheet[top : top + 20, 10:60] = sheet[top : top + 20, 200:206] = 0  # letters
    sheet[40:43, 100:160] = 0  # a line to be filled in
    sheet[128:131, 100:160] = 0  # a dash
    blank = fill_blanks(sheet)[0]
    assert (blank.left, blank.right, blank.bottom) == (100, 160, 43) and len(fill_blanks(sheet)) == 0
    assert (sheet[blank.top : 38, 100:160] < 128).any() and not sheet[128:131, 100:160].any()


def draw_line(text: str) -> Any:
    """Draw a line of text, 40 pixels high, its feet at row 60: (80, 900) grey."""
    import numpy as np

    sheet = Image.new("L", (900, 80), 255)
    ImageDraw.Draw(sheet).text((40, 60), text, font=ImageFont.load_default(40), anchor="ls")
    return np.array(sheet)


@needs_opencv
@pytest.mark.parametrize(
    ("printed", "taken"),
    [
        ('"So I said"', ['"', '"']), ("'Tis the dogs' day", ["'", "'"]), ("Don't stop, please: go.", []),
        ("Wait ... a minute...!", ["...", "..."]), ("\"'Ho!' he said\"", ["\"'", "'", '"']),
        ("Is it? No! So; there: i.e.", []),
    ],
)  # fmt: skip
def test_marks_are_taken_by_their_ink(printed: str, taken: list[str]):
    from regis.puzzle.formats.paper.vision.marks import take_marks

    sheet = draw_line(printed)
    before = (sheet < 128).sum()
    marks = sorted(take_marks(sheet), key=lambda mark: mark.left)
    assert "".join(mark.text for mark in marks) == "".join(taken)
    assert ((sheet < 128).sum() != before) == bool(taken)


@needs_opencv
@pytest.mark.parametrize(
    ("printed", "seen"),
    [
        ("L.A.", "LA."), ("Tokyo", "=Tokyo"), ("sea", "Sea"), ("Cos", "cos"), ("too", "t00"), ("ctrl-alt", "ctri-alt"),
        ("roman", "roman"), ("M.R.I.", "M.R.L."), ("well-known", "well known"), ("eight", "eijght"), ("sea", "+sea"),
        ("Man", '"Man'), ("Idea", "\\dea"), ("C.E.O.", "C.E.0."),
    ],
)  # fmt: skip
def test_letters_are_held_against_their_ink(printed: str, seen: str):
    """What is not as long as the ink is left alone, but for noise at its ends."""
    from regis.puzzle.formats.paper.vision.glyphs import LineGlyphs

    glyphs = LineGlyphs(draw_line("names " + printed), 60, 40.0)
    start = glyphs.glyphs[5].left
    glyphs.measure_small([("names", 0, start - 1)])
    due = seen if " " in seen else printed
    assert glyphs.check_word(seen, start, 900) == due


@needs_opencv
def test_what_tesseract_is_sure_of_has_no_letter_too_many():
    from regis.puzzle.formats.paper.vision.glyphs import LineGlyphs

    glyphs = LineGlyphs(draw_line("names eight"), 60, 40.0)
    start = glyphs.glyphs[5].left
    assert [glyphs.check_word("eijght", start, 900, p) for p in (0.5, 0.97)] == ["eight", "eijght"]


@needs_opencv
@pytest.mark.parametrize("side", [1, 2, 3])
def test_specks_are_no_marks(side: int):
    """A picture in a newspaper is of dots; none of them is a quotation mark, and no row of them a blank."""
    import numpy as np

    from regis.puzzle.formats.paper.vision.marks import take_marks

    sheet = draw_line("names")
    for x in range(300, 900, 2 * side + 2):
        for y in range(2, 78, 2 * side + 2):
            sheet[y : y + side + 1, x : x + side] = 0
    sheet[40, 200:208] = 0
    before = sheet.copy()
    assert not take_marks(sheet) and np.array_equal(sheet, before)


@needs_opencv
@pytest.mark.parametrize(("width", "dash"), [(8, "-"), (20, "–"), (40, "—")])
def test_dashes_are_told_by_their_width(width: int, dash: str):
    import numpy as np

    from regis.puzzle.formats.paper.vision.glyphs import LineGlyphs

    sheet = Image.fromarray(draw_line("names"))
    ImageDraw.Draw(sheet).rectangle((300, 48, 299 + width, 50), fill=0)
    glyphs = LineGlyphs(np.array(sheet), 60, 40.0)
    glyphs.measure_small([("names", 0, 290)])
    assert [glyphs.check_word(seen, 299, 400) for seen in "-–—"] == [dash] * 3


@needs_opencv
@pytest.mark.parametrize("blur", [0, 1.0], ids=["sharp", "not sharp"])
@pytest.mark.parametrize(
    ("strokes", "letter"),
    [([(5, 0, 13, -7)], "á"), ([(5, -7, 13, 0)], "à"), ([(3, 0, 9, -6), (9, -6, 15, 0)], "â"), ([(2, -4, 16, -4)], "ã"),
     ([(3, -2, 5, -2), (13, -2, 15, -2)], "ä")],
)  # fmt: skip
def test_accents_are_seen(strokes: list[tuple[int, ...]], letter: str, blur: float):
    import cv2
    import numpy as np

    from regis.puzzle.formats.paper.vision.glyphs import LineGlyphs

    start, top = LineGlyphs(draw_line("names a"), 60, 40.0).glyphs[5].left, 60 - 23
    sheet = Image.fromarray(draw_line("names a"))
    for x0, y0, x1, y1 in strokes:
        ImageDraw.Draw(sheet).line((start + x0, top - 4 + y0, start + x1, top - 4 + y1), fill=0, width=3)
    glyphs = LineGlyphs(cv2.GaussianBlur(np.array(sheet), (0, 0), blur) if blur else np.array(sheet), 60, 40.0)
    glyphs.measure_small([("names", 0, start - 1)])
    assert glyphs.check_word("a", start, 900) == letter


@needs_opencv
@pytest.mark.parametrize(
    ("letter", "seen", "meant"), [("o", "é", "ó"), ("e", "é", "é"), ("o", "6", "ó"), ("d", "d", "d")]
)
def test_an_o_with_an_accent_is_none_of_what_it_is_taken_for(letter: str, seen: str, meant: str):
    import numpy as np

    from regis.puzzle.formats.paper.vision.glyphs import LineGlyphs

    start = LineGlyphs(draw_line("names " + letter), 60, 40.0).glyphs[5].left
    sheet = Image.fromarray(draw_line("names " + letter))
    if letter != "d":
        ImageDraw.Draw(sheet).line((start + 7, 33, start + 14, 26), fill=0, width=3)
    glyphs = LineGlyphs(np.array(sheet), 60, 40.0)
    glyphs.measure_small([("names", 0, start - 1)])
    assert glyphs.check_word(seen, start, 900) == meant


@needs_opencv
@pytest.mark.parametrize(("letter", "depth", "due"), [("c", 7, "ç"), ("C", 7, "Ç"), ("c", 2, "c")])
def test_cedillas_are_seen(letter: str, depth: int, due: str):
    import numpy as np

    from regis.puzzle.formats.paper.vision.glyphs import LineGlyphs

    line = draw_line("names " + letter)
    start = LineGlyphs(line, 60, 40.0).glyphs[5]
    sheet = Image.fromarray(line)
    ImageDraw.Draw(sheet).rectangle((start.left + 7, 56, start.left + 10, 60 + depth), fill=0)
    glyphs = LineGlyphs(np.array(sheet), 60, 40.0)
    glyphs.measure_small([("names", 0, start.left - 1)])
    assert glyphs.check_word(letter, start.left, 900) == due


@needs_opencv
@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["15", "Topper", "foraWhopper"], ["15", "Topper", "for", "a", "Whopper"]),
        (["Once", "XXatime"], ["Once", "_", "a", "time"]),
        (["Cul-de-<X"], ["Cul-de-_"]),
        (["at", "ime"], ["a", "time"]),
        (["Well,", "well"], ["Well,", "well"]),
    ],
)
def test_where_words_end_is_where_it_is_white(words: list[str], printed: list[str]):
    """Characters are boxes of their width; where Tesseract says that words are is only about right."""
    import numpy as np

    from regis.puzzle.formats.paper.vision.character_widths import measure_characters
    from regis.puzzle.formats.paper.vision.marks import Mark
    from regis.puzzle.formats.paper.vision.tesseract import Line, Word
    from regis.puzzle.formats.paper.vision.words import join_words

    sheet, x, blanks = np.full((60, 900), 255, np.uint8), 20, []
    for word in printed:
        for character in word:
            width = 54 if character == "_" else int(30 * measure_characters(character)[0])
            sheet[26 if character in "acemnorsuvwxz" else 20 : 40, x : x + width - 2] = 0
            blanks += [Mark("_", x, 20, x + width - 2, 43, 40)] if character == "_" else []
            x += width
        x += 10
    edges = 20 + (x - 20) * np.cumsum([0, *map(len, words)]) / sum(map(len, words))
    seen = [Word(word, edges[k], 20, edges[k + 1], 45, 0.9) for k, word in enumerate(words)]
    line = Line(seen, 20, 20, x, 45, 40, 0.0, 30.0)
    assert [word.text for word in join_words(line, blanks, sheet)] == printed


@needs_opencv
@pytest.mark.parametrize(
    ("text", "widths", "starts"),
    [("Bartok", [22, 18, 28, 18, 18], [0, 1, 2, 4, 5, 6]), ("rn", [24], [0, 2]), ("on", [18, 18], None),
     ("on", [], None), ("minimum", [20], None)],
)  # fmt: skip
def test_characters_that_touch_share_ink(text: str, widths: list[int], starts: list[int] | None):
    import numpy as np

    from regis.puzzle.formats.paper.vision.character_widths import share_ink

    assert share_ink(text, np.array(widths)) == starts


@needs_opencv
@pytest.mark.parametrize(
    ("readings", "due"),
    [(("adverhb", "adverb", "adverb"), "adverb"), (("adverb", "adverhb", "advevb"), "adverb"),
     (("\ufffd", "adverb", "adverb"), "adverb"), (("\ufffd", "\ufffd", "adverb"), ""),
     (("adverb", "", ""), "adverb"), (("adverb", "refused", "refused"), "adverb")],
)  # fmt: skip
def test_lines_that_are_doubtful_are_read_again_and_the_readings_vote(
    readings: tuple[str, ...], due: str, monkeypatch: pytest.MonkeyPatch
):
    """The first reading is the page's, the others are of its two doubtful lines alone, smaller and larger."""
    import numpy as np

    from regis.puzzle.formats.paper.vision import lines
    from regis.puzzle.formats.paper.vision.tesseract import Line, UnreadablePicture, Word
    from regis.puzzle.formats.paper.vision.words import PrintedWord

    seen: list[Any] = []

    def recognize_lines(sheet: Any, *_: str) -> list[Line]:
        text, scale = readings[len(seen)], (1.0, *lines.SCALES)[len(seen)]
        seen.append(sheet)
        if text == "refused":
            raise UnreadablePicture("costly")
        tops = (
            (60, 100, 150) if scale == 1 else [lines.LINE_MARGIN + k * (36 * scale + lines.LINE_MARGIN) for k in (0, 1)]
        )
        found = []
        for k, top in enumerate(tops):
            left = 50 if scale == 1 else lines.LINE_MARGIN + lines.BOX_SLACK * scale
            about = left, top + 3 * (scale != 1) * scale, left + 100 * scale, top + 30 * scale
            word = Word(text or "x", *about, 0.9 if k == 1 and scale == 1 else 0.5)
            found.append(Line([word] if text else [], *about, top + 25 * scale, 0.0, 30 * scale))
        return found

    def join_words(line: Line, *_: Any) -> list[PrintedWord]:
        assert all(abs(x.top - line.top) < 2 for x in line.words)
        return [PrintedWord(x.text, round(x.left), round(x.right), x.probability) for x in line.words]

    monkeypatch.setattr(lines, "recognize_lines", recognize_lines)
    monkeypatch.setattr(lines, "join_words", join_words)
    printed = [[(word.text, word.left, word.right) for word in words]
               for _, words in lines.read_sheet(np.full((200, 300), 255, np.uint8))]  # fmt: skip
    assert len(seen) == 3
    of_first = [(readings[0].replace("\ufffd", ""), 50, 150)] if readings[0] != "\ufffd" else []
    assert printed == [[(due, 50, 150)] * bool(due), of_first, [(due, 50, 150)] * bool(due)]


@needs_opencv
@pytest.mark.parametrize(
    ("seen", "before", "meant"),
    [
        ('"l', "so", '"I'), ("ll", "so", "ll"), ("I'll", "so", "I'll"), ('"0Oh,', "so", '"Oh,'), ("10Oh", "so", "10Oh"),
        ("_de", "so", "___de"), ("C.E.l.", "so", "C.E.I."), ("O°N", "so", "0°N"), ("lliad", "the", "Iliad"),
        ("Haw''s", "5", "Haw's"),
        ("108ltem", "", "108 Item"), ("lnnate", "so", "Innate"), ("lb.", "a", "lb."), ("ltd.", "Co.,", "ltd."),
        ("lg.", "or", "lg."),
        ("irritate", "64", "Irritate"), ('""Oh', "5", '"Oh'), ("Il,", "in W.W.", "II,"),
        ("Ill", "3 Peoria,", "Ill"), ("11", "Apollo", "11"),
        ("joints", "48", "Joints"), ("joints", "48 Bad", "joints"), ("semanas", "3 52", "semanas"),
        ("1900s", "", "1900s"), ("iPhone", "5.", "iPhone"), ("IIhan", "so", "Ilhan"),
        ("E=mc²", "is", "E=mc²"), ("15\"Oh", "", '15 "Oh'), ("lris", "31", "Iris"),
        ("listening", "31", "listening"), ("—Oh", "1", "Oh"), ("—Oh", "so", "—Oh"), ("lOU", "so", "IOU"),
        ("lll,", "is", "Ill,"), ("lll", "Henry", "III"),
    ],
)  # fmt: skip
def test_what_is_read_wrong_as_a_rule_is_put_right(seen: str, before: str, meant: str):
    from regis.puzzle.formats.paper.vision.words import mend_word

    assert mend_word(seen, before) == meant


def cat() -> Image.Image:
    picture = Image.new("L", (800, 600), 180)
    pen = ImageDraw.Draw(picture)
    for box in ((200, 200, 600, 560), (260, 80, 540, 320), (300, 160, 340, 200), (460, 160, 500, 200)):
        pen.ellipse(box, outline=20, fill=90, width=5)
    return picture


def bomb() -> bytes:
    """A PNG that says it has 40 billion pixels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", 200_000, 200_000, 8, 0, 0, 0, 0)
    rest = (
        struct.pack(">I", zlib.crc32(header)) + struct.pack(">I", 0) + b"IEND" + struct.pack(">I", zlib.crc32(b"IEND"))
    )
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + rest


def four_pages() -> bytes:
    data, sheet = io.BytesIO(), Image.new("L", (170, 220), 255)
    sheet.save(data, "PDF", save_all=True, append_images=[sheet] * 3)
    return data.getvalue()


def two_puzzles() -> Image.Image:
    """The sampler's grid above another one."""
    page = draw_page()
    page.paste(draw_page(("ABC#D", "DEFGE", "H#IJF", "KLMNO", "PQ#RS")).crop((0, 150, 800, 750)), (800, 1400))
    return page


@needs_eyes
@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "told"),
    [
        (encode(cat()), "shows no grid of a crossword; take a picture of the whole page"),
        (encode(cat())[:200], "is a damaged picture"),
        (encode(draw_page().crop((0, 0, 370, 2200))), "shows no grid of a crossword"),
        (b"\x89PNG\r\n\x1a\n", "is a damaged picture"),
        (encode(Image.new("L", (8000, 6250), 200)), "shows no grid of a crossword"),
        (bomb(), "is a damaged picture"),
        (four_pages(), "has more pictures than the pages of a puzzle"),
        (encode(two_puzzles()), "shows 2 puzzles; save the pages of one as a PDF of their own"),
    ],
    ids=["a cat", "cut off", "half a grid", "a sign alone", "50 megapixels", "a bomb", "four pages", "two puzzles"],
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


def test_a_picture_of_more_than_16_mib_is_not_read():
    file = formats.files.puzzle_file_of("x.jpg", b"\xff\xd8\xff" + bytes(formats.files.MAX_PAGE_BYTES))
    with pytest.raises(PuzzleError, match=r"x\.jpg is larger than 16 MiB, which no puzzle is; name another"):
        formats.read_puzzle(file)


def test_a_folder_is_not_searched_for_pictures(tmp_path: Path):
    tmp_path.joinpath("cat.png").write_bytes(encode(cat()))
    tmp_path.joinpath("a.puz").write_bytes(papers.puz())
    assert [Path(file.name).name for file in formats.open_files(tmp_path)] == ["a.puz"]
