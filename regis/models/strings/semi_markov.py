"""All ways to cut strings into pieces, weighed together by forward-backward.

A piece is drawn independently, or, with probability `succession_share`, because it often follows the piece before
(`WordBigrams`). The first case is a sum over positions; the second needs pairs of pieces, so only the likeliest pieces
are paired. `find_best_cut` (Viterbi 1967) cuts one string; that has few pairs, so plain numbers are faster than arrays.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models import arrays
from regis.models.arrays import Float32Array, Float64Array, Positions, top_k_indices
from regis.models.settings import STRINGS
from regis.models.text import clue_features

PieceSpans = tuple[tuple[int, int], ...]  # start and end of each piece


class PlacedPieces(NamedTuple):
    """All pieces that fit, in their positions: parallel arrays, (placed,)."""

    start: Positions
    end: Positions
    weight: Float64Array  # of a piece drawn independently
    fit: Float64Array  # factor on P(a piece follows another)

    def take_pieces(self, places: Positions) -> PlacedPieces:
        return PlacedPieces(self.start[places], self.end[places], self.weight[places], self.fit[places])

    def weigh_fit(self, letter_fit: Float64Array) -> PlacedPieces:
        """Multiply the weights by how well each piece's letters fit, (placed,)."""
        return PlacedPieces(self.start, self.end, self.weight * letter_fit, self.fit * letter_fit)


class PieceSuccession(NamedTuple):
    """Pairs of pieces that meet, in which one is known to follow the other: parallel arrays, (pairs,)."""

    first: Positions
    second: Positions
    probability: Float32Array  # P(the second | the first)


SuccessionsByEnd = Mapping[int, PieceSuccession]  # by the position where they meet


def sum_span_weights(length: int, span_numbers: Positions, weights: Float64Array) -> Float64Array:
    """Sum the weights of pieces by start and end, (length, length + 1).

    The number of a span is length + 1 times its start, plus its end.
    """
    totals = np.bincount(span_numbers, weights, length * (length + 1))
    return totals.astype(np.float64).reshape(length, length + 1)  # without pieces, numpy returns integers


class SpanLattice:
    """All strings made of independent pieces.

    `total_weight` is the weight of all ways. The ways that include a piece weigh its own weight times its
    `span_factors`, (length, length + 1).
    """

    def __init__(self, span_weights: Float64Array) -> None:
        """Sum over all ways; `span_weights` is (length, length + 1) by start and end."""
        length = len(span_weights)
        forward, backward = np.eye(1, length + 1)[0], np.eye(1, length + 1, length)[0]
        for place in range(length):
            forward += forward[place] * span_weights[place]
        for place in reversed(range(length)):
            backward[place] += span_weights[place] @ backward
        self.total_weight = float(forward[-1])
        self.span_factors: Float64Array = forward[:-1, None] * backward


