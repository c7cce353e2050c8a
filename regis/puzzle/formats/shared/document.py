"""Everything in a puzzle file, for every format: what formats read and write.

A `Document` keeps texts as typed, so that conversion loses nothing. It also holds the solution, so it never leaves the
formats: `to_puzzle` returns what a solver may see, with repaired texts, and `usable_solution` what scoring may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import DOUBTFUL_BELOW, Bar, Cell, Grid, Puzzle, Slot
from regis.puzzle.formats.shared import clues as clue_lists
from regis.puzzle.formats.shared import squares as square_contents
from regis.puzzle.formats.shared import texts
from regis.puzzle.formats.shared.clues import ListedClue, strip_clue_numbers
from regis.puzzle.formats.shared.squares import EMPTY_SIGNS
from regis.puzzle.formats.shared.texts import clean_clue, clean_line, clean_text, show_italics

LINE_FIELDS = ("title", "author", "copyright")
TEXT_FIELDS = (*LINE_FIELDS, "notes")
PUBLISHER_KEYS = ("publisher", "publication")  # the publisher's names in `metadata`
CELL_FIELDS = {"circles": "circles", "shades": "shaded squares", "voids": "squares outside the grid"}


@dataclass(frozen=True)
class ReadingConfidence:
    """How likely it is that each square and clue of a printed page was read right."""

    squares: Mapping[Cell, float]  # including blocks
    clues: Mapping[Slot, float]  # 0 if no clue was found
    n_pages: int  # of the file
    is_picture: bool = False  # whether letters were recognized instead of read from a PDF's text

    @property
    def doubtful_squares(self) -> tuple[Cell, ...]:
        return tuple(cell for cell, p in self.squares.items() if p < DOUBTFUL_BELOW)

    @property
    def doubtful_clues(self) -> tuple[Slot, ...]:
        return tuple(slot for slot, p in self.clues.items() if p < DOUBTFUL_BELOW)

    @property
    def is_sure(self) -> bool:
        return not self.doubtful_squares and not self.doubtful_clues


@dataclass(frozen=True)
class Document:
    """One puzzle as in a file. Except for `voids`, cells are white cells. Texts have no control characters."""

    grid: Grid
    clues: Mapping[Slot, str]  # one for each slot, "" if the file has none; italics are marked
    title: str = ""
    author: str = ""
    copyright: str = ""
    notes: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)  # 'editor', 'date', ...: only some formats have these
    given: Mapping[Cell, str] = field(default_factory=dict)  # contents already written
    solution: Mapping[Cell, str] = field(default_factory=dict, repr=False)  # upper case; several letters in a rebus
    circles: frozenset[Cell] = frozenset()
    shades: Mapping[Cell, str] = field(default_factory=dict)  # '#rrggbb'
    voids: frozenset[Cell] = frozenset()  # blocks that aren't drawn
    is_diagramless: bool = False  # the solver must find the blocks
    unportable: tuple[str, ...] = ()  # things that no other format can hold
    is_locked: bool = False  # the solution can't be read without a key
    warnings: tuple[str, ...] = ()
    confidence: ReadingConfidence | None = None  # if a page was read

    def __post_init__(self) -> None:
        cleaned: dict[str, object] = {name: clean_line(getattr(self, name)) for name in LINE_FIELDS}
        cleaned["notes"] = clean_text(self.notes)
        cleaned["clues"] = {slot: clean_clue(clue) for slot, clue in self.clues.items()}
        cleaned["metadata"] = {key: line for key, raw in self.metadata.items() if (line := clean_line(raw))}
        for name, value in cleaned.items():
            object.__setattr__(self, name, value)

    def to_puzzle(self) -> Puzzle:
        """Return what a solver may see; only letters and digits of the given contents."""
        return Puzzle(
            self.grid,
            strip_clue_numbers({slot: text.clean_clue(show_italics(typed)) for slot, typed in self.clues.items()}),
            {cell: content for cell, raw in self.given.items() if (content := _solver_content(raw))},
            text.clean_clue(self.title),
            text.clean_clue(self.author),
            text.clean_clue(self.notes),
            copyright=text.clean_clue(self.copyright),
            publisher=text.clean_clue(" ".join(self.metadata.get(key, "") for key in PUBLISHER_KEYS)),
            circles=self.circles,
            shaded=frozenset(self.shades),
        )

    def with_usual_numbers(self) -> Document:
        """Return the document numbered by its blocks and bars if its entries follow from them, for formats that can't
        hold other numbers."""
        grid, runs = self.grid, replace(self.grid, given_slots=())
        is_numbered_otherwise = {slot.cells for slot in grid.slots} <= {slot.cells for slot in runs.slots}
        if not is_numbered_otherwise or grid.slots in (runs.slots, Grid(grid.rows).slots):
            return self
        clues = {(slot.cells, slot.direction): clue for slot, clue in self.clues.items()}
        return replace(self, grid=runs, clues={x: clues.get((x.cells, x.direction), "") for x in runs.slots})

    def keep_typed_letters(self, letters: Mapping[Cell, str]) -> Mapping[Cell, str]:
        """Return `letters` with the given contents as typed (É for E), including `unusable_letters`."""
        typed = {cell: raw for cell, raw in self.given.items() if _solver_content(raw) == letters.get(cell)}
        return {**letters, **typed, **self.unusable_letters}

    @property
    def unusable_letters(self) -> Mapping[Cell, str]:
        """Return the given contents that a solver can't use: 'C/D', '&', letters of other alphabets."""
        return {cell: raw for cell, raw in self.given.items() if not _solver_content(raw)}

    def usable_solution(self) -> Mapping[Cell, str] | None:
        """Return the content of each white cell, None if unknown.

        A solution is useless if it is missing or has holes, if it is the same letter everywhere, or if half of it is
        signs or X.
        """
        if self.solution.keys() != set(self.grid.cells) or len(set(self.solution.values())) < 2:
            return None
        contents = self.solution.values()
        if not all(x.isprintable() and x.strip(EMPTY_SIGNS) for x in contents):
            return None
        n_letters = sum(x.isalnum() and x != "X" for x in contents)  # programs write X for unknown letters
        return self.solution if n_letters > len(contents) / 2 else None


