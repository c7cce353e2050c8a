"""A puzzle read from a page and corrected in `regis play`: the page's picture, blocks, clues, saving."""

import io
import json
import shutil
import socket
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import papers
import pytest

pytest.importorskip("starlette", reason="needs starlette and uvicorn: install Regis again")
from test_paper import mini
from test_play import Page

from regis.play.app import PlayApp
from regis.play.guard import AccessKey
from regis.play.messages import SolvingStage, SolvingState
from regis.play.open_puzzles import OpenPuzzles
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile

ROWS = ["".join("#" if x == "#" else "." for x in row) for row in papers.ROWS]


class IdleSolver:
    """A solver that claims to have begun with every puzzle."""

    def ensure_solving(self, puzzle_id: str, *_: object, **__: object) -> SolvingState:
        return SolvingState(puzzle_id, SolvingStage.SOLVING)


@pytest.fixture
def page() -> Page:
    return Page(IdleSolver())  # type: ignore[arg-type]


@pytest.fixture
def opened(page: Page) -> Any:
    """Return the page of a puzzle without a clue for 6A."""
    return page.opened(mini(missing_clue="6A"), "x.pdf")


def mend(page: Page, opened: Any, rows: list[str] | None = None, *, done: bool = False, **clues: str) -> Any:
    sent = {"rows": opened["rows"] if rows is None else rows, "clues": clues, "done": done}
    return page.post(f"puzzles/{opened['id']}/mend", sent).json()


def clues_of(told: Any) -> dict[str, str]:
    return {entry["name"]: entry["clue"] for entry in told["entries"]}


def test_doubts_and_the_page_are_reported(page: Page, opened: Any):
    assert opened["paper"] == {
        "page": opened["id"], "pages": 1, "squares": [], "entries": ["6A"], "typed": {},
        "added": [0, 0],
    }  # fmt: skip
    picture = page.get(f"puzzles/{opened['id']}/pages/0")
    assert picture.headers["content-type"] == "image/png" and picture.content.startswith(b"\x89PNG")
    assert page.get(f"puzzles/{opened['id']}/pages/1").json() == {"problem": "there's nothing at this address"}


def test_a_file_that_is_no_page_has_nothing_to_mend(page: Page):
    other = page.opened(papers.puz())
    assert other["paper"] is None and page.get(f"puzzles/{other['id']}/pages/0").status_code == 404
    assert "wasn't read from a page" in mend(page, other)["problem"]


def test_a_picture_is_decoded_as_the_page_is_drawn(page: Page, opened: Any):
    image = pytest.importorskip("PIL.Image")
    picture = image.open(io.BytesIO(page.get(f"puzzles/{opened['id']}/pages/0").content))
    picture.load()
    assert picture.mode == "L" and picture.getextrema() == (0, 255) and max(picture.size) >= 1800


def test_a_corrected_square_is_sure_and_the_clues_are_read_again(page: Page, opened: Any):
    """All clues stay if their numbers stay, and nothing is solved or kept before it is done."""
    last = ROWS[-1]
    rows = [*ROWS[:-1], last[:-1] + ("." if last[-1] == "#" else "#")]
    mended = mend(page, opened, rows)
    assert opened["rows"] == ROWS and mended["rows"] == rows
    assert [len(ROWS) - 1, len(last) - 1] not in mended["paper"]["squares"]
    assert clues_of(mended)["1A"] == clues_of(opened)["1A"]
    assert "no longer open" in page.get(f"puzzles/{mended['id']}").json()["problem"]


def test_rows_and_columns_are_added_and_removed(page: Page, opened: Any):
    """At any side; undoing it gives the first reading again, and the result is the page's puzzle."""
    less = [row[1:] for row in ROWS[1:]]
    sent = {"rows": less, "added": [-1, -1], "clues": {}, "done": False}
    told = page.post(f"puzzles/{opened['id']}/mend", sent).json()
    assert told["rows"] == less and told["paper"]["added"] == [-1, -1]
    more = page.post(f"puzzles/{opened['id']}/mend", {**sent, "rows": ROWS, "added": [0, 0]}).json()
    assert clues_of(more) == clues_of(opened) and more["circles"] == opened["circles"]
    wide = [row + "#" for row in [*ROWS, "#" * len(ROWS[0])]]
    told = page.post(f"puzzles/{opened['id']}/mend", {**sent, "rows": wide, "added": [0, 0], "done": True}).json()
    assert told["rows"] == wide and clues_of(told) == clues_of(opened)


