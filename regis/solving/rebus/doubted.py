"""Which contents of several letters the person wrote are probably wrong: the grid is filled again without each.

A letter is judged by belief propagation in which it is soft (solving.letter_check). For a content that is not to be
had: the lists through it are of other lengths with it than without. So the grid is filled with all contents, and again
as if one square held a single letter, whose entries no list explains. Is it so much likelier then, and was the content
not one thing across and another down, as C/I is written CI, it is wrong. What a rebus costs (rebus.prices) counts for
the grid without it.

In a rebus square a single letter is as wrong. So rebus squares are looked for with such contents, and without them:
those in whose place another content is found are wrong, if that makes the grid so much likelier.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from regis.puzzle import Cell, Puzzle
from regis.solving.local_search import LocalSearch
from regis.solving.rebus.prices import CONTENT, price
from regis.solving.rebus.search import Hypothesis, Rebus
from regis.solving.rebus.squares import Squares, begun, turned
from regis.solving.rebus.written import LONGEST, readings
from regis.solving.solution import Candidates, Filler
from regis.solving.solved import BOTH
from regis.system.deadline import passed

ALLOWED = 30.0
"""By how much, in natural log, may a grid be less likely with a content than without it, before the content is more
likely wrong than right? (Measured: docs/measured.md.)"""

TRIED = 3  # contents of a puzzle for which it is filled again, at most, those of the least likely entries


def judged(puzzle: Puzzle, among: Candidates, own: Squares, fill: Filler, deadline: float) -> Mapping[Cell, float]:
    """P(right) of each content of the person's `own`, row by row: 1 where nothing speaks against it.

    `puzzle` has the letters that are believed, `among` is what is known without the contents. Contents that are longer
    than LONGEST or one too many are left out; so are those that are not judged before the time (time.monotonic) is up.
    """
    if not own:
        return {}
    rebus = Rebus(puzzle.without(own), among, fill, deadline)
    with_all = fill(begun(puzzle, own), rebus.known(own), deadline)
    if passed(deadline):
        return {}
    best = rebus.with_own(rebus.weighed(own, with_all))
    likely = _entries(rebus, best)
    odd = sorted((p, cell) for cell, p in likely.items() if p < -ALLOWED and len(own[cell]) <= LONGEST)
    chances, believed = {cell: 1.0 for cell, p in likely.items() if p >= -ALLOWED}, []
    for _, cell in odd[:TRIED]:
        without = rebus.filled({other: x for other, x in best.squares.items() if other != cell}, best)
        odds = ALLOWED + best.worth - without.worth
        otherwise = _otherwise(rebus, best, without, cell, own[cell])
        while odds < 0 and not passed(deadline) and (other := next(otherwise, None)) is not None:
            odds = max(odds, ALLOWED + other)
        if passed(deadline):
            break
        if odds < 0:
            chances[cell], best = _chance(odds), without
        else:
            believed.append(cell)
    if believed and not passed(deadline):
        found = {**dict.fromkeys(believed, 1.0), **_found(rebus, best, believed)}
        chances |= {} if passed(deadline) else found
    return dict(sorted(chances.items()))


def _entries(rebus: Rebus, grid: Hypothesis) -> Mapping[Cell, float]:
    """Natural log probability of all entries through each of a grid's squares together, by their lists."""
    search = LocalSearch(begun(rebus.puzzle, grid.squares), rebus.known(grid.squares))
    likely = [search.entry(i, grid.solution.answer(slot)) for i, slot in enumerate(search.slots)]
    return {cell: sum(likely[i] for i in search.through[cell]) for cell in grid.squares}


def _found(rebus: Rebus, grid: Hypothesis, doubtful: Sequence[Cell]) -> Mapping[Cell, float]:
    """P(right) of those of a grid's `doubtful` contents in whose place others are found if they are left out."""
    left = rebus.filled({cell: x for cell, x in grid.squares.items() if cell not in doubtful}, grid)
    without, with_ = (rebus.weighed(*rebus.find(one.solution, one.squares)) for one in (left, grid))
    chance = _chance(ALLOWED + with_.worth - without.worth)
    found = {cell: without.squares.get(cell, "") for cell in doubtful}
    return {cell: chance for cell, x in found.items() if len(x) > 1 and not _same(grid.squares[cell], x)}


def _same(content: str, other: str) -> bool:
    """Whether one may be written for the other: HT for H/T or T/H, or one of the two."""
    either = content.split(BOTH), other.split(BOTH)
    joined = content.replace(BOTH, ""), other.replace(BOTH, ""), turned(other).replace(BOTH, "")
    return joined[0] in joined[1:] or not set(either[0]).isdisjoint(either[1])


def _chance(odds: float) -> float:
    """The probability for these odds in natural log, 1 for any that are even or better."""
    return math.exp(odds) / (1 + math.exp(odds)) if odds < 0 else 1.0


def _otherwise(rebus: Rebus, grid: Hypothesis, without: Hypothesis, cell: Cell, content: str) -> Iterator[float]:
    """How much likelier a grid is than one `without` a content that is one thing across and another down.

    It may be the first of several such that the person wrote, so it costs no more than a content of one kind.
    """
    for both in readings({cell: content}, alone=True):
        other = rebus.filled({**grid.squares, **both}, grid)
        cost = price(other.squares, rebus.among.kin) - price(without.squares, rebus.among.kin)
        yield other.worth - without.worth + max(cost - CONTENT, 0.0)
