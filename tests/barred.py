"""A small barred puzzle as .ipuz and .jpz, and files of entries that bend, made from drawings; all our own."""

import json
from collections.abc import Mapping, Sequence

from regis.puzzle import Bar, Cell, Direction, Grid

ROWS = ("PLAIDS", "EVENEE", "SOILER", "ENDEDI", "TCETNA", "AERIAL")
RIGHT = {(1, 3), (1, 4), (2, 0), (3, 4), (4, 0), (4, 1)}  # cells with a bar on the right
BELOW = {(0, 1), (1, 1), (0, 2), (4, 3), (3, 4), (4, 4)}
BARS: frozenset[Bar] = frozenset({((r, c), (r, c + 1)) for r, c in RIGHT} | {((r, c), (r + 1, c)) for r, c in BELOW})
GRID = Grid(("." * 6,) * 6, BARS)
CLUES = {
    "1A": "Patterns of Scottish cloth", "1D": "Spanish coin before the euro", "2D": "Narrow arm of the sea",
    "3D": "Good act", "4D": "Story told week by week", "5A": "Like two, four and six",
    "6D": "Duck whose down fills pillows", "7A": "Ship that carries fuel", "7D": "___ upon a time",
    "8A": "Came to a close", "9A": "Volcano of Sicily", "10A": "Antenna",
}  # fmt: skip
ANSWERS = {cell: ROWS[cell[0]][cell[1]] for cell in GRID.cells}

Entry = tuple[str, str, Sequence[Cell]]  # label, clue, cells


def entries(grid: Grid = GRID, clues: Mapping[str, str] = CLUES) -> dict[str, list[Entry]]:
    """Return the entries of a grid by the headings 'Across' and 'Down'."""
    groups: dict[str, list[Entry]] = {direction.name.title(): [] for direction in Direction}
    for slot in grid.slots:
        groups[slot.direction.name.title()].append((str(slot.number), clues[str(slot)], slot.cells))
    return groups


def ipuz(
    rows: Sequence[str] = ROWS,
    bars: frozenset[Bar] = BARS,
    groups: Mapping[str, Sequence[Entry]] | None = None,
    *,
    cells: bool = True,
    base: int = 1,
    sides: str = "TL",
    **more: object,
) -> bytes:
    """Return the .ipuz; with `cells`, clues list their cells, counted from `base`. `more` are further fields."""
    groups = entries() if groups is None else groups
    labels = {run[0]: label for group in groups.values() for label, _, run in group}
    near = {"T": (-1, 0), "L": (0, -1), "R": (0, 1), "B": (1, 0)}

    def square(r: int, c: int) -> object:
        around = {side: tuple(sorted([(r, c), (r + dr, c + dc)])) for side, (dr, dc) in near.items()}
        barred = "".join(side for side in sides if around[side] in bars)
        return {"cell": labels.get((r, c), 0), "style": {"barred": barred}} if barred else labels.get((r, c), 0)

    def clue(label: str, text: str, run: Sequence[Cell]) -> object:
        return (
            {"number": label, "clue": text, "cells": [[c + base, r + base] for r, c in run]} if cells else [label, text]
        )

    file = {
        "version": "http://ipuz.org/v2",
        "kind": ["http://ipuz.org/crossword#1"],
        "title": "Behind Bars",
        "author": "The Regis developers",
        "dimensions": {"width": len(rows[0]), "height": len(rows)},
        "puzzle": [["#" if x == "#" else square(r, c) for c, x in enumerate(row)] for r, row in enumerate(rows)],
        "solution": [list(row) for row in rows],
        "clues": {heading: [clue(*entry) for entry in group] for heading, group in groups.items()},
    }
    return json.dumps({**file, **more}).encode()


def jpz(
    rows: Sequence[str] = ROWS,
    bars: frozenset[Bar] = BARS,
    groups: Mapping[str, Sequence[Entry]] | None = None,
    kind: str = "crossword",
    types: Mapping[Cell, str] | None = None,
) -> bytes:
    """Return the .jpz; bars are on the right and at the bottom of cells. `types` are further attributes of cells."""
    groups = entries() if groups is None else groups
    listed = [(heading, *entry) for heading, group in groups.items() for entry in group]
    labels = {run[0]: label for _, label, _, run in listed}

    def cell(r: int, c: int) -> str:
        has = f'x="{c + 1}" y="{r + 1}" {(types or {}).get((r, c), "")}'
        if rows[r][c] == "#":
            return f'<cell {has} type="block"/>'
        has += f' solution="{rows[r][c]}"' + (f' number="{labels[r, c]}"' if (r, c) in labels else "")
        has += ' right-bar="true"' * (((r, c), (r, c + 1)) in bars) + ' bottom-bar="true"' * (
            ((r, c), (r + 1, c)) in bars
        )
        return f"<cell {has}/>"

    grid = "".join(cell(r, c) for r, row in enumerate(rows) for c in range(len(row)))
    words = "".join(
        f'<word id="{i}">' + "".join(f'<cells x="{c + 1}" y="{r + 1}"/>' for r, c in run) + "</word>"
        for i, (*_, run) in enumerate(listed)
    )
    ids = iter(range(len(listed)))
    lists = "".join(
        f"<clues><title><b>{heading}</b></title>"
        + "".join(f'<clue word="{next(ids)}" number="{label}">{text}</clue>' for label, text, _ in group)
        + "</clues>"
        for heading, group in groups.items()
    )
    size = f'<grid width="{len(rows[0])}" height="{len(rows)}">'
    about = "<metadata><title>Behind Bars</title><creator>The Regis developers</creator></metadata>"
    body = f"{about}<{kind}>{size}{grid}</grid>{words}{lists}</{kind}>"
    return (
        '<?xml version="1.0"?><crossword-compiler xmlns="http://crossword.info/xml/crossword-compiler">'
        f'<rectangular-puzzle xmlns="http://crossword.info/xml/rectangular-puzzle">{body}</rectangular-puzzle>'
        "</crossword-compiler>"
    ).encode()
