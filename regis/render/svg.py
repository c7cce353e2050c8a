"""The grid as a picture in a file of its own, SVG, that is light or dark as the screen is."""

from __future__ import annotations

from regis.render import template
from regis.render.drawing import drawing_values
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.terminal import Screen


def render(solved: SolvedPuzzle, file_name: str, screen: Screen) -> str:
    """Render the picture; neither the file's name nor the screen makes a difference."""
    return template.fill_template("grid.svg", **drawing_values(solved, is_standalone=True))
