"""The design of an .xd: circles, shades and bars, drawn beside its grid, which has one character a square.

Rules, `A { background: circle; bar-top: true }`, say how the squares look at which a second grid has their sign. Puzzmo
began with it, and version 4 of the format has it.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from regis.puzzle import Bar, Cell, Grid
from regis.puzzle.formats import document, geometry
from regis.puzzle.formats.document import GREY, Document

PLAIN = "."  # the sign of squares without a rule
CIRCLE, SHADED = "circle", "shaded"
SIGNS = (*string.ascii_letters, *map(chr, range(0x4E00, 0x4E00 + document.MAX_SIDE**2)))  # of `drawn`: enough for all
BACKGROUNDS, BARS = ("background", "background-light"), ("bar-top", "bar-left", "bar-right", "bar-bottom")
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")  # an address, whose signs are no rule's


class Design(NamedTuple):
    circles: frozenset[Cell]
    shades: dict[Cell, str]
    bars: Sequence[Bar]


def read(section: str, grid: Grid) -> Design:
    """What a design puts into the cells of `grid`; nothing where its rows are not those of the grid."""
    looks: dict[str, dict[str, str]] = defaultdict(dict)
    for rule in _QUOTED.sub("", section).split("}"):
        signs, _, properties = rule.partition("{")
        told = dict(_property(said) for said in properties.split(";"))
        known = {key: told[key] for key in (*BACKGROUNDS, *BARS) if key in told}
        for sign in signs.rpartition(">")[2].split(","):
            looks[sign.strip()[-1:]] |= known
    rows = document.lines(section)[-grid.height :]
    if [len(row) for row in rows] != [grid.width] * grid.height:
        return Design(frozenset(), {}, ())
    said = [(cell, key, value) for cell in grid.cells for key, value in looks[rows[cell[0]][cell[1]]].items()]
    behind = [(cell, value) for cell, key, value in said if key in BACKGROUNDS]
    barred = [(cell, key.removeprefix("bar-")[0]) for cell, key, value in said if key in BARS and value == "true"]
    return Design(
        frozenset(cell for cell, value in behind if value == CIRCLE),
        {cell: shade for cell, value in behind if value != CIRCLE and (shade := document.shade(value))},
        [bar for cell, side in barred for bar in geometry.sides(cell, side)],
    )


def _property(said: str) -> tuple[str, str]:
    """'Bar-Top: true' -> ('bar-top', 'true')."""
    key, _, value = said.lower().partition(":")
    return key.strip(), value.strip()


def drawn(paper: Document) -> list[str]:
    """The lines of a design with all circles, shades and bars of `paper`."""
    looks = {cell: look for cell in paper.grid.cells if (look := _look(paper, cell))}
    signs = dict(zip(dict.fromkeys(looks.values()), SIGNS, strict=False))
    rows = paper.grid.drawn(lambda cell: signs[looks[cell]] if cell in looks else PLAIN, PLAIN)
    return [*(f"{sign} {{ {look} }}" for look, sign in signs.items()), "", *map("".join, rows)]


def _look(paper: Document, cell: Cell) -> str:
    """The rule of a cell, '' for none."""
    circled, shade, bars = cell in paper.circles, paper.shades.get(cell), paper.grid.bars
    rules = ["background: circle"] * circled  # of two rules with one name the last holds
    rules += [f"background: {SHADED}" if shade == GREY and not circled else f"background-light: {shade}"] * bool(shade)
    rules += [
        f"{bar}: true" for bar in BARS[:2] if bars.intersection(geometry.sides(cell, bar.removeprefix("bar-")[0]))
    ]
    return "; ".join(rules)
