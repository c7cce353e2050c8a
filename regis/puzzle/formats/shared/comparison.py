"""What a file that was written does not say of its document: it is read again, and both are compared."""

from __future__ import annotations

from regis.puzzle import Grid
from regis.puzzle.formats.shared import texts
from regis.puzzle.formats.shared.document import Document

TEXT_FIELDS = ("title", "author", "copyright", "notes")
CELL_FIELDS = {"circles": "circles", "shades": "shaded squares", "voids": "squares outside the drawing"}

ALTERED_TEXTS = "signs in its texts that it would take for its own"
ITALICS = "italics"


def list_differences(document: Document, reread: Document) -> list[str]:
    """List what `reread`, the file of `document`, lacks or has otherwise."""
    differences = ["the numbers that it has for its entries"] * (_entries(document.grid) != _entries(reread.grid))
    if document.grid.rows != reread.grid.rows or document.grid.bars != reread.grid.bars:
        differences = ["its grid as it is"]
    has_other_texts = _has_other_texts(document, reread)
    clues, reread_clues = _clues(document), _clues(reread)
    differences += [ALTERED_TEXTS] * has_other_texts + [ITALICS] * (clues != reread_clues and not has_other_texts)
    differences += [name for field, name in CELL_FIELDS.items() if getattr(document, field) != getattr(reread, field)]
    differences += ["the mark that it is diagramless"] * (document.is_diagramless and not reread.is_diagramless)
    if not document.solution and reread.solution:
        differences.append("the mark that all its letters are a person's")
    else:
        differences += _list_lost_contents(document, reread)
    return differences + [key for key in document.metadata if key not in reread.metadata]


def _entries(grid: Grid) -> dict[str, object]:
    return {str(slot): slot.cells for slot in grid.slots}


def _clues(document: Document) -> dict[object, str]:
    """Return the clues, marks of italics in them, by the cells of their entries."""
    return {(slot.cells, slot.direction): clue for slot, clue in document.clues.items() if clue}


def _has_other_texts(document: Document, reread: Document) -> bool:
    """Return whether a text, or a clue by the cells of its entry, is not the same."""
    clues, reread_clues = (
        {key: texts.show_italics(clue) for key, clue in _clues(x).items()} for x in (document, reread)
    )
    metadata = {key: x for key, x in document.metadata.items() if key in reread.metadata}
    has_others = any(getattr(document, field) != getattr(reread, field) for field in TEXT_FIELDS)
    return has_others or clues != reread_clues or metadata != reread.metadata


def _list_lost_contents(document: Document, reread: Document) -> list[str]:
    """List contents of squares that are not the same; in capitals or not, a letter of a person is one."""
    contents = {cell: x for cell, x in document.solution.items() if x != reread.solution.get(cell)}
    lost = [f"{x!r} as the content of a square" for x in dict.fromkeys(contents.values())] if reread.solution else []
    lost += ["the solution"] * bool(contents and not lost)
    given, reread_given = ({cell: x.upper() for cell, x in y.given.items()} for y in (document, reread))
    if given and not reread_given:
        return [*lost, "the letters of a person beside the solution" if document.solution else "a person's letters"]
    if given != reread_given:
        others = dict.fromkeys(x for cell, x in document.given.items() if x.upper() != reread_given.get(cell))
        lost += [f"{x!r} as what a person wrote" for x in others] or ["squares that are empty"]
    return lost
