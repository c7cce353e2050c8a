""".jpz, the XML of Crossword Compiler's applet (namespace rectangular-puzzle), bare, zipped, or in a string of a .js.

Many programs write it, with the same elements but various namespaces, and some don't escape `&`. If `<br>`, `I <3 U`,
or text around the root makes it invalid, it is repaired and read again.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple
from xml.etree.ElementTree import Element

from regis.errors import PuzzleError
from regis.puzzle import Cell
from regis.puzzle.formats.detection import JPZ_BYTES, JPZ_ROOT, starts_as_jpz
from regis.puzzle.formats.files import MAX_FILE_BYTES
from regis.puzzle.formats.shared import geometry, squares, texts
from regis.puzzle.formats.shared.clues import ListedClue
from regis.puzzle.formats.shared.document import Document, build_document
from regis.puzzle.formats.shared.geometry import CellRun
from regis.puzzle.formats.shared.xml_files import clue_text, element_text, find_all, parse_xml_file
from regis.system.files import archives

ROOT_TAG = re.compile(JPZ_ROOT.pattern.decode())
SCRIPT_STRING = re.compile(r"""(["'`])\s*(?=<(?:\?xml|(?:\w+:)?(?:crossword-compiler|rectangular-puzzle)))""")
SCRIPT_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
SCRIPT_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " ", "v": " ", "0": " ", "\n": ""}
MEMBER_NAME = re.compile(r"(?:^|/)[^./][^/]*\.(?:xml|jpz)$", re.IGNORECASE)  # names of puzzles in zips, not hidden
METADATA_TAGS = ("editor", "publisher", "date")
"""Metadata that only some programs write, and most other formats lack."""

NON_LETTER_TYPES = ("block", "void", "clue")
"""Types of cells. A cell of type `clue` shows a clue or dash, or holds a letter if a word includes it."""

BAR_SIDES = ("top", "left", "right", "bottom")
TRUE_WORDS = ("true", "1")
TEXTLESS_TAGS = ("grid", "cell", "word", "cells")  # elements with no text in or after them


class ClueGroup(NamedTuple):
    """Clues under one heading."""

    heading: str
    clues: Sequence[Element]
    is_fake: bool = False  # whether its clues belong to no entries


def detect(data: bytes) -> bool:
    """Return whether `data`, or a file in the zip that it is, starts with the root, even in UTF-16."""
    return starts_as_jpz(_unpack(data))


def read(data: bytes, file_name: str) -> Document:
    unpacked = _unpack(data)
    if len(unpacked) > MAX_FILE_BYTES:
        raise PuzzleError(
            f"{file_name} unpacks to more than {MAX_FILE_BYTES >> 20} MiB, too large for a puzzle; choose another"
        )
    root = parse_xml_file(_read_script(unpacked), file_name, ".jpz", ROOT_TAG, TEXTLESS_TAGS)
    geometry.check_kind((holder.tag for holder in root.iter() if any(x.tag == "grid" for x in holder)), file_name)
    drawn = next(find_all(root, "grid"), None)
    if drawn is None:
        raise PuzzleError(f"{file_name} has no grid and can't be read as .jpz; choose a crossword")
    elements = {(_number_of(x, "y") - 1, _number_of(x, "x") - 1): x for x in find_all(drawn, "cell")}
    kinds = {cell: element.get("type", "letter").lower() for cell, element in elements.items()}
    words = {word.get("id"): _read_cells(word) for word in islice(find_all(root, "word"), squares.MAX_SIDE**2)}
    white = {cell for cell, kind in kinds.items() if kind not in NON_LETTER_TYPES}
    white |= {cell for word in words.values() for cell in word if kinds.get(cell) == "clue"}
    contents = {cell: elements[cell].get("solution", "") for cell in white}
    rows = squares.draw_rows(contents, _number_of(drawn, "width"), _number_of(drawn, "height"), file_name)
    groups = _read_clue_groups(root)
    letters = {cell: elements[cell] for cell in white}
    block_colors = [x.get("background-color") for cell, x in elements.items() if cell not in white]
    head = next(find_all(root, "metadata"), Element("metadata"))
    return build_document(
        rows,
        _read_clues(groups, words, letters),
        file_name,
        starts={number: cell for cell, x in letters.items() if (number := x.get("number"))},
        bars=geometry.bars_at_sides((cell, _barred_sides(x)) for cell, x in letters.items()),
        circles=[cell for cell, x in letters.items() if x.get("background-shape") == "circle"],
        shades={cell: x.get("background-color") for cell, x in letters.items()},
        given={cell: _shown_letter(x) for cell, x in letters.items()},
        n_fake_clues=sum(len(group.clues) for group in groups if group.is_fake),
        unportable=(
            *(squares.COLORED_BLOCKS,) * any(map(squares.is_block_color, block_colors)),
            *(squares.OTHER_STYLES,) * any(map(_has_other_styles, letters.values())),
        ),
        voids=frozenset(
            (r, c) for r, row in enumerate(rows) for c in range(len(row)) if kinds.get((r, c), "void") == "void"
        ),
        title=_text_of(head, "title"),
        author=_text_of(head, "creator"),
        copyright=_text_of(head, "copyright"),
        notes=texts.join_texts(_text_of(head, key) for key in ("description", "instructions")),
        metadata={key: _text_of(head, key) for key in METADATA_TAGS},
    )


