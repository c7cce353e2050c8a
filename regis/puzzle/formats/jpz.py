""".jpz, the XML of Crossword Compiler's applet (namespace rectangular-puzzle), bare or as a member of a zip.

Files come from many programs, which agree on the elements but not on namespaces, and some do not escape `&`. What is no
XML for `<br>`, `I <3 U` or something around the root is read once more with that mended. A document type is refused: no
puzzle needs one, and the entities in it can be made to blow up.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from regis import text
from regis.errors import PuzzleError
from regis.puzzle import Cell, Direction, Grid
from regis.puzzle.formats import document, geometry
from regis.puzzle.formats.document import Document
from regis.puzzle.formats.files import MAX_BYTES
from regis.system import packed

ROOT = re.compile(r"<((?:\w+:)?(?:crossword-compiler|rectangular-puzzle))\b")
ROOTS = re.compile(ROOT.pattern.encode())
INSIDE = re.compile(r"(?:^|/)[^./][^/]*\.(?:xml|jpz)$", re.IGNORECASE)  # names of puzzles in zips, none hidden
DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
DOCTYPE = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(#\d+;|#x[0-9a-fA-F]+;|\w*;?)")
LONE = re.compile(r"<(?!/?[A-Za-z_][\w:.-]*(?:\s*/?>|\s+[\w:.-]+\s*=)|!--|!\[CDATA\[|\?)")  # begins no tag
ITALIC = re.compile(rf"<(?:{'|'.join(text.ITALICS)})>([^<>]*)</(?:{'|'.join(text.ITALICS)})>(?=[^<>]*<)", re.IGNORECASE)
"""Text in italics, and none in a tag or section, of which what comes next is the end."""
END = re.compile(r"(<!\[CDATA\[.*?(?:\]\]>|\Z))|\]\]>", re.DOTALL)  # such a section, to pass over; or what ends none
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # what XML cannot hold
MORE = ("editor", "publisher", "date")
"""Elements of the metadata that only some programs write, and most other formats do not have."""

NOTES = ("description", "instructions")
NO_LETTERS = ("block", "void", "clue")
"""Types of cells. In one of type `clue` a clue or a dash is printed; or a letter, if a word goes through it."""

SIDES = ("top", "left", "right", "bottom")
Groups = Sequence[tuple[str, Sequence[Element]]]  # headings and clues
Words = Mapping[str | None, tuple[Cell, ...]]  # by their ids

NO_XML = "is no complete XML, so it cannot be read as .jpz; fetch it again"
TEXTLESS = ("grid", "cell", "word", "cells")  # elements in or behind which no text stands

START = 1 << 14  # bytes in which the root begins
TRIED = 20  # files of a zip that are named as puzzles and looked at, at most

DEEPEST = 20  # elements within each other that are read: the format has eight


def detect(data: bytes) -> bool:
    """Whether `data` is such XML, or a zip with it."""
    return _begins(_unpacked(data))


def _begins(data: bytes) -> bool:
    """Whether the root stands at the beginning of `data`, which may have 16 bits a letter."""
    return bool(ROOTS.search(data[:START].replace(b"\0", b"")))


def read(data: bytes, name: str) -> Document:
    root = _root(_unpacked(data), name)
    geometry.check_kind((holder.tag for holder in root.iter() if any(x.tag == "grid" for x in holder)), name)
    found = next(_all(root, "grid"), None)
    if found is None:
        raise PuzzleError(f"{name} has no grid, so it cannot be read as .jpz; name a crossword")
    width, height = _number(found, "width"), _number(found, "height")
    document.check_size(width, height, name)
    cells = {(_number(cell, "y") - 1, _number(cell, "x") - 1): cell for cell in _all(found, "cell")}
    kinds = {cell: element.get("type", "letter").lower() for cell, element in cells.items()}
    inside = [(r, c) for r in range(height) for c in range(width)]
    words = {word.get("id"): _cells(word) for word in islice(_all(root, "word"), document.MAX_SIDE**2)}
    spelled = {cell for word in words.values() for cell in word}
    white = {cell for cell in inside if kinds.get(cell, "void") not in NO_LETTERS}
    white |= {cell for cell in spelled if kinds.get(cell) == "clue"}
    grid = document.shape([[(r, c) in white for c in range(width)] for r in range(height)], name)
    squares = {cell: cells[cell] for cell in grid.cells}
    groups = _groups(root)
    bars = (bar for cell, x in squares.items() for bar in geometry.sides(cell, _barred(x)))
    runs = [run for run in words.values() if len(run) > 1]
    first = {(run[0], Direction.DOWN if run[0][1] == run[1][1] else Direction.ACROSS) for run in runs}
    grid = geometry.barred(grid, bars, first)
    grid, renamed = geometry.taken(grid, list(_words(groups, words, squares, grid)), name)
    clues, warnings = document.clued(grid, _clues(groups, words, grid, squares), name)
    given = {cell: document.content(element.get("solve-state")) for cell, element in squares.items()}
    head, settings = (next(_all(root, tag), Element(tag)) for tag in ("metadata", "applet-settings"))
    return Document(
        grid,
        clues,
        title=_line(head, "title") or _line(settings, "title"),
        author=_line(head, "creator"),
        copyright=_line(head, "copyright") or _line(head, "rights") or _line(settings, "copyright"),
        notes="\n".join(dict.fromkeys(filter(None, (_shown(head.find(key)) for key in NOTES)))),
        more={key: x for key in MORE if (x := _line(head, key))},
        given={cell: x for cell, x in given.items() if x},
        solution=document.solved({cell: element.get("solution") for cell, element in squares.items()}),
        circles=frozenset(cell for cell, x in squares.items() if x.get("background-shape") == "circle"),
        shades={cell: shade for cell, x in squares.items() if (shade := document.shade(x.get("background-color")))},
        voids=frozenset(cell for cell in inside if kinds.get(cell, "void") == "void"),
        warnings=(*renamed, *warnings),
    )


def _groups(root: Element) -> Groups:
    """Each list of clues with its heading; clues that stand in the grid, squares of their own, have none.

    Lists that only say more about words of others, as 'Notes' do, come last.
    """
    groups = [(_shown(next(_all(group, "title"), None)), list(_all(group, "clue"))) for group in _all(root, "clues")]
    groups += [("", inside) for cell in _all(root, "cell") if (inside := list(_all(cell, "clue")))]
    lists = Counter(word for _, group in groups for word in {clue.get("word") for clue in group})

    def says_more(group: tuple[str, Sequence[Element]]) -> bool:
        return not geometry.direction(group[0]) and all(lists[clue.get("word")] > 1 for clue in group[1])

    return sorted(groups, key=says_more)


def _words(groups: Groups, words: Words, squares: Mapping[Cell, Element], grid: Grid) -> Iterator[geometry.Word]:
    """The words, with the numbers and headings of their clues where they have any; and clues that have no place."""
    white = set(grid.cells)
    clued = {
        clue.get("word"): (clue.get("number", ""), heading) for heading, group in reversed(groups) for clue in group
    }
    for key, cells in words.items():
        if len(cells) > 1 and white.issuperset(cells):
            yield geometry.Word(*clued.get(key, (squares[cells[0]].get("number", ""), "")), cells)
    for heading, group in groups:
        if not geometry.direction(heading):
            yield from (geometry.Word("", heading, ()) for clue in group if clue.get("word") not in words)


def _clues(groups: Groups, words: Words, grid: Grid, squares: Mapping[Cell, Element]) -> Iterator[document.Placed]:
    """Each clue with the first cell of its word; one whose word is not there, by the number and the heading."""
    slots = {slot.cells: slot for slot in grid.slots}
    starts = {number: cell for cell, x in squares.items() if (number := x.get("number"))} or document.starts(grid)
    clues = [(geometry.direction(heading), clue) for heading, group in groups for clue in group]
    for direction, clue in sorted(clues, key=lambda x: bool(x[1].get("is-link"))):  # 'See 17' comes last
        number = clue.get("number", "")
        if slot := slots.get(words.get(clue.get("word"), ())):
            yield slot.cells[0], slot.direction, _clue(clue)
        elif direction:
            yield starts.get(number, starts.get(geometry.first_number(number))), direction, _clue(clue)
        else:
            yield None, Direction.ACROSS, _clue(clue)


def _barred(cell: Element) -> str:
    """The first letters of the sides on which a cell has a bar."""
    return "".join(side[0] for side in SIDES if cell.get(f"{side}-bar", "").lower() in ("true", "1"))


def _cells(word: Element) -> tuple[Cell, ...]:
    """The cells of a word, which stand in its own `x` and `y` or in those of the elements in it."""
    found: list[Cell] = []
    for element in (word, *word):
        x, y = _span(element.get("x")), _span(element.get("y"))
        if len(found) + len(x) * len(y) <= 2 * document.MAX_SIDE:
            found += [(r - 1, c - 1) for r in y for c in x]
    return tuple(found)


def _span(raw: str | None) -> range:
    """'3-7', also '7-3', as a range; an empty one for what is none."""
    first, _, last = (raw or "").partition("-")
    try:
        a, b = int(first), int(last or first)
    except ValueError:
        return range(0)
    if max(abs(a), abs(b)) > document.MAX_SIDE:
        return range(0)
    return range(a, b + 1) if a <= b else range(a, b - 1, -1)


def _unpacked(data: bytes) -> bytes:
    """The puzzle in a zip, one of the files named so or else the first; `data` itself if it is no zip.

    No more of it than a puzzle can have. Programs put pictures and settings beside it, and macOS hidden files.
    """
    if not data.startswith(b"PK\3\4"):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
            named = [m for m in members if INSIDE.search(m.filename)]
            for member in (*named[:TRIED], *members[:1]):
                with packed.member(archive, member) as stream:
                    found = stream.read(START)
                    if _begins(found):
                        return found + stream.read(MAX_BYTES + 1 - len(found))
    except packed.BROKEN:
        return b""
    return b""


def _root(data: bytes, name: str) -> Element:
    """Raises PuzzleError if `data` is no XML, or more than that."""
    if len(data) > MAX_BYTES:
        raise PuzzleError(f"{name} unpacks to more than {MAX_BYTES >> 20} MiB, which no puzzle has; name another")
    raw = DECLARATION.sub("", document.decoded(data))
    if DOCTYPE.search(raw):
        raise PuzzleError(f"{name} has a document type, which no puzzle needs; remove it (<!DOCTYPE ...>)")
    with suppress(expat.ExpatError, ValueError, PuzzleError):
        return _tree(raw, name)
    try:
        root = _tree(_forgiven(raw), name)
    except (expat.ExpatError, ValueError) as cause:
        raise PuzzleError(f"{name} {NO_XML}") from cause
    if any(((x.text if tag == "grid" else x.tail) or "").strip() for tag in TEXTLESS for x in root.iter(tag)):
        raise PuzzleError(f"{name} {NO_XML}")  # a broken tag of a square or word was mended away
    return root


def _forgiven(raw: str) -> str:
    """The root in `raw` alone, with what browsers forgive mended: `<` and `]]>` of no tag, typefaces left open."""
    if root := ROOT.search(raw):
        end = raw.find(">", raw.rfind(f"</{root[1]}"))
        raw = raw[root.start() : end + 1]
    parts = ITALIC.split(raw)
    parts[::2] = map(text.untagged, parts[::2])
    parts[1::2] = [f"<i>{italic}</i>" for italic in parts[1::2]]
    return END.sub(lambda found: found[1] or "]]&gt;", LONE.sub("&lt;", "".join(parts)))


def _tree(raw: str, name: str) -> Element:
    """The elements by their names without prefixes: a namespace would stand in each, however long somebody made it.

    Raises ExpatError and ValueError, and PuzzleError for elements without end.
    """
    parser, builder, depth = expat.ParserCreate(), TreeBuilder(), 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise PuzzleError(f"{name} has elements more than {DEEPEST} deep in each other; name another")
        builder.start(tag.rpartition(":")[2], attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag.rpartition(":")[2])

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, builder.data
    parser.Parse(UNFIT.sub(" ", ENTITY.sub(_named, raw)), True)
    return builder.close()


def _named(found: re.Match[str]) -> str:
    """An entity of HTML, or a number, as the character it is; any other `&` as a plain one."""
    shown = html.unescape(found[0])
    return html.escape(shown) if shown != found[0] else f"&amp;{found[1]}"


def _all(root: Element, name: str) -> Iterator[Element]:
    """The elements of this name in `root`, none of them within another."""
    for element in root:
        if element.tag == name:
            yield element
        else:
            yield from _all(element, name)


def _shown(element: Element | None) -> str:
    return "" if element is None else document.written("".join(piece for piece, _ in _pieces(element)))


def _line(head: Element, key: str) -> str:
    """What an element right in `head` says: deeper a title is that of a button."""
    return document.line(_shown(head.find(key)))


def _clue(element: Element) -> str:
    return document.written(text.upright(_pieces(element)))


def _pieces(element: Element, italic: bool = False) -> Iterator[tuple[str, bool]]:
    """The text in `element`, and whether it is in italics; a line feed where a line breaks, as around a paragraph."""
    tag = element.tag.lower()
    breaks, italic = tag in text.BREAKS, italic or tag in text.ITALICS
    yield "\n" if breaks else "", italic
    yield element.text or "", italic
    for inner in element:
        yield from _pieces(inner, italic)
        yield inner.tail or "", italic
    yield "\n" if breaks and tag != "br" else "", italic


def _number(element: Element, key: str) -> int:
    raw = element.get(key, "")
    return int(raw) if re.fullmatch("[0-9]{1,6}", raw) else 0
