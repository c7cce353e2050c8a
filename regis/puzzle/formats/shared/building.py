"""One road from what a format finds in a file to a document, on which every bound on sizes stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from regis.puzzle import Bar, Cell
from regis.puzzle.formats.shared import clues as clue_lists
from regis.puzzle.formats.shared import squares as square_contents
from regis.puzzle.formats.shared import texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import DIAGRAMLESS_WARNING, Document

HIDDEN_BLOCKS_WARNING = "only the solution shows the blocks; Regis took them from there, and nothing else"
FAKE_CLUES = "clues that belong to no entry"  # for which a document has no place

TEXT_FIELDS = ("title", "author", "copyright", "notes")

Squares = Sequence[Sequence[object]]
"""Row by row what each square holds, '' where the file does not say; None for a block."""


def build_document(
    squares: Squares,
    clues: Iterable[ListedClue],
    file_name: str,
    *,
    starts: Mapping[str, Cell] | None = None,
    bars: Iterable[Bar] = (),
    circles: Iterable[Cell] = (),
    shades: Mapping[Cell, object] | None = None,
    given: Mapping[Cell, object] | None = None,
    n_fake_clues: int = 0,
    is_html: bool = False,
    warnings: Iterable[str] = (),
    unportable: Iterable[str] = (),
    **about: Any,
) -> Document:
    """Build a document of what a format finds in a file.

    Parameters
    ----------
    starts : the cells of the numbers that the file prints; those of the grid if it prints none.
    shades : colors as the file names them.
    given : what a person wrote.
    n_fake_clues : how many clues the file says are for no entry.
    is_html : whether the texts and clues are HTML.
    about : what else the document has: its title, author, copyright, notes, metadata and whether it is diagramless.

    Raises
    ------
    PuzzleError : the rows are no grid, or most clues have no place in it.
    """
    grid = square_contents.build_grid([[x is not None for x in row] for row in squares], file_name)
    listed = clue_lists.bound_clues(clues, len(grid.cells))
    if is_html:
        listed = [clue._replace(text=texts.clue_from_html(clue.text)) for clue in listed]
        about |= {key: texts.text_from_html(about[key]) for key in TEXT_FIELDS if key in about}
        about["metadata"] = {key: texts.text_from_html(raw) for key, raw in about.get("metadata", {}).items()}
    grid, by_slot, clue_warnings = clue_lists.tie_clues(grid, listed, starts or {}, bars, file_name)
    marked, colored, written = set(circles), shades or {}, given or {}
    fake_warnings = [clue_lists.warn_of_placeless(n_fake_clues, file_name)] if n_fake_clues else []
    told = [f"{file_name} {DIAGRAMLESS_WARNING}"] if about.get("is_diagramless") else []
    return Document(
        grid,
        by_slot,
        given=square_contents.clean_contents({cell: written[cell] for cell in grid.cells if cell in written}),
        solution=square_contents.clean_solution({(r, c): squares[r][c] for r, c in grid.cells}),
        circles=frozenset(marked.intersection(grid.cells)),
        shades={cell: x for cell in grid.cells if (x := square_contents.parse_shade(colored.get(cell)))},
        unportable=(*unportable, *[FAKE_CLUES] * bool(n_fake_clues)),
        warnings=(*warnings, *clue_warnings, *fake_warnings, *told),
        **about,
    )


def show_hidden_blocks(squares: Squares, solution: Squares, n_clues: int, file_name: str) -> tuple[Squares, list[str]]:
    """Take the blocks from the solution of an open grid if only so there are as many entries as clues; and say so."""
    drawn = [[[x is not None for x in row] for row in rows] for rows in (squares, solution)]
    open_grid, hidden_grid = (square_contents.build_grid(rows, file_name) for rows in drawn)
    has_blocks = len(open_grid.cells) < open_grid.width * open_grid.height
    if has_blocks or len(open_grid.slots) == n_clues or len(hidden_grid.slots) != n_clues:
        return squares, []
    return solution, [f"{file_name}: {HIDDEN_BLOCKS_WARNING}"]
