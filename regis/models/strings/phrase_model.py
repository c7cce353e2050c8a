"""The phrase model: unlisted strings made of listed pieces (RED + SEA + SCROLLS).

It draws a first piece, middle pieces, and a last one until the string is as long as the slot: a hidden semi-Markov
model, fitted by EM on the corpus's rarest answers. Forward-backward over all positions where pieces begin and end gives
the probability of the string and of every letter, in closed form. Dr.Fill (Ginsberg 2011) also joins words, but one
pair at a time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.models.arrays import Float32Array, Float64Array, Positions
from regis.models.strings.pieces import PieceTable
from regis.models.strings.semi_markov import (
    BestCut,
    PieceLattice,
    PlacedPieces,
    SpanLattice,
    SuccessionsByEnd,
    WeightedPiece,
    WordBigrams,
    find_best_cut,
    sum_span_weights,
)
from regis.puzzle import alphabet

FIRST_PIECE, MIDDLE_PIECE, LAST_PIECE = range(3)  # the kinds of pieces, by position

REACH_LIMITS = (10.0, 14.0, math.inf)
"""How much lighter than all pieces together a piece in reach may be, in nats. The first limit that keeps half of the
weight counts. (Measured: docs/experiments/phrase-search.md.)"""


class PiecesInReach(NamedTuple):
    """A slot's pieces in reach, the shortest first, with everything that doesn't depend on the evidence."""

    placed_pieces: PlacedPieces  # before letters count
    letters_by_size: list[Positions]  # for each size, (size, pieces of the size): 26 times the cell plus the letter
    successions: SuccessionsByEnd | None
    log_rest: float  # natural log of the weight of all pieces relative to these


class PhraseModel:
    """Pieces, their probabilities as first, middle, and last piece, (3, pieces), and the bigrams between them, if
    known."""

    def __init__(
        self,
        pieces: Sequence[str] | NDArray[np.bytes_],
        piece_probabilities: Float64Array,
        bigrams: Callable[[], WordBigrams] | None = None,
    ) -> None:
        self._piece_table = PieceTable(pieces, piece_probabilities)
        self._bigrams = bigrams
        self._piece_factors = np.ones(len(pieces), np.float32)  # how much likelier each piece is, before scaling
        self._kind_scales = np.ones(3)  # scales that keep each kind's total probability
        self._log_normalizers: dict[int, float] = {}
        self._reach: PiecesInReach | None = None  # by default, all pieces

    @property
    def pieces(self) -> NDArray[np.bytes_]:
        return self._piece_table.strings

    @property
    def has_distinct_pieces(self) -> bool:
        return self._piece_table.has_distinct_pieces

    @property
    def piece_probabilities(self) -> Float64Array:
        probabilities: Float64Array = (
            self._piece_table.piece_probabilities * self._piece_factors * self._kind_scales[:, None]
        )
        return probabilities

    def find_pieces(self, strings: Sequence[str]) -> NDArray[np.intp]:
        return self._piece_table.find_pieces(strings)

    def reweight_pieces(self, piece_factors: Float32Array) -> PhraseModel:
        """Make a model in which pieces are `piece_factors` times as likely before normalization."""
        probabilities = self._piece_table.piece_probabilities
        totals = probabilities @ piece_factors.astype(np.float64)
        model = copy(self)
        model._piece_factors, model._log_normalizers, model._reach = piece_factors, {}, None
        model._kind_scales = probabilities.sum(axis=1) / np.maximum(totals, 1e-300)
        return model

    def log_normalizer(self, length: int) -> float:
        """Return the log of the weight of all strings of a length, with pieces drawn independently; -inf for none."""
        if length not in self._log_normalizers:
            mass_of_size = self._sum_by_size(length)
            weights = np.zeros((length, length + 1))
            for start, end, kind in _spans(length):
                weights[start, end] = mass_of_size[kind, end - start]
            with np.errstate(divide="ignore"):
                self._log_normalizers[length] = float(np.log(SpanLattice(weights).total_weight))
        return self._log_normalizers[length]

    def _sum_by_size(self, max_size: int) -> Float64Array:
        """Sum the probabilities of pieces by kind and size, (3, sizes)."""
        piece_table = self._piece_table
        mass = [
            np.bincount(piece_table.piece_sizes, row * self._piece_factors, minlength=max_size)
            for row in piece_table.piece_probabilities
        ]
        return np.stack(mass) * self._kind_scales[:, None]

    def letter_posterior(self, evidence: Float64Array) -> tuple[float, Float64Array]:
        """Compute a string's letters from evidence about each cell.

        `evidence` is (cells, 26), non-negative, each row with a positive entry, on any scale. Returns the log of the
        string's total weight, -inf if nothing fits, and letter probabilities, (cells, 26), all 0 if nothing fits.
        """
        if self._reach is None:
            return self.narrow_pieces(evidence).letter_posterior(evidence)
        marginal = np.zeros(evidence.size)
        scale, scaled = _scaled(evidence)
        placed_pieces, letters_by_size, successions, log_rest = self._reach
        fit = np.concatenate(
            [np.zeros(0), *(scaled.ravel().take(letters_of_size).prod(axis=0) for letters_of_size in letters_by_size)]
        )
        lattice = PieceLattice(len(evidence), placed_pieces.weigh_fit(fit), successions)
        if not lattice.total_weight:
            return -np.inf, marginal.reshape(evidence.shape)
        piece_shares = lattice.piece_weights() / lattice.total_weight
        first_piece = 0
        for letters_of_size in letters_by_size:
            size, count = letters_of_size.shape
            marginal += np.bincount(
                letters_of_size.ravel(), np.tile(piece_shares[first_piece : first_piece + count], size), evidence.size
            )
            first_piece += count
        return log_rest + math.log(lattice.total_weight) + float(np.log(scale).sum()), marginal.reshape(evidence.shape)

    def narrow_pieces(self, evidence: Float64Array) -> PhraseModel:
        """Make a model with only the pieces in reach, for similar evidence: as good, and much faster.

        The total weight covers all pieces; the letters depend only on the pieces in reach.
        """
        length, (_, scaled) = len(evidence), _scaled(evidence)
        start, size, piece, fit = self._piece_table.find_fits(scaled)
        end = start + size
        placed = self._place_pieces(length, start, end, piece)
        weights = placed.weight * fit
        span_numbers = start * (length + 1) + end
        all_spans = SpanLattice(sum_span_weights(length, span_numbers, weights))
        piece_shares = weights * all_spans.span_factors.ravel().take(span_numbers)
        for reach in REACH_LIMITS:
            in_reach = np.flatnonzero(piece_shares > all_spans.total_weight * math.exp(-reach))
            kept_spans = SpanLattice(sum_span_weights(length, span_numbers.take(in_reach), weights.take(in_reach)))
            if 2 * kept_spans.total_weight >= all_spans.total_weight:
                break
        placed, piece = placed.take_pieces(in_reach), piece.take(in_reach)
        start, end, _, _ = placed
        bounds = np.searchsorted(end - start, np.arange(1, length + 1)).tolist()
        letters_by_size = [
            self._piece_table.piece_letters(piece[first:last], n).T + 26 * (start[first:last] + np.arange(n)[:, None])
            for n, (first, last) in enumerate(itertools.pairwise(bounds), 1)
            if first < last
        ]
        successions = None
        if self._bigrams is not None:
            lattice = PieceLattice(length, placed.weigh_fit(fit.take(in_reach)))
            successions = lattice.find_successions(piece, self._bigrams())
        kept = kept_spans.total_weight
        log_rest = math.log(all_spans.total_weight / kept) if kept else 0.0
        model = copy(self)
        model._reach = PiecesInReach(placed, letters_by_size, successions, log_rest)
        return model

    def _place_pieces(self, length: int, start: Positions, end: Positions, piece: Positions) -> PlacedPieces:
        """Weigh pieces placed from `start` to `end` in strings of `length`, without regard to letters."""
        kinds = np.where(start == 0, FIRST_PIECE, np.where(end == length, LAST_PIECE, MIDDLE_PIECE))
        scale = self._kind_scales.take(kinds) * self._piece_factors.take(piece)
        return PlacedPieces(start, end, scale * self._piece_table.piece_probabilities[kinds, piece], scale)

    def string_log_weight(self, letters: NDArray[np.uint8]) -> float:
        """Return the log weight of one string, (length,) 0 to 25, over all ways to make it; -inf if there are none."""
        total = self._cut(alphabet.codes_to_word(letters)).total_weight
        return math.log(total) if total else -np.inf

    def best_pieces(self, letters: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """Cut a string, (length,) 0 to 25, into its likeliest pieces, if any; return these and their share of ways."""
        word = alphabet.codes_to_word(letters)
        cut = self._cut(word)
        share = cut.best_weight / cut.total_weight if cut.spans else 0.0
        return tuple(word[start:end] for start, end in cut.spans), share

    def _cut(self, word: str) -> BestCut:
        spans = [(start, end) for start, end, _ in _spans(len(word))]
        piece_numbers = self._piece_table.find_pieces([word[start:end] for start, end in spans])
        is_piece = np.flatnonzero(piece_numbers >= 0)
        start, end = np.array(spans, np.intp).reshape(-1, 2)[is_piece].T
        piece = piece_numbers[is_piece]
        placed = self._place_pieces(len(word), start, end, piece)
        following = None
        if self._bigrams is not None:
            first, second = np.nonzero(end[:, None] == start)
            probabilities = self._bigrams().succession_probability(piece[first], piece[second])
            following = dict(
                zip(zip(first.tolist(), second.tolist(), strict=True), probabilities.tolist(), strict=True)
            )
        weighted_pieces = itertools.starmap(WeightedPiece, zip(*(column.tolist() for column in placed), strict=True))
        return find_best_cut(len(word), list(weighted_pieces), following)


def _scaled(evidence: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return each cell's largest value, (cells, 1), and the evidence relative to it."""
    scale: Float64Array = evidence.max(axis=1, keepdims=True)
    return scale, evidence / scale


def _spans(length: int) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, kind) for every position of a piece in a string of two pieces or more, by start."""
    for start, end in itertools.combinations(range(length + 1), 2):
        if end - start < length:
            yield start, end, FIRST_PIECE if start == 0 else LAST_PIECE if end == length else MIDDLE_PIECE