def _read_script(data: bytes) -> bytes:
    """Return the XML in a script's string, which Crossword Compiler exports for web pages; else `data`."""
    raw = texts.decode_text(data)
    begin = None if raw.lstrip().startswith("<") else SCRIPT_STRING.search(raw)
    if not begin:
        return data
    string = re.compile(rf"(?:[^\\{begin[1]}]|\\.)*", re.DOTALL).match(raw, begin.end())
    assert string is not None, "it may be empty"
    shown = SCRIPT_ESCAPE.sub(
        lambda found: chr(int(found[1] or found[2], 16)) if not found[3] else SCRIPT_SIGNS.get(found[3], found[3]),
        string[0],
    )
    return shown.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _read_clue_groups(root: Element) -> Sequence[ClueGroup]:
    """List the clues by headings; clues in squares have none."""
    groups = [
        ClueGroup(
            element_text(next(find_all(group, "title"), None)),
            list(find_all(group, "clue")),
            group.get("fake", "").lower() in TRUE_WORDS,
        )
        for group in find_all(root, "clues")
    ]
    return groups + [ClueGroup("", clues) for cell in find_all(root, "cell") if (clues := list(find_all(cell, "clue")))]


def _read_clues(
    groups: Sequence[ClueGroup], words: Mapping[str | None, CellRun], letters: Mapping[Cell, Element]
) -> Iterator[ListedClue]:
    """Read the clues with the cells of their words, 'See 17' last; then the words without clues."""
    clues = [(group, clue) for group in groups for clue in group.clues if not group.is_fake]
    for group, clue in sorted(clues, key=lambda x: bool(x[1].get("is-link"))):
        run = words.get(clue.get("word"), ())
        number, lengths = clue.get("number", ""), clue.get("format", "")
        yield ListedClue(group.heading, number, clue_text(clue), run if len(run) > 1 else (), lengths)
    clued = {clue.get("word") for _, clue in clues}
    for key, run in words.items():
        if key not in clued and len(run) > 1 and run[0] in letters:
            yield ListedClue("", letters[run[0]].get("number", ""), "", run)


def _shown_letter(cell: Element) -> str | None:
    """Return the given content of a cell: typed, or shown as a hint."""
    return cell.get("solve-state") or (cell.get("solution") if cell.get("hint", "").lower() in TRUE_WORDS else None)


def _barred_sides(cell: Element) -> str:
    return "".join(side[0] for side in BAR_SIDES if cell.get(f"{side}-bar", "").lower() in TRUE_WORDS)


def _has_other_styles(cell: Element) -> bool:
    """Return whether a cell has a shape other than a circle, a picture, or a number in another corner."""
    has_other_shape = cell.get("background-shape", "circle") != "circle"
    return has_other_shape or any(key.endswith(("-picture", "-number")) for key in cell.attrib)


def _read_cells(word: Element) -> CellRun:
    """Read a word's cells from its own `x` and `y` or those of its elements."""
    cells: list[Cell] = []
    for element in (word, *word):
        x, y = _parse_span(element.get("x")), _parse_span(element.get("y"))
        if len(cells) + len(x) * len(y) <= 2 * squares.MAX_SIDE:
            cells += [(r - 1, c - 1) for r in y for c in x]
    return tuple(cells)


def _parse_span(raw: str | None) -> range:
    """Read '3-7' or '7-3' as a range; an empty one if invalid."""
    first, _, last = (raw or "").partition("-")
    try:
        a, b = int(first), int(last or first)
    except ValueError:
        return range(0)
    if max(abs(a), abs(b)) > squares.MAX_SIDE:
        return range(0)
    return range(a, b + 1) if a <= b else range(a, b - 1, -1)


def _unpack(data: bytes) -> bytes:
    """Return the file with a puzzle's name in a zip, else its first file; return `data` itself if it isn't a zip.

    No more than a puzzle's size is unpacked. Zips also have pictures, settings, and hidden macOS files.
    """
    if not data.startswith(b"PK\3\4"):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
            named = [m for m in members if MEMBER_NAME.search(m.filename)]
            for member in (*named[:20], *members[:1]):
                with archives.open_zip_member(archive, member) as stream:
                    start = stream.read(JPZ_BYTES)
                    if starts_as_jpz(start):
                        return start + stream.read(MAX_FILE_BYTES + 1 - len(start))
    except archives.ARCHIVE_ERRORS:
        return b""
    return b""


def _text_of(head: Element, key: str) -> str:
    """Return the text of an element directly in `head`; a deeper title belongs to a button."""
    return element_text(head.find(key))


def _number_of(element: Element, key: str) -> int:
    raw = element.get(key, "")
    return int(raw) if re.fullmatch("[0-9]{1,6}", raw) else 0