class PieceLattice:
    """All strings of `length` letters made of two or more placed pieces.

    `successions` are pairs known to follow each other, None if unknown. `total_weight` is the weight of all ways.
    """

    def __init__(self, length: int, placed_pieces: PlacedPieces, successions: SuccessionsByEnd | None = None) -> None:
        self._length = length
        self._placed = placed_pieces
        self._successions = successions or {}
        alone_share = 1.0 if successions is None else 1 - STRINGS.succession_share
        span_numbers = placed_pieces.start * (length + 1) + placed_pieces.end
        self._spans = sum_span_weights(length, span_numbers, placed_pieces.weight)  # of pieces drawn independently
        self._spans[1:] *= alone_share
        self._entry = np.where(placed_pieces.start == 0, 1.0, alone_share) * placed_pieces.weight
        self._reached, self.total_weight = self._forward()

    def piece_weights(self) -> Float64Array:
        """Return the weight of all ways with each piece, (placed,)."""
        weights: Float64Array = self._reached * self._backward()
        return weights

    def find_successions(self, piece_words: Positions, word_bigrams: WordBigrams) -> SuccessionsByEnd:
        """Find pairs of likely pieces that meet and are known to follow each other.

        `piece_words`, (placed,), has each piece's word number in the bigrams.
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
        """Return the pieces that meet at a position, and how much likelier the second is after the first."""
        first, second, probability = self._successions[place]
        return first, second, STRINGS.succession_share * self._placed.fit[second] * probability

    def _forward(self) -> tuple[Float64Array, float]:
        """Return the weight of all beginnings up to the end of each piece, and the weight of whole strings."""
        start, end, _, _ = self._placed
        succession_weight = np.zeros(len(start))  # of pieces that follow another
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
    """Find the largest positive weights, ascending; ties by place."""
    positive = np.flatnonzero(weights > 0)
    return positive[top_k_indices(weights[positive], STRINGS.max_paired_pieces, keep_ties=False)]


class WeightedPiece(NamedTuple):
    start: int
    end: int
    weight: float  # of a piece drawn independently
    fit: float  # factor on P(the piece follows another)


class BestCut(NamedTuple):
    """All ways to make a string, or a beginning that ends with one piece, and the likeliest way."""

    total_weight: float  # of all ways
    best_weight: float
    spans: PieceSpans  # of the likeliest way


def find_best_cut(
    length: int,
    weighted_pieces: Sequence[WeightedPiece],
    succession_probability: Mapping[tuple[int, int], float] | None,
) -> BestCut:
    """Find the likeliest way to make a string of pieces, sorted by start, and sum up all ways.

    `succession_probability` is P(a piece | the one before), by their numbers; None if unknown.
    """
    alone_share = 1.0 if succession_probability is None else 1 - STRINGS.succession_share
    successions = succession_probability or {}
    cuts_ending_at: dict[int, list[tuple[int, BestCut]]] = defaultdict(list)
    forward = defaultdict(float, {0: 1.0})
    for x, (start, end, weight, fit) in enumerate(weighted_pieces):
        weight *= 1.0 if start == 0 else alone_share
        total, best = weight * forward[start], weight if start == 0 else 0.0
        spans: PieceSpans = ()
        for y, cut in cuts_ending_at[start]:
            succession_weight = STRINGS.succession_share * fit * successions.get((y, x), 0.0)
            total += cut.total_weight * succession_weight
            if cut.best_weight * (weight + succession_weight) > best:
                best, spans = cut.best_weight * (weight + succession_weight), cut.spans
        if total:  # otherwise no way leads to it
            cuts_ending_at[end].append((x, BestCut(total, best, (*spans, (start, end)))))
            forward[end] += total
    likeliest = max(
        (cut for _, cut in cuts_ending_at[length]), key=lambda cut: cut.best_weight, default=BestCut(0.0, 0.0, ())
    )
    return likeliest._replace(total_weight=forward[length])


PairFeatures = NDArray[np.uint64] | NDArray[np.uint32]  # whole, or their upper halves


class WordBigrams(NamedTuple):
    """Which words follow each other in clues: LOVE and CHILD do, LOSE and CHILD don't.

    Pairs are stored only as hashes, or upper halves of hashes. So you can look up a pair but can't list the pairs.
    """

    pairs: PairFeatures  # (pairs,), ascending
    pair_counts: NDArray[np.float32]  # (pairs,): how often the pair occurs
    word_codes: NDArray[np.uint64]  # (words,): clue_features.hash_word of each
    word_counts: NDArray[np.float32]  # (words,): how often the stem occurs in clues

    def succession_probability(
        self, first_words: NDArray[np.intp], second_words: NDArray[np.intp]
    ) -> NDArray[np.float32]:
        """Return P(the second | the first) of pairs of word numbers, (pairs,); 0 for unknown pairs."""
        pair_codes = clue_features.hash_pairs(self.word_codes[first_words], self.word_codes[second_words])
        places, is_known = arrays.find_sorted(self.pairs, match_width(pair_codes, self.pairs))
        counts = self.pair_counts[places] if len(self.pair_counts) else np.zeros(len(first_words), np.float32)
        probabilities = np.minimum(counts / (self.word_counts[first_words] + STRINGS.rarity_count), 1)
        return np.where(is_known, probabilities, 0).astype(np.float32)


def match_width(full_codes: NDArray[np.uint64], known_codes: PairFeatures) -> PairFeatures:
    """Return feature codes as wide as `known_codes`: whole, or their upper halves."""
    return clue_features.upper_halves(full_codes) if known_codes.dtype == np.uint32 else full_codes


def sum_by_feature(feature_codes: PairFeatures, counts: NDArray[Any]) -> tuple[PairFeatures, NDArray[np.float32]]:
    """Sum the counts of each feature: (distinct,) codes, ascending, and (distinct,) totals."""
    if not len(feature_codes):
        return feature_codes, np.zeros(0, np.float32)
    order = np.argsort(feature_codes, kind="stable")
    feature_codes = feature_codes[order]
    first = arrays.run_starts(feature_codes)
    totals = np.add.reduceat(counts[order].astype(np.float64), first)
    return feature_codes[first], totals.astype(np.float32)
