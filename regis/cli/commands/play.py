"""`regis play`: a page to solve on, in the browser. This machine serves it only to itself, unless you say `--lan`."""

from __future__ import annotations

import io
import os
import sys
import threading
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from regis.cli.command import Command, GridNumber, IndexFolder, Option, PageNumber, Positional
from regis.cli.printing import COMMON_EXIT_CODES_HELP, EXIT_FINE, print_note, print_result, print_warnings
from regis.system import os_errors, paths
from regis.system.terminal import Screen

if TYPE_CHECKING:
    from regis.play.server import PageAddresses

LAN_WARNING = (
    "--lan opens Regis to your network: anyone with the address can use and quit it, and nothing is encrypted. Use "
    "it only on a network you trust"
)


class Play(Command):
    help = "Solve puzzles yourself on a page in your browser, with help when you ask."
    interrupted_message = "your letters are saved"
    exit_codes_help = COMMON_EXIT_CODES_HELP.replace(
        "with Ctrl-C\n", "with Ctrl-C before the page was ready\n"
    ).replace("success", "you quit, on the page or with Ctrl-C")
    examples = """examples:
  regis play
  regis play today.puz
  regis play --lan today.puz
  regis play --no-browser --port 8749 today.puz

`regis today.puz`, a file without a command, does the same. Only this machine can reach the page, until you quit there
or with Ctrl-C. With --lan, your own network can, too: scan the QR code in the terminal with your phone. Regis uses a
solution in the file only to check, to reveal, and to judge a full grid. Your letters are saved as you type. Save the
puzzle as .puz or .ipuz to use them in other programs.
"""

    puzzles: Annotated[
        tuple[Path, ...], Positional("a puzzle file, folder, or zip (default: choose on the page)", "PUZZLE")
    ] = ()
    index: IndexFolder = None
    port: Annotated[int | None, Option("the port (default: 8749, else any free one)", "N")] = None
    lan: Annotated[bool, Option("also serve your own network, for a phone; anyone with the address gets in")] = False
    no_browser: Annotated[bool, Option("don't open a browser; just print the address")] = False
    seconds: Annotated[float, Option(
        "stop solving a puzzle after S seconds and help with what's been found (default: {default})", "S"
    )] = 60.0  # fmt: skip
    page: PageNumber = None
    grid: GridNumber = None

    def run(self) -> int:
        from regis.play.open_puzzles import MAX_LISTED_PUZZLES
        from regis.play.server import ServerPlan, serve_page
        from regis.puzzle import formats

        index = paths.index_folder(self.index)
        _check(index)
        all_files = (
            file._replace(page_number=self.page, grid_number=self.grid)
            for path in self.puzzles
            for file in formats.open_files(path)
        )
        files = list(islice(all_files, MAX_LISTED_PUZZLES))
        if next(all_files, None):
            print_warnings([f"only the first {MAX_LISTED_PUZZLES} puzzles are listed; choose fewer"])
        if len(files) == 1:
            formats.read_puzzle(files[0])
        plan = ServerPlan(files, index, self.seconds, self.port, self.lan)
        if self.lan:
            print_warnings([LAN_WARNING])
        with suppress(KeyboardInterrupt):
            serve_page(plan, self._ready)
        return print_note(f"Regis has stopped; {self.interrupted_message}", EXIT_FINE)

    def _ready(self, addresses: PageAddresses) -> None:
        print_result(f"Regis is at {addresses.usual}\n")
        if addresses.network:
            print_result(f"On your network, it's at {addresses.network}\n{_draw_code(addresses.network)}")
        if addresses.is_elsewhere:
            print_warnings(
                ["the usual address is taken, perhaps by another Regis; your letters there are saved separately"]
            )
        whose = "these addresses are the key" if addresses.network else "this address is yours alone"
        print_note(f"{whose}; quit with Ctrl-C or on the page")
        if self.no_browser:
            return
        if not _has_screen():
            print_note("there's no display for a browser; open that address yourself")
            return
        threading.Thread(target=_open, args=(addresses.ticket,), daemon=True).start()


def _check(index: Path) -> None:
    """Raise IndexError_ if there is no index; the page doesn't wait for the libraries that read one."""
    if not (paths.index_home(index) / paths.MANIFEST_NAME).is_file():
        from regis.index import Index

        Index.open(index)


def _draw_code(address: str) -> str:
    """Draw a QR code of half blocks, light on dark whatever the terminal's colors are; '' if that is impossible."""
    try:
        import segno
    except ImportError:
        print_note(f"for a QR code: {os_errors.describe_install('lan')}")
        return ""
    screen, drawn = Screen.for_stream(sys.stdout), io.StringIO()
    segno.make_qr(address, error="l").terminal(drawn, border=2, compact=True)
    lines = drawn.getvalue().splitlines() if screen.unicode else []
    return "".join(screen.paint(line, "97;40") + "\n" for line in lines)


def _has_screen() -> bool:
    """Return whether a browser would have its own window; a browser in the terminal would take it from Regis."""
    windowed = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(windowed or os.environ.get("BROWSER"))


def _open(address: str) -> None:
    import webbrowser

    try:
        found = webbrowser.open(address)
    except webbrowser.Error:
        found = False
    if not found:
        print_note("couldn't open a browser; open that address yourself")
