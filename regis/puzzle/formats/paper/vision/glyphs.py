"""The characters of a word held against their ink, where there is one piece of ink for each.

Tesseract guesses by what words look like, and misses what is small: a dot between capitals, the accent of a letter that
English lacks, a capital that differs from its small letter by its size alone. Ink tells these apart; a vocabulary does
not (docs/experiments/clue-mending.md).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from regis.puzzle.formats.paper.vision.character_widths import share_ink
from regis.puzzle.formats.paper.vision.marks import MIN_LETTER, PALE, QUOTES, Ink, Mark, measure_ink
from regis.puzzle.formats.paper.vision.squares import DARK

ASCENT = 1.15
DESCENT = 0.4
"""Of a line's height, above and below its feet, in which its ink is."""

CAPITAL_LIKE = "cosuvwxz"  # small letters that differ from capitals by their size alone
SMALL_LETTERS = "acemnorsuvwxz"
SMALL = 0.56  # of a line's height, where no letters tell
MIN_SMALL_LETTERS = 2  # that tell how high they are
MIN_CAPITAL = 1.2  # of a small letter's height, from which on a letter is a capital
MAX_SMALL = 1.12  # of it, up to which it is none
MAX_ACCENT_GAP = 0.4  # of a letter's height, that is white below its accent
MIN_OVERLAP = 0.4  # of the narrower of two pieces, for them to be of one character
LOW = ".,"
MIDDLE = "-–—~"
DASHES = (("—", 1.5), ("–", 0.65), ("-", 0.0))  # wider than so much of a small letter's height
BODY = ""
PALE_MARK = "?"
N_AROUND = 9  # letters around a glyph that tell where its line is
BASELINE_SHARE = 0.3  # of a line's letters have their feet there or higher: some go lower
MAX_LOW = 0.45  # of a small letter's height above the feet, for a dot or comma
MAX_MIDDLE = 0.35  # of it, for a dash
COMMA_OBLONG = 1.2  # times as high as wide, at least
MIN_COMMA_DEPTH = 0.1  # of a small letter's height, below the feet
MAX_STEM = 0.3  # of it, the width of what is only a stem
MIN_GAP = 40  # of 255, by which the row between a letter and its dot or accent is lighter, where they are joined
MAX_UNEVEN_STEM = 10  # and by which such a row of a stroke without a dot may be
HOLLOW_LIKE = "6dé"  # what an o with an accent is taken for
N_HOLLOW_STROKES = 2  # of an o, from top to foot; an e has three
STEM_LIKE = "1L!|=\\"  # what an I is taken for
MIN_ROUND = 0.85  # times as wide as high, for an O and no 0
SURE_PROBABILITY = 0.96  # of a word whose letters are all there
EDGE_NOISE = QUOTES + "+°"  # and may be there
NOISE = "=~«»^"  # what Tesseract sees in gaps
ACCENTED_LETTERS = "aeiounAEIOUNc"
ACCENTED_SMALL_LETTERS = "aenou"
MIN_WIDE = 1.9  # times as wide as high, for a tilde
MIN_SLANT = 0.45  # correlation of rows and columns, for an accent that leans
MIN_ACCENT_WIDTH = 1.5  # of the stem of an i, for an accent and no dot
MIN_CEDILLA = 0.2  # of a small letter's height, below the feet
CEDILLA = "\u0327"
ACUTE = "\u0301"
GRAVE = "\u0300"
CIRCUMFLEX = "\u0302"
TILDE = "\u0303"
DIAERESIS = "\u0308"


class Glyph(NamedTuple):
    """Pieces of ink above each other: width, top and foot are those of the lowest."""

    left: int
    right: int
    width: int
    top: int
    foot: int
    highest: int  # top of those above
    is_single: bool
    is_pale: bool

    @property
    def is_topped(self) -> bool:
        """Return whether a piece stands apart above the letter, a dot or an accent."""
        return self.highest < self.top


BodyPair = tuple[int, int, Glyph]
"""From where to where in a word the characters of a glyph are: of several, where they touch."""


