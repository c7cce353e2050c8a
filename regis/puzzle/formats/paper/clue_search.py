"""Where the clues of a grid begin on its pages, as the cheapest path.

The grid says which numbers must stand before clues, in which order: 1A, 4A, ..., then the downs. Each place where one
of them stands, and each heading, is a step that a path may take; leaving out one that is due costs much, one within a
line something, and so does going from column to column. The cheapest path says where the columns are, too. How much
dearer the best path over another place would be says how sure a clue's place is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.puzzle import Direction
from regis.puzzle.formats.paper.page_words import SLACK, SPACE_WIDTH, Word, group_rows, split_row, text_of

Floats = NDArray[np.float64]

ClueKey = tuple[int, Direction]
"""The number and direction of a clue."""


class Costs(NamedTuple):
    """What a path costs. Half and double of each read nearly the same: docs/experiments/page-search.md."""

    missing_clue: float = 2.0  # each that is due and left out
    missing_heading: float = 0.5
    mid_line: float = 1.5  # a number within a line
    narrow_gutter: float = 0.2  # one that follows a word at once, but stands below others
    next_column: float = 0.3  # going to a column right of the last, or to the next page
    column_before: float = 0.6  # to one left of it
    backwards: float = 1.5  # up, or to a page before


COSTS = Costs()
MAX_PLACES = 800  # of numbers and headings; more are no clues

_NUMBER = re.compile(
    r"[\[(]?(?P<number>[1-9][0-9]{0,2})(?![0-9])(?P<linked>(?:[,/&][1-9][0-9]{0,2})*)"
    r"(?P<way>-?(?:across|down|ac|dn|[ad])(?![a-z]))?(?P<mark>[.):\],]{0,3})(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_HEADING = re.compile(r"(?i)\W{0,3}(across|down)\b\W{0,3}(?:cont\w{0,6})?\W{0,3}(?:clues)?\W{0,3}")


class Place(NamedTuple):
    """Where a number or a heading stands."""

    word: Word
    number: int  # 0 for a heading
    heading: str  # 'A', 'D', or ''
    rest: str  # what touches it
    cost: float
    row: tuple[Word, ...] = ()  # of a heading


@dataclass(frozen=True)
class Path:
    """Which place was taken for each clue.

    Attributes
    ----------
    places : in reading order.
    margins : by how much the path would be dearer with the next best place for a clue, or without it.
    headings : those that are followed, and all of their size.
    gaps : the clue before each that was not found, and that one.
    """

    places: Mapping[ClueKey, Place]
    margins: Mapping[ClueKey, float]
    headings: tuple[Place, ...]
    gaps: tuple[tuple[ClueKey, ClueKey], ...]
    cost: float


def find_places(words: Sequence[Word]) -> list[Place]:
    """Find what may be the number of a clue or a heading."""
    pages: dict[int, list[Word]] = defaultdict(list)
    for word in words:
        pages[word.page_number].append(word)
    places = [heading for on_page in pages.values() for heading in _find_headings(on_page)]
    for on_page in pages.values():
        lefts, rights, middles, heights = np.array([(x.left, x.right, x.middle, x.height) for x in on_page]).T
        for word in on_page:
            found = _NUMBER.fullmatch(word.text)
            if not found or not _may_begin(found["mark"], found["rest"]):
                continue
            is_beside = abs(middles - word.middle) < SLACK * np.maximum(heights, word.height)
            before = rights[is_beside & (lefts < word.left) & (rights < word.left + SLACK * word.height)]
            is_start = word.left - before.max(initial=-np.inf) > 2 * SLACK * word.height
            cost = 0.0 if is_start else COSTS.mid_line
            places.append(Place(word, int(found["number"]), "", found["rest"], cost))
            if len(places) > MAX_PLACES:
                return []
    return [_support(place, places) for place in places]


def _support(place: Place, places: Sequence[Place]) -> Place:
    """Make a number cheaper that follows a word at once but stands below others: the gutter is narrow there."""
    word = place.word
    n_aligned = sum(
        other.number > 0 and not other.cost and other.word.page_number == word.page_number
        and abs(other.word.left - word.left) < SPACE_WIDTH * word.height
        for other in places
    )  # fmt: skip
    return place._replace(cost=min(place.cost, COSTS.narrow_gutter)) if n_aligned > 1 else place


def _may_begin(mark: str, rest: str) -> bool:
    """Return whether what touches a number may be a clue: not 1st, 8-ball, 1,000."""
    return not rest or not (rest[0].isdigit() or (not mark and (rest[0].islower() or rest[0] in "-–—'’%/½")))


def _find_headings(words: Sequence[Word]) -> Iterator[Place]:
    """Find what names a direction and stands alone."""
    height = float(np.median([word.height for word in words]))
    for row in group_rows(words, height):
        for part in split_row(row, SLACK):
            text = text_of(part)
            if found := _HEADING.fullmatch(text):
                word = part[0]._replace(text=text, right=part[-1].right)
                yield Place(word, 0, found[1][0].upper(), "", 0.0, tuple(part))


def find_path(places: Sequence[Place], keys: Sequence[ClueKey]) -> Path:
    """Find the cheapest path over the places of clues, of those that are due; none is of two clues."""
    numbers = {number for number, _ in keys}
    due = [place for place in places if place.heading or place.number in numbers]
    ordered = sorted(keys, key=lambda key: key[1])  # across first; the sort keeps the numbers' order
    path = _search(due, ordered, ())
    places_of = {
        direction: {place for key, place in path.places.items() if key[1] is direction} for direction in Direction
    }
    if twice := set.intersection(*places_of.values()):
        banned = ([(key, path.places[key]) for key in path.places if key[1] is direction] for direction in Direction)
        uses = [{(key, place) for key, place in of_one if place in twice} for of_one in banned]
        path = min((_search(due, ordered, use) for use in uses), key=lambda path: path.cost)
    return path


def _search(places: Sequence[Place], keys: Sequence[ClueKey], banned: Collection[tuple[ClueKey, Place]]) -> Path:
    """Find the cheapest path in one order of clues, some of which are not where they were found."""
    ranks: list[tuple[str, ClueKey | None]] = []
    for direction, of_one in groupby(keys, key=lambda key: key[1]):
        ranks += [(direction.value, None), *(("", key) for key in of_one)]
    nodes = [
        (rank, place)
        for rank, (heading, key) in enumerate(ranks)
        for place in places
        if (place.heading == heading if key is None else place.number == key[0] and (key, place) not in banned)
    ]
    if not nodes:
        return Path({}, {}, (), (), COSTS.missing_clue * len(keys))
    left_out = np.cumsum([0.0, *(COSTS.missing_clue if key else COSTS.missing_heading for _, key in ranks)])
    of_rank = np.array([rank for rank, _ in nodes])
    steps = _price_steps([place for _, place in nodes], of_rank, left_out)
    taken, through = _find_cheapest(steps)
    used = {nodes[i][1] for i in taken[1:-1]}
    is_free = np.array([place not in used for _, place in nodes])
    found, margins = {}, {}
    for before, i, behind in zip(taken, taken[1:], taken[2:], strict=False):
        rank, place = nodes[i]
        if key := ranks[rank][1]:
            others = through[1:-1][(of_rank == rank) & is_free]
            without = steps[before + 1, behind + 1] - steps[before + 1, i + 1] - steps[i + 1, behind + 1]
            found[key], margins[key] = place, min(float(others.min(initial=np.inf)) - through[0], float(without))
    sizes = {round(np.log(place.word.height) * 12) for place in used if place.heading}
    headings = tuple(place for place in places if place.heading and round(np.log(place.word.height) * 12) in sizes)
    gaps = tuple((before, key) for before, key in pairwise(keys) if key not in found and before in found)
    return Path(found, margins, headings, gaps, float(through[0]))


def _price_steps(places: Sequence[Place], ranks: NDArray[np.int64], left_out: Floats) -> Floats:
    """Return what each step costs, with its place and what is left out on the way.

    Parameters
    ----------
    ranks : (places,) which of the clues that are due each is of, in rising order.
    left_out : (clues + 1,) what it costs to leave out all before each.

    Returns
    -------
    (places + 2, places + 2) from each to each, the first being the beginning, the last the end; infinite to one before.
    """
    words = [place.word for place in places]
    page, left, right, middle, height = np.array(
        [(word.page_number, word.left, word.right, word.middle, word.height) for word in words]
    ).T[:, :, None]
    is_heading = np.array([bool(place.heading) for place in places])[:, None]
    slack = SLACK * np.maximum(height, height.T)
    is_column = abs(left - left.T) < slack
    is_column |= is_heading & (right > left.T)
    is_below, is_right = middle < middle.T, left + slack < left.T
    beside = np.where(is_right, COSTS.next_column, np.where(is_below, COSTS.column_before, COSTS.backwards))
    moves = np.where(is_column & is_below, 0.0, beside)
    moves = np.where(page == page.T, moves, np.where(page < page.T, COSTS.next_column, COSTS.backwards))
    n = len(places)
    steps = np.full((n + 2, n + 2), np.inf)
    steps[1:-1, 1:-1] = np.where(ranks[:, None] < ranks, moves + left_out[ranks] - left_out[ranks + 1][:, None], np.inf)
    steps[0, 1:-1], steps[1:-1, -1] = left_out[ranks], left_out[-1] - left_out[ranks + 1]
    steps[0, -1] = left_out[-1]
    steps[:, 1:-1] += np.array([place.cost for place in places])
    return steps


def _find_cheapest(steps: Floats) -> tuple[list[int], Floats]:
    """Find the cheapest way from beginning to end.

    Returns
    -------
    taken : the places on it, with -1 for the beginning and their count for the end.
    through : (places + 2,) what the cheapest way over each place costs.
    """
    n = len(steps)
    forward, backward, before = np.zeros(n), np.zeros(n), np.zeros(n, int)
    for j in range(1, n):
        reached = forward[:j] + steps[:j, j]
        before[j] = int(reached.argmin())
        forward[j] = reached[before[j]]
    for i in reversed(range(n - 1)):
        backward[i] = (steps[i, i + 1 :] + backward[i + 1 :]).min()
    taken = [n - 1]
    while taken[-1]:
        taken.append(int(before[taken[-1]]))
    return [k - 1 for k in reversed(taken)], forward + backward
