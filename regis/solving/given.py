"""Which of the person's letters and contents to believe.

Belief propagation with soft given letters judges them: each is right with probability 1 - `PRIOR_WRONG` at first (a
noisy observation), then clues and crossings add evidence. A letter below `DOUBTED_BELOW` is hidden from the filler, but
stays in the person's grid.

Contents of several letters are judged first, because the lists that judge letters include them. With a content, the
lists through it have other lengths than without, so propagation can't judge it. Instead, the grid is filled again
without each content. A content is wrong if the grid, price paid (rebus.prices), is much likelier with an unlisted
single letter there, and the content isn't one thing across and another down, as when CI stands for C/I. In a rebus
square a single letter is equally wrong, so a content is also wrong if a search without it finds another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from regis.puzzle import Cell, Puzzle
from regis.puzzle.alphabet import ALPHABET, is_letters_only
from regis.solving import belief
from regis.solving.filler import SolverInput, StopReason
from regis.solving.inference.evidence import GridEvidence
from regis.solving.inference.propagation import propagate
from regis.solving.rebus.collapsed import CollapsedLists
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    MAX_TWO_WAY_LETTERS,
    RebusSquares,
    find_given_squares,
    swap_directions,
    two_way_readings,
    with_tokens,
)
from regis.solving.state import State, seems_to_hide_squares
from regis.system.progress import is_past

if TYPE_CHECKING:
    from regis.solving.rebus.search import RebusSearch

PRIOR_WRONG = 0.02
"""Prior P(a given letter is wrong). A higher one finds more wrong letters, and accuses more right ones
(docs/experiments/given-letters.md)."""

DOUBTED_BELOW = 0.5  # P(right) below which a letter is reported, since it is more likely wrong than right


@dataclass(frozen=True)
class ContentSettings:
    """When a given content counts as wrong. (Measured: docs/experiments/rebus-given.md)"""

    prior_log_odds: float = 30.0
    """Nats that a content may cost its grid before it is probably wrong."""

    max_removed_contents: int = 3  # contents that are left out, one by one: those of the least likely entries


CONTENTS = ContentSettings()


class GivenReview(NamedTuple):
    """What to believe of the squares that the person filled."""

    puzzle: Puzzle  # without anything that is probably wrong
    squares: RebusSquares  # the puzzle's contents of several letters
    inputs: SolverInput  # lists with these contents
    doubts: Mapping[Cell, float]  # P(right) of everything that is probably wrong
    checked_cells: frozenset[Cell]  # all squares that were judged


def review_given(puzzle: Puzzle, inputs: SolverInput, deadline: float) -> GivenReview:
    """Find the given letters and contents that are probably wrong, by lists without contents.

    If time (time.monotonic) runs out, all contents are believed, and all letters that weren't checked.
    """
    trusting = review_letters(puzzle, inputs, deadline)
    p_correct = p_contents_correct(trusting.puzzle, inputs, trusting.squares, deadline)
    wrong = {cell: p for cell, p in p_correct.items() if p < DOUBTED_BELOW}
    review = trusting
    if wrong and not is_past(deadline):
        review = review_letters(puzzle.without_letters(wrong), inputs, deadline)
    if is_past(deadline):
        return trusting
    return review._replace(doubts={**review.doubts, **wrong}, checked_cells=review.checked_cells | p_correct.keys())


def review_letters(puzzle: Puzzle, inputs: SolverInput, deadline: float) -> GivenReview:
    """Find the given letters that are probably wrong, assuming that all contents are right."""
    squares = find_given_squares(puzzle)
    rebus_inputs = CollapsedLists(inputs, deadline).collapse_inputs(squares)
    p_correct = p_given_correct(with_tokens(puzzle, squares), rebus_inputs, deadline)
    p_correct = {cell: p for cell, p in p_correct.items() if cell not in squares}
    wrong = {cell: p for cell, p in p_correct.items() if p < DOUBTED_BELOW}
    return GivenReview(puzzle.without_letters(wrong), squares, rebus_inputs, wrong, frozenset(p_correct))


def p_given_correct(puzzle: Puzzle, inputs: SolverInput, deadline: float) -> Mapping[Cell, float]:
    """Return P(right) of every given single letter in a slot, row by row; none if time runs out."""
    in_slots = {cell: content for cell, content in sorted(puzzle.given.items()) if cell in puzzle.grid.slots_through}
    letters = {cell: content for cell, content in in_slots.items() if is_letters_only(content, 1)}
    if not letters:
        return {}
    odds = PRIOR_WRONG / (1 - PRIOR_WRONG) / (len(ALPHABET) - 1)
    beliefs = propagate(puzzle, inputs, deadline, odds)
    if beliefs.stop_reason is StopReason.OUT_OF_TIME:
        return {}
    return {cell: float(beliefs.letter_probs[cell][ALPHABET.index(letter)]) for cell, letter in letters.items()}


def p_contents_correct(
    puzzle: Puzzle, inputs: SolverInput, given_squares: RebusSquares, deadline: float
) -> Mapping[Cell, float]:
    """Return P(right) of the contents that the person wrote, row by row; 1 if nothing speaks against one.

    `puzzle` has the believed letters, `inputs` no contents. Not included are contents longer than MAX_TWO_WAY_LETTERS,
    contents that weren't judged by the deadline (time.monotonic), and, if more than `max_removed_contents` are
    doubtful, those that aren't probably wrong.
    """
    if not given_squares:
        return {}
    from regis.solving.rebus.search import RebusSearch  # few puzzles have such contents

    search = RebusSearch(puzzle.without_letters(given_squares), inputs, deadline)
    start, all_inputs = with_tokens(puzzle, given_squares), search.collapse_inputs(given_squares)
    with_all = State(start, inputs, all_inputs, belief.fill(start, all_inputs, deadline), given_squares)
    if is_past(deadline):
        return {}
    best = search.read_two_ways(search.score_squares(with_all))
    logp, prior = _entries_logp(best), CONTENTS.prior_log_odds
    odd = sorted(
        (p, cell) for cell, p in logp.items() if p < -prior and len(given_squares[cell]) <= MAX_TWO_WAY_LETTERS
    )
    p_correct, trusted = {cell: 1.0 for cell, p in logp.items() if p >= -prior}, []
    for _, cell in odd[: CONTENTS.max_removed_contents]:
        without = search.refill({other: x for other, x in best.squares.items() if other != cell}, best)
        log_odds = prior + best.score - without.score
        two_way_gains = _two_way_log_odds(search, best, without, cell, given_squares[cell])
        while log_odds < 0 and not is_past(deadline) and (gain := next(two_way_gains, None)) is not None:
            log_odds = max(log_odds, prior + gain)
        if is_past(deadline):
            break
        if log_odds < 0:
            p_correct[cell], best = _probability(log_odds), without
        elif len(odd) <= CONTENTS.max_removed_contents:
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
    without, with_all = (
        search.find_squares(state) if seems_to_hide_squares(state) and not is_past(search.deadline) else state
        for state in (left, grid)
    )
    p = _probability(prior + with_all.score - without.score)
    replaced = {cell: without.squares.get(cell, "") for cell in doubtful}
    return {cell: p for cell, x in replaced.items() if len(x) > 1 and not _is_same_content(grid.squares[cell], x)}


def _is_same_content(content: str, other: str) -> bool:
    """Return whether people write one for the other: HT for H/T or T/H, or one of the two."""
    joined, *others = (x.replace(CONTENT_SEPARATOR, "") for x in (content, other, swap_directions(other)))
    return joined in others or not set(content.split(CONTENT_SEPARATOR)).isdisjoint(other.split(CONTENT_SEPARATOR))


def _probability(log_odds: float) -> float:
    """Return the probability for these log odds; 1 for even odds or better."""
    return math.exp(log_odds) / (1 + math.exp(log_odds)) if log_odds < 0 else 1.0


def _two_way_log_odds(search: RebusSearch, grid: State, without: State, cell: Cell, content: str) -> Iterator[float]:
    """Yield the gain of each two-way reading of a content over leaving it out.

    It may be the first of several that the person wrote, so it costs no more than a one-way content.
    """
    for squares in two_way_readings({cell: content}):
        other = search.refill({**grid.squares, **squares}, grid)
        yield other.score - without.score + max(other.price - without.price - search.settings.content, 0.0)