def list_glyphs(sheet: Any, foot: int, size: float, marks: Sequence[Mark]) -> tuple[list[Glyph], Any]:
    """List the glyphs of a line from left to right, in the pixels of a strip of the sheet, and return that strip.

    The letters that stand for marks are none of them.
    """
    first = max(foot - round(ASCENT * size), 0)
    strip = sheet[first : foot + round(DESCENT * size)].copy()
    for mark in marks:
        strip[:, mark.left : mark.right] = 255
    ink = measure_ink(strip)
    is_own = (ink.top > 0) & (ink.foot < len(strip)) & (ink.top < foot - first)  # of this line
    order = [int(i) for i in np.argsort(ink.left, kind="stable") if is_own[i]]
    groups: list[list[int]] = []
    for i in order:
        if groups:
            right = max(ink.right[j] for j in groups[-1])
            overlap = min(right, ink.right[i]) - ink.left[i]
            narrower = min(ink.width[i], right - min(ink.left[j] for j in groups[-1]))
            if overlap > MIN_OVERLAP * narrower:
                groups[-1].append(i)
                continue
        groups.append([i])
    return [make_glyph(ink, group, strip) for group in groups], strip


def make_glyph(ink: Ink, pieces: Sequence[int], strip: Any) -> Glyph:
    lowest = max(pieces, key=lambda i: ink.foot[i] + ink.height[i])
    is_near = (ink.foot <= ink.top[lowest] + 1) & (ink.foot >= ink.top[lowest] - MAX_ACCENT_GAP * ink.height[lowest])
    highest = min(int(ink.top[i]) for i in pieces if i == lowest or is_near[i])
    left, right = min(ink.left[i] for i in pieces), max(ink.right[i] for i in pieces)
    is_pale = not (strip[highest : ink.foot[lowest], left:right] < DARK).any()
    width, top, foot = (int(x[lowest]) for x in (ink.width, ink.top, ink.foot))
    return Glyph(int(left), int(right), width, top, foot, highest, len(pieces) == 1, is_pale)


def find_characters(text: str) -> list[int]:
    """Find where in a word its characters are that are no marks."""
    return [i for i, x in enumerate(text) if x not in LOW + MIDDLE]


def pair_bodies(text: str, bodies: Sequence[Glyph]) -> list[BodyPair] | None:
    """Pair the characters of a word, marks aside, with their glyphs; None where they are not as many."""
    at = find_characters(text)
    return [(i, i + 1, glyph) for i, glyph in zip(at, bodies, strict=True)] if len(at) == len(bodies) else None


def pair_joined(text: str, bodies: Sequence[Glyph]) -> list[BodyPair] | None:
    """Pair them where some touch; None where that cannot be."""
    at = find_characters(text)
    starts = share_ink("".join(text[i] for i in at), np.array([glyph.right - glyph.left for glyph in bodies]))
    if not starts:
        return None
    return [(at[i], at[j - 1] + 1, glyph) for (i, j), glyph in zip(pairwise(starts), bodies, strict=True)]


def list_readings(text: str, probability: float, *, has_pale_mark: bool) -> list[str]:
    """List what a word may be without what Tesseract saw in addition; what it is sure of has no letter too many."""
    readings = [text, text.replace("|", "", 1)]
    if probability < SURE_PROBABILITY:
        readings += [re.sub("^([0-9]+)[a-z]+$", r"\1", text), re.sub("ij|ji", "i", text)]
    if not has_pale_mark:
        readings.append(text.strip(NOISE + EDGE_NOISE))
    return [*readings, text.strip(NOISE)]