def test_what_was_mended_is_a_puzzle_like_any_other(page: Page, opened: Any):
    told = mend(page, opened, done=True, **{"6A": "  Rocket \n salad ", "5A": papers.CLUES["5A"], "99D": "of no entry"})
    assert told["id"] != opened["id"] and told["state"]["stage"] == "solving" and told["stem"] == "x"
    assert clues_of(told) == clues_of(opened) | {"6A": "Rocket salad"}
    assert told["paper"]["entries"] == [] and told["paper"]["page"] == opened["id"] and "6A" in told["paper"]["typed"]
    cell = told["entries"][0]["cells"][0]
    for format in ("puz", "ipuz"):
        saved = page.post(f"puzzles/{told['id']}/save/{format}", {"letters": [[*cell, "Q"]]})
        puzzle = formats.read_puzzle(PuzzleFile("x", saved.content))[0]
        assert {str(slot): clue for slot, clue in puzzle.clues.items()}["6A"] == "Rocket salad"
        assert puzzle.given[tuple(cell)] == "Q"


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({}, "didn't arrive intact"),
        ({"rows": ["x"], "clues": {}}, "didn't arrive intact"),
        ({"rows": ROWS, "clues": {"1A": 1}}, "didn't arrive intact"),
        ({"rows": [".", ".."], "clues": {}}, "didn't arrive intact"),
        ({"rows": ROWS, "clues": {}, "added": [0.5, 0]}, "didn't arrive intact"),
        ({"rows": ["." * 100] * 100, "clues": {}}, "is larger than its page"),
        ({"rows": ROWS, "clues": {}, "added": [50, 0]}, "is larger than its page"),
        ({"rows": ["#" * len(row) for row in ROWS], "clues": {}}, "keep some white"),
        ([], "understand this request"),
    ],
)
def test_a_mending_that_makes_no_sense_is_one_sentence(page: Page, opened: Any, sent: Any, told: str):
    answer = page.post(f"puzzles/{opened['id']}/mend", json.dumps(sent).encode())
    assert answer.status_code == 400 and told in answer.json()["problem"]


CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None or find_spec("playwright") is None, reason="needs Chromium and Playwright")
def test_a_person_mends_what_was_read(tmp_path: Path):
    """The page is next to the grid, doubtful parts are marked, squares can be changed, and a typed clue is played."""
    import uvicorn
    from playwright.sync_api import sync_playwright

    tmp_path.joinpath("x.pdf").write_bytes(mini(missing_clue="6A"))
    key, bound = AccessKey(), socket.create_server(("127.0.0.1", 0))
    host = f"127.0.0.1:{bound.getsockname()[1]}"
    app = PlayApp(OpenPuzzles(), IdleSolver(), lambda: None).build_application(key, [host])  # type: ignore[arg-type]
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
    thread.start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page, said = browser.new_page(), []
        page.set_default_timeout(120_000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(f"http://{host}/{key.token}/")
        page.set_input_files("#file", tmp_path / "x.pdf")
        page.wait_for_selector("#mender[open] img")
        page.locator("#pages img").evaluate("(picture) => picture.decode()")
        assert page.locator("#mended-clues .doubt").count() == 1
        corner = page.locator("#mended-grid button").last
        for label in ("white", "block"):
            corner.click()
            page.wait_for_selector(f"#mended-grid button:last-child[aria-label='row 5 column 5, {label}']")
        for label, n_squares in (("Add column, right", 30), ("Add row, top", 36), ("Remove row, top", 30)):
            page.get_by_label(label).click()
            page.wait_for_function(
                "(n) => document.querySelectorAll('#mended-grid button').length === n", arg=n_squares
            )
        page.get_by_label("Remove column, right").click()
        page.wait_for_selector("#mended-grid button:last-child[aria-label='row 5 column 5, block']")
        assert page.locator("#mended-sides button").count() == 8
        corner.click()
        corner.click()
        page.locator("#mended-clues textarea.doubt").last.click()
        page.keyboard.type("Rocket")
        page.get_by_text("0 squares and 1 clue are doubtful.").wait_for()
        page.keyboard.type(" salad")
        page.get_by_text("Play this version").click()
        page.wait_for_selector("#mender:not([open])", state="attached")
        page.get_by_role("button", name="6 Rocket salad").wait_for()
        browser.close()
    server.should_exit = True
    thread.join()
    assert not said
