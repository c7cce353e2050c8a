"""A solved puzzle for people (`text`, `html`, `drawing`) and for programs (`json`), behind one type.

Renderers return text that ends in a line break, and are imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.terminal import Screen

Renderer = Callable[[SolvedPuzzle, str, Screen], str]
"""(a solved puzzle, its file's name, the screen) -> text that ends in a line break."""


def _lazy_renderer(module: str) -> Renderer:
    def render(solved: SolvedPuzzle, file_name: str, screen: Screen) -> str:
        text: str = import_module(f"regis.render.{module}").render(solved, file_name, screen)
        return text

    return render


RENDERERS: Mapping[str, Renderer] = {
    name: _lazy_renderer(module)
    for name, module in {"text": "text", "json": "json", "html": "html", "svg": "drawing"}.items()
}
