"""The grid as a picture in a file of its own, SVG, that is light or dark as the screen is."""

from __future__ import annotations

from regis.render import drawing
from regis.solving.solution import Solved
from regis.system.terminal import Screen

STYLE = """<style>
svg{color:#111;background:#fff;--square:#fff;--block:#111}
@media(prefers-color-scheme:dark){svg{color:#ddd;background:#111;--square:#2b2b2b;--block:#000}}
</style>
"""


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The picture; neither the file's name nor the screen makes a difference."""
    head, rest = drawing.svg(solved).split("\n", 1)
    return f"{head}\n{STYLE}{rest}"
