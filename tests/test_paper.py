"""Printed pages are read back as the puzzles that they show; doubts are reported, and other files are refused."""

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import papers
import pytest
from make_puzzles import shape
from pdf_pages import BOLD, ITALIC, PdfPage, draw_grid, pdf_bytes
from printed import SIZE, clue_lines, print_puzzle, sampler, write_columns

import regis
from regis.cli.dispatch import main
from regis.errors import PuzzleError, UsageError
from regis.play.open_puzzles import OpenPuzzles
from regis.puzzle import Direction, Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.puzzle.formats.paper import printed_puzzle

EXAMPLES = Path(__file__).parents[1] / "examples"
PUZZLES = ("mini.puz", "midi.puz", "daily.puz", "rebus.puz", "added.puz", "either.puz", "barred.ipuz")


def example(name: str) -> Puzzle:
    return formats.read_puzzle(formats.open_file(EXAMPLES / name))[0]


def read(data: bytes) -> Puzzle:
    return formats.read_puzzle(PuzzleFile("x.pdf", data))[0]


@pytest.mark.parametrize("name", PUZZLES)
@pytest.mark.parametrize(("n_columns", "hang"), [(1, 20), (2, 24), (3, 12)])
def test_a_printed_puzzle_is_read_back(name: str, n_columns: int, hang: float):
    """No part differs, and no right part is doubtful."""
    puzzle, data = example(name), print_puzzle(example(name), n_columns, hang)
    printed, warnings = formats.read_puzzle(PuzzleFile("x.pdf", data))
    clues = {slot: " ".join(clue.split()) for slot, clue in puzzle.clues.items()}
    assert (printed.grid, printed.clues, printed.circles) == (puzzle.grid, clues, puzzle.circles)
    assert (printed.title, printed.author) == (puzzle.title, puzzle.author)
    doubted = formats.read_confidence(PuzzleFile("x.pdf", data)).doubtful_clues
    assert all("-" in clues[slot] for slot in doubted)
    assert bool(warnings) == bool(doubted)


def test_a_rotated_page_is_read():
    puzzle = example("mini.puz")
    assert read(print_puzzle(puzzle, 2, 24, rotation=90)).clues == puzzle.clues


def test_the_sampler_has_the_same_content_as_in_other_formats():
    """Except the clue in five scripts: text from right to left isn't read."""
    puzzle, file = read(sampler()), PuzzleFile("sampler.pdf", sampler())
    assert puzzle.grid == shape(papers.ROWS)
    clues = {str(slot): clue for slot, clue in puzzle.clues.items()}
    assert clues | {"6A": ""} == papers.CLUES | {"6A": ""}
    for key, value in papers.ABOUT.items():
        assert getattr(puzzle, key) == value.replace("\n", " ")
    assert (puzzle.given, puzzle.circles, puzzle.shaded) == (papers.GIVEN, papers.CIRCLES, papers.SHADED)
    letters = {(r, c): x for r, row in enumerate(papers.ROWS) for c, x in enumerate(row) if x != "#"}
    assert formats.read_solution(file) == letters | papers.REBUS


def test_a_printed_solution_stays_out_of_the_puzzle():
    assert read(sampler()) == read(sampler("X"))


def mini(
    clue_7: str = "Those who give one to five stars", block: float = 0, shade: float = 1,
    numbers: dict[tuple[int, int], int] | None = None, missing_clue: str = "", extra_pages: Sequence[PdfPage] = (),
    changed_clues: Mapping[str, str] | None = None,
) -> bytes:  # fmt: skip
    """Print the sampler's grid with other clues."""
    clues = papers.CLUES | {"7A": clue_7, "6A": "Rocket salad"} | (changed_clues or {})
    grid = shape(papers.ROWS)
    page = PdfPage()
    draw_grid(
        page, papers.ROWS, grid.cell_numbers if numbers is None else numbers, block=block,
        shades=dict.fromkeys(papers.SHADED, shade),
    )  # fmt: skip
    lines: list[tuple[str, str]] = []
    for d in Direction:
        lines.append(("HEADING", d.name))
        for key, clue in clues.items():
            if key.endswith(d) and key != missing_clue:
                first, *others = clue.split("\n")
                lines += [(key[:-1], first), *(("", x) for x in others)]
    write_columns([page], lines, [(0, 60, 260)], 20)
    return pdf_bytes([page, *extra_pages])


@pytest.mark.parametrize(("block", "shade"), [(0, 0.8), (0.5, 1), (0.6, 0.8)])
def test_numbers_decide_whether_gray_squares_are_blocks_or_shaded(block: float, shade: float):
    puzzle = read(mini(block=block, shade=shade))
    assert puzzle.grid == shape(papers.ROWS)
    assert puzzle.shaded == (papers.SHADED if shade < 1 else frozenset())


