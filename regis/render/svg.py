"""The grid as a picture in a file of its own, SVG, that is light or dark as the screen is."""

from __future__ import annotations

from regis.render import template
from regis.render.drawing import drawing
from regis.solving.solved import Solved
from regis.system.terminal import Screen


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The picture; neither the file's name nor the screen makes a difference."""
    return template.filled("grid.svg", **drawing(solved, alone=True))