def _solver_content(raw: str) -> str:
    """Return a given content as a solver sees it; '' if it isn't letters or digits."""
    content = text.fold_accents(raw).upper()
    return content if content.isascii() and content.isalnum() else ""


def list_losses(document: Document, reread: Document, file_name: str, target_format: str) -> list[str]:
    """List what `reread`, a new file of `document`, lacks; raises PuzzleError if its grid or texts differ."""
    grid, new_grid = document.grid, reread.grid
    clues, new_clues = _clues_by_cells(document), _clues_by_cells(reread)
    kept = {key: line for key, line in document.metadata.items() if key in reread.metadata}
    altered = ["grid"] * ((grid.rows, grid.bars) != (new_grid.rows, new_grid.bars))
    altered += [name for name in TEXT_FIELDS if getattr(document, name) != getattr(reread, name)]
    shown, new_shown = ({key: show_italics(clue) for key, clue in x.items()} for x in (clues, new_clues))
    altered += ["clues"] * (shown != new_shown)
    altered += ["metadata"] * (kept != reread.metadata)
    if altered:
        what = f"has characters in its {altered[0]} that a .{target_format} would misread"
        raise PuzzleError(f"{file_name} {what}; write .ipuz instead")
    names, new_names = ({str(slot): slot.cells for slot in x.slots} for x in (grid, new_grid))
    lost = ["its own entry numbers"] * (names != new_names)
    lost += ["italics"] * (clues != new_clues)
    lost += [name for key, name in CELL_FIELDS.items() if getattr(document, key) != getattr(reread, key)]
    lost += ["the mark for diagramless"] * (document.is_diagramless and not reread.is_diagramless)
    if not document.solution and reread.solution:
        lost.append("the mark that all letters are the solver's")
    else:
        lost += _list_lost_contents(document, reread)
    return lost + [key for key in document.metadata if key not in reread.metadata]


def _clues_by_cells(document: Document) -> dict[object, str]:
    return {(slot.cells, slot.direction): clue for slot, clue in document.clues.items() if clue}


def _list_lost_contents(document: Document, reread: Document) -> list[str]:
    contents = {cell: x for cell, x in document.solution.items() if x != reread.solution.get(cell)}
    lost = [f"{x!r} as the content of a square" for x in dict.fromkeys(contents.values())] if reread.solution else []
    lost += ["the solution"] * bool(contents and not lost)
    given, new_given = ({cell: x.upper() for cell, x in y.given.items()} for y in (document, reread))
    if given and not new_given:
        return [*lost, "the solver's letters along with the solution" if document.solution else "the solver's letters"]
    if given != new_given:
        others = dict.fromkeys(x for cell, x in document.given.items() if x.upper() != new_given.get(cell))
        lost += [f"{x!r} as the solver's letter" for x in others] or ["squares that are empty"]
    return lost


Squares = Sequence[Sequence[object]]
"""The content of each square, row by row: '' if unknown, None for a block."""


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
    """Build a document from what a format finds in a file. Raises PuzzleError.

    `starts` are the cells of the printed numbers, if any; `n_fake_clues` counts clues that belong to no entry,
    according to the file; `is_html` says whether texts and clues are HTML; `about` has further fields.
    """
    grid = square_contents.build_grid(squares, file_name)
    listed = clue_lists.bound_clues(clues, len(grid.cells))
    if is_html:
        listed = [clue._replace(text=texts.clue_from_html(clue.text)) for clue in listed]
        about |= {key: texts.text_from_html(about[key]) for key in TEXT_FIELDS if key in about}
        about["metadata"] = {key: texts.text_from_html(raw) for key, raw in about.get("metadata", {}).items()}
    grid, by_slot, clue_warnings = clue_lists.tie_clues(grid, listed, starts or {}, bars, file_name)
    marked, colored, written = set(circles), shades or {}, given or {}
    fake_warnings = [clue_lists.warn_of_placeless(n_fake_clues, file_name)] if n_fake_clues else []
    told = [f"{file_name} is diagramless; Regis uses the diagram in the file"] if about.get("is_diagramless") else []
    return Document(
        grid,
        by_slot,
        given=square_contents.clean_contents({cell: written[cell] for cell in grid.cells if cell in written}),
        solution=square_contents.clean_solution({(r, c): squares[r][c] for r, c in grid.cells}),
        circles=frozenset(marked.intersection(grid.cells)),
        shades={cell: x for cell in grid.cells if (x := square_contents.parse_shade(colored.get(cell)))},
        unportable=(*unportable, *["clues that belong to no entry"] * bool(n_fake_clues)),
        warnings=(*warnings, *clue_warnings, *fake_warnings, *told),
        **about,
    )


def show_hidden_blocks(squares: Squares, solution: Squares, n_clues: int, file_name: str) -> tuple[Squares, list[str]]:
    """Take the blocks of an open grid from the solution if the number of entries is right only then; also warn."""
    open_grid, hidden_grid = (square_contents.build_grid(rows, file_name) for rows in (squares, solution))
    has_blocks = len(open_grid.cells) < open_grid.width * open_grid.height
    if has_blocks or len(open_grid.slots) == n_clues or len(hidden_grid.slots) != n_clues:
        return squares, []
    return solution, [f"{file_name}: only the solution shows the blocks; Regis took them from there, and nothing else"]