@pytest.mark.parametrize("is_filled", [False, True])
def test_hatched_squares_are_blocks_and_a_ring_is_a_circle(is_filled: bool):
    grid, page = shape(papers.ROWS), PdfPage()
    draw_grid(page, papers.ROWS, grid.cell_numbers, 60, 100, 24, block=1)
    for r, row in enumerate(papers.ROWS):
        for c in [c for c, sign in enumerate(row) if sign == "#"]:
            x, y = 60 + c * 24, 100 + r * 24
            for k in range(4, 48, 4):
                page.line(x + max(k - 24, 0), y + min(k, 24), x + min(k, 24), y + max(k - 24, 0))
    if is_filled:
        page.disc(60 + 36, 100 + 60, 11, 0)
        page.disc(60 + 36, 100 + 60, 10, 1)
    else:
        page.circle(60 + 36, 100 + 60, 11)
    puzzle = read(pdf_bytes([page]))
    assert puzzle.grid == grid and puzzle.circles == {(2, 1)}


EITHER = "A founda-\ntion and a pave-\nment and a gold-\nsmith"


@pytest.mark.parametrize(
    ("printed", "clue", "is_sure"),
    [
        ("Readers of\n8 books or\n1984 reviews", "Readers of 8 books or 1984 reviews", None),
        ("Those             who\ngive stars", "Those who give stars", None),
        ("Those" + 60 * " " + "No.\ngive stars", "Those give stars", None),
        ("Those who give one to infor-", "Those who give one to infor-", False),
        ("Plants and 1\nDown", "Plants and 1 Down", None),
        ("Plants (see 1-\nDown)", "Plants (see 1-Down)", None),
        ("A founda-\ntion and a pave-\nment", "A foundation and a pavement", None),
        ("One founda-\ntion", "One foundation", None),
        ("Some well-\nknown judge", "Some well-known judge", True),
        (EITHER, "A foundation and a pavement and a goldsmith", False),
    ],
)
def test_lines_of_a_clue_are_joined(printed: str, clue: str, is_sure: bool | None):
    """Endings such as 'tion' and 'ment' show that words are hyphenated; an ambiguous hyphen is doubtful."""
    puzzle, confidence = read(mini(printed)), formats.read_confidence(PuzzleFile("x.pdf", mini(printed)))
    slot = next(slot for slot in puzzle.grid.slots if str(slot) == "7A")
    assert puzzle.clues[slot] == clue and is_sure in (None, confidence.clues[slot] > 0.9)


def test_columns_continue_by_number_if_a_word_is_wider_than_its_column():
    """A wide word fills the gap between the columns, which are in order in the file."""
    page, grid = PdfPage(), shape(papers.ROWS)
    draw_grid(page, papers.ROWS, grid.cell_numbers)
    across, down = (
        [("HEADING", d.name), *((key[:-1], clue) for key, clue in papers.CLUES.items() if key.endswith(d))]
        for d in Direction
    )
    across[3:] = [("6", "Rocket salad"), ("7", "Those who give one to five stars"), ("8", "Seen")]
    down[1:] = [(number, f"Old {number}") for number, _ in down[1:]]
    for lines, left, top in ((across[:4], 60, 260), (down, 215, 220), (across[4:], 60, 308)):
        write_columns([page], lines, [(0, left, top)], 20)
    clues = {str(slot): clue for slot, clue in read(pdf_bytes([page])).clues.items()}
    assert [clues[name] for name in ("6A", "7A", "8A", "1D")] == [*(clue for _, clue in across[3:]), "Old 1"]


def test_a_clue_continues_above_the_first_number_of_the_next_column():
    grid, pages = shape(papers.ROWS), [PdfPage(), PdfPage()]
    draw_grid(pages[0], papers.ROWS, grid.cell_numbers)
    lines: list[tuple[str, str]] = []
    for direction in Direction:
        names = [key[:-1] for key in papers.CLUES if key.endswith(direction)]
        lines += [("HEADING", direction.name)]
        lines += [line for name in names for line in ((name, "One"), ("", "two"), ("", f"three {name}"))]
    columns = [(0, 60, 632), (1, 60, 632), (1, 200, 632)]  # of eleven lines each
    assert not lines[11][0] and not lines[22][0]
    write_columns(pages, lines, columns, 20)
    clues = read(pdf_bytes(pages)).clues
    assert clues == {slot: f"One two three {slot.number}" for slot in grid.slots}


def test_a_table_header_above_each_column_is_not_in_a_clue():
    page, grid, header = PdfPage(), shape(papers.ROWS), ("No.", "Clue")
    draw_grid(page, papers.ROWS, grid.cell_numbers)
    across, down = ([(k[:-1], f"Old {k[:-1]}") for k in papers.CLUES if k.endswith(d)] for d in Direction)
    tables = ([("HEADING", "ACROSS"), header, *across], [("HEADING", "DOWN"), header, *down[:3]], [header, *down[3:]])
    for left, lines in zip((60, 215, 370), tables, strict=True):
        write_columns([page], lines, [(0, left, 260)], 20)
    assert read(pdf_bytes([page])).clues == {slot: f"Old {slot.number}" for slot in grid.slots}


