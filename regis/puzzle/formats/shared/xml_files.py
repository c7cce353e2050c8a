"""XML in puzzle files: parsed within bounds, repaired as a browser would, with texts as shown.

A document type is refused: no puzzle needs one, and its entities can expand without limit.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from regis import text
from regis.errors import PuzzleError
from regis.puzzle.formats.shared import texts

XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
DOCTYPE_TAG = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
ENTITY_REFERENCE = re.compile(
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(?!(?:amp|lt|gt|quot|apos);)(#\d+;|#x[0-9a-fA-F]+;|\w*;?)", re.DOTALL
)
"""An entity; or a section without entities, which is skipped."""
STRAY_BRACKET = re.compile(r"<(?!/?[A-Za-z_][\w:.-]*(?:\s*/?>|\s+[\w:.-]+\s*=)|!--|!\[CDATA\[|\?)")  # starts no tag
INVALID_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # that XML can't hold
MAX_DEPTH = 20  # nested elements; no format has more than eight


def parse_xml_file(
    data: bytes, file_name: str, format_name: str, root_tag: re.Pattern[str], textless_tags: Collection[str] = ()
) -> Element:
    """Parse XML, repaired if needed; raises PuzzleError.

    `root_tag` matches the root's beginning, with its name as first group. `textless_tags` have no text in or after
    them.
    """
    incomplete = PuzzleError(f"{file_name} isn't complete XML and can't be read as {format_name}; download it again")
    raw = XML_DECLARATION.sub("", texts.decode_text(data))
    if DOCTYPE_TAG.search(raw):
        raise PuzzleError(f"{file_name} has a document type, which puzzles don't need; remove it (<!DOCTYPE ...>)")
    with suppress(expat.ExpatError, ValueError, PuzzleError):
        return _parse_tree(raw, file_name)
    try:
        root = _parse_tree(_mend_markup(raw, root_tag), file_name)
    except (expat.ExpatError, ValueError) as cause:
        raise incomplete from cause
    if any(((x.text if tag == "grid" else x.tail) or "").strip() for tag in textless_tags for x in root.iter(tag)):
        raise incomplete  # the repair removed a broken tag of a square or word
    return root


def _mend_markup(raw: str, root_tag: re.Pattern[str]) -> str:
    """Cut `raw` to its root, and repair what browsers forgive: stray `<`, unclosed typefaces."""
    if root := root_tag.search(raw):
        end = raw.find(">", raw.rfind(f"</{root[1]}"))
        raw = raw[root.start() : end + 1]
    return STRAY_BRACKET.sub("&lt;", text.strip_tags(raw))


def _parse_tree(raw: str, file_name: str) -> Element:
    """Parse elements, with names without prefixes; with namespaces, every name would be longer.

    Raises ExpatError, ValueError, or PuzzleError if the nesting is too deep.
    """
    parser, builder, depth = expat.ParserCreate(), TreeBuilder(), 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise PuzzleError(f"{file_name} has elements nested more than {MAX_DEPTH} deep; choose another")
        builder.start(tag.rpartition(":")[2], attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag.rpartition(":")[2])

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, builder.data
    parser.Parse(INVALID_CHARACTERS.sub(" ", ENTITY_REFERENCE.sub(_replace_entity, raw)), True)
    return builder.close()


def _replace_entity(entity: re.Match[str]) -> str:
    """Replace an HTML entity with its character, and any other `&` with a plain one."""
    if entity[1] is None:
        return entity[0]
    shown = html.unescape(entity[0])
    return html.escape(shown) if shown != entity[0] else f"&amp;{entity[1]}"


def find_all(root: Element, tag: str) -> Iterator[Element]:
    """Yield the elements with this tag in `root`, but none within another of them."""
    for element in root:
        if element.tag == tag:
            yield element
        else:
            yield from find_all(element, tag)


def element_text(element: Element | None) -> str:
    return "" if element is None else "".join(piece for piece, _ in _text_pieces(element)).strip()


def clue_text(element: Element) -> str:
    return texts.mark_italics(_text_pieces(element)).strip()


def _text_pieces(element: Element, italic: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield the text in `element`, and whether it is italic, with line feeds at line breaks and paragraphs."""
    tag = element.tag.lower()
    breaks, italic = tag in text.BREAK_TAGS, italic or tag in text.ITALIC_TAGS
    yield "\n" if breaks else "", italic
    yield text.raise_number(tag, element.text or ""), italic
    for inner in element:
        yield from _text_pieces(inner, italic)
        yield inner.tail or "", italic
    yield "\n" if breaks and tag != "br" else "", italic