class LineGlyphs:
    """The glyphs of a line, and what they say of its words."""

    def __init__(self, sheet: Any, foot: int, size: float, marks: Sequence[Mark] = ()) -> None:
        self.glyphs, self.strip = list_glyphs(sheet, foot, size, [mark for mark in marks if mark.is_filled])
        self.small, self.is_measured = SMALL * size, False
        tall = [x for x in self.glyphs if x.foot - x.top > MIN_LETTER * self.small]
        self.middles, self.feet = (np.array(x) for x in ([x.left for x in tall], [x.foot for x in tall]))

    def find_foot(self, glyph: Glyph) -> float:
        """Find where the feet of the letters around a glyph are: lines bend."""
        near = np.argsort(abs(self.middles - glyph.left), kind="stable")[:N_AROUND]
        return float(np.quantile(self.feet[near], BASELINE_SHARE, method="lower")) if len(near) else 0.0

    def measure_small(self, words: Sequence[tuple[str, int, int]]) -> None:
        """Measure how high small letters are, by the words whose characters all have their ink."""
        heights = [
            glyph.foot - glyph.top
            for text, left, right in words
            for start, end, glyph in pair_bodies(text, self.find_bodies(self.find_glyphs(left, right))) or ()
            if text[start:end] in SMALL_LETTERS
        ]
        if len(heights) >= MIN_SMALL_LETTERS:
            self.small, self.is_measured = float(np.median(heights)), True

    def kind(self, glyph: Glyph) -> str:
        """Name the mark that a glyph is; BODY for none, PALE_MARK for what may be a mark or noise."""
        height, foot = glyph.foot - glyph.top, self.find_foot(glyph)
        is_low = glyph.top > foot - MAX_LOW * self.small
        if not glyph.is_single or not (is_low or (height < MAX_MIDDLE * self.small and glyph.foot < foot)):
            return BODY
        if glyph.is_pale or glyph.foot < foot - self.small:  # or what is left of a quotation mark
            return PALE_MARK
        if not is_low:
            return next(dash for dash, width in DASHES if glyph.width > width * self.small)
        return "," if height > COMMA_OBLONG * glyph.width and glyph.foot > foot + MIN_COMMA_DEPTH * self.small else "."

    def find_glyphs(self, left: int, right: int) -> list[Glyph]:
        return [glyph for glyph in self.glyphs if left <= (glyph.left + glyph.right) / 2 <= right]

    def find_bodies(self, glyphs: Sequence[Glyph]) -> list[Glyph]:
        return [glyph for glyph in glyphs if self.kind(glyph) == BODY]

    def check_word(self, text: str, left: int, right: int, probability: float = 0.0) -> str:
        """Put a word right as its ink says."""
        if not (glyphs := self.find_glyphs(left, right)):
            return text
        if not text and len(glyphs) == 1 and self.is_stem(glyphs[0]):
            return "I"
        kinds = [self.kind(glyph) for glyph in glyphs]
        if BODY not in kinds and PALE_MARK not in kinds and not any(map(str.isalnum, text)):
            are_low = len(text) == len(kinds) and all(x in LOW for x in (*text, *kinds))
            return text if are_low else "".join(kinds)
        bodies = [glyph for glyph, kind in zip(glyphs, kinds, strict=True) if kind == BODY]
        for reading in list_readings(text, probability, has_pale_mark=PALE_MARK in kinds):
            if pairs := pair_bodies(reading, bodies):
                return self.check_characters(reading, kinds, pairs) or reading
        text = text.strip(NOISE)
        pairs = pair_joined(text, bodies)
        return (self.check_characters(text, kinds, pairs, are_joined=True) if pairs else None) or text

    def check_characters(
        self, text: str, kinds: Sequence[str], pairs: Sequence[BodyPair], *, are_joined: bool = False
    ) -> str | None:
        """Put letters right, and the marks between them; None where it is not seen right which of them touch."""
        starts, ends = [*(start for start, _, _ in pairs), len(text)], [0, *(end for _, end, _ in pairs)]
        places = [-1, *(i for i, kind in enumerate(kinds) if kind == BODY), len(kinds)]
        checked = ""
        for k, (end, start, (first, last)) in enumerate(zip(ends, starts, pairwise(places), strict=True)):
            seen = kinds[first + 1 : last]
            said = "".join(x for x in text[end:start] if x in LOW + MIDDLE)
            clear = [x for x in seen if x != PALE_MARK]
            is_alike = [x in MIDDLE for x in clear] == [x in MIDDLE for x in said]
            if are_joined and not is_alike:
                return None
            may_be_joined = len(said) <= len(seen) or k > 0  # with the letter before
            checked += said if may_be_joined and (is_alike or len(clear) < len(said)) else "".join(clear)
            if k < len(pairs):
                checked += self.check_letters(text[pairs[k][0] : pairs[k][1]], pairs[k][2], checked[-1:])
        return checked

    def check_letters(self, text: str, glyph: Glyph, character_before: str) -> str:
        """Put the characters of a glyph right: one, or several that touch, or what an ñ was taken for."""
        is_small = glyph.is_topped and glyph.foot - glyph.top < MAX_SMALL * self.small
        if text[0] == "f" and is_small:
            text = "n"
        return self.check_letter(text, glyph, character_before) if len(text) == 1 else text

    def check_letter(self, character: str, glyph: Glyph, character_before: str) -> str:
        height = (glyph.foot - glyph.top) / self.small
        is_stem = self.is_stem(glyph)
        if (
            is_stem
            and character in STEM_LIKE
            and (character != "!" or self.measure_gap(glyph, is_whole=True) < MAX_UNEVEN_STEM)
        ):
            return "l" if character_before.islower() else "I"
        if character == "0" and height < MAX_SMALL:
            return "o"
        if character == "0" and not character_before.isdigit() and glyph.width > MIN_ROUND * (glyph.foot - glyph.top):
            return "O"
        if character in HOLLOW_LIKE and self.is_hollow(glyph):
            is_accented = glyph.is_topped or (character_before.islower() and self.measure_gap(glyph) > MIN_GAP)
            character = "o" if is_accented else character
        if is_stem and character == "i" and height > MIN_CAPITAL and self.measure_gap(glyph) < MAX_UNEVEN_STEM:
            return "l"
        plain = unicodedata.normalize("NFD", character)[0]
        if plain in "cC" and glyph.foot - self.find_foot(glyph) > MIN_CEDILLA * self.small:
            return "ç" if character_before.islower() else unicodedata.normalize("NFC", plain + CEDILLA)
        if plain.lower() in CAPITAL_LIKE and self.is_measured:
            if height > MIN_CAPITAL and not character_before.islower():
                plain, character = plain.upper(), character.upper()
            elif height < MAX_SMALL:
                plain, character = plain.lower(), character.lower()
        is_capital = plain in CAPITAL_LIKE and not character_before.islower()
        is_high = height > MIN_CAPITAL and plain in ACCENTED_SMALL_LETTERS and not is_capital
        is_joined = is_high and self.measure_gap(glyph) > MIN_GAP
        if plain not in ACCENTED_LETTERS or (not glyph.is_topped and not is_joined):
            return character
        accented = unicodedata.normalize("NFC", plain + self.name_accent(glyph, character))
        return accented if not accented.isascii() and len(accented) == 1 else character

    def is_hollow(self, glyph: Glyph) -> bool:
        """Return whether the small letter of a glyph has ink at its top and foot alone, as an o."""
        middle = (glyph.left + glyph.right) // 2
        column = self.strip[max(glyph.foot - round(self.small) - 1, 0) : glyph.foot + 1, middle - 1 : middle + 2]
        has_ink = column.mean(axis=1) < PALE
        return int((np.diff(np.r_[0, has_ink, 0].astype(int)) > 0).sum()) == N_HOLLOW_STROKES

    def is_stem(self, glyph: Glyph) -> bool:
        """Return whether a glyph is a stroke higher than a small letter."""
        is_high = glyph.foot - glyph.top > MAX_SMALL * self.small
        return is_high and glyph.is_single and glyph.width < MAX_STEM * self.small and self.measure_gap(glyph) < MIN_GAP

    def measure_gap(self, glyph: Glyph, *, is_whole: bool = False) -> float:
        """Measure by how much the palest row of a glyph, above its small letter or of it all but its feet, is lighter
        than its darkest above.
        """
        end = glyph.foot - 2 if is_whole else glyph.foot - round(self.small) + 2
        rows = self.strip[glyph.top : end, glyph.left : glyph.right].min(axis=1).astype(float)
        return float((rows - np.minimum.accumulate(rows)).max(initial=0.0))

    def name_accent(self, glyph: Glyph, character: str) -> str:
        """Return the accent above a letter; '' where that is not clear."""
        end = glyph.top if glyph.is_topped else glyph.foot - round(self.small) + 2
        part = self.strip[glyph.highest : end, glyph.left : glyph.right]
        if not glyph.is_topped and len(part) > 2:  # down to the palest row
            part = part[: 2 + int(np.argmax(part[2:].mean(axis=1)))]
        has_ink = part < PALE
        rows, columns = np.nonzero(has_ink)
        if not len(rows):
            return ""
        if np.diff(np.flatnonzero(has_ink.any(axis=0))).max(initial=0) > 1:
            return DIAERESIS
        height, width = np.ptp(rows) + 1, np.ptp(columns) + 1
        slant = float(np.corrcoef(rows, columns)[0, 1]) if min(height, width) > 1 else 0.0
        if character in "iI" and width < MIN_ACCENT_WIDTH * glyph.width:
            return ""
        if abs(slant) > MIN_SLANT:
            return ACUTE if slant < 0 else GRAVE
        if character.isascii() and character not in "cC":
            return TILDE if width > MIN_WIDE * height or character in "nN" else CIRCUMFLEX
        return ""