def test_a_pdf_may_start_with_other_bytes():
    file = PuzzleFile("x.pdf", b"junk\n" * 50 + mini(missing_clue="6A"))
    assert formats.read_confidence(file) == formats.read_confidence(PuzzleFile("x.pdf", mini(missing_clue="6A")))
    assert OpenPuzzles().open_file(file).paper is not None


def test_titles_in_italics_get_quotation_marks():
    page = PdfPage()
    draw_grid(page, papers.ROWS, shape(papers.ROWS).cell_numbers)
    write_columns([page], [
        line
        for d in Direction
        for line in [("HEADING", d.name), *((k[:-1], "Rates") for k in papers.CLUES if k.endswith(d) and k != "8A")]
    ], [(0, 60, 260)], 20)  # fmt: skip
    page.write(300, 260, "ACROSS", SIZE + 1, BOLD)
    end = page.write(300, 272, "8 Author of ", SIZE)
    page.write(end, 272, "Emma", SIZE, ITALIC)
    clues = {str(slot): clue for slot, clue in read(pdf_bytes([page])).clues.items()}
    assert clues["8A"] == 'Author of "Emma"' and clues["7A"] == "Rates"


def test_invisible_text_is_not_read():
    page = PdfPage()
    draw_grid(page, papers.ROWS, {})
    page.write(60, 300, "ACROSS", mode=3)
    with pytest.raises(PuzzleError, match=r"shows no crossword grid|needs OpenCV"):
        read(pdf_bytes([page]))


def test_a_number_in_the_wrong_square_is_reported():
    numbers = dict(shape(papers.ROWS).cell_numbers)
    numbers[2, 2] = 99
    data = mini(numbers=numbers)
    warnings = formats.read_puzzle(PuzzleFile("x.pdf", data))[1]
    assert warnings[0] == "x.pdf has number 99 in row 3 column 3, but its blocks call for none"
    assert formats.read_confidence(PuzzleFile("x.pdf", data)).doubtful_squares == ((2, 2),)


def test_a_missing_clue_is_reported_and_the_clue_that_may_contain_it_is_doubted():
    for clue, doubted in (("On a lower deck", ["6A"]), ("On a lower deck\nof 6", ["5A", "6A"])):
        file = PuzzleFile("x.pdf", mini(missing_clue="6A", changed_clues={"5A": clue}))
        assert [str(slot) for slot in formats.read_confidence(file).doubtful_clues] == doubted
        assert "x.pdf has no clue for 6A" in formats.read_puzzle(file)[1]
    sure = "25 of 25 squares and 9 of 10 clues were read with certainty"
    warnings = formats.read_puzzle(PuzzleFile("x.pdf", mini(EITHER)))[1]
    assert warnings == (f"x.pdf: {sure}; compare the clue of 7A with the page",)


def other_grid(rows: Sequence[str], *, numbered: bool) -> PdfPage:
    page = PdfPage()
    contents = {} if numbered else {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row) if x != "#"}
    draw_grid(page, rows, shape(rows).cell_numbers if numbered else {}, 350, 100, 12, contents=contents)
    return page


def test_the_grid_with_clues_is_read_and_another_puzzle_is_reported():
    for numbered in (False, True):
        file = PuzzleFile("x.pdf", mini(extra_pages=[other_grid(["ABC#", "DEFG", "HIJK", "#LMN"], numbered=numbered)]))
        puzzle, warnings = formats.read_puzzle(file)
        assert puzzle.grid == shape(papers.ROWS) and formats.read_solution(file) is None
        message = "x.pdf shows 2 puzzles, of which this is number 1; --grid N reads another"
        assert (warnings[:1] == (message,)) is numbered


def two_puzzles(*, on_one_page: bool) -> bytes:
    """Print two puzzles with their own clues, side by side or on two pages."""
    pages = [PdfPage()] if on_one_page else [PdfPage(), PdfPage()]
    for n, name in enumerate(("mini.puz", "midi.puz")):
        puzzle, left = example(name), 40 + 270 * n * on_one_page
        page = pages[n * (not on_one_page)]
        draw_grid(page, puzzle.grid.rows, puzzle.grid.cell_numbers, left, 60, 18)
        write_columns([page], clue_lines(puzzle, 44), [(0, left, 260)], 20)
    return pdf_bytes(pages)


