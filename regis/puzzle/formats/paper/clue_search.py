"""Finds where each clue of a grid starts on its pages, as a cheapest path.

The grid determines which clue numbers are expected, and in which order: 1A, 4A, ..., then the down clues. Each printed
number or heading that matches is a node. A path pays for each expected clue that it skips, for numbers in the middle of
a line, and for moves between columns. The cheapest path also shows where the columns are. The margin of a clue is the
cost of the best path without its place, minus the cost of the cheapest path. A clue with a large margin is certain.
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
    """Costs of a path. Halving or doubling one hardly changes any reading: docs/experiments/page-search.md."""

    missing_clue: float = 2.0  # per expected clue that the path skips
    missing_heading: float = 0.5  # per expected heading that the path skips
    mid_line: float = 1.5  # a number in the middle of a line
    narrow_gutter: float = 0.2  # a number close to the word before it, but aligned with other numbers
    next_column: float = 0.3  # a move to a column on the right, or to a later page
    previous_column: float = 0.6  # a move down to a column on the left
    backward: float = 1.5  # a move up, or to an earlier page


COSTS = Costs()
MAX_PLACES = 800  # numbers and headings; a text with more isn't a list of clues

_NUMBER = re.compile(
    r"[\[(]?(?P<number>[1-9][0-9]{0,2})(?![0-9])(?P<linked>(?:[,/&][1-9][0-9]{0,2})*)"
    r"(?P<direction>-?(?:across|down|ac|dn|[ad])(?![a-z]))?(?P<mark>[.):\],]{0,3})(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_HEADING = re.compile(r"(?i)\W{0,3}(across|down)\b\W{0,3}(?:cont\w{0,6})?\W{0,3}(?:clues)?\W{0,3}")


class Place(NamedTuple):
    """A printed number or heading."""

    word: Word
    number: int  # 0 for a heading
    heading: str  # 'A' or 'D' for a heading, '' for a number
    rest: str  # text attached to a number
    cost: float
    row: tuple[Word, ...] = ()  # all words of a heading


@dataclass(frozen=True)
class Path:
    """The place of each clue.

    Attributes
    ----------
    places : in reading order.
    margins : the extra cost of the best path that uses another place for a clue, or none.
    headings : those on the path, and others of the same type size.
    missing_after : each missing clue, by the clue before it.
    """

    places: Mapping[ClueKey, Place]
    margins: Mapping[ClueKey, float]
    headings: tuple[Place, ...]
    missing_after: Mapping[ClueKey, ClueKey]
    cost: float


def find_places(words: Sequence[Word]) -> list[Place]:
    """Find the numbers that may start clues, and the headings."""
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
            is_in_row = abs(middles - word.middle) < SLACK * np.maximum(heights, word.height)
            preceding = rights[is_in_row & (lefts < word.left) & (rights < word.left + SLACK * word.height)]
            is_start = word.left - preceding.max(initial=-np.inf) > 2 * SLACK * word.height
            cost = 0.0 if is_start else COSTS.mid_line
            places.append(Place(word, int(found["number"]), "", found["rest"], cost))
            if len(places) > MAX_PLACES:
                return []
    return [_discount_aligned_number(place, places) for place in places]


def _discount_aligned_number(place: Place, places: Sequence[Place]) -> Place:
    """Lower the cost of a number that is close to a word but aligned with other numbers: the gutter is narrow."""
    word = place.word
    n_aligned = sum(
        other.number > 0 and not other.cost and other.word.page_number == word.page_number
        and abs(other.word.left - word.left) < SPACE_WIDTH * word.height
        for other in places
    )  # fmt: skip
    return place._replace(cost=min(place.cost, COSTS.narrow_gutter)) if n_aligned > 1 else place


def _may_begin(mark: str, rest: str) -> bool:
    """Return whether a number with this attached text may start a clue, unlike 1st, 8-ball, and 1,000."""
    return not rest or not (rest[0].isdigit() or (not mark and (rest[0].islower() or rest[0] in "-–—'’%/½")))


def _find_headings(words: Sequence[Word]) -> Iterator[Place]:
    """Find the directions that are printed alone in their row."""
    height = float(np.median([word.height for word in words]))
    for row in group_rows(words, height):
        for part in split_row(row, SLACK):
            text = text_of(part)
            if found := _HEADING.fullmatch(text):
                word = part[0]._replace(text=text, right=part[-1].right)
                yield Place(word, 0, found[1][0].upper(), "", 0.0, tuple(part))


def find_path(places: Sequence[Place], keys: Sequence[ClueKey]) -> Path:
    """Find the cheapest path that uses each place for at most one clue."""
    numbers = {number for number, _ in keys}
    expected = [place for place in places if place.heading or place.number in numbers]
    ordered = sorted(keys, key=lambda key: key[1])  # across first; the sort keeps the numbers' order
    path = _search(expected, ordered, ())
    uses = [{use for use in path.places.items() if use[0][1] is direction} for direction in Direction]
    shared = set.intersection(*({place for _, place in of_direction} for of_direction in uses))
    if shared:
        bans = ({use for use in of_direction if use[1] in shared} for of_direction in uses)
        path = min((_search(expected, ordered, banned) for banned in bans), key=lambda path: path.cost)
    return path


def _search(places: Sequence[Place], keys: Sequence[ClueKey], banned: Collection[tuple[ClueKey, Place]]) -> Path:
    """Find the cheapest path without the banned pairs of clue and place."""
    ranks: list[tuple[str, ClueKey | None]] = []  # headings and clues in the expected order
    for direction, of_direction in groupby(keys, key=lambda key: key[1]):
        ranks += [(direction.value, None), *(("", key) for key in of_direction)]
    nodes = [
        (rank, place)
        for rank, (heading, key) in enumerate(ranks)
        for place in places
        if (place.heading == heading if key is None else place.number == key[0] and (key, place) not in banned)
    ]
    if not nodes:
        return Path({}, {}, (), {}, COSTS.missing_clue * len(keys))
    skip_costs = np.cumsum([0.0, *(COSTS.missing_clue if key else COSTS.missing_heading for _, key in ranks)])
    node_ranks = np.array([rank for rank, _ in nodes])
    steps = _price_steps([place for _, place in nodes], node_ranks, skip_costs)
    taken, through = _find_cheapest(steps)
    used = {nodes[i][1] for i in taken[1:-1]}
    is_unused = np.array([place not in used for _, place in nodes])
    found, margins = {}, {}
    for last, i, following in zip(taken, taken[1:], taken[2:], strict=False):
        rank, place = nodes[i]
        if key := ranks[rank][1]:
            others = through[1:-1][(node_ranks == rank) & is_unused]
            skipped = steps[last + 1, following + 1] - steps[last + 1, i + 1] - steps[i + 1, following + 1]
            found[key], margins[key] = place, min(float(others.min(initial=np.inf)) - through[0], float(skipped))
    sizes = {round(np.log(place.word.height) * 12) for place in used if place.heading}
    headings = tuple(place for place in places if place.heading and round(np.log(place.word.height) * 12) in sizes)
    missing_after = {last: key for last, key in pairwise(keys) if key not in found and last in found}
    return Path(found, margins, headings, missing_after, float(through[0]))


def _price_steps(places: Sequence[Place], ranks: NDArray[np.int64], skip_costs: Floats) -> Floats:
    """Return the cost of each step, including the place that it leads to and the clues that it skips.

    Parameters
    ----------
    ranks : (places,) position of each place's clue in the expected order, ascending.
    skip_costs : (clues + 1,) cost of skipping all clues before each one.

    Returns
    -------
    (places + 2, places + 2) costs; the first node is the start, the last is the end, and a step backward is infinite.
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
    jumps = np.where(is_right, COSTS.next_column, np.where(is_below, COSTS.previous_column, COSTS.backward))
    moves = np.where(is_column & is_below, 0.0, jumps)
    moves = np.where(page == page.T, moves, np.where(page < page.T, COSTS.next_column, COSTS.backward))
    n = len(places)
    steps = np.full((n + 2, n + 2), np.inf)
    skips = skip_costs[ranks] - skip_costs[ranks + 1][:, None]
    steps[1:-1, 1:-1] = np.where(ranks[:, None] < ranks, moves + skips, np.inf)
    steps[0, 1:-1], steps[1:-1, -1] = skip_costs[ranks], skip_costs[-1] - skip_costs[ranks + 1]
    steps[0, -1] = skip_costs[-1]
    steps[:, 1:-1] += np.array([place.cost for place in places])
    return steps


def _find_cheapest(steps: Floats) -> tuple[list[int], Floats]:
    """Find the cheapest path from start to end.

    Returns
    -------
    taken : the places on the path, with -1 for the start and the number of places for the end.
    through : (places + 2,) cost of the cheapest path through each node.
    """
    n = len(steps)
    forward, backward, previous = np.zeros(n), np.zeros(n), np.zeros(n, int)
    for j in range(1, n):
        costs = forward[:j] + steps[:j, j]
        previous[j] = int(costs.argmin())
        forward[j] = costs[previous[j]]
    for i in reversed(range(n - 1)):
        backward[i] = (steps[i, i + 1 :] + backward[i + 1 :]).min()
    taken = [n - 1]
    while taken[-1]:
        taken.append(int(previous[taken[-1]]))
    return [k - 1 for k in reversed(taken)], forward + backward
