"""The pictures of the pages: the examples in a terminal (SVG) and, where Chromium is installed, in a browser (PNG).

    python examples/pictures.py

Everything is solved with the small index, which is built for it and thrown away, but what is played: that takes the
starter, and Playwright, which types and clicks.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from importlib.util import find_spec
from pathlib import Path

try:
    import regis
    from regis.building.build import build_index
    from regis.corpora.entry import Source
    from regis.render import RENDERERS
    from regis.system.terminal import Screen, text_width
except ModuleNotFoundError as lacking:
    raise SystemExit(f"{lacking.name} is not installed; take .venv/bin/python (`make example` makes it)") from None

EXAMPLE_FOLDER = Path(__file__).parent
CERTAIN_PUZZLE = "midi.puz"  # the small index is enough for it
DOUBTFUL_PUZZLE = "minis/paddock.puz"  # and not for this

PLAYED_PUZZLE = "daily.puz"
N_COLORS = 128  # of a picture of the page
PAGE_PICTURES = (
    ("play", 1280, 800, False),
    ("play-dark", 1280, 800, True),
    ("play-phone", 390, 844, False),
    ("play-phone-dark", 390, 844, True),
)
"""Pictures of the page to solve with: name, size of the window, whether it is dark."""

TYPED_ENTRIES = {"1A": "mar", "4A": "ruses", "9A": "apes", "13A": "ace", "14A": "sonnet", "15A": "veal", "22A": "site"}
"""What is typed there; two entries are wrong in places."""

PICTURE_SCREEN = Screen(width=56, color=True, show_numbers=True)
COLUMN_WIDTH = 8.4  # of the terminal, in units of the drawing, as the next two
LINE_HEIGHT = 18
EDGE_WIDTH = 12
COLOR_RUN = re.compile(r"(?:\x1b\[(\d+)m)?([^\x1b]+)(?:\x1b\[0m)?")
SVG_STYLE = """<style>
svg{color:#1f2328;background:#fff;--m:#a626a4;--r:#cf222e}
@media(prefers-color-scheme:dark){svg{color:#d6d6d6;background:#161616;--m:#e07be0;--r:#ff7b72}}
text{white-space:pre;fill:currentColor}.c1{font-weight:bold}.c2{opacity:.6}.c35{fill:var(--m)}.c31{fill:var(--r)}
</style>
"""
CHROMIUM_PATH = shutil.which("chromium") or shutil.which("google-chrome")
BROWSER_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--disable-background-networking",
)
FRAME_PAGE = '<body style="margin:0"><iframe src="{}" style="border:0;width:{}px;height:{}px"></iframe>'
"""A window cannot be as narrow as a phone; a frame can."""


def solve_example(name: str, index: Path) -> regis.Result:
    """Solve one of the examples."""
    return regis.solve(EXAMPLE_FOLDER / name, index=index)


def draw_terminal(result: regis.Result, name: str) -> str:
    """Draw what `regis solve --numbers` shows on a terminal, as an SVG that is light or dark as the screen is."""
    lines = [f"$ regis solve --numbers examples/{name}"]
    lines += RENDERERS["text"](result.solved, f"examples/{name}", PICTURE_SCREEN).splitlines()
    width, height = PICTURE_SCREEN.width * COLUMN_WIDTH + 2 * EDGE_WIDTH, len(lines) * LINE_HEIGHT + 2 * EDGE_WIDTH
    inside = "".join("".join(_line(line, EDGE_WIDTH + LINE_HEIGHT * i)) + "\n" for i, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" height="{height}" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">\n{SVG_STYLE}{inside}</svg>\n'
    )


def _line(line: str, y: int) -> Iterator[str]:
    """Draw text by its colors; blocks as what they look like, since not every typeface has them without gaps."""
    column = 0
    for code, run in COLOR_RUN.findall(line):
        for part in filter(None, re.split("(█+)", run)):
            x, width = EDGE_WIDTH + column * COLUMN_WIDTH, text_width(part) * COLUMN_WIDTH
            if part[0] == "█":
                place = f'x="{x:g}" y="{y}" width="{width:g}" height="{LINE_HEIGHT}"'
                yield f'<rect {place} fill="currentColor" opacity=".6"/>'
            elif part.strip():
                color = f' class="c{code}"' * bool(code)
                yield f'<text x="{x:g}" y="{y + 13}" textLength="{width:g}"{color}>{escape(part)}</text>'
            column += text_width(part)


def show_answers(result: regis.Result, name: str) -> str:
    """Render the page of a result, with the answers shown."""
    return RENDERERS["html"](result.solved, name, Screen()).replace('id="answers"', 'id="answers" checked')


def take_screenshot(page: str, picture: Path, width: int, height: int, dark: bool = False) -> None:
    """Save what a browser shows of a page, as PNG."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "page.html").write_text(page, encoding="utf-8")
        Path(folder, "frame.html").write_text(FRAME_PAGE.format("page.html", width, height))
        where = (f"--window-size={width},{height}", f"--screenshot={picture}", f"--user-data-dir={folder}/profile")
        light = "--blink-settings=preferredColorScheme=" + ("0" if dark else "1")
        command = [str(CHROMIUM_PATH), *BROWSER_OPTIONS, *where, light, Path(folder, "frame.html").as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def picture_play() -> None:
    """Save the page of `regis play` with a puzzle begun, wide and on a phone, light and dark."""
    from playwright.sync_api import sync_playwright

    command = [
        sys.executable,
        "-m",
        "regis",
        "play",
        "--no-browser",
        "--port",
        "18750",
        str(EXAMPLE_FOLDER / PLAYED_PUZZLE),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program, sync_playwright() as playwright:
        assert program.stdout is not None
        address = program.stdout.readline().split()[-1]
        browser = playwright.chromium.launch(executable_path=CHROMIUM_PATH, args=["--no-sandbox"])
        for name, width, height, dark in PAGE_PICTURES:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if dark else "light",
                has_touch=width < 500,
            )
            page = context.new_page()
            page.goto(address)
            page.wait_for_selector("#state.solved", timeout=60_000)
            for entry, letters in TYPED_ENTRIES.items():
                page.click(f".list button:has(b:text-is('{entry[:-1]}')) >> nth={int(entry[-1] == 'D')}")
                page.keyboard.type(letters)
            page.click("#tools summary:text('Check')")
            page.click("[data-do=check-grid]")
            page.wait_for_selector(".wrong")
            page.click(".cell >> nth=32")
            page.screenshot(path=EXAMPLE_FOLDER / f"{name}.png")
            reduce_colors(EXAMPLE_FOLDER / f"{name}.png")
            context.close()
        program.terminate()


def reduce_colors(picture: Path) -> None:
    """Write `picture` anew with so few colors that a page loads it at once and nobody sees the difference."""
    from PIL import Image

    with Image.open(picture) as image:
        image.convert("RGB").quantize(N_COLORS, dither=Image.Dither.NONE).save(picture, optimize=True)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder, "index")
        build_index([Source("xd-clues", EXAMPLE_FOLDER / "clues.tsv")], index)
        whole, doubtful = solve_example(CERTAIN_PUZZLE, index), solve_example(DOUBTFUL_PUZZLE, index)
        (EXAMPLE_FOLDER / "midi.svg").write_text(RENDERERS["svg"](whole.solved, "midi.puz", Screen()), encoding="utf-8")
        (EXAMPLE_FOLDER / "terminal.svg").write_text(draw_terminal(doubtful, DOUBTFUL_PUZZLE), encoding="utf-8")
        if CHROMIUM_PATH:
            take_screenshot(show_answers(whole, CERTAIN_PUZZLE), EXAMPLE_FOLDER / "page.png", 1120, 560)
            take_screenshot(show_answers(doubtful, DOUBTFUL_PUZZLE), EXAMPLE_FOLDER / "phone.png", 360, 580, dark=True)
        else:
            sys.stdout.write("page.png and phone.png are as they were: that takes Chromium\n")
    if CHROMIUM_PATH and find_spec("playwright"):
        picture_play()
    else:
        sys.stdout.write("the pictures of `regis play` are as they were: that takes Chromium and Playwright\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
