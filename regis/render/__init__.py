"""A solved puzzle for people (`text`, `html`, `svg`) and for programs (`json`), behind one type.

A renderer never prints: it answers with text that ends in a line break.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from regis.render import html, json, svg, text
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.terminal import Screen

Renderer = Callable[[SolvedPuzzle, str, Screen], str]
"""(a solved puzzle, the name of its file, what the person's screen can show) -> text that ends in a line break."""

RENDERERS: Mapping[str, Renderer] = {"text": text.render, "json": json.render, "html": html.render, "svg": svg.render}
