"""Which given contents of several letters are probably wrong: the grid is filled again without each.

Lists through a content have other lengths with it than without, so propagation can't judge it as it does letters. A
content is wrong if the grid, price paid (rebus.prices), is much likelier with an unlisted single letter there, and the
content isn't one thing across and another down, as C/I is written CI. In a rebus square a single letter is as wrong, so
contents replaced by a search without them are wrong, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from regis.puzzle import Cell, Puzzle
from regis.solving.filler import Filler, SolverInput
from regis.solving.inference.evidence import GridEvidence
from regis.solving.rebus.search import RebusSearch
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    MAX_TWO_WAY_LETTERS,
    RebusSquares,
    swap_directions,
    two_way_readings,
    with_tokens,
)
from regis.solving.state import State
from regis.system.progress import is_past


@dataclass(frozen=True)
class ContentSettings:
    """When a given content is called wrong. (Measured: docs/experiments/rebus-given.md)"""

    prior_log_odds: float = 30.0
    """Nats by which a grid may be less likely with a content before the content is probably wrong."""

    max_removed_contents: int = 3  # contents without which the grid is filled again: those of the least likely entries


def p_contents_correct(
    puzzle: Puzzle,
    inputs: SolverInput,
    given_squares: RebusSquares,
    filler: Filler,
    deadline: float,
    settings: ContentSettings = ContentSettings(),
) -> Mapping[Cell, float]:
    """Return P(right) of the contents that the person wrote, row by row, 1 if nothing speaks against one.

    `puzzle` has the believed letters, `inputs` no contents; `filler` propagates beliefs. Left out are contents longer
    than MAX_TWO_WAY_LETTERS, those not judged by the deadline (time.monotonic), and, of more than
    `max_removed_contents` doubtful ones, those that aren't probably wrong.
    """
    if not given_squares:
        return {}
    search = RebusSearch(puzzle.without_letters(given_squares), inputs, filler, deadline)
    start, all_inputs = with_tokens(puzzle, given_squares), search.collapse_inputs(given_squares)
    with_all = State(start, all_inputs, filler(start, all_inputs, deadline), given_squares)
    if is_past(deadline):
        return {}
    best = search.read_two_ways(search.score_squares(with_all))
    logp, prior = _entries_logp(best), settings.prior_log_odds
    odd = sorted(
        (p, cell) for cell, p in logp.items() if p < -prior and len(given_squares[cell]) <= MAX_TWO_WAY_LETTERS
    )
    p_correct, trusted = {cell: 1.0 for cell, p in logp.items() if p >= -prior}, []
    for _, cell in odd[: settings.max_removed_contents]:
        without = search.refill({other: x for other, x in best.squares.items() if other != cell}, best)
        log_odds = prior + best.score - without.score
        two_way_gains = _two_way_log_odds(search, best, without, cell, given_squares[cell])
        while log_odds < 0 and not is_past(deadline) and (gain := next(two_way_gains, None)) is not None:
            log_odds = max(log_odds, prior + gain)
        if is_past(deadline):
            break
        if log_odds < 0:
            p_correct[cell], best = _probability(log_odds), without
        elif len(odd) <= settings.max_removed_contents:
            trusted.append(cell)
    if trusted and not is_past(deadline):
        p_trusted = {**dict.fromkeys(trusted, 1.0), **_p_replaced_correct(search, best, trusted, prior)}
        p_correct |= {} if is_past(deadline) else p_trusted
    return dict(sorted(p_correct.items()))


def _entries_logp(grid: State) -> Mapping[Cell, float]:
    """Return the log probability of all entries through each rebus square, by their lists."""
    evidence = GridEvidence(grid.puzzle, grid.inputs)
    logp = {slot: evidence.entry_logp(i, grid.fill.answer(slot)) for i, slot in enumerate(evidence.slots)}
    return {cell: sum(logp[slot] for slot, _ in grid.puzzle.grid.slots_through[cell]) for cell in grid.squares}


def _p_replaced_correct(
    search: RebusSearch, grid: State, doubtful: Sequence[Cell], prior: float
) -> Mapping[Cell, float]:
    """Return P(right) of the `doubtful` contents that the search replaces once they are left out."""
    left = search.refill({cell: x for cell, x in grid.squares.items() if cell not in doubtful}, grid)
    without, with_all = map(search.find_squares, (left, grid))
    p = _probability(prior + with_all.score - without.score)
    replaced = {cell: without.squares.get(cell, "") for cell in doubtful}
    return {cell: p for cell, x in replaced.items() if len(x) > 1 and not _is_same_content(grid.squares[cell], x)}


def _is_same_content(content: str, other: str) -> bool:
    """Return whether one may be written for the other: HT for H/T or T/H, or one of the two."""
    joined, *others = (x.replace(CONTENT_SEPARATOR, "") for x in (content, other, swap_directions(other)))
    return joined in others or not set(content.split(CONTENT_SEPARATOR)).isdisjoint(other.split(CONTENT_SEPARATOR))


def _probability(log_odds: float) -> float:
    """Return the probability for these log odds, 1 for even or better."""
    return math.exp(log_odds) / (1 + math.exp(log_odds)) if log_odds < 0 else 1.0


def _two_way_log_odds(search: RebusSearch, grid: State, without: State, cell: Cell, content: str) -> Iterator[float]:
    """Yield the gain of each two-way reading of one content over leaving it out.

    It may be the first of several that the person wrote, so it costs no more than a content of one kind.
    """
    for squares in two_way_readings({cell: content}):
        other = search.refill({**grid.squares, **squares}, grid)
        yield other.score - without.score + max(other.price - without.price - search.settings.content, 0.0)
