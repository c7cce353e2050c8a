"""Pages and pictures: every letter is there, doubt shows without color, answers can be hidden, nothing runs."""

import dataclasses
import io
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from importlib.util import find_spec

import pytest
import tiny

from regis.errors import UsageError
from regis.evaluation import score
from regis.puzzle import Grid, Puzzle
from regis.render import RENDERERS, drawing
from regis.render.drawing import hatch_lines
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.terminal import Screen

SVG = "{http://www.w3.org/2000/svg}"
ROWS = ("LA#K", "I.ON", "MERE")
EVIL = "</title></svg><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x1b[2J\u202e\u2066\0"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
VOID = {"meta", "input"}
needs_pillow = pytest.mark.skipif(find_spec("PIL") is None, reason="needs Pillow")


class Page(HTMLParser):
    """Checks that open tags are closed; records tags, attributes, and text, separately for answers."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.without_answers = ""
        self.feed(source)
        self.close()
        assert not self.open, "everything is closed"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("class") or ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][0] == "style":
            return
        self.text += data
        self.without_answers += data * all("answer" not in name.split() for _, name in self.open)


def solved(rows=ROWS, confidence=None, **more) -> SolvedPuzzle:
    letters = {cell: x for cell, x in tiny.cells(rows).items() if x != "."}
    return tiny.solved(dataclasses.replace(tiny.puzzle(rows), **more), letters, confidence)


def rendered(of: SolvedPuzzle, name: str, file: str = "a.puz") -> str:
    return RENDERERS[name](of, file, Screen())


def drawn(of: SolvedPuzzle) -> list[ET.Element]:
    """Return the squares of the picture, row by row."""
    root = ET.fromstring(rendered(of, "svg"))
    assert root.tag == f"{SVG}svg"
    return root.findall(f"{SVG}g")


def texts(square: ET.Element) -> list[str]:
    return [text.text or "" for text in square.iter(f"{SVG}text")]


def test_every_square_is_drawn_with_its_number_and_letter():
    found = drawn(solved(confidence={(0, 0): 0.7, (0, 1): 0.2}))
    assert [texts(square) for square in found] == [
        ["l", "1"], ["a?", "2"], [], ["K", "3"], ["I", "4"], [], ["O", "5"], ["N"], ["M", "6"], ["E"], ["R"], ["E"],
    ]  # fmt: skip


def test_doubt_is_more_than_color():
    """Sure, doubtful, and very doubtful squares differ in lines and letters, which are visible in black and white."""
    assert [len(list(hatch_lines(doubt))) for doubt in range(3)] == [0, 5, 11]
    sure, doubtful, very = drawn(solved(("ABC",), {(0, 0): 0.9, (0, 1): 0.89, (0, 2): 0.49}))
    lines = [sum((path.get("d") or "").count("M") for path in x.iter(f"{SVG}path")) for x in (sure, doubtful, very)]
    assert lines == [0, 5, 11]
    assert [x.find(f".//{SVG}title").text for x in (sure, doubtful, very)] == ["90% sure", "89% sure", "49% sure"]
    for doubt in (1, 2):
        for x, y, to_x, to_y in hatch_lines(doubt):
            assert {x, y, to_x, to_y} <= set(range(37)) and to_x - x == to_y - y > 0, "in the square"


def test_circles_and_shades_are_drawn():
    found = drawn(solved(circles=frozenset({(0, 0)}), shaded=frozenset({(0, 1)})))
    circles, rects = ([sum(1 for _ in x.iter(SVG + tag)) for x in found[:2]] for tag in ("circle", "rect"))
    assert circles == [1, 0] and rects == [2, 3]


def test_a_page_has_title_grid_clues_and_answers():
    page = Page(rendered(solved(), "html"))
    assert page.tags.count("svg") == page.tags.count("h1") == 1 and page.tags.count("section") == 2
    for said in ("Square", "A. Tester", "Be without", "Across", "Down", "MERE", "99%"):
        assert said in page.text
    assert page.text.count("Lowercase") == 0
    source = rendered(solved(title="", notes="Mind the gap"), "html", "/home/somebody/puzzles/a.puz")
    assert "<title>a.puz</title>" in source and "<summary>Notes" not in rendered(solved(), "html")
    assert re.search('<details class="notes"><summary>Notes</summary><p[^>]*>Mind the gap', source), "they are folded"
    assert "Lowercase" in Page(rendered(solved(confidence={(0, 0): 0.5}), "html")).text


def test_hidden_answers_are_all_of_one_class_and_own_letters_stay():
    source = rendered(solved(given={(0, 0): "L"}), "html")
    page = Page(source)
    assert re.search(r"#answers:not\(:checked\)~\* \.answer[^}]*\{display:none\}", source)
    assert "script" not in page.tags and not [name for name, _ in page.attributes if name.startswith("on")]
    hidden = page.without_answers
    assert "Be without" in hidden and "MERE" in page.text and "MERE" not in hidden
    grid = source[source.index("<svg") : source.index("</svg>")]
    assert re.findall(">([A-Z])</text>", re.sub('<g class="answer">.*?</g>', "", grid)) == ["L"]
    assert "sure" not in hidden.lower(), "how sure it is would tell of an own letter whether it is right"


def test_an_own_letter_has_marks_only_where_answers_are_shown():
    """The marks would show whether it is right. A separate picture, which hides nothing, has them."""
    of = solved(given={(0, 0): "L"}, confidence={(0, 0): 0.3})
    source = rendered(of, "html")
    outside = re.sub('<g class="answer">.*?</g>', "", source[source.index("<svg") : source.index("</svg>")])
    assert re.findall('class="unmarked" display="none">(.*?)<', outside) == ["L"] and "l?" not in outside
    assert re.findall('font-weight="bold">(.*?)<', source) == ["l?"]
    assert "#answers:not(:checked)~* .unmarked{display:inline}" in source and ".unmarked" not in rendered(of, "svg")


def test_own_letters_are_bold_and_the_legend_says_so():
    source = rendered(solved(given={(0, 0): "L"}), "html")
    assert re.findall('font-weight="bold">(.)<', source) == ["L"] and "Bold: your letters" in source
    assert "Bold" not in rendered(solved(), "html")
    source = rendered(solved(given={(0, 0): "Q", (0, 1): "A"}), "html")
    assert re.findall('font-weight="bold">(.)<', source) == ["A"] and source.count("yours</title>") == 1
    assert "Bold" not in rendered(solved(given={(0, 0): "Q"}), "html"), "an answer in place of it"


def test_the_grid_is_told_in_words():
    words = re.findall("<li>(.*)</li>", rendered(solved(confidence={(0, 0): 0.4}), "html"))
    assert words == ["L (40% sure), A, block, K", "I, empty, O, N", "M, E, R, E"]
    marked = solved(given={(0, 0): "L"}, circles=frozenset({(0, 0), (0, 1)}), shaded=frozenset({(0, 1), (1, 1)}))
    words = re.findall("<li>(.*)</li>", rendered(marked, "html"))
    assert words[:2] == ["L (yours, circled), A (circled, shaded), block, K", "I, empty (shaded), O, N"]


@pytest.mark.parametrize("name", ["html", "svg"])
def test_nothing_is_loaded_and_nothing_runs(name):
    source = rendered(solved(notes="See https://example.org/"), name)
    page = Page(source)
    assert not {"script", "img", "link", "iframe", "object", "use", "image"} & set(page.tags)
    assert not {"src", "href", "onload", "onclick"} & {attribute for attribute, _ in page.attributes}
    assert "url(" not in source and "@import" not in source


def test_the_template_engine_waits_for_the_first_page():
    code = "import sys, regis.render, regis.evaluation; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def hostile() -> SolvedPuzzle:
    shape = Grid(("....", "...."))
    clues = dict.fromkeys(shape.slots, EVIL)
    puzzle = Puzzle(shape, clues, {(0, 0): "<"}, title=EVIL, author=EVIL, notes=EVIL, copyright=EVIL)
    cells = dict.fromkeys(shape.cells, "A") | {(0, 0): "<", (0, 1): EVIL, (0, 2): "&"}
    return tiny.solved(puzzle, cells, {(0, 1): 0.3})


@pytest.mark.parametrize("name", RENDERERS)
def test_hostile_text_does_nothing_anywhere(name):
    source = rendered(hostile(), name, EVIL)
    assert all(c.isprintable() or c == "\n" for c in source) and source.endswith("\n") and source[-2] != "\n"
    if name in ("html", "svg"):
        page = Page(source)
        assert not {"script", "img"} & set(page.tags)
        assert not [attribute for attribute, _ in page.attributes if attribute.startswith("on")]
        assert name == "svg" or "alert(1)" in page.text
    if name == "svg":
        ET.fromstring(source)


@pytest.mark.parametrize("name", ["html", "svg", "text"])
@pytest.mark.parametrize("text", ["x" * 10**6, "x " * 500_000, "\u0301" * 10**6], ids=["word", "words", "accents"])
def test_a_million_characters_become_a_page_that_can_be_read(name, text):
    puzzle = tiny.puzzle(clues=dict.fromkeys(tiny.CLUES, text), title=text)
    puzzle = dataclasses.replace(puzzle, author=text, notes=text, copyright=text)
    assert len(rendered(tiny.solved(puzzle, tiny.cells()), name, text)) < 200_000


@pytest.mark.parametrize("rows", [(), ("##",), (".",)])
def test_odd_grids_have_pictures(rows):
    of = tiny.solved(Puzzle(Grid(rows), {}), {})
    for name in ("html", "svg"):
        Page(rendered(of, name))
    if find_spec("PIL"):
        assert drawing.render_png(of).startswith(b"\x89PNG")


def test_graded_squares_have_a_cross_and_are_counted():
    of = solved(tiny.ROWS)
    truth = tiny.cells() | {(0, 1): "X", (3, 3): "X"}
    graded = score.mark_wrong_cells(of, truth)
    assert graded.wrong_cells == {(0, 1), (3, 3)} and of.wrong_cells is None
    assert score.mark_wrong_cells(solved(("A.",)), {(0, 0): "A", (0, 1): "B"}).wrong_cells == frozenset(), "it is empty"
    struck = [any(p.get("stroke-width") == "3" for p in x.iter(f"{SVG}path")) for x in drawn(graded)]
    assert [i for i, is_struck in enumerate(struck) if is_struck] == [1, 15]
    page = Page(rendered(graded, "html"))
    assert "wrong according to the file's solution; 2 letters" in page.text and "A cross" in page.text
    assert page.tags.count("strong") == 4
    assert "wrong" not in Page(rendered(of, "html")).text
    right = Page(rendered(score.mark_wrong_cells(of, tiny.cells()), "html"))
    assert "All letters match the solution in the file." in right.text and "a cross" not in right.text
    assert "match" not in right.without_answers


@needs_pillow
def test_a_png_is_a_picture_of_the_grid():
    from PIL import Image

    def picture(of):
        with Image.open(io.BytesIO(drawing.render_png(of))) as image:
            return image.convert("RGB")

    plain, doubtful = picture(solved()), picture(solved(confidence={(0, 0): 0.3}))
    assert plain.size == (2 * (4 * 36 + 4), 2 * (3 * 36 + 4))
    assert plain.getpixel((4 + 72 * 2 + 36, 4 + 36)) == (17, 17, 17), "the block is dark"
    assert plain.getpixel((4 + 8, 4 + 64)) == (255, 255, 255) != doubtful.getpixel((4 + 8, 4 + 64))


def test_without_pillow_a_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr(drawing, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install --editable '\.\[pictures\]'.*SVG"):
        drawing.render_png(solved())


BROWSER = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--virtual-time-budget=2000", "--dump-dom"),
)


@pytest.mark.skipif(CHROMIUM is None or sys.platform != "linux", reason="needs Chromium")
def test_a_browser_shows_the_page_as_it_is_meant(tmp_path):
    """In frames from the width of a phone up: nothing is wider, no script of the puzzle runs, a click shows the
    answers."""
    (tmp_path / "page.html").write_text(rendered(hostile(), "html").replace("default-src", "x-src"), encoding="utf-8")
    probe = """<iframe id=f src=page.html style="width:320px;height:800px;border:0"></iframe><p id=said></p><script>
    onload = () => { const d = f.contentDocument, box = d.getElementById('answers'), all = d.documentElement;
      box.click();
      const fits = [320, 360, 479, 481, 700, 1030, 1087, 1089, 1600].every(width => {
        f.style.width = width + 'px'; return all.scrollWidth <= all.clientWidth });
      box.click();
      const seen = () => [...d.querySelectorAll('.answer')].filter(x => x.getClientRects().length).length;
      const before = seen(); box.click();
      said.textContent = [fits, before, seen() > 0, d.title.includes('alert')].join() }
    </script>"""
    (tmp_path / "probe.html").write_text(probe)
    command = [CHROMIUM, *BROWSER, "--allow-file-access-from-files", f"--user-data-dir={tmp_path / 'profile'}"]
    done = subprocess.run(
        [*command, (tmp_path / "probe.html").as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    assert re.search(r'id="said">([^<]*)<', done.stdout)[1] == "true,0,true,true"
