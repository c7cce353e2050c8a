"""All ways to cut strings into pieces, weighed together, forward and backward over where pieces begin and end.

A piece is drawn by itself, or, with probability SUCCESSION_SHARE, because it follows the one before it in what people
write (models.strings.word_bigrams). The first is a sum over places. The second needs each pair of pieces, and only the
likeliest are looked at. `find_best_cut` (Viterbi 1967) cuts one string. It looks at all pairs: there are so few that
plain numbers are quicker than arrays.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from regis.models.numeric.arrays import Float32Array, Float64Array, Positions
from regis.models.numeric.top_k import top_k_indices
from regis.models.strings.word_bigrams import WordBigrams

SUCCESSION_SHARE = 0.2
"""How often does a piece come because of the one before it? (Measured: docs/experiments/phrase-model.md.)"""

MAX_PAIRED_PIECES = 200  # pieces in their places that are looked at in pairs; a guess

PieceSpans = tuple[tuple[int, int], ...]  # from where to where each of its pieces goes


class PlacedPieces(NamedTuple):
    """Pieces in their places, parallel arrays, (placed,) each: all that fit."""

    start: Positions
    end: Positions
    weight: Float64Array  # of each by itself,
    fit: Float64Array  # and what P(it follows another) is multiplied with

    def take_pieces(self, places: Positions) -> PlacedPieces:
        """Leave out all pieces but those at `places`, (kept,)."""
        return PlacedPieces(self.start[places], self.end[places], self.weight[places], self.fit[places])

    def weigh_fit(self, letter_fit: Float64Array) -> PlacedPieces:
        """Multiply the weights with how well the letters of each piece fit, (placed,)."""
        return PlacedPieces(self.start, self.end, self.weight * letter_fit, self.fit * letter_fit)


class PieceSuccession(NamedTuple):
    """Pieces of which one is known to follow the other, and that meet at one place: parallel arrays, (pairs,)."""

    first: Positions
    second: Positions
    probability: Float32Array  # P(the second | the first)


SuccessionsByEnd = Mapping[int, PieceSuccession]  # by the place where they meet


def sum_span_weights(length: int, span_numbers: Positions, weights: Float64Array) -> Float64Array:
    """Sum the weights of all pieces from here to there.

    Parameters
    ----------
    length : of the strings.
    span_numbers : (placed,) length + 1 times each piece's start plus its end.
    weights : (placed,).

    Returns
    -------
    (length, length + 1) by start and end.
    """
    totals = np.bincount(span_numbers, weights, length * (length + 1))
    return totals.astype(np.float64).reshape(length, length + 1)  # of no pieces, whole numbers


class SpanLattice:
    """The ways to make strings of pieces that are drawn by themselves.

    `total_weight` is that of all ways together. The ways with one piece weigh its own weight times what it has in
    `span_factors`, (length, length + 1).
    """

    def __init__(self, span_weights: Float64Array) -> None:
        """Go through all ways; `span_weights` are of all pieces from here to there, (length, length + 1)."""
        length = len(span_weights)
        forward, backward = np.eye(1, length + 1)[0], np.eye(1, length + 1, length)[0]
        for place in range(length):
            forward += forward[place] * span_weights[place]
        for place in reversed(range(length)):
            backward[place] += span_weights[place] @ backward
        self.total_weight = float(forward[-1])
        self.span_factors: Float64Array = forward[:-1, None] * backward


class PieceLattice:
    """The ways to make strings of `length` letters of placed pieces, two or more of them.

    `successions` are those pieces of which one is known to follow the other, None if nothing is known of that.
    `total_weight` is that of all ways together.
    """

    def __init__(self, length: int, placed_pieces: PlacedPieces, successions: SuccessionsByEnd | None = None) -> None:
        self._length = length
        self._placed = placed_pieces
        self._successions = successions or {}
        alone_share = 1.0 if successions is None else 1 - SUCCESSION_SHARE
        span_numbers = placed_pieces.start * (length + 1) + placed_pieces.end
        self._spans = sum_span_weights(length, span_numbers, placed_pieces.weight)  # drawn by themselves
        self._spans[1:] *= alone_share
        self._entry = np.where(placed_pieces.start == 0, 1.0, alone_share) * placed_pieces.weight
        self._reached, self.total_weight = self._forward()

    def piece_weights(self) -> Float64Array:
        """Return the weight of all ways with each of the pieces, (placed,)."""
        weights: Float64Array = self._reached * self._backward()
        return weights

    def find_successions(self, piece_words: Positions, word_bigrams: WordBigrams) -> SuccessionsByEnd:
        """Find the places where pieces meet of which one is known to follow the other.

        Parameters
        ----------
        piece_words : (placed,) which of the words of the bigrams each piece is.
        word_bigrams : say what follows what.
        """
        start, end, _, _ = self._placed
        likeliest = _likeliest_pieces(self.piece_weights())
        first, second = (likeliest[which] for which in np.nonzero(end[likeliest][:, None] == start[likeliest]))
        probability = word_bigrams.succession_probability(piece_words[first], piece_words[second])
        known_pairs = np.flatnonzero(probability)
        known_pairs = known_pairs[np.argsort(end[first[known_pairs]], kind="stable")]
        first, second, probability = first[known_pairs], second[known_pairs], probability[known_pairs]
        bounds = np.searchsorted(end[first], np.arange(1, self._length + 1)).tolist()
        spans = ((place, slice(*both)) for place, both in enumerate(itertools.pairwise(bounds), 1) if both[0] < both[1])
        return {place: PieceSuccession(first[span], second[span], probability[span]) for place, span in spans}

    def _pair_factors(self, place: int) -> tuple[Positions, Positions, Float64Array]:
        """Return the pieces that meet at a place, and how much likelier the second is behind the first."""
        first, second, probability = self._successions[place]
        return first, second, SUCCESSION_SHARE * self._placed.fit[second] * probability

    def _forward(self) -> tuple[Float64Array, float]:
        """Return the weight of all beginnings up to the end of each piece, and that of whole strings."""
        start, end, _, _ = self._placed
        succession_weight = np.zeros(len(start))  # since it follows
        forward = np.zeros(self._length + 1)
        forward[0] = 1.0
        for place in range(self._length):
            if place in self._successions:
                first, second, pair_factor = self._pair_factors(place)
                pair_weight = (self._entry[first] * forward[start[first]] + succession_weight[first]) * pair_factor
                np.add.at(succession_weight, second, pair_weight)
                np.add.at(forward, end[second], pair_weight)
            forward += forward[place] * self._spans[place]
        return self._entry * forward[start] + succession_weight, float(forward[-1])

    def _backward(self) -> Float64Array:
        """Return the weight of all endings from the end of each piece."""
        start, end, _, _ = self._placed
        succession_weight = np.zeros(len(start))
        backward = np.zeros(self._length + 1)
        backward[-1] = 1.0
        for place in range(self._length - 1, -1, -1):
            backward[place] += self._spans[place] @ backward
            if place in self._successions:
                first, second, pair_factor = self._pair_factors(place)
                pair_weight = pair_factor * (backward[end[second]] + succession_weight[second])
                np.add.at(succession_weight, first, pair_weight)
                np.add.at(backward, start[first], self._entry[first] * pair_weight)
        return backward[end] + succession_weight


def _likeliest_pieces(weights: Float64Array) -> Positions:
    """Find the largest weights that are not 0, ascending; of equal ones the first, on any machine."""
    positive = np.flatnonzero(weights > 0)
    return positive[top_k_indices(weights[positive], MAX_PAIRED_PIECES, keep_ties=False)]


class WeightedPiece(NamedTuple):
    """A piece in its place."""

    start: int
    end: int
    weight: float  # by itself,
    fit: float  # and what P(it follows another) is multiplied with


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
