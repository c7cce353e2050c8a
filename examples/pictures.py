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
    from regis.building.build import build
    from regis.corpora.entry import Source
    from regis.render import RENDERERS
    from regis.system.terminal import Screen, wide
except ModuleNotFoundError as lacking:
    raise SystemExit(f"{lacking.name} is not installed; take .venv/bin/python (`make example` makes it)") from None

HERE = Path(__file__).parent
WHOLE, DOUBTFUL = "midi.puz", "minis/paddock.puz"
"""A puzzle that the small index is enough for, and one that it is not."""

PLAYED = "daily.puz"
PLAYING = (
    ("play", 1280, 800, False),
    ("play-dark", 1280, 800, True),
    ("play-phone", 390, 844, False),
    ("play-phone-dark", 390, 844, True),
)
"""Pictures of the page to solve with: name, size of the window, whether it is dark."""

BEGUN = {"1A": "mar", "4A": "ruses", "9A": "apes", "13A": "ace", "14A": "sonnet", "15A": "veal", "22A": "site"}
"""What is typed there; two entries are wrong in places."""

SCREEN = Screen(width=56, colour=True, numbers=True)
COLUMN, LINE, EDGE = 8.4, 18, 12  # of the terminal, in units of the drawing
RUN = re.compile(r"(?:\x1b\[(\d+)m)?([^\x1b]+)(?:\x1b\[0m)?")
STYLE = """<style>
svg{color:#1f2328;background:#fff;--m:#a626a4;--r:#cf222e}
@media(prefers-color-scheme:dark){svg{color:#d6d6d6;background:#161616;--m:#e07be0;--r:#ff7b72}}
text{white-space:pre;fill:currentColor}.c1{font-weight:bold}.c2{opacity:.6}.c35{fill:var(--m)}.c31{fill:var(--r)}
</style>
"""
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
BROWSER = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking")
FRAME = '<body style="margin:0"><iframe src="{}" style="border:0;width:{}px;height:{}px"></iframe>'
"""A window cannot be as narrow as a phone; a frame can."""


def solved(name: str, index: Path) -> regis.Result:
    return regis.solve(HERE / name, index=index)


def terminal(result: regis.Result, name: str) -> str:
    """What `regis solve --numbers` shows on a terminal, as an SVG that is light or dark as the screen is."""
    lines = [f"$ regis solve --numbers examples/{name}"]
    lines += RENDERERS["text"](result.solved, f"examples/{name}", SCREEN).splitlines()
    width, height = SCREEN.width * COLUMN + 2 * EDGE, len(lines) * LINE + 2 * EDGE
    inside = "".join("".join(_line(line, EDGE + LINE * i)) + "\n" for i, line in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" width="{width:g}" height="{height}" '
        f'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">\n{STYLE}{inside}</svg>\n'
    )


def _line(line: str, y: int) -> Iterator[str]:
    """Text by its colours; blocks as what they look like, since not every typeface has them without gaps."""
    column = 0
    for code, run in RUN.findall(line):
        for part in filter(None, re.split("(█+)", run)):
            x, width = EDGE + column * COLUMN, wide(part) * COLUMN
            if part[0] == "█":
                yield f'<rect x="{x:g}" y="{y}" width="{width:g}" height="{LINE}" fill="currentColor" opacity=".6"/>'
            elif part.strip():
                known = f' class="c{code}"' * bool(code)
                yield f'<text x="{x:g}" y="{y + 13}" textLength="{width:g}"{known}>{escape(part)}</text>'
            column += wide(part)


def shown(result: regis.Result, name: str) -> str:
    """The page of a result, with the answers shown."""
    return RENDERERS["html"](result.solved, name, Screen()).replace('id="answers"', 'id="answers" checked')


def photograph(page: str, picture: Path, width: int, height: int, dark: bool = False) -> None:
    """What a browser shows of a page, as PNG."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "page.html").write_text(page, encoding="utf-8")
        Path(folder, "frame.html").write_text(FRAME.format("page.html", width, height))
        where = (f"--window-size={width},{height}", f"--screenshot={picture}", f"--user-data-dir={folder}/profile")
        light = "--blink-settings=preferredColorScheme=" + ("0" if dark else "1")
        command = [str(CHROMIUM), *BROWSER, *where, light, Path(folder, "frame.html").as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def played() -> None:
    """The page of `regis play` with a puzzle begun, wide and on a phone, light and dark."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-m", "regis", "play", "--no-browser", "--port", "18750", str(HERE / PLAYED)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program, sync_playwright() as playwright:
        assert program.stdout is not None
        address = program.stdout.readline().split()[-1]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, width, height, dark in PLAYING:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if dark else "light",
                has_touch=width < 500,
            )
            page = context.new_page()
            page.goto(address)
            page.wait_for_selector("#state.solved", timeout=60_000)
            for entry, letters in BEGUN.items():
                page.click(f".list button:has(b:text-is('{entry[:-1]}')) >> nth={int(entry[-1] == 'D')}")
                page.keyboard.type(letters)
            page.click("#tools summary:text('Check')")
            page.click("[data-do=check-grid]")
            page.wait_for_selector(".wrong")
            page.click(".cell >> nth=32")
            page.screenshot(path=HERE / f"{name}.png")
            context.close()
        program.terminate()


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder, "index")
        build([Source("xd-clues", HERE / "clues.tsv")], index)
        whole, doubtful = solved(WHOLE, index), solved(DOUBTFUL, index)
        (HERE / "midi.svg").write_text(RENDERERS["svg"](whole.solved, "midi.puz", Screen()), encoding="utf-8")
        (HERE / "terminal.svg").write_text(terminal(doubtful, DOUBTFUL), encoding="utf-8")
        if CHROMIUM:
            photograph(shown(whole, WHOLE), HERE / "page.png", 1120, 560)
            photograph(shown(doubtful, DOUBTFUL), HERE / "phone.png", 360, 580, dark=True)
        else:
            sys.stdout.write("page.png and phone.png are as they were: that takes Chromium\n")
    if CHROMIUM and find_spec("playwright"):
        played()
    else:
        sys.stdout.write("the pictures of `regis play` are as they were: that takes Chromium and Playwright\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
