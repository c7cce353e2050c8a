"""Functions from text to text: what counts as the same answer, clue, or word.

Corpora and puzzle files are decades of other people's typing: HTML entities, cp1252 or UTF-8 read as Latin-1, Mac
accents. `clean_clue` repairs what needs no guess; `normalize_answer` keeps what fits a grid; `clue_key` keeps what two
people would both type for the same clue.
"""

from __future__ import annotations

import functools
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Literal

MAX_ANSWER_LENGTH = 25
"""Longest answer in an index, longer than any row of a Sunday's grid. (Measured: docs/experiments/text-limits.md.)"""

MAX_CLUE_LENGTH = 500
"""Characters of a clue that are read (measured: docs/experiments/text-limits.md)."""

BLANK_TOKEN = "_"  # `clue_key`'s blank: '___ Beta Kappa' is '_ beta kappa'

_PLAIN = str.maketrans({
    "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "Ø": "O", "ø": "o", "ß": "ss", "ẞ": "SS", "Ł": "L", "ł": "l",
    "Đ": "D", "đ": "d", "Þ": "TH", "þ": "th", "Ð": "D", "ð": "d", "Ħ": "H", "ħ": "h", "ı": "i",
    "‘": "'", "’": "'", "‛": "'", "`": "'", "´": "'", "ʻ": "'", "ʼ": "'", "ʾ": "'", "ʿ": "'",
    "“": '"', "”": '"', "„": '"', "\u00a0": " ",
})  # fmt: skip
_LIGATURES = {c: unicodedata.normalize("NFKC", chr(c)) for c in range(0xFB00, 0xFB07)}  # 'ffi' and others
_ACCENT = re.compile("[\u0300-\u036f]+")
CP1252_TWINS = {c: bytes([c]).decode("cp1252", "ignore") for c in range(0x80, 0xA0)}
"""C1 control characters -> the characters they stand for: cp1252 bytes that were read as Latin-1."""
# Mac Roman e-acute, the one C1 byte that is never cp1252 in the wild (xd, character-encoding.md)
CP1252_TWINS[0x8E] = "é"
_ENTITY = re.compile("&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
BREAK_TAGS = ("br", "p", "div", "li", "ul", "ol")
"""HTML elements at which a line breaks, before and after."""
_REST = r"(?:\s+[\w:-]+\s*=[^<>]*|\s*(?:/\s*)?)>"  # what follows a tag's name; '<Big Apple>' isn't a tag
_BREAK = re.compile(rf"</?(?:{'|'.join(BREAK_TAGS)}){_REST}", re.IGNORECASE)
_TAG = re.compile(
    rf"</?(?:[bius]|em|strong|span|sub|sup|font|a|small|big|tt|code|cite|center|nobr|mark|del|ins){_REST}"
    r"|<img\s[^<>]*>|<!--[^<>]*-->",
    re.IGNORECASE,
)
"""Typefaces and links, whose text stays; pictures and comments, which go."""
ITALIC_TAGS = ("i", "em", "cite")
"""Elements in italics, usually titles. (Measured: docs/experiments/clue-style.md.)"""

_ITALIC = re.compile(rf"<(/?)(?:{'|'.join(ITALIC_TAGS)}){_REST}", re.IGNORECASE)
_TITLE = re.compile("[^\\W_a-z]")  # first character of a title
_TAG_START = re.compile("<(?=[A-Za-z/!?])")
_ENTITY_START = re.compile("&(?=#?[A-Za-z0-9])")
_RAISED = re.compile(r"<(su[pb])>([^<>]{1,9})</\1>", re.IGNORECASE)
_LEVEL = "0123456789+-=()"
RAISED_SIGNS = {"sup": str.maketrans(_LEVEL, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾"), "sub": str.maketrans(_LEVEL, "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")}
"""Raised and lowered digits, by tag; without them 10<sup>9</sup> would be 109."""
GAP_PATTERN = re.compile(r"_+|-{2,}|—(?= )|(?<= )—")
_KEY = str.maketrans({chr(c): chr(c) if chr(c).isalnum() or chr(c) == "_" else " " for c in range(128)}
                     | {chr(c): chr(c + 32) for c in range(65, 91)} | {"'": None, ".": None, "&": " and "})  # fmt: skip
_UPPER = bytes(range(97)) + bytes(range(65, 91)) + bytes(range(123, 256))  # a table for bytes.translate
_PUNCTUATION = bytes(c for c in range(128) if not chr(c).isalnum())
_WAS_BYTE = {chr(c): c for c in range(0x80, 0x100)}
_WAS_BYTE |= {bytes([c]).decode("cp1252"): c for c in CP1252_TWINS if c not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
_FOLLOWING = "".join(c for c, byte in _WAS_BYTE.items() if byte < 0xC0)
_MOJIBAKE = re.compile(rf"[\u00c2-\u00f4][{_FOLLOWING}]+|\bÃ(?= [A-Za-z])")
"""UTF-8 letters whose bytes were read as Latin-1 or cp1252; 'Ã' alone is an 'à' followed by a no-break space that
became plain ('vis Ã vis')."""
_REST_OF = {"Ã": "à", "â€": "”"}  # mojibake without its last byte, which was a space or is undefined in cp1252
_ESCAPED = re.compile(r"\\(?=['\"\u2019\u201d])")  # quotation marks that a program escaped: 'Frank\'s'
_MAC = re.compile(
    r"(?<=[a-z])Õ|(?<=\b[A-Z])Õ(?=[A-Z]?[a-z])|(?<![^\W_])Ò(?=[ -~])[^ÒÓ]*(?<=[ -~É])Ó|(?<=[a-z])É(?![^\W_])"
)
"""Quotation marks, apostrophes, and ellipses of Mac Roman, read as cp1252: 'donÕt', 'ÒHelloÓ', 'andÉ'. Letters never
occur in these places."""
_MAC_MARKS = str.maketrans("ÒÓÕÉ", "“”’…")


def fold_accents(text: str) -> str:
    """Remove accents: 'Molière' -> 'Moliere'; letters of other scripts stay."""
    if text.isascii():
        return text
    parts = _ACCENT.sub("", _normalize("NFKD", text.translate(_PLAIN)))
    if parts.isascii():
        return parts
    return "".join(c for c in parts.translate(_PLAIN) if not unicodedata.combining(c))  # again, for the parts of 'Ǽ'


def normalize_answer(raw: str) -> str:
    """Keep what fits a grid: 'Oslo!' -> 'OSLO', 'Café au lait' -> 'CAFEAULAIT'. Return '' if nothing is left, or for
    digits: THE7 isn't THE."""
    if not raw.isascii():
        raw = fold_accents(raw)
        if any(c.isalnum() for c in raw if c > "\x7f"):
            return ""
        raw = raw.encode("ascii", "ignore").decode("ascii")
    if raw.isalpha():
        return raw.upper()
    letters = raw.encode("ascii").translate(_UPPER, _PUNCTUATION)
    return letters.decode("ascii") if letters.isalpha() else ""


def fits_grid(answer: str) -> bool:
    """Return whether an answer has 2 to MAX_ANSWER_LENGTH letters, as an index requires."""
    return 2 <= len(answer) <= MAX_ANSWER_LENGTH


def decode_cp1252(raw: bytes) -> str:
    """Decode bytes of an old program; drop the five that cp1252 leaves undefined."""
    return raw.decode("latin-1").translate(CP1252_TWINS)


def clean_clue(raw: str) -> str:
    """Restore a clue as written: repair entities, mojibake, and control characters, and collapse white space."""
    for _ in range(2):  # two programs may have escaped it, one after the other: '&amp;quot;'
        raw = decode_entities(raw)
    if not raw.isascii():
        raw = _MAC.sub(lambda found: found[0].translate(_MAC_MARKS), _MOJIBAKE.sub(_decode_mojibake, raw))
        raw = _normalize("NFC", raw).translate(_LIGATURES)
    if "<" in raw:
        raw = raise_numbers(raw)
        raw = quote_italics((_TAG.sub("", _BREAK.sub(" ", piece)), italic) for piece, italic in split_italics(raw))
    if not raw.isprintable():
        raw = "".join(c if c.isprintable() else _mend_character(c) for c in raw)
    if "\\" in raw:
        raw = _ESCAPED.sub("", raw)
    return " ".join(raw.split())


def html_to_text(raw: str) -> str:
    """Return the text that a browser shows for `raw`, with only line breaks and typefaces as tags."""
    return decode_entities(strip_tags(raw))


def split_italics(raw: str) -> Iterator[tuple[str, bool]]:
    """Split at italics tags, and say for each piece whether it is in italics."""
    parts = _ITALIC.split(raw)
    tags = ["/", *parts[1::2], ""]
    for piece, (before, after) in zip(parts[::2], pairwise(tags), strict=True):
        yield piece, (before, after) == ("", "/")


def quote_italics(pieces: Iterable[tuple[str, bool]]) -> str:
    """Join the pieces of a clue, and quote titles in italics, as most publishers do.

    Quote nothing if the whole clue is in italics or has quotation marks already. Lowercase italics are stressed or
    foreign words.

    >>> quote_italics([("", False), ("Emma", True), (" author", False)])
    '"Emma" author'
    """
    runs = [("".join(piece for piece, _ in run), italic) for italic, run in groupby(pieces, key=itemgetter(1))]
    plain = "".join(run for run, _ in runs)
    if '"' in plain or "\u201c" in plain or not any(c.isalnum() for run, italic in runs if not italic for c in run):
        return plain
    return "".join(_quote_title(run) if italic else run for run, italic in runs)


def _quote_title(run: str) -> str:
    """Put `run` in quotation marks if it's a title; leave out surrounding space and final punctuation."""
    title = run.strip()
    if not _TITLE.match(title):
        return run
    if title[-1] in ",.;:":
        title = title[:-1]
    before, _, after = run.partition(title)
    return f'{before}"{title}"{after}'


def strip_tags(raw: str) -> str:
    """Remove the tags of a clue, closed or not, with line feeds at line breaks; numbers stay raised."""
    return _TAG.sub("", _BREAK.sub("\n", raise_numbers(raw))) if "<" in raw else raw


def raise_numbers(raw: str) -> str:
    """Convert numbers in superscript and subscript tags: '10<sup>9</sup>' -> '10⁹'. Letters stay: '19<sup>th</sup>'."""
    return _RAISED.sub(lambda found: raise_number(found[1].lower(), found[2]), raw)


def raise_number(tag: str, content: str) -> str:
    """Return an element's content as a raised or lowered number if it is one."""
    plain = content.strip().replace("\u2212", "-")
    is_number = tag in RAISED_SIGNS and any(map(str.isdigit, plain)) and not plain.strip(_LEVEL)
    return plain.translate(RAISED_SIGNS[tag]) if is_number and plain.isascii() else content


def text_to_html(plain: str) -> str:
    """Escape only what a browser would misread in `plain`: 'AT&T' and 'x < y' stay as they are."""
    return _TAG_START.sub("&lt;", _ENTITY_START.sub("&amp;", plain)).replace("\n", "<br/>")


def clue_key(text: str) -> str:
    """Reduce a clue to what its variants share: lower case, no accents or punctuation, one `_` for a blank.

    Periods vanish, so that 'U.S.S.R.' is one word; two or more in a row separate words.

    >>> clue_key('"___ Beta Kappa"')
    '_ beta kappa'
    """
    if not text.isascii():
        text = fold_accents(text)
    if "_" in text or "-" in text or "—" in text:
        text = GAP_PATTERN.sub(" _ ", text)
    if ".." in text:
        text = text.replace("..", " ")
    lowered = text.translate(_KEY)
    if not lowered.isascii():
        lowered = "".join(c if c.isalnum() or c == "_" else " " for c in lowered.lower())
    return " ".join(lowered.split())


def reverse_key(key: str) -> str:
    """Reverse the words of `key`, so that clues that differ in the first word sort together."""
    return " ".join(key.split(" ")[::-1])


@functools.lru_cache(maxsize=1 << 16)
def stem_word(word: str) -> str:
    """Return the stem of an English word (Porter2, by PyStemmer): 'partners' and 'partner' are one."""
    return _stemmer()(word)


@functools.cache
def _stemmer() -> Callable[[str], str]:
    import Stemmer

    word: Callable[[str], str] = Stemmer.Stemmer("english").stemWord
    return word


def _normalize(form: Literal["NFC", "NFKD"], text: str) -> str:
    """Normalize Unicode in pieces, because a run of marks takes quadratic time."""
    pieces = (text[i : i + 1000] for i in range(0, len(text), 1000))
    return "".join(unicodedata.normalize(form, piece) for piece in pieces)


def decode_entities(raw: str) -> str:
    return _ENTITY.sub(lambda match: html.unescape(match[0]), raw) if "&" in raw else raw


def protect_entities(plain: str) -> str:
    """Escape what looks like an entity, so that `decode_entities` returns it unchanged."""
    return _ENTITY.sub(lambda match: f"&amp;{match[0][1:]}", plain)


def _decode_mojibake(match: re.Match[str]) -> str:
    """Decode UTF-8 that was read as Latin-1 or cp1252; leave anything else.

    Letters that begin with a lowercase one are part of a word: the 'ášš' of 'Muvrarášša' would become a rune. And 'é »'
    ends a French quotation.
    """
    if match[0] in _REST_OF:
        return _REST_OF[match[0]]
    if match[0][0].islower() and (match[0].isalpha() or match[0].endswith("\u00a0»")):
        return match[0]
    try:
        return bytes(_WAS_BYTE[c] for c in match[0]).decode("utf-8")
    except UnicodeError:
        return match[0]


def _mend_character(c: str) -> str:
    """Replace an unprintable character by its cp1252 twin, by a space, or by nothing if it has no width."""
    return CP1252_TWINS.get(ord(c), "" if unicodedata.category(c) == "Cf" else " ")
