"""The string model of unlisted answers: a letter model for any string, mixed with a phrase model.

Nine in ten new answers of nine or more letters combine known words (RED + SEA + SCROLLS), or a word and its endings (UN
+ TIE + S). P(made of pieces), by length, mixes the two models. The letter model is fast and handles many slots at once;
the phrase model is used where it matters. Strings of up to four letters are enumerated (`ShortStrings`): lists have
nine tenths of what the letter model thinks likely, and the rest looks different (MMO, TBT), so the shorter a string is,
the less the letter model counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from regis.models.arrays import Float32Array, Float64Array
from regis.models.settings import STRINGS
from regis.models.strings.letter_model import MIN_WEIGHT, LetterModel
from regis.models.strings.phrase_model import PhraseModel
from regis.puzzle.alphabet import ALPHABET_SIZE

LENGTH_POWERS = {2: 0.35, 3: 0.35, 4: 0.5}
"""Exponent of the letter model's probability, by length. (Measured: docs/experiments/short-strings.md.)"""


@dataclass(frozen=True)
class ShortStrings:
    """The strings of each length in LENGTH_POWERS, enumerated."""

    letter_model: LetterModel
    list_strings: Callable[
        [int], NDArray[np.uint8]
    ]  # the listed ones of a length, which are excluded, (strings, length)
    _tables: dict[int, Float32Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    def letter_posterior(self, evidence: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Compute letters from evidence by products of a slot's first half, the table, and its second half."""
        table = self._probability_table(evidence.shape[1])
        scale = np.maximum(evidence.max(axis=2, keepdims=True), MIN_WEIGHT)
        scaled = (evidence / scale).astype(np.float32)
        middle = evidence.shape[1] // 2
        first, second = _join_cells(scaled[:, :middle]), _join_cells(scaled[:, middle:])
        firsts, seconds = first * (second @ table.T), second * (first @ table)
        totals = firsts.sum(axis=1, dtype=np.float64)
        letters = np.concatenate(
            [_split_cells(firsts, middle), _split_cells(seconds, scaled.shape[1] - middle)], axis=1
        )
        letters = np.where(
            totals[:, None, None] > 0, letters / np.maximum(totals, MIN_WEIGHT)[:, None, None], 1 / ALPHABET_SIZE
        )
        return np.log(np.maximum(totals, MIN_WEIGHT)) + np.log(scale).sum(axis=(1, 2)), letters

    def string_loglik(self, letters: NDArray[np.uint8]) -> float:
        probabilities = self._probability_table(len(letters)).reshape([ALPHABET_SIZE] * len(letters))
        return float(np.log(probabilities[tuple(letters)]))

    def _probability_table(self, length: int) -> Float32Array:
        """Return the probability of each string, by the numbers of its first and second half."""
        if length not in self._tables:
            probabilities = self.letter_model.flatten(LENGTH_POWERS[length]).enumerate_strings(length)
            probabilities[tuple(self.list_strings(length).T)] *= STRINGS.listed_factor
            middle = length // 2
            self._tables[length] = (
                (probabilities / probabilities.sum()).reshape(ALPHABET_SIZE**middle, -1).astype(np.float32)
            )
        return self._tables[length]


def _join_cells(cell_evidence: Float32Array) -> Float32Array:
    """Multiply evidence about one or two cells, (slots, cells, 26), to evidence about strings, (slots, 26 or 676)."""
    if cell_evidence.shape[1] == 1:
        return cell_evidence[:, 0]
    return (cell_evidence[:, 0, :, None] * cell_evidence[:, 1, None, :]).reshape(len(cell_evidence), ALPHABET_SIZE**2)


def _split_cells(strings: Float32Array, n_cells: int) -> Float64Array:
    """Sum strings of one or two cells, (slots, 26 or 676), by letter: (slots, cells, 26)."""
    both = strings.reshape(len(strings), *[ALPHABET_SIZE] * n_cells)
    sums = [both] if n_cells == 1 else [both.sum(axis=2), both.sum(axis=1)]
    return np.stack(sums, axis=1).astype(np.float64)


@dataclass(frozen=True)
class StringModel:
    """The mixture of letter model and phrase model."""

    letter_model: LetterModel
    phrase_model: PhraseModel | None = None
    piece_share: Mapping[int, float] = field(default_factory=dict)  # P(made of pieces) by length; 0 for other lengths
    short_strings: ShortStrings | None = None  # replaces the letter model if the listed strings are known
    _known_logliks: dict[bytes, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def reweight_pieces(self, piece_factors: Float32Array) -> StringModel:
        """Make a model in which pieces are `piece_factors`, (pieces,), times as likely."""
        if self.phrase_model is None:
            return self
        return replace(self, phrase_model=self.phrase_model.reweight_pieces(piece_factors))

    def find_known_pieces(self, strings: Sequence[str]) -> NDArray[np.intp]:
        """Return the numbers of the strings, in capitals, that are pieces."""
        piece_numbers = (
            self.phrase_model.find_pieces(strings) if self.phrase_model and strings else np.zeros(0, np.intp)
        )
        return piece_numbers[piece_numbers >= 0]

    def letter_posterior(self, evidence: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Compute letters with the letter model alone.

        `evidence` is (slots, cells, 26). Returns (slots,) log weights relative to all strings of the length, and
        (slots, cells, 26) letter probabilities.
        """
        return self.letter_posteriors([evidence])[0]

    def letter_posteriors(self, evidence_tables: Sequence[Float64Array]) -> list[tuple[Float64Array, Float64Array]]:
        """Do `letter_posterior` for several lengths at once, in little more time."""
        posteriors: dict[int, tuple[Float64Array, Float64Array]] = {}
        for i, evidence in enumerate(evidence_tables):
            if (short := self._short_strings_of(evidence.shape[1])) is not None:
                posteriors[i] = short.letter_posterior(evidence)
        by_letters = [i for i in range(len(evidence_tables)) if i not in posteriors]
        found = self.letter_model.letter_posteriors([evidence_tables[i] for i in by_letters])
        for i, (log_weights, marginals) in zip(by_letters, found, strict=True):
            posteriors[i] = log_weights - self.letter_model.log_normalizer(evidence_tables[i].shape[1]), marginals
        return [posteriors[i] for i in range(len(evidence_tables))]

    def mix_phrases(
        self, evidence: Float64Array, log_weight: float, marginal: Float64Array
    ) -> tuple[float, Float64Array]:
        """Add the phrase model to the letter model's posterior of one slot, (cells, 26)."""
        length = len(evidence)
        if (phrases := self._phrase_model_of(length)) is None:
            return log_weight, marginal
        phrase_log_weight, letters = phrases.letter_posterior(evidence)
        mixed_log_weight, phrase_share = self._mix_weights(phrases, length, phrase_log_weight, log_weight)
        return mixed_log_weight, phrase_share * letters + (1 - phrase_share) * marginal

    def narrow_pieces(self, evidence: Float64Array) -> StringModel:
        """Make a model with only the pieces in reach, for one slot and similar evidence."""
        phrases = self._phrase_model_of(len(evidence))
        return self if phrases is None else replace(self, phrase_model=phrases.narrow_pieces(evidence))

    def _short_strings_of(self, length: int) -> ShortStrings | None:
        return self.short_strings if length in LENGTH_POWERS else None

    def _phrase_model_of(self, length: int) -> PhraseModel | None:
        phrases = self.phrase_model if self.piece_share.get(length, 0) > 0 else None
        return None if phrases is None or np.isneginf(phrases.log_normalizer(length)) else phrases

    def _mix_weights(
        self, phrases: PhraseModel, length: int, phrase_log_weight: float, letter_log_weight: float
    ) -> tuple[float, float]:
        """Return the mixed log weight and the phrases' share of it."""
        share = self.piece_share[length]
        pieces = np.log(share) + phrase_log_weight - phrases.log_normalizer(length)
        mixed = float(np.logaddexp(pieces, np.log1p(-share) + letter_log_weight))
        return mixed, float(np.exp(pieces - mixed))

    def best_pieces(self, letters: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """Cut one string, (length,) 0 to 25, into its likeliest pieces, if any; return them and P(these | unlisted)."""
        if (phrases := self._phrase_model_of(len(letters))) is None:
            return (), 0.0
        pieces, share = phrases.best_pieces(letters)
        return pieces, share * self._score_string(letters)[1]

    def string_loglik(self, letters: NDArray[np.uint8]) -> float:
        """Return the log probability of one string among those of its length; cached, since half are needed again."""
        key = letters.tobytes()
        if key not in self._known_logliks:
            self._known_logliks[key] = self._score_string(letters)[0]
        return self._known_logliks[key]

    def _score_string(self, letters: NDArray[np.uint8]) -> tuple[float, float]:
        """Return a string's log probability and P(made of pieces)."""
        short = self._short_strings_of(len(letters))
        letter_log_weight = (
            short.string_loglik(letters)
            if short
            else self.letter_model.string_loglik(letters) - self.letter_model.log_normalizer(len(letters))
        )
        if (phrases := self._phrase_model_of(len(letters))) is None:
            return letter_log_weight, 0.0
        return self._mix_weights(phrases, len(letters), phrases.string_log_weight(letters), letter_log_weight)
