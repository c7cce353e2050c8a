"""Lines of text to clues, by what the grid says their numbers are.

Headings say which direction follows. In it the lines that begin with a number of the grid, in rising order, are the
beginnings of clues: of all rising series the longest one that looks alike, since a clue's second line may begin with a
number too ('1984 novel'). What follows in the same column and size belongs to the clue. Where no heading is, the rising
series tells where the second direction begins.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile

from regis import text
from regis.puzzle import Direction
from regis.puzzle.formats.paper.text_lines import Run, TextLine

MAX_SIZE_STEP = 0.12  # share by which the size of a clue's lines may differ
MAX_LEADING = 1.9  # of the usual distance between lines, within a clue
MAX_CLUE_LINES = 12
MAX_LINES_BEFORE_COLUMN = 8  # lines of a clue, for it to go on in the next column
MAX_TABLE_HEADS = 3  # lines between a heading and its first clue, and words of each
MAX_SERIES_LINES = 1500  # lines that begin with a number; more are no clues
MIN_JUSTIFIED_LINES = 3
MIN_JUSTIFIED_SHARE = 0.5
EDGE_WIDTH = 1.0
COLUMN_WIDTH = 40.0
"""Lines that go on, and share of them that end within so many points of their column's edge, in columns that are
justified; lines that begin within so many points are of one column."""

MAX_CLUE_CHARACTERS = 400  # more is a text around the puzzle
MARGIN_SLACK = 0.9  # of a line's height, by which lines of one column may begin left of each other
ALIKE_BONUS = 0.1  # for each sign that a number looks as most do; so small that it never outweighs a number
MIN_DIVIDED_SHARE = 0.03
MIN_DIVIDED_ENDINGS = 2
"""Share of lines that end in a hyphen, or lines that go on with what is no word ('tion'), from which on a page divides
words: where none is divided, one line in a hundred ends with the hyphen of 'well-known'."""

# How sure a clue is; guesses that only part what agrees with everything from what does not.
P_AGREED = 0.99
P_NO_HEADING = 0.95
P_ORDERS_DIFFER = 0.6
P_BEFORE_LACKING = 0.6
P_HYPHEN = 0.85
P_CLEAR_HYPHEN = 0.95
P_QUOTE = 0.85
P_STRANGE = 0.4

_HEADING = re.compile(r"(?i)\W*(across|down)\b\W*(?:\(?\s*cont\S*\)?)?\W*(?:clues\W*)?")
_RUN_IN_HEADING = re.compile(r"(ACROSS|DOWN|Across|Down)\s*[:.]?\s+(?=[0-9]{1,3}\b)")
_START = re.compile(  # 'Down with the flu' at 43 is a clue, '43-Down. With the flu' is its number
    r"[\[(]?(?P<number>[0-9]{1,3})(?:-(?:across|down)\b|[ad]\b|\s(?:across|down)(?=[.):]))?(?P<mark>[.):\]]*)"
    r"(?P<space>\s*)(?=\S)",
    re.IGNORECASE,
)
_KEPT_HYPHEN = re.compile(r"(?i)(?:^|\W)(?:self|all|non|ex|co|pre|anti|semi|mid|half|well|twenty|thirty|forty|fifty"
                          r"|sixty|seventy|eighty|ninety|one|two|three|four|five|six|ten|[a-z])$")  # fmt: skip

_PARTED_ELLIPSIS = re.compile(r"(?<= )\. \.\.\.")  # whose first dot of three stood in the line before
_SUSPENDED = re.compile("(?:and|or|to)\\b")  # behind the hyphen of '16- and 25-Across'
_ENDING = re.compile(r"(?:[a-z]{0,4}(?:tion|sion|ment|ness|able|ible|ity|ous|ive|ance|ence|ture|tic|cal|cial|tial|ally"
                     r"|ters|lish|lished|cated|ated|ating)s?)\b")  # fmt: skip
"""What a divided word goes on with, and what is hardly ever a word behind a hyphen of its own."""


@dataclass(frozen=True)
class PrintedClue:
    """A clue as it was read, with how likely it is whole and right."""

    text: str
    probability: float
    lines: tuple[TextLine, ...] = field(repr=False)


ClueKey = tuple[int, Direction]
"""The number and direction of a clue."""

ClueStart = tuple[int, ClueKey]
"""Which line begins a clue, and which clue."""


@dataclass(frozen=True)
class ClueReading:
    """All clues that were read in one order of the lines, and the lines that are none and no heading."""

    clues: Mapping[ClueKey, PrintedClue]
    other_lines: tuple[TextLine, ...]
    has_headings: bool


def read_clues(lines: Sequence[TextLine], keys: Sequence[ClueKey]) -> ClueReading:
    """Read the clues of the entries `keys` from lines in reading order."""
    lines = _split_headings(lines)
    lines = _without_table_heads(lines)
    directions = _find_headings(lines)
    headed = {direction for direction in directions if direction}
    starts: list[ClueStart] = []
    if headed == set(Direction) or (headed and {direction for _, direction in keys} == headed):
        current: Direction | None = None
        sections: dict[Direction, list[int]] = {direction: [] for direction in Direction}
        for i, direction in enumerate(directions):
            current = direction or current
            if current and not direction:
                sections[current].append(i)
        for direction, section in sections.items():
            starts += _find_series(lines, section, [[key for key in keys if key[1] is direction]])
    else:
        plain = [i for i, direction in enumerate(directions) if not direction]
        starts = _find_series(lines, plain, [[key for key in keys if key[1] is d] for d in Direction])
    clues: dict[ClueKey, PrintedClue] = {}
    is_divided = _divides_words(lines)
    starting = dict(starts)
    claimed: set[int] = set()
    for i, key in starts:
        taken, is_last = [i], i == max(starting)
        for j in range(i + 1, min(i + MAX_CLUE_LINES, len(lines))):
            if j in starting or directions[j]:
                break
            if _continues(lines, taken, j, is_last=is_last):
                taken.append(j)
            elif not _is_footer(lines, j, is_last=is_last):
                break
        claimed.update(taken)
        clues[key] = _make_clue([lines[j] for j in taken], key[0], is_divided, bool(headed))
    clues = _doubt_before_lacking(clues, keys)
    others = tuple(x for i, x in enumerate(lines) if i not in claimed and not directions[i])
    return ClueReading(clues, others, bool(headed))


def choose_clues(in_file_order: ClueReading, by_column: ClueReading) -> ClueReading:
    """Choose the reading with more clues, the first if both have as many; doubt what the other reads differently."""
    are_as_many = len(in_file_order.clues) >= len(by_column.clues)
    best, second = (in_file_order, by_column) if are_as_many else (by_column, in_file_order)
    clues = {}
    for key, clue in best.clues.items():
        differs = key in second.clues and second.clues[key].text != clue.text
        limit = P_ORDERS_DIFFER if differs else 1.0
        clues[key] = PrintedClue(clue.text, min(clue.probability, limit), clue.lines)
    return ClueReading(clues, best.other_lines, best.has_headings)


def numbered_starts(lines: Sequence[TextLine]) -> set[tuple[int, str]]:
    """List the numbers and directions that stand before what may be clues, where headings say the direction."""
    found, current = set(), None
    lines = _split_headings(lines)
    for line, direction in zip(lines, _find_headings(lines), strict=True):
        if direction:
            current = direction
        elif current and (start := _START.match(line.text)):
            found.add((int(start["number"]), current.value))
    return found


def _split_headings(lines: Sequence[TextLine]) -> list[TextLine]:
    """Put headings that stand before a clue, in its line, on a line of their own."""
    split = []
    for line in lines:
        found = _RUN_IN_HEADING.match(line.text) if line.runs else None
        if found:
            heading, rest = line.text[: found.end()].strip(), line.text[found.end() :]
            split.append(_with_text(line, heading))
            split.append(_with_text(line, rest))
        else:
            split.append(line)
    return split


def _without_table_heads(lines: Sequence[TextLine]) -> list[TextLine]:
    """Leave out the few words between a heading and its first clue, 'No. Clue', wherever they stand again."""
    table_heads: set[str] = set()  # words: 'No.' and 'Clue' may be two lines or one
    for i, line in enumerate(lines):
        if _heading_direction(line):
            following = list(takewhile(lambda x: not _START.match(x.text), lines[i + 1 : i + 2 + MAX_TABLE_HEADS]))
            if len(following) <= MAX_TABLE_HEADS:
                words = (x.text.split() for x in following)
                table_heads.update(word for head in words if len(head) <= MAX_TABLE_HEADS for word in head)
    return [line for line in lines if not table_heads.issuperset(line.text.split()) or _heading_direction(line)]


def _with_text(line: TextLine, text: str) -> TextLine:
    return replace(line, runs=((text, False),))


def _find_headings(lines: Sequence[TextLine]) -> list[Direction | None]:
    """Return for each line the direction that it is the heading of; not of a clue's last word, 'Down', which looks as
    other lines do where headings do not.
    """
    directions = [
        None if before and re.search("[0-9]-$", before.text) else _heading_direction(line)  # 'go to 15-', 'Down)'
        for before, line in zip([None, *lines], lines, strict=False)
    ]
    usual = sorted(line.height for line in lines)[len(lines) // 2] if lines else 0.0
    stand_out = [
        line.bold_start or line.text.isupper() or line.height > (1 + MAX_SIZE_STEP / 2) * usual for line in lines
    ]
    if {d for d, outstanding in zip(directions, stand_out, strict=True) if d and outstanding} == set(Direction):
        return [d if outstanding else None for d, outstanding in zip(directions, stand_out, strict=True)]
    return directions


def _heading_direction(line: TextLine) -> Direction | None:
    """Return the direction that a line is the heading of; spaced letters count: 'A C R O S S'."""
    words = line.text.split()
    shown = "".join(words) if len(words) > 3 and all(len(word) == 1 for word in words) else line.text
    found = _HEADING.fullmatch(shown)
    return Direction.ACROSS if found and found[1].lower() == "across" else Direction.DOWN if found else None


def _find_series(lines: Sequence[TextLine], section: Sequence[int], series: list[list[ClueKey]]) -> list[ClueStart]:
    """Find the longest rising series of clue numbers at the beginnings of lines.

    Parameters
    ----------
    section : the lines, by index in `lines`, that may begin clues.
    series : the clues that are looked for, one list after the other.
    """
    ranks = {key: i for i, key in enumerate(key for part in series for key in part)}
    candidates: list[tuple[int, int, tuple[object, ...]]] = []  # line, rank, how the number looks
    for i in section:
        found = _START.match(lines[i].text)
        if found and (found["space"] or found["mark"]):
            look = _look(lines, i, found)
            for direction in reversed(Direction):  # the later rank first, so that no line counts twice
                key = (int(found["number"]), direction)
                if key in ranks:
                    candidates.append((i, ranks[key], look))
    if not candidates or len(candidates) > MAX_SERIES_LINES:
        return []
    first = _longest_series(candidates, [1.0] * len(candidates))
    looks = [
        Counter(candidates[k][2][sign] for k in first).most_common(1)[0][0] for sign in range(len(candidates[0][2]))
    ]
    weights = [1 + ALIKE_BONUS * sum(map(lambda a, b: a == b, look, looks)) for *_, look in candidates]
    by_rank = list(ranks)
    return [(candidates[k][0], by_rank[candidates[k][1]]) for k in _longest_series(candidates, weights)]


def _look(lines: Sequence[TextLine], i: int, found: re.Match[str]) -> tuple[object, ...]:
    """Return how the number of a line looks: what is behind it, whether it is bold, stands apart, or at the margin."""
    line = lines[i]
    near = [
        other.left
        for other in lines[max(0, i - 6) : i + 7]
        if other.page_number == line.page_number and abs(other.left - line.left) < 4 * line.height
    ]
    return found["mark"], line.bold_start, line.number_gap > 0, line.left - min(near) < MARGIN_SLACK * line.height


def _longest_series(candidates: Sequence[tuple[int, int, tuple[object, ...]]], weights: Sequence[float]) -> list[int]:
    """Return which candidates are in the heaviest series that rises in lines and in ranks."""
    best: list[float] = []
    before: list[int] = []
    for k, (line, rank, _) in enumerate(candidates):
        top, link = 0.0, -1
        for j in range(k):
            if candidates[j][0] < line and candidates[j][1] < rank and best[j] > top:
                top, link = best[j], j
        best.append(top + weights[k])
        before.append(link)
    series = []
    k = max(range(len(best)), key=best.__getitem__)
    while k >= 0:
        series.append(k)
        k = before[k]
    return series[::-1]


def _continues(lines: Sequence[TextLine], taken: Sequence[int], j: int, *, is_last: bool) -> bool:
    """Return whether line `j` goes on with the clue whose lines are `taken`.

    The last one goes on in its column, or where the next begins as high; else that is another text.
    """
    last, line = lines[taken[-1]], lines[j]
    in_column = [last]
    for before in (lines[i] for i in taken[-2::-1]):
        if before.page_number != last.page_number or before.baseline > in_column[-1].baseline + last.height / 2:
            break
        in_column.append(before)
    margin = min(
        x.left for x in in_column if x.baseline < in_column[-1].baseline + last.height / 2
    )  # of its first line
    is_one_scale = line.page_number == last.page_number or line.probability == 1  # each picture has its own
    if is_one_scale and abs(line.height - last.height) > MAX_SIZE_STEP * last.height:
        return False
    if line.page_number == last.page_number and line.baseline > last.baseline:
        close = line.baseline - last.baseline <= MAX_LEADING * last.height
        return close and line.left - margin > -MARGIN_SLACK * line.height and line.left < last.right
    is_level = line.page_number == last.page_number and abs(line.baseline - last.baseline) < last.height / 2
    is_next = not is_last or _begins_as_high(lines, j, taken[-1])  # at the top of the next column
    return len(taken) < MAX_LINES_BEFORE_COLUMN and (is_level or is_next)


def _begins_as_high(lines: Sequence[TextLine], j: int, i: int) -> bool:
    """Return whether line `j` is as high on the page as the column of line `i` begins."""
    while i and lines[i - 1].page_number == lines[i].page_number and lines[i - 1].baseline < lines[i].baseline:
        i -= 1
    is_one_page = lines[j].page_number == lines[i].page_number
    return is_one_page and abs(lines[j].baseline - lines[i].baseline) < lines[j].height / 2


def _is_footer(lines: Sequence[TextLine], j: int, *, is_last: bool) -> bool:
    """Return whether a line stands apart below a column, and the next column begins within a clue."""
    if j + 1 == len(lines) or j == 0:
        return False
    before, line, following = lines[j - 1 : j + 2]
    stands_apart = line.baseline - before.baseline > MAX_LEADING * before.height
    goes_on = following.text[:1].islower() or following.text[:1].isdigit()  # '1-Across'; a new clue has its own place
    goes_on |= is_last and _begins_as_high(lines, j + 1, j - 1)
    if following.probability < 1 and j + 2 < len(lines) and _START.match(lines[j + 2].text):
        # in a picture it is the line above the column's first clue
        below = lines[j + 2].baseline - following.baseline
        is_at_margin = abs(lines[j + 2].left - following.left) < MARGIN_SLACK * following.height
        goes_on |= is_at_margin and 0 < below <= MAX_LEADING * following.height
    return stands_apart and following.baseline < before.baseline and goes_on


def _divides_words(lines: Sequence[TextLine]) -> bool:
    """Return whether words are divided at the ends of lines."""
    pairs = [(one, other) for one, other in pairwise(lines) if _may_be_divided(one.text, other.text)]
    n_endings = sum(bool(_ENDING.match(other.text)) for _, other in pairs)
    are_many = len(pairs) > max(MIN_DIVIDED_SHARE * len(lines), MIN_DIVIDED_ENDINGS)
    return are_many or n_endings >= MIN_DIVIDED_ENDINGS or _are_justified(lines)


def _are_justified(lines: Sequence[TextLine]) -> bool:
    """Return whether lines that go on in the next one end at the edge of their column, as where words are divided."""
    endings: dict[tuple[int, int], list[float]] = defaultdict(list)
    for line, following in pairwise(lines):
        is_start = _START.match(following.text) or _heading_direction(following)
        if following.baseline > line.baseline and not is_start:
            endings[line.page_number, round(line.left / COLUMN_WIDTH)].append(line.right)
    # where a column ends, most of its lines tell; of each column one always ends there, which says nothing
    n_at_edge = sum(max(sum(abs(x - edge) < EDGE_WIDTH for x in ends) for edge in ends) for ends in endings.values())
    n_lines = sum(map(len, endings.values())) - len(endings)
    return n_lines >= MIN_JUSTIFIED_LINES and n_at_edge - len(endings) >= MIN_JUSTIFIED_SHARE * n_lines


def _may_be_divided(line: str, following: str) -> bool:
    """Return whether a line may end within a word that the following one begins with."""
    return line.endswith("-") and line[-2:-1].isalpha() and following[:1].islower()


def _make_clue(lines: Sequence[TextLine], number: int, is_divided: bool, has_headings: bool) -> PrintedClue:
    runs: list[Run] = []
    probability = min(P_AGREED if has_headings else P_NO_HEADING, *(line.probability for line in lines))
    for line in lines:
        pieces = list(line.runs)
        if runs:
            last_text, last_italic = runs[-1][0].rstrip(), runs[-1][1]
            if last_text.endswith("-") and _SUSPENDED.match(line.text):
                runs.append((" ", last_italic))
            elif last_text.endswith("\u00ad"):
                runs[-1] = (last_text[:-1], last_italic)
            elif _may_be_divided(last_text, line.text):
                is_ending = bool(_ENDING.match(line.text))
                is_kept = bool(_KEPT_HYPHEN.search(last_text[:-1])) and not is_ending
                is_joined = is_ending or (is_divided and not is_kept)
                runs[-1] = (last_text[:-1] if is_joined else last_text, last_italic)
                is_clear = is_ending == is_divided and (is_ending or not is_kept or not is_divided)
                probability = min(probability, P_CLEAR_HYPHEN if is_clear else P_HYPHEN)
            elif last_text.endswith(("-", "/")) and last_text[-2:-1].isalnum():
                runs[-1] = (last_text, last_italic)
            else:
                runs.append((" ", last_italic))
        runs += pieces
    plain = "".join(piece for piece, _ in runs)
    start = _START.match(plain.lstrip())
    skip = len(plain) - len(plain.lstrip()) + (start.end() if start else 0)
    clue = " ".join(text.quote_italics(_skip(runs, skip)).split())
    if any(line.probability < 1 for line in lines):
        clue = _PARTED_ELLIPSIS.sub("...", clue)
        if (mended := _pair_quotes(clue)) != clue:
            clue, probability = mended, min(probability, P_QUOTE)
    if "\ufffd" in clue or not clue or len(clue) > MAX_CLUE_CHARACTERS or len(lines) >= MAX_CLUE_LINES:
        probability = P_STRANGE
    return PrintedClue(clue[:MAX_CLUE_CHARACTERS], probability, tuple(lines))


def _pair_quotes(clue: str) -> str:
    """Put a quotation mark for an apostrophe where one is lacking, as where a letter touches half of it."""
    if re.search('[0-9]"', clue):  # inches
        return clue
    n_opening = len(re.findall(r'(?<![^\s(])"', clue))
    n_closing = clue.count('"') - n_opening
    if n_opening == n_closing:
        return clue
    alone = re.compile(r"(?<![^\s(])'(?=[^\W\d])" if n_opening < n_closing else r"(?<=[^\s(])'(?!\w)")
    return alone.sub('"', clue) if len(alone.findall(clue)) == abs(n_opening - n_closing) else clue


def _skip(runs: Sequence[Run], n_characters: int) -> list[Run]:
    """Take so many characters from the beginning of runs."""
    left = []
    for piece, italic in runs:
        taken = min(len(piece), n_characters)
        n_characters -= taken
        if piece[taken:]:
            left.append((piece[taken:], italic))
    return left


def _doubt_before_lacking(clues: Mapping[ClueKey, PrintedClue], keys: Sequence[ClueKey]) -> dict[ClueKey, PrintedClue]:
    """Doubt the clue before one that was not found: it may have swallowed it."""
    doubted = dict(clues)
    for direction in Direction:
        ordered = [key for key in keys if key[1] is direction]
        for before, key in pairwise(ordered):
            if key not in clues and before in doubted:
                clue = doubted[before]
                doubted[before] = PrintedClue(clue.text, min(clue.probability, P_BEFORE_LACKING), clue.lines)
    return doubted
