""".jpz, the XML of Crossword Compiler's applet (namespace rectangular-puzzle), bare or as a member of a zip.

Files come from many programs, which agree on the elements but not on namespaces, and some do not escape `&`. What is no
XML for `<br>`, `I <3 U` or something around the root is read once more with that mended.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple
from xml.etree.ElementTree import Element

from regis.errors import PuzzleError
from regis.puzzle import Cell, Direction, Grid
from regis.puzzle.formats.files import MAX_FILE_BYTES
from regis.puzzle.formats.shared import clue_placement, dimensions, geometry, square_content, texts
from regis.puzzle.formats.shared.document import Document
from regis.puzzle.formats.shared.xml_files import clue_text, element_text, find_all, parse_xml_file
from regis.system.files import archives

ROOT_TAG = re.compile(r"<((?:\w+:)?(?:crossword-compiler|rectangular-puzzle))\b")
ROOT_TAG_BYTES = re.compile(ROOT_TAG.pattern.encode())
MEMBER_NAME = re.compile(r"(?:^|/)[^./][^/]*\.(?:xml|jpz)$", re.IGNORECASE)  # names of puzzles in zips, none hidden
METADATA_TAGS = ("editor", "publisher", "date")
"""Elements of the metadata that only some programs write, and most other formats do not have."""

NOTES_TAGS = ("description", "instructions")
NON_LETTER_TYPES = ("block", "void", "clue")
"""Types of cells. In one of type `clue` a clue or a dash is printed; or a letter, if a word goes through it."""

BAR_SIDES = ("top", "left", "right", "bottom")
TRUE_WORDS = ("true", "1")


class ClueGroup(NamedTuple):
    """A list of clues under one heading."""

    heading: str
    clues: Sequence[Element]
    is_fake: bool = False  # whether its clues belong to no entries, as where they are in another order


ClueGroups = Sequence[ClueGroup]
WordCells = Mapping[str | None, tuple[Cell, ...]]  # by their ids

TEXTLESS_TAGS = ("grid", "cell", "word", "cells")  # elements in or behind which no text stands

ROOT_BYTES = 1 << 14  # bytes in which the root begins
MAX_TRIED_MEMBERS = 20  # files of a zip that are named as puzzles and looked at, at most


def detect(data: bytes) -> bool:
    """Return whether `data` is such XML, or a zip with it."""
    return _begins_with_root(_unpack(data))


def _begins_with_root(data: bytes) -> bool:
    """Return whether the root stands at the beginning of `data`, which may have 16 bits a letter."""
    return bool(ROOT_TAG_BYTES.search(data[:ROOT_BYTES].replace(b"\0", b"")))


def read(data: bytes, file_name: str) -> Document:
    """Read all that a .jpz says. Raises PuzzleError."""
    unpacked = _unpack(data)
    if len(unpacked) > MAX_FILE_BYTES:
        raise PuzzleError(
            f"{file_name} unpacks to more than {MAX_FILE_BYTES >> 20} MiB, which no puzzle has; name another"
        )
    root = parse_xml_file(unpacked, file_name, ".jpz", ROOT_TAG, TEXTLESS_TAGS)
    geometry.check_kind((holder.tag for holder in root.iter() if any(x.tag == "grid" for x in holder)), file_name)
    grid_element = next(find_all(root, "grid"), None)
    if grid_element is None:
        raise PuzzleError(f"{file_name} has no grid, so it cannot be read as .jpz; name a crossword")
    width, height = _number_of(grid_element, "width"), _number_of(grid_element, "height")
    dimensions.check_size(width, height, file_name)
    elements = {(_number_of(x, "y") - 1, _number_of(x, "x") - 1): x for x in find_all(grid_element, "cell")}
    kinds = {cell: element.get("type", "letter").lower() for cell, element in elements.items()}
    positions = [(r, c) for r in range(height) for c in range(width)]
    words = {word.get("id"): _read_cells(word) for word in islice(find_all(root, "word"), dimensions.MAX_SIDE**2)}
    white = {cell for cell in positions if kinds.get(cell, "void") not in NON_LETTER_TYPES}
    white |= {cell for word in words.values() for cell in word if kinds.get(cell) == "clue"}
    grid = dimensions.build_grid([[(r, c) in white for c in range(width)] for r in range(height)], file_name)
    squares = {cell: elements[cell] for cell in grid.cells}
    groups = _read_clue_groups(root)
    bars = geometry.bars_at_sides((cell, _barred_sides(x)) for cell, x in squares.items())
    runs = [run for run in words.values() if len(run) > 1]
    clue_starts = {(run[0], Direction.DOWN if run[0][1] == run[1][1] else Direction.ACROSS) for run in runs}
    grid = geometry.add_bars(grid, bars, clue_starts)
    entries = list(_list_entries(groups, words, squares, grid))
    labels = {cell: number for cell, x in squares.items() if (number := x.get("number"))}
    grid, entry_warnings = geometry.apply_listed_entries(grid, entries, labels, file_name)
    clues, clue_warnings = clue_placement.assign_clues(grid, _place_clues(groups, words, grid, labels), file_name)
    given = {cell: square_content.clean_content(_shown_letter(element)) for cell, element in squares.items()}
    block_colours = [x.get("background-color") for cell, x in elements.items() if cell not in white]
    head, settings = (next(find_all(root, tag), Element(tag)) for tag in ("metadata", "applet-settings"))
    return Document(
        grid,
        clues,
        title=_line_of(head, "title") or _line_of(settings, "title"),
        author=_line_of(head, "creator"),
        copyright=_line_of(head, "copyright") or _line_of(head, "rights") or _line_of(settings, "copyright"),
        notes="\n".join(dict.fromkeys(filter(None, (element_text(head.find(key)) for key in NOTES_TAGS)))),
        metadata={key: x for key in METADATA_TAGS if (x := _line_of(head, key))},
        given={cell: x for cell, x in given.items() if x},
        solution=square_content.clean_solution({cell: element.get("solution") for cell, element in squares.items()}),
        circles=frozenset(cell for cell, x in squares.items() if x.get("background-shape") == "circle"),
        shades={
            cell: shade
            for cell, x in squares.items()
            if (shade := square_content.parse_shade(x.get("background-color")))
        },
        voids=frozenset(cell for cell in positions if kinds.get(cell, "void") == "void"),
        unportable=(
            *(clue_placement.FAKE_CLUES,) * any(group.is_fake for group in groups),
            *(square_content.COLOURED_BLOCKS,) * any(map(square_content.is_block_colour, block_colours)),
            *(square_content.OTHER_STYLES,) * any(map(_has_other_styles, squares.values())),
        ),
        warnings=(*entry_warnings, *clue_warnings),
    )


def _read_clue_groups(root: Element) -> Sequence[ClueGroup]:
    """List the clues by headings; those that stand in the grid, squares of their own, have none.

    Lists that only say more about words of others, as 'Notes' do, come last.
    """
    groups = [
        ClueGroup(
            element_text(next(find_all(group, "title"), None)),
            list(find_all(group, "clue")),
            group.get("fake", "").lower() in TRUE_WORDS,
        )
        for group in find_all(root, "clues")
    ]
    groups += [ClueGroup("", clues) for cell in find_all(root, "cell") if (clues := list(find_all(cell, "clue")))]
    list_counts = Counter(word for group in groups for word in {clue.get("word") for clue in group.clues})

    def adds_nothing_new(group: ClueGroup) -> bool:
        return not geometry.parse_direction(group.heading) and all(
            list_counts[clue.get("word")] > 1 for clue in group.clues
        )

    return sorted(groups, key=adds_nothing_new)


def _list_entries(
    groups: ClueGroups, words: WordCells, squares: Mapping[Cell, Element], grid: Grid
) -> Iterator[geometry.ListedEntry]:
    """List the words with the numbers and headings of their clues, and the clues that have no place."""
    white = set(grid.cells)
    names = {
        clue.get("word"): ("" if group.is_fake else clue.get("number", ""), group.heading)
        for group in reversed(groups)
        for clue in group.clues
    }
    for key, cells in words.items():
        if len(cells) > 1 and white.issuperset(cells):
            yield geometry.ListedEntry(*names.get(key, (squares[cells[0]].get("number", ""), "")), cells)
    for group in groups:
        if not geometry.parse_direction(group.heading):
            missing = (clue for clue in group.clues if clue.get("word") not in words)
            yield from (geometry.ListedEntry("", group.heading, ()) for _ in missing)


def _place_clues(
    groups: ClueGroups, words: WordCells, grid: Grid, labels: Mapping[Cell, str]
) -> Iterator[clue_placement.PlacedClue]:
    """Place each clue at the first cell of its word; one whose word is not there, by its number and heading.

    Clues of a list that is `fake` belong to no entry.
    """
    slots = {slot.cells: slot for slot in grid.slots}
    starts = {number: cell for cell, number in labels.items()} or clue_placement.number_cells(grid)
    clues = [(group, clue) for group in groups for clue in group.clues]
    links: list[clue_placement.PlacedClue] = []
    for group, clue in sorted(clues, key=lambda x: bool(x[1].get("is-link"))):  # 'See 17' comes last
        number, direction = clue.get("number", ""), geometry.parse_direction(group.heading)
        cells, typed = words.get(clue.get("word"), ()), clue_text(clue)
        typed = clue_placement.add_word_lengths(typed, clue.get("format", ""), len(cells))
        if group.is_fake:
            yield None, direction or Direction.ACROSS, typed
        elif slot := slots.get(cells):
            yield slot.cells[0], slot.direction, typed
        elif chain := geometry.split_chain(grid, cells):
            links += clue_placement.point_to_first(chain)
            yield chain[0].cells[0], chain[0].direction, clue_placement.name_linked(typed, chain[1:])
        elif direction:
            yield starts.get(number, starts.get(geometry.first_number(number))), direction, typed
        else:
            yield None, Direction.ACROSS, typed
    yield from links


def _shown_letter(cell: Element) -> str | None:
    """Return what the person wrote into a cell; in one that is a hint, the letter that it is shown with."""
    return cell.get("solve-state") or (cell.get("solution") if cell.get("hint", "").lower() in TRUE_WORDS else None)


def _barred_sides(cell: Element) -> str:
    """Return the first letters of the sides on which a cell has a bar."""
    return "".join(side[0] for side in BAR_SIDES if cell.get(f"{side}-bar", "").lower() in TRUE_WORDS)


def _has_other_styles(cell: Element) -> bool:
    """Return whether a cell has a shape that is no circle, a picture, or a number in another corner."""
    has_other_shape = cell.get("background-shape", "circle") != "circle"
    return has_other_shape or any(key.endswith(("-picture", "-number")) for key in cell.attrib)


def _read_cells(word: Element) -> tuple[Cell, ...]:
    """Read the cells of a word, which stand in its own `x` and `y` or in those of the elements in it."""
    cells: list[Cell] = []
    for element in (word, *word):
        x, y = _parse_span(element.get("x")), _parse_span(element.get("y"))
        if len(cells) + len(x) * len(y) <= 2 * dimensions.MAX_SIDE:
            cells += [(r - 1, c - 1) for r in y for c in x]
    return tuple(cells)


def _parse_span(raw: str | None) -> range:
    """Read '3-7', also '7-3', as a range; an empty one for what is none."""
    first, _, last = (raw or "").partition("-")
    try:
        a, b = int(first), int(last or first)
    except ValueError:
        return range(0)
    if max(abs(a), abs(b)) > dimensions.MAX_SIDE:
        return range(0)
    return range(a, b + 1) if a <= b else range(a, b - 1, -1)


def _unpack(data: bytes) -> bytes:
    """Unpack the puzzle in a zip, one of the files named so or else the first; `data` itself if it is no zip.

    No more of it than a puzzle can have. Programs put pictures and settings beside it, and macOS hidden files.
    """
    if not data.startswith(b"PK\3\4"):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
            named = [m for m in members if MEMBER_NAME.search(m.filename)]
            for member in (*named[:MAX_TRIED_MEMBERS], *members[:1]):
                with archives.open_zip_member(archive, member) as stream:
                    start = stream.read(ROOT_BYTES)
                    if _begins_with_root(start):
                        return start + stream.read(MAX_FILE_BYTES + 1 - len(start))
    except archives.ARCHIVE_ERRORS:
        return b""
    return b""


def _line_of(head: Element, key: str) -> str:
    """Return what an element right in `head` says: deeper a title is that of a button."""
    return texts.clean_line(element_text(head.find(key)))


def _number_of(element: Element, key: str) -> int:
    raw = element.get(key, "")
    return int(raw) if re.fullmatch("[0-9]{1,6}", raw) else 0
