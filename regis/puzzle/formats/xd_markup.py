r"""The markup of .xd: of its texts, called xdown, and of the design of its squares.

Texts have `{/italics/}`, `{@a link | href: https://example.com@}`, and `{\\literals\\}`. Version 4 names the properties
of a link or picture; older files of Puzzmo list them in order: `{@a link|https://example.com@}`,
`{![https://example.com/a.png|a picture|200]!}`.

The design (circles, shades, bars) is a second grid with one character per square, and rules such as `A { background:
circle; bar-top: true }` for each character. Puzzmo introduced it; version 4 has it.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from regis import text
from regis.puzzle import Bar, Cell, Grid
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.squares import DEFAULT_SHADE

TAGS = {"/": "i", "^": "sup", "~": "sub"}  # spans that a clue shows
PICTURE_KIND = "!"
ADDRESSED_KINDS = PICTURE_KIND + "@#"  # spans with an address or colors after a vertical bar

_SPAN = re.compile(r"\{([/*_~^=@!#-])([^{}]*?)\1\}")
_LITERAL = re.compile(r"\{\\(.*?)\\\}", re.DOTALL)
_ADDRESS = re.compile(r"https?:|data:", re.IGNORECASE)
_HIDING = {ord(sign): 0xDC00 + ord(sign) for sign in "{}\\"}  # characters that no decoded text has
_SHOWING = {hidden: sign for sign, hidden in _HIDING.items()}


def line_from_markup(raw: str) -> str:
    """Return what readers see of a header."""
    return text.html_to_text(_html_of(_hide_literals(raw))).translate(_SHOWING)


def clue_from_markup(raw: str) -> str:
    """Return what readers see of a clue, with marks around italics.

    A backslash outside markup is a line break, as before version 4; a doubled one is plain.
    """
    lines = _hide_literals(raw).replace("\\\\", chr(_HIDING[ord("\\")])).split("\\")
    return texts.clue_from_html(_html_of("\n".join(part.strip(" ") for part in lines))).translate(_SHOWING)


def _hide_literals(raw: str) -> str:
    """Hide the signs of literals; an empty one is a line break."""
    end = raw.rfind("\\}") + 2  # after the last end; later openings have none
    return _LITERAL.sub(lambda found: found[1].translate(_HIDING) or "\n", raw[:end]) + raw[end:]


def _html_of(raw: str) -> str:
    """Convert `raw` to HTML with only italics and raised numbers."""
    html = text.text_to_html(raw)
    for _ in range(8):  # nested spans: one of each kind of style, and a link
        html, spans = _SPAN.subn(_span_content, html)
        if not spans:
            break
    return html


def _span_content(span: re.Match[str]) -> str:
    kind, inside = span.groups()
    if kind in ADDRESSED_KINDS:
        shown, _, more = inside.partition("|")
        if kind == PICTURE_KIND and _ADDRESS.match(shown.strip("![ ")):
            shown = more.partition("|")[0].strip("!]")
        return shown.strip()
    tag = TAGS.get(kind)
    return f"<{tag}>{inside}</{tag}>" if tag else inside


PLAIN_SIGN = "."  # squares without a rule
CIRCLE_VALUE = "circle"
SHADED_VALUE = "shaded"
DESIGN_SIGNS = (*string.ascii_letters, *map(chr, range(0x4E00, 0x4E00 + squares.MAX_SIDE**2)))  # enough for all
BACKGROUND_PROPERTIES = ("background", "background-light")
BAR_PROPERTIES = ("bar-top", "bar-left", "bar-right", "bar-bottom")
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")  # an address, whose signs don't belong to a rule


class Design(NamedTuple):
    circles: frozenset[Cell]
    shades: dict[Cell, str]
    bars: Sequence[Bar]


def read_design(section: str, grid: Grid) -> Design:
    """Read a design for the cells of `grid`; an empty one if its rows don't match."""
    rules: dict[str, dict[str, str]] = defaultdict(dict)
    for rule in _QUOTED.sub("", section).split("}"):
        signs, _, properties = rule.partition("{")
        values = dict(map(_parse_property, properties.split(";")))
        usable = {key: values[key] for key in (*BACKGROUND_PROPERTIES, *BAR_PROPERTIES) if key in values}
        for sign in signs.rpartition(">")[2].split(","):
            rules[sign.strip()[-1:]] |= usable
    rows = texts.nonblank_lines(section)[-grid.height :]
    if [len(row) for row in rows] != [grid.width] * grid.height:
        return Design(frozenset(), {}, ())
    found = [(cell, key, value) for cell in grid.cells for key, value in rules[rows[cell[0]][cell[1]]].items()]
    backgrounds = [(cell, value) for cell, key, value in found if key in BACKGROUND_PROPERTIES]
    barred = [(cell, _side_letter(key)) for cell, key, value in found if key in BAR_PROPERTIES and value == "true"]
    circles = frozenset(cell for cell, value in backgrounds if value == CIRCLE_VALUE)
    shades = [(cell, squares.parse_shade(value)) for cell, value in backgrounds if value != CIRCLE_VALUE]
    return Design(circles, {cell: shade for cell, shade in shades if shade}, list(geometry.bars_at_sides(barred)))


def _side_letter(bar_property: str) -> str:
    """Return 't' for 'bar-top'."""
    return bar_property.removeprefix("bar-")[0]


def _parse_property(raw: str) -> tuple[str, str]:
    """Split 'Bar-Top: true' into ('bar-top', 'true')."""
    key, _, value = raw.lower().partition(":")
    return key.strip(), value.strip()


def draw_design(document: Document) -> list[str]:
    """Write the lines of a design with all circles, shades, and bars of `document`."""
    rules = {cell: rule for cell in document.grid.cells if (rule := _cell_rule(document, cell))}
    signs = dict(zip(dict.fromkeys(rules.values()), DESIGN_SIGNS, strict=False))
    rows = document.grid.map_cells(lambda cell: signs[rules[cell]] if cell in rules else PLAIN_SIGN, PLAIN_SIGN)
    return [*(f"{sign} {{ {rule} }}" for rule, sign in signs.items()), "", *map("".join, rows)]


def _cell_rule(document: Document, cell: Cell) -> str:
    """Write the rule of a cell; '' for none."""
    is_circled, shade, bars = cell in document.circles, document.shades.get(cell), document.grid.bars
    rules = ["background: circle"] * is_circled  # a later rule of the same name wins
    is_plain = shade == DEFAULT_SHADE and not is_circled
    rules += [f"background: {SHADED_VALUE}" if is_plain else f"background-light: {shade}"] * bool(shade)
    sides = [x for x in BAR_PROPERTIES[:2] if bars.intersection(geometry.bars_at_sides([(cell, _side_letter(x))]))]
    rules += [f"{side}: true" for side in sides]
    return "; ".join(rules)