@pytest.mark.parametrize("on_one_page", [True, False])
def test_any_of_two_puzzles_can_be_read(on_one_page: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data = two_puzzles(on_one_page=on_one_page)
    for number, name in enumerate(("mini.puz", "midi.puz"), 1):
        clues = {slot: " ".join(clue.split()) for slot, clue in example(name).clues.items()}
        for place in ({"grid": number}, {"page": 1 if on_one_page else number, "grid": number if on_one_page else 1}):
            assert regis.read_puzzle(data, **place).clues == clues
    (tmp_path / "two.pdf").write_bytes(data)
    assert main(["convert", "--grid", "2", str(tmp_path / "two.pdf"), str(tmp_path / "two.ipuz")]) in (0, 3)
    assert "shows 2 puzzles, of which this is number 2; --grid N reads another" in capsys.readouterr().err
    assert regis.read_puzzle(tmp_path / "two.ipuz").grid == example("midi.puz").grid


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"page": 3}, "has no crossword on page 3, only on 1 and 2; change --page"),
        ({"grid": 3}, "has 2 crosswords on its pages; change --grid"),
        ({"page": 2, "grid": 2}, "has 1 crossword on page 2; change --grid"),
    ],
)
def test_a_page_or_grid_number_without_a_puzzle_is_refused(place: dict[str, int], message: str):
    with pytest.raises(UsageError, match=message):
        regis.read_puzzle(two_puzzles(on_one_page=False), **place)
    with pytest.raises(UsageError, match="has no pages; remove --page or --grid"):
        regis.read_puzzle(EXAMPLES / "mini.puz", **place)


def compressed_page(content: bytes) -> bytes:
    """Return a page with compressed operators."""
    packed = zlib.compress(content, 9)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
        b"<< /Filter /FlateDecode /Length %d >> stream\n" % len(packed) + packed + b"\nendstream",
    ]
    body = b"".join(b"%d 0 obj\n" % i + content + b"\nendobj\n" for i, content in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer << /Root 1 0 R >>\n%%EOF\n"


def letter_page() -> PdfPage:
    page = PdfPage()
    page.write(60, 60, "Dear Sir, 12 across the street")
    return page


ENCRYPTED = (
    "/Encrypt << /Filter /Standard /V 1 /R 2 /O <" + "00" * 32 + "> /U <" + "11" * 32 + "> /P -4 >> /ID [<00> <00>]"
)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pdf_bytes([letter_page()]), "shows no crossword grid; choose a page with a grid and its clues"),
        (pdf_bytes([PdfPage()]), "has empty pages; choose a PDF with a grid and its clues"),
        (pdf_bytes([PdfPage()] * 500), "has 500 pages; save one puzzle's pages as a separate PDF"),
        (pdf_bytes([letter_page()], extra_trailer=ENCRYPTED), "is a PDF with a password; save it without one"),
        (pdf_bytes([letter_page()])[:4000], "is a damaged PDF; download it again"),
        (b"%PDF-1.7", "is a damaged PDF; download it again"),
        (compressed_page(b"0 0 m 1 1 l S\n" * 150_000), "has more on its pages than a puzzle"),
    ],
)
def test_pdfs_without_a_puzzle_are_refused(data: bytes, message: str):
    with pytest.raises(PuzzleError, match=f"^x.pdf {message}"):
        read(data)


def test_a_pdf_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(printed_puzzle, "EXTRACTION", printed_puzzle.EXTRACTION._replace(max_wait=0.01))
    with pytest.raises(PuzzleError, match="takes more time or memory than a puzzle; print its page to a new PDF"):
        read(mini("A clue of this test alone"))


def test_the_exit_code_of_convert_says_whether_the_reading_is_certain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    certain, doubtful, converted = tmp_path / "certain.pdf", tmp_path / "doubtful.pdf", tmp_path / "converted.ipuz"
    certain.write_bytes(mini())
    doubtful.write_bytes(mini(missing_clue="6A"))
    assert main(["convert", str(certain), str(converted)]) == 0
    assert capsys.readouterr().err == ""
    assert read(converted.read_bytes()) == read(certain.read_bytes())
    assert main(["convert", str(doubtful), str(converted)]) == 3
    assert "9 of 10 clues were read with certainty" in capsys.readouterr().err
    assert json.loads(converted.read_text())["clues"]["Across"][1] == [5, papers.CLUES["5A"]]


def test_a_pdf_may_be_larger_than_other_puzzles(tmp_path: Path):
    path = tmp_path / "large.pdf"
    path.write_bytes(mini() + b"\n%" + b"x" * (2 * formats.files.MAX_FILE_BYTES))
    assert formats.read_puzzle(formats.open_file(path))[0].grid == shape(papers.ROWS)
    path.write_bytes(mini() + b"x" * formats.files.MAX_PAGE_BYTES)
    with pytest.raises(PuzzleError, match="is larger than 16 MiB, too large for a puzzle"):
        formats.read_puzzle(formats.open_file(path))
