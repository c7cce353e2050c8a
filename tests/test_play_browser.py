"""The page of `regis play` in a real browser: a person's whole way, other ways in, and what mustn't be lost.

Playwright drives the system's Chromium. Each test fails if the page writes anything to its console, or contacts another
server.
"""

import json
import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import corpus
import make_puzzles
import pytest
from test_play_command import running

from regis.index import Index
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile
from regis.system import paths

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None or sys.platform != "linux", reason="needs Chromium"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="needs Playwright: pip install --editable '.[test]'"),
    pytest.mark.skipif(find_spec("starlette") is None, reason="needs starlette and uvicorn: install Regis again"),
]

GRID, CLUES = corpus.GRID, corpus.CLUES
PHONE = {"viewport": {"width": 360, "height": 640}, "is_mobile": True, "has_touch": True}
LOADING = "Failed to load resource"  # Chromium's words for an error or no answer
PATIENCE = 60_000  # milliseconds; a busy machine needs some


def puz(path: Path, **more: Any) -> Path:
    """Write a puzzle for one test alone; a page of another test may still save another puzzle while it closes."""
    more.setdefault("copyright", path.parent.name)
    clues = [CLUES.get(str(slot), f"Clue {slot}") for slot in make_puzzles.shape(GRID).slots]
    path.write_bytes(make_puzzles.puz_bytes(GRID, clues, title="Zoo", **more))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def address(whole: Index) -> Iterator[str]:
    with running("--index", whole.folder) as (_, address):
        yield address


@pytest.fixture
def person(browser: Any) -> Iterator[Any]:
    """Return a function that makes people, each with an empty browser; at the end, check their pages' messages and
    requests."""
    for kept in (paths.data_folder() / "played").glob("*.json"):
        kept.unlink()
    said: list[str] = []
    asked: set[str] = set()
    people = []

    def person(**how: Any) -> Any:
        context = browser.new_context(**how)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text) if LOADING not in message.text else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.add(request.url.split("/")[2].split(":")[0]))
        people.append(context)
        return page

    yield person
    for context in people:
        context.close()
    assert not said and asked <= {"127.0.0.1", ""}


@pytest.fixture
def opened(person: Any, address: str, tmp_path: Path) -> Callable[..., Any]:
    """Return a function that opens a puzzle in an empty browser, or an .ipuz of these fields, and returns the page."""

    def opened(file: Path | dict[str, Any] | None = None, **how: Any) -> Any:
        if isinstance(file, dict):
            fields, file = file, tmp_path / "cross.ipuz"
            file.write_text(json.dumps({"uniqueid": tmp_path.name} | fields), encoding="utf-8")
        page = person(**how)
        choose(page, address, file or puz(tmp_path / "zoo.puz"))
        return page

    return opened


@pytest.fixture
def page(opened: Callable[..., Any]) -> Any:
    """Return the page of one person who has opened the puzzle."""
    return opened()


def free_port() -> int:
    """Return a port that no server takes by default, unlike the usual ones, which another test may take."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])


def choose(page: Any, address: str, file: Path) -> None:
    page.goto(address)
    page.set_input_files("#file", file)
    page.wait_for_selector("#player:not([hidden])")


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def do(page: Any, menu: str, what: str) -> None:
    page.click(f"#tools summary:has-text('{menu}')" if menu != "More" else "#more summary")
    page.click(f"#tools [data-do='{what}']")


def setting(page: Any, key: str, is_on: bool) -> None:
    page.click("[data-do=settings]")
    page.set_checked(f"#set-{key}", is_on)
    page.click("#panel-close")


def grid(page: Any) -> str:
    """Return the rows as shown, a dot for an empty square, # for a block."""
    rows = page.eval_on_selector_all(
        "#grid > div",
        "rows => rows.map(row => [...row.children].map(x => x.className === 'block' ? '#' : "
        "x.querySelector('.letter').textContent || '.').join(''))",
    )
    return " ".join(rows)


def saying(page: Any, text: str) -> str:
    page.wait_for_function("text => document.getElementById('said').textContent.includes(text)", arg=text)
    return str(page.text_content("#said"))


