"""All ways to cut one string into pieces, and the likeliest (Viterbi 1967).

As in models.strings.semi_markov, a piece is drawn by itself, or because it follows the one before it; but all pairs are
looked at. There are so few that plain numbers are quicker than arrays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from regis.models.strings.semi_markov import SUCCESSION_SHARE


class WeightedPiece(NamedTuple):
    """A piece in its place."""

    start: int
    end: int
    weight: float  # by itself,
    fit: float  # and what P(it follows another) is multiplied with


PieceSpans = tuple[tuple[int, int], ...]  # from where to where each of its pieces goes


class BestCut(NamedTuple):
    """All ways to make a string, or a beginning that ends with one piece, and the likeliest of them."""

    total_weight: float  # of all ways together
    best_weight: float
    spans: PieceSpans  # of the likeliest


def find_best_cut(
    length: int,
    weighted_pieces: Sequence[WeightedPiece],
    succession_probability: Mapping[tuple[int, int], float] | None,
) -> BestCut:
    """Find the likeliest way to make a string of pieces, and sum up all ways.

    Parameters
    ----------
    length : of the string.
    weighted_pieces : in the order of their starts.
    succession_probability : P(a piece | the one before it), by their numbers, where that is known; None if nothing is
        known of it.
    """
    alone_share = 1.0 if succession_probability is None else 1 - SUCCESSION_SHARE
    successions = succession_probability or {}
    cuts_ending_at: dict[int, list[tuple[int, BestCut]]] = defaultdict(list)
    forward = defaultdict(float, {0: 1.0})
    for x, (start, end, weight, fit) in enumerate(weighted_pieces):
        weight *= 1.0 if start == 0 else alone_share
        total, best = weight * forward[start], weight if start == 0 else 0.0
        spans: PieceSpans = ()
        for y, cut in cuts_ending_at[start]:
            succession_weight = SUCCESSION_SHARE * fit * successions.get((y, x), 0.0)
            total += cut.total_weight * succession_weight
            if cut.best_weight * (weight + succession_weight) > best:
                best, spans = cut.best_weight * (weight + succession_weight), cut.spans
        if total:  # or nothing leads up to it
            cuts_ending_at[end].append((x, BestCut(total, best, (*spans, (start, end)))))
            forward[end] += total
    likeliest = max(
        (cut for _, cut in cuts_ending_at[length]), key=lambda cut: cut.best_weight, default=BestCut(0.0, 0.0, ())
    )
    return likeliest._replace(total_weight=forward[length])