def ask(page: Any, menu: str, what: str, text: str) -> str:
    """Ask until the page shows a text; a puzzle that was forgotten while others were solved is solved again."""
    do(page, menu, what)
    deadline = time.monotonic() + PATIENCE / 1000
    while True:
        said = str(page.text_content("#said"))
        is_early = "solve this puzzle again" in said or "isn't ready yet" in said
        if text in said and not is_early:
            return said
        assert time.monotonic() < deadline, said
        page.wait_for_timeout(100)
        if is_early:
            do(page, menu, what)


def faults(page: Any) -> list[str]:
    """List the faults that axe-core calls serious or worse."""
    from axe_playwright_python.base import AXE_FILE_PATH

    source = Path(AXE_FILE_PATH).read_text(encoding="utf-8")
    found = page.evaluate("async source => { (0, eval)(source); return await axe.run() }", source)
    return [
        f"{one['id']}: {one['nodes'][0]['html']}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def test_a_persons_whole_way(page: Any, address: str, tmp_path: Path):
    assert page.text_content("h1") == "Zoo" and "Proud roarer" in page.text_content("#clue")
    press(page, "l", "q", "o")
    assert grid(page) == "LQO.# .###. .###. .###. #...."
    ask(page, "Check", "check-entry", "2 right, 1 wrong")
    assert page.get_attribute("[aria-label*='letter 2 of 4, wrong']", "role") == "gridcell"
    press(page, "Home", "ArrowRight", "Delete")
    ask(page, "Hint", "hint-entry", "sure)")
    assert grid(page).split()[0] in ("LIO.#", "L.ON#") and page.locator(".told").count() == 1
    do(page, "Why", "why")
    page.wait_for_selector("#panel[open]")
    assert page.text_content("#panel-head") == "1A: LION"
    assert page.text_content("#panel-body > p").startswith("This very clue had LION in 2003. ")
    assert not page.is_visible("text=from the clue alone"), "details are folded"
    page.click("#details summary")
    assert page.is_visible("text=from the clue alone")
    page.click("#panel-close")
    setting(page, "lock", False)
    page.click("#across button >> nth=0")
    press(page, "End", "Insert")
    page.wait_for_selector(".here #letters")
    page.keyboard.type("nn")
    press(page, "Enter")
    page.wait_for_selector(".long")
    assert grid(page).split()[0].endswith("NN#")
    press(page, "Control+z")
    assert not grid(page).split()[0].endswith("NN#")
    press(page, "Control+y")
    with page.expect_download() as download:
        do(page, "More", "save-ipuz")
    saved = tmp_path / "saved.ipuz"
    download.value.save_as(saved)
    assert download.value.suggested_filename == "zoo.ipuz"
    assert formats.read_puzzle(PuzzleFile("saved.ipuz", saved.read_bytes()))[0].given[0, 3] == "NN"
    before = grid(page)
    page.click("#home")
    page.wait_for_selector("#begun a[data-there=true]")
    assert page.get_attribute("#state", "class") == "", "nothing is said of a puzzle that is not open"
    choose(page, address, saved)
    assert grid(page) == before


def test_nothing_typed_is_lost_when_the_server_is_killed(person: Any, whole: Index, tmp_path: Path):
    """Not even if the puzzle's file is gone."""
    page, file = person(), puz(tmp_path / "zoo.puz")
    port = free_port()
    with running("--index", whole.folder, "--port", port) as (program, address):
        choose(page, address, file)
        press(page, "l", "i")
        page.wait_for_selector("#state.solved")
        program.kill()
        program.wait(10)
        press(page, "o")
        do(page, "Hint", "hint-grid")
        saying(page, "saved in this browser")
    file.unlink()
    with running("--index", whole.folder, "--port", port) as (_, address):
        page.goto("about:blank")
        page.goto(address)
        page.click("#begun .card[data-there=true]:has-text('Zoo')")
        page.wait_for_selector("#player:not([hidden])")
        assert grid(page).startswith("LIO.#")
        page.goto("about:blank")


def test_two_browsers_hold_the_same_letters(person: Any, address: str, tmp_path: Path):
    """Even if they type at the same time, or erase; neither can undo the other's step."""
    one, two = person(), person()
    for page in (one, two):
        choose(page, address, puz(tmp_path / "zoo.puz"))
    press(one, "l", "i")
    press(two, "End", "n")
    for page in (one, two):
        page.wait_for_function("() => document.querySelector('#grid > div').textContent.replace(/\\d/g, '') === 'LIN'")
    press(two, "Control+z", "Control+z")
    one.wait_for_function("() => document.querySelectorAll('.letter')[3].textContent === ''")
    assert grid(one).startswith("LI..#")
    three = person()
    three.goto(address)
    assert "2 of 14 squares" in three.text_content("#begun .card")
    three.click("#begun .card")
    three.wait_for_function("() => document.querySelector('.letter')?.textContent === 'L'")


def test_the_only_puzzle_that_was_named_opens_by_itself_once(person: Any, whole: Index, tmp_path: Path):
    with running("--index", whole.folder, puz(tmp_path / "zoo.puz")) as (_, address):
        page = person()
        page.goto(address)
        page.wait_for_selector("#player:not([hidden])")
        page.reload()
        page.wait_for_selector("#player:not([hidden])")
        page.click("#home")
        page.wait_for_selector("#named li")
        page.wait_for_timeout(300)  # time in which it would open again
        assert page.is_visible("#chooser") and page.is_hidden("#player")
        (tmp_path / "none.puz").write_bytes(b"no puzzle")
        page.set_input_files("#file", tmp_path / "none.puz")
        page.wait_for_selector("#problem:has-text('none.puz')")
        page.click("#named a")
        page.wait_for_selector("#player:not([hidden])")
        page.click("#home")
        page.wait_for_selector("#named li")
        assert page.text_content("#problem") == "", "it was of another file"


def test_keys_do_what_players_expect(page: Any):

    def here() -> tuple[str, str]:
        return page.text_content("#clue b"), page.eval_on_selector(".here", "x => x.getAttribute('aria-label')")

    assert here() == ("1A", "empty, 1 across letter 1 of 4")
    press(page, "ArrowRight", "ArrowDown")
    assert here() == ("3A", "empty, 3 across letter 1 of 4"), "blocks are leapt over"
    press(page, "ArrowUp", "ArrowLeft", " ")
    assert here() == ("1D", "empty, 1 down letter 1 of 4")
    press(page, "Tab")
    assert here()[0] == "2D"
    press(page, "Shift+Tab", "Shift+Tab", "Shift+Tab")
    assert here()[0] == "1A"
    press(page, "a", "b", "Backspace", "Backspace")
    assert here()[1] == "empty, 1 across letter 1 of 4"
    press(page, "End", "x", "Home", "Delete")
    assert grid(page).startswith("...X#")
    page.click("#pencil")
    press(page, "p")
    assert page.locator(".pencil").count() == 1
    press(page, "F6")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.click(".cell >> nth=1")
    setting(page, "downs", True)
    assert page.text_content("#clue span") == "(hidden)"


def test_a_screen_reader_is_told_all_of_it(person: Any, address: str, tmp_path: Path):
    """axe-core finds no serious fault, light or dark, on the first page, while solving, or in panels.

    The clue is announced; nothing moves if the person wants that.
    """
    for scheme in ("light", "dark"):
        page = person(color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
        page.goto(address)
        page.wait_for_selector("#examples:not([hidden])")
        assert faults(page) == []
        choose(page, address, puz(tmp_path / "zoo.puz", circles=[(0, 1)]))
        assert "1 across: Proud roarer 4 squares, blank" in page.text_content("#spoken")
        press(page, "l", "q")
        page.wait_for_selector("#state.solved")
        ask(page, "Check", "check-grid", "wrong")
        assert faults(page) == []
        assert page.get_attribute(".cell >> nth=1", "aria-label") == "Q, 1 across letter 2 of 4, circle, wrong"
        choose(page, address, cross(tmp_path, title=scheme))
        page.click("[data-do=settings]")
        assert faults(page) == []
        page.click("#panel-close")
        page.evaluate(WAVES)
        press(page, *"lionima")
        page.wait_for_selector("#panel[open]")
        assert page.evaluate("waved") == 0 and faults(page) == []


def test_on_a_phone_the_clue_stands_above_the_keys(opened: Callable[..., Any]):
    page = opened(**PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bar, keys = (page.eval_on_selector(x, "x => x.getBoundingClientRect().toJSON()") for x in ("#bar", "#keys"))
    assert bar["bottom"] <= keys["top"] + 1 and keys["bottom"] <= 641 and bar["top"] > 300
    page.tap("[data-key=L]")
    page.tap("[data-key=I]")
    page.tap("[aria-label=Delete]")
    assert grid(page).startswith("L...#")
    page.tap("#keys [aria-label=Pencil]")
    assert page.get_attribute("#keys [aria-label=Pencil]", "aria-pressed") == "true", "its key tells whether it is on"
    page.tap("#clue")
    page.wait_for_selector("#state.solved")
    page.tap("#tools summary:text('Hint')")
    page.tap("[data-do=hint-grid]")
    saying(page, "sure")


def in_sight(page: Any, selector: str) -> bool:
    """Return whether its middle, or its last line, gets onto the screen with nothing over it."""
    from playwright.sync_api import TimeoutError as NeverInSight

    try:
        page.wait_for_function(
            "selector => { const x = document.querySelector(selector);"
            " const { left, bottom, height } = x.getBoundingClientRect();"
            " return x.contains(document.elementFromPoint(left + 5, bottom - Math.min(height / 2, 10))) }",
            arg=selector,
            timeout=5_000,
        )
    except NeverInSight:
        return False
    return True


SIZES = {
    "desktop": (1920, 1080), "laptop": (1280, 800), "tablet across": (1180, 820), "tablet upright": (820, 1180),
    "phone upright": (390, 844), "phone on its side": (844, 390),
}  # fmt: skip
"""Window sizes; anything smaller than a laptop is for fingers."""


@pytest.mark.parametrize("rows", [15, 21])
@pytest.mark.parametrize("size", SIZES)
def test_the_whole_grid_and_the_clue_are_in_sight(opened: Callable[..., Any], size: str, rows: int):
    width, height = SIZES[size]
    by_finger = width < 1280
    window = {"width": width, "height": height}
    page = opened(square(rows), viewport=window, is_mobile=by_finger, has_touch=by_finger)
    do(page, "Check", "check-letter")
    saying(page, "no letter to check")
    board, bar, said, across, down, keys = (
        page.eval_on_selector(x, "x => x.getBoundingClientRect().toJSON()")
        for x in ("#grid", "#bar", "#said", "#across", "#down", "#keys")
    )
    bottom = keys["top"] if by_finger and size != "phone on its side" else height
    assert board["left"] >= 0 and board["right"] <= width and board["top"] >= 0 and board["bottom"] <= bottom + 1
    assert in_sight(page, ".here") and in_sight(page, "#clue") and in_sight(page, "#said")
    assert bar["top"] <= said["top"] and said["bottom"] <= bar["bottom"] + 1, "what is said stands at the clue"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if "phone" not in size:
        assert min(across["left"], down["left"]) >= board["right"], "both lists are beside the grid"
        page.locator("#down button").last.click()
        assert in_sight(page, "#down [aria-current]") and in_sight(page, "#clue")


def test_two_fingers_enlarge_the_grid_alone(opened: Callable[..., Any]):
    page = opened(**PHONE)
    page.evaluate(
        "() => { const grid = document.getElementById('grid'), touch = (identifier, clientX) =>"
        " new Touch({ identifier, target: grid, clientX, clientY: 200 });"
        " for (const apart of [60, 150]) grid.dispatchEvent(new TouchEvent('touchmove', { bubbles: true,"
        " cancelable: true, touches: [touch(1, 100), touch(2, 100 + apart)] })) }"
    )
    widths = [page.eval_on_selector(x, "x => x.getBoundingClientRect().width") for x in ("#grid", "#view", "#keys")]
    assert widths[0] == pytest.approx(2.5 * widths[1], rel=0.02) and widths[2] <= 361
    press(page, "End")
    assert in_sight(page, ".here"), "it follows the word"


def test_a_pause_covers_the_puzzle_and_takes_no_letter(page: Any):
    press(page, "l")
    page.click("#timer")
    page.wait_for_selector("#panel-head:text-is('Paused')")
    assert page.is_hidden(".cell >> nth=0") and page.is_hidden("#clue") and page.is_hidden("#across button >> nth=0")
    shown = page.text_content("#timer")
    press(page, "x")
    page.wait_for_timeout(1200)  # time in which a running clock would go on
    assert page.text_content("#timer") == shown and page.locator("#panel button:visible").count() == 1
    page.click("#panel-close")
    assert grid(page).startswith("L...#") and page.is_visible(".cell >> nth=0")
    page.evaluate(
        "() => { Object.defineProperty(document, 'hidden', { value: true, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')) }"
    )
    page.wait_for_selector("#panel-head:text-is('Paused')")


def test_letters_are_checked_as_they_are_typed_if_wanted(page: Any):
    setting(page, "auto", True)
    press(page, "l", "q")
    page.wait_for_selector(".cell.wrong >> nth=0")
    assert page.locator(".cell.right").count() == page.locator(".cell.wrong").count() == 1
    press(page, "Control+z")
    assert grid(page).startswith("L...#"), "a verdict is no step to take back"


def test_arrows_and_escape_work_in_menus(page: Any):
    press(page, "F6", "ArrowDown")
    assert page.evaluate("document.activeElement.dataset.do") == "check-letter"
    press(page, "ArrowUp", "ArrowRight", "ArrowDown")
    assert page.evaluate("document.activeElement.dataset.do") == "hint-entry"
    press(page, "Escape")
    assert page.locator("details[open]").count() == 0
    assert page.evaluate("document.activeElement.textContent") == "Hint"
    press(page, "F6", "x")
    assert grid(page).startswith("X...#")


@pytest.mark.parametrize(
    "how",
    [PHONE, {"viewport": {"width": 1180, "height": 820}, "is_mobile": True, "has_touch": True},
     {"viewport": {"width": 640, "height": 360}}, {"viewport": {"width": 1280, "height": 480}}],
    ids=["phone", "tablet", "zoomed", "low"],
)  # fmt: skip
def test_square_and_message_are_in_sight_wherever_one_goes(opened: Callable[..., Any], how: dict[str, Any]):
    clues = {"Across": [[1, "Short"], [40, "A clue of some length, " * 6], [41, "The last"]]}
    page = opened(CROSS | {"title": "Sunday", "puzzle": [[0] * 21 for _ in range(21)], "clues": clues}, **how)
    do(page, "Check", "check-letter")
    saying(page, "no letter to check")
    assert in_sight(page, "#said")
    assert page.eval_on_selector(".cell", "x => x.clientWidth") >= 15, "large enough to read and to tap"
    press(page, " ", "End")
    assert in_sight(page, ".here"), "the last square of a column"
    press(page, "ArrowUp", " ", "Shift+Tab")
    assert in_sight(page, ".here"), "a longer clue does not cover it"
    press(page, *["ArrowUp"] * 20)
    assert in_sight(page, ".here"), "the first row"
    page.locator("#across button").last.click()
    assert in_sight(page, ".here") and in_sight(page, "#clue"), "who picks a clue far down sees where it goes"


def test_a_file_is_dropped_and_bars_are_drawn(person: Any, address: str):
    page = person()
    page.goto(address)
    data = (Path(__file__).parent.parent / "examples" / "barred.ipuz").read_text(encoding="utf-8")
    page.evaluate(
        "text => { const held = new DataTransfer(); held.items.add(new File([text], 'barred.ipuz'));"
        " dispatchEvent(new DragEvent('drop', { dataTransfer: held, cancelable: true })) }",
        data,
    )
    page.wait_for_selector("#player:not([hidden])")
    assert page.text_content("h1") == "Behind Bars" and page.locator(".bar-right").count() > 3
    sizes = page.eval_on_selector_all(
        ".cell", "all => [...new Set(all.map(x => Math.round(x.clientWidth / 3)))].length"
    )
    assert sizes == 1, "bars do not push squares aside"


CROSS = {
    "version": "http://ipuz.org/v2", "kind": ["http://ipuz.org/crossword#1"], "title": "Cross",
    "puzzle": [[1, 0, 0, 0], [0, "#", "#", "#"], [0, "#", "#", "#"], [0, "#", "#", "#"]],
    "clues": {"Across": [[1, "Proud roarer"]], "Down": [[1, "City with a bean"]]},
}  # fmt: skip
"""A puzzle that Regis is sure of: LION and LIMA."""


def cross(folder: Path, **more: Any) -> Path:
    path = folder / "cross.ipuz"
    path.write_text(json.dumps(CROSS | {"uniqueid": folder.name} | more), encoding="utf-8")
    return path


def square(rows: int) -> dict[str, Any]:
    """Make a puzzle with a few blocks, and a clue for each entry."""
    puzzle = [["#" if (r * 7 + c * 3) % 11 == 0 else 0 for c in range(rows)] for r in range(rows)]
    shape = make_puzzles.shape(["".join("#" if x == "#" else "A" for x in row) for row in puzzle])
    clues: dict[str, list[Any]] = {"Across": [], "Down": []}
    for r, c in shape.cell_numbers:
        puzzle[r][c] = shape.cell_numbers[r, c]
    for slot in shape.slots:
        clues[slot.direction.name.title()].append([shape.cell_numbers[slot.cells[0]], f"A clue of usual length {slot}"])
    return CROSS | {"puzzle": puzzle, "clues": clues}


WAVES = """() => {
    const { animate } = Element.prototype;
    window.waved = 0;
    Element.prototype.animate = function (...how) { window.waved++; return animate.apply(this, how) };
}"""
"""Counts the page's movements from now on."""


def to_paper(page: Any, media: str = "print") -> None:
    """Begin to print, or end it."""
    page.evaluate(f"dispatchEvent(new Event('{'before' if media == 'print' else 'after'}print'))")
    page.emulate_media(media=media)


def where(page: Any) -> str:
    """Return the clue and the square where the person is: '1A 2'."""
    told = page.get_attribute(".here", "aria-label").split("letter ")[1].split()[0]
    return f"{page.text_content('#clue b')} {told}"


def test_a_whole_solve_by_keyboard_ends_with_a_panel(opened: Callable[..., Any]):
    """The result can be copied, and is in the statistics."""
    page = opened(CROSS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(WAVES)
    press(page, *"lion")
    assert where(page) == "1D 2" and not page.is_visible("#panel")
    press(page, *"ima")
    page.wait_for_selector("#panel[open]")
    head = page.text_content("#panel-head")
    told = page.text_content("#panel-body")
    assert head.startswith("Solved in 0:") and "Every letter is right" in told
    assert ", no help." in told and page.evaluate("waved") == 7
    page.click("text=Copy result")
    page.wait_for_selector("text=Copied")
    copied = page.evaluate("navigator.clipboard.readText()").split("\n")
    assert copied[0] == "Cross" and copied[1].startswith("Solved in 0:") and copied[2].endswith("no help")
    page.click("#panel-close")
    shown = page.text_content("#timer")
    press(page, "q", "Backspace", "Control+z")
    page.wait_for_timeout(1200)  # time in which a running clock would go on
    assert page.text_content("#timer") == shown and "LION" in grid(page)
    page.reload()
    page.wait_for_selector("#player:not([hidden])")
    assert page.text_content("#timer") == shown and not page.is_visible("#panel"), "it ends once"
    page.click("#home")
    page.wait_for_selector("#finished .card")
    assert "solved" in page.text_content("#finished .card:has-text('Cross')")
    page.click("[data-do=statistics]")
    page.wait_for_selector("#panel td:text-is('4 by 4')")
    assert "Streak: 1 day" in page.text_content("#panel-body")
    page.click("#panel-close")
    page.click("#finished .card:has-text('Cross')")
    do(page, "More", "clear")
    page.click("#panel-yes")
    press(page, "l")
    assert page.text_content("#timer").startswith("0:0") and grid(page).startswith("L"), "cleared, it begins again"


def test_help_is_counted_and_the_next_puzzle_opened(person: Any, whole: Index, tmp_path: Path):
    with running("--index", whole.folder, cross(tmp_path), puz(tmp_path / "zoo.puz")) as (_, address):
        page = person()
        page.goto(address)
        page.click("#named a:has-text('Cross')")
        do(page, "Hint", "hint-entry")
        page.wait_for_selector(".told")
        ask(page, "Check", "check-letter", " is right")
        do(page, "Reveal", "reveal-grid")
        page.click("#panel-yes")
        page.wait_for_selector("#panel-head:text-is('Revealed')")
        assert "7 letters shown, 1 check." in page.text_content("#panel-body")
        page.click("#panel-yes")
        page.wait_for_function("() => document.title.startsWith('Zoo')")


def test_each_habit_is_a_setting_that_is_kept(page: Any):
    press(page, "End", "x", "Shift+Tab", "Home", "a", "b", "c")
    assert where(page) == "3A 1", "filled squares are skipped, and the next clue comes"
    press(page, "Backspace")
    assert where(page) == "1A 4" and grid(page).startswith("ABC.#")
    press(page, "Shift+Tab")
    assert where(page) == "2D 1", "round"
    press(page, "Tab", "Home", "ArrowDown")
    assert where(page) == "1D 1", "it turned, and stays"
    for key in ("next", "skip", "tab", "back", "wrap", "arrows", "click", "clock"):
        setting(page, key, False)
    page.reload()
    page.wait_for_selector("#player:not([hidden])")
    assert page.is_hidden("#timer")
    page.click("#across button >> nth=0")
    press(page, "Home", "l", "End", "n")
    assert where(page) == "1A 4" and grid(page).startswith("LBCN#")
    press(page, "Home", "Backspace", "Backspace")
    assert where(page) == "1A 1" and grid(page).startswith(".BCN#")
    press(page, "End", "ArrowDown")
    assert where(page) == "3A 3", "no arrow only turns"
    page.click(".cell >> nth=0")
    turned = where(page)
    page.click(".cell >> nth=0")
    assert where(page) == turned, "nor a click"
    page.click("#down button >> nth=1")
    press(page, "Tab")
    assert where(page).startswith("2D"), "nor does Tab go round"


def test_right_letters_are_locked_and_redo_has_its_button(page: Any):
    press(page, "l", "q")
    ask(page, "Check", "check-entry", "1 right, 1 wrong")
    press(page, "Home", "x", "i")
    assert grid(page).startswith("LI..#"), "what is right stays, what is wrong does not"
    colors = page.eval_on_selector_all(".cell .letter", "all => all.slice(0, 2).map(x => getComputedStyle(x).color)")
    assert len(set(colors)) == 2
    page.click("[data-do=undo]")
    assert grid(page).startswith("LQ..#")
    page.click("[data-do=redo]")
    assert grid(page).startswith("LI..#")
    setting(page, "lock", False)
    press(page, "Home", "x")
    assert grid(page).startswith("XI..#")


def test_several_letters_are_written_in_the_square(page: Any, opened: Callable[..., Any]):
    for i, end in enumerate(("Enter", "Tab", "Escape")):
        page.click(f".cell >> nth={i}")
        press(page, "Insert")
        page.keyboard.type(f"ab{i}")
        press(page, end)
        assert page.locator("#letters").count() == 0
    page.click(".cell >> nth=3")
    press(page, "Insert", "h", "i")
    page.click(".cell >> nth=0")
    assert grid(page).startswith("AB0AB1AB2HI#")
    phone = opened(**PHONE)
    for key in ("do=rebus", "key=A", "key=B", "key=C"):
        phone.tap(f"#keys [data-{key}]")
    phone.tap("#keys [aria-label=Delete]")
    phone.tap("#keys [data-do=rebus]")
    assert grid(phone).startswith("ABAB1AB2HI#"), "what was typed in the other browser, and the first square anew"


def test_a_folder_of_many_is_by_month_with_search(person: Any, whole: Index, tmp_path: Path):
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(352):
        dated = CROSS | {"title": f"Number {i}", "date": f"{1 + i // 30:02}/{1 + i % 28:02}/2021"}
        (folder / f"{i:03}.ipuz").write_text(json.dumps(dated), encoding="utf-8")
    with running("--index", whole.folder, folder) as (_, address):
        page = person()
        page.goto(address)
        page.wait_for_selector("#named .card")
        assert page.locator("#named .card").count() == 352 and page.locator("#named .picture").count() == 352
        assert page.text_content("#named h3") == "December 2021" and page.locator("#named h3").count() == 12
        page.fill("#search", "number 351")
        assert page.locator("#named li:visible").count() == 1 and page.locator("#named h3:visible").count() == 1
        page.click("#named li:visible a")
        page.wait_for_selector("#player:not([hidden])")
        press(page, "l", "i")
        page.click("#home")
        page.wait_for_selector("#begun .ring")
        assert "2 of 7 squares" in page.text_content("#begun .card")
        assert page.locator("#named .ring").count() == 0 and page.locator("#named .card").count() == 351, "none twice"


@pytest.mark.parametrize(("rows", "pages"), [(15, 1), (21, 2)])
def test_a_puzzle_is_printed_on_one_sheet_or_two(opened: Callable[..., Any], rows: int, pages: int):
    page = opened(square(rows))
    data = page.pdf(format="A4", prefer_css_page_size=True)
    assert data.count(b"/Type /Page\n") <= pages
    to_paper(page)
    width = page.eval_on_selector("#paper-grid .cell", "x => x.getBoundingClientRect().width")
    assert width == pytest.approx(30.2, abs=0.4), "8 mm"
    assert page.locator("#paper-grid .here, #paper-grid .along").count() == 0 and not page.is_visible("#state")
    assert page.locator("#sheet p").count() == page.locator(".list li").count()
    assert page.locator("#sheet .side-column p").count() > 10 or rows > 15, "clues stand beside the grid"
    assert (
        page.is_hidden("#sheet .side-column")
        or page.eval_on_selector("#sheet .side-column", "x => x.clientWidth") >= 150
    )
    assert page.eval_on_selector("#sheet p", "x => parseFloat(getComputedStyle(x).fontSize)") >= 8 * 96 / 72 - 0.01
    to_paper(page, "screen")
    assert page.locator("#sheet *").count() == 0


def test_the_solution_is_printed_on_a_sheet_of_its_own_if_asked(opened: Callable[..., Any]):
    page = opened(CROSS)
    press(page, "q")
    page.evaluate("void (window.print = () => document.body.classList.add('printing'))")
    do(page, "More", "print-solution")
    page.wait_for_selector("body.printing")
    to_paper(page)
    solved = page.eval_on_selector_all("#solved-grid .letter", "all => all.map(x => x.textContent).join('')")
    assert solved == "LIONIMA" and page.is_visible("#solved-grid .letter >> nth=0")
    assert not page.is_visible("#paper-grid .letter >> nth=0"), "the first sheet is empty"
    assert page.eval_on_selector(".solution", "x => getComputedStyle(x).breakBefore") == "page"
    to_paper(page, "screen")
    assert grid(page).startswith("Q...") and page.locator("#sheet *").count() == 0
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#solved-grid").count() == 0, "and on no later one"


@pytest.mark.parametrize("taken", [True, False])
def test_a_file_that_changed_is_gone_on_with_if_wanted(person: Any, address: str, tmp_path: Path, taken: bool):
    page = person()
    choose(page, address, cross(tmp_path))
    press(page, "q", "a")
    page.click("#home")
    choose(page, address, cross(tmp_path, title="Corrected"))
    page.wait_for_selector("#panel-head:has-text('has changed')")
    page.click("#panel-yes" if taken else "#panel-close")
    assert grid(page).startswith("QA.." if taken else "....")
    page.reload()
    page.wait_for_selector("#player:not([hidden])")
    assert not page.is_visible("#panel") and grid(page).startswith("QA.." if taken else "....")


@pytest.mark.parametrize(
    "broken",
    [
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })",
        "for (const name of ['settings of regis', 'regis.x']) localStorage.setItem(name, '[1')",
    ],
    ids=["full", "forbidden", "spoilt"],
)
def test_if_the_browser_keeps_nothing_the_data_folder_does(person: Any, address: str, tmp_path: Path, broken: str):
    page = person()
    page.add_init_script(broken)
    choose(page, address, cross(tmp_path))
    press(page, *"lion")
    setting(page, "skip", False)
    ask(page, "Check", "check-grid", "4 right")
    page.click("#home")
    page.wait_for_selector("#examples:not([hidden])")
    page.go_back()
    page.wait_for_selector(".cell.right")
    assert grid(page).startswith("LION")
