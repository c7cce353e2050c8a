"""What answers in no list look like: a letter model for any string, a phrase model for most, and the two mixed.

The shortest are looked at one by one (`short_strings`).

Nine of ten new answers of nine letters and more are words that the corpus knows, in a row that it does not (RED + SEA +
SCROLLS), or a word and its endings (UN + TIE + S): what the phrase model (`phrase_model`) makes strings of. It is mixed
with the letter model (`letter_model`) by P(pieces) of each length. The letter model is quick and does many slots at
once; the phrase model is used where it matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from regis.models.numeric.arrays import Float32Array, Float64Array
from regis.models.strings.letter_model import LetterModel
from regis.models.strings.phrase_model import PhraseModel
from regis.models.strings.short_strings import LENGTH_POWERS, ShortStrings


@dataclass(frozen=True)
class StringModel:
    """A mixture of letters and pieces: what answers in no list look like."""

    letter_model: LetterModel
    phrase_model: PhraseModel | None = None
    piece_share: Mapping[int, float] = field(default_factory=dict)  # P(made of pieces) by length; 0 if not named
    short_strings: ShortStrings | None = None  # where it is known what is listed; instead of the letter model
    _known_logliks: dict[bytes, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def reweight_pieces(self, piece_factors: Float32Array) -> StringModel:
        """Make a model in which some pieces are likelier; the same where it has none.

        Parameters
        ----------
        piece_factors : (pieces,) how many times as likely each is.
        """
        if self.phrase_model is None:
            return self
        return replace(self, phrase_model=self.phrase_model.reweight_pieces(piece_factors))

    def find_known_pieces(self, strings: Sequence[str]) -> NDArray[np.intp]:
        """Find which pieces some strings are; those that are none are left out.

        Parameters
        ----------
        strings : in capitals.

        Returns
        -------
        (known,).
        """
        piece_numbers = (
            self.phrase_model.find_pieces(strings) if self.phrase_model and strings else np.zeros(0, np.intp)
        )
        return piece_numbers[piece_numbers >= 0]

    def letter_posterior(self, evidence: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Say which letters strings of one length have, by the letter model alone.

        Parameters
        ----------
        evidence : (slots, cells, 26), as in LetterModel.letter_posterior.

        Returns
        -------
        (slots,) log weights, relative to all strings of the length, and (slots, cells, 26) letters' probabilities.
        """
        return self.letter_posteriors([evidence])[0]

    def letter_posteriors(self, evidence_tables: Sequence[Float64Array]) -> list[tuple[Float64Array, Float64Array]]:
        """Do as `letter_posterior` for slots of several lengths, which takes little longer.

        Parameters
        ----------
        evidence_tables : (slots, cells, 26) each.

        Returns
        -------
        What `letter_posterior` gives, for each table.
        """
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
        """Add the phrase model to what the letter model says of one slot.

        Parameters
        ----------
        evidence : (cells, 26).
        log_weight : from `letter_posterior`.
        marginal : (cells, 26) letters' probabilities, from there too.

        Returns
        -------
        The mixture's log weight and letters' probabilities, (cells, 26).
        """
        length = len(evidence)
        if (phrases := self._phrase_model_of(length)) is None:
            return log_weight, marginal
        phrase_log_weight, letters = phrases.letter_posterior(evidence)
        mixed_log_weight, phrase_share = self._mix_weights(phrases, length, phrase_log_weight, log_weight)
        return mixed_log_weight, phrase_share * letters + (1 - phrase_share) * marginal

    def narrow_pieces(self, evidence: Float64Array) -> StringModel:
        """Make the model for one slot and evidence much like this: of the pieces that are in reach.

        Parameters
        ----------
        evidence : (cells, 26).
        """
        phrases = self._phrase_model_of(len(evidence))
        return self if phrases is None else replace(self, phrase_model=phrases.narrow_pieces(evidence))

    def _short_strings_of(self, length: int) -> ShortStrings | None:
        """Return what replaces the letter model for strings of `length`, if anything does."""
        return self.short_strings if length in LENGTH_POWERS else None

    def _phrase_model_of(self, length: int) -> PhraseModel | None:
        """Return the phrase model, if it makes any strings of `length`."""
        phrases = self.phrase_model if self.piece_share.get(length, 0) > 0 else None
        return None if phrases is None or np.isneginf(phrases.log_normalizer(length)) else phrases

    def _mix_weights(
        self, phrases: PhraseModel, length: int, phrase_log_weight: float, letter_log_weight: float
    ) -> tuple[float, float]:
        """Mix the log weights that phrases and letters give, and tell the phrases' part of the mixture."""
        share = self.piece_share[length]
        pieces = np.log(share) + phrase_log_weight - phrases.log_normalizer(length)
        mixed = float(np.logaddexp(pieces, np.log1p(-share) + letter_log_weight))
        return mixed, float(np.exp(pieces - mixed))

    def best_pieces(self, letters: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """Cut one string, (length,) 0 to 25, into its likeliest pieces, if into any.

        Returns
        -------
        The pieces, and P(made of just these, if it is in no list).
        """
        if (phrases := self._phrase_model_of(len(letters))) is None:
            return (), 0.0
        pieces, share = phrases.best_pieces(letters)
        return pieces, share * self._score_string(letters)[1]

    def string_loglik(self, letters: NDArray[np.uint8]) -> float:
        """Return the log probability of one string among those of its length.

        It is kept: where a grid is filled again and again, half of what is tried was tried before.

        Parameters
        ----------
        letters : (length,) 0 to 25.

        Returns
        -------
        Nats.
        """
        key = letters.tobytes()
        if key not in self._known_logliks:
            self._known_logliks[key] = self._score_string(letters)[0]
        return self._known_logliks[key]

    def _score_string(self, letters: NDArray[np.uint8]) -> tuple[float, float]:
        """Return the log probability of a string, and P(made of pieces)."""
        short = self._short_strings_of(len(letters))
        letter_log_weight = (
            short.string_loglik(letters)
            if short
            else self.letter_model.string_loglik(letters) - self.letter_model.log_normalizer(len(letters))
        )
        if (phrases := self._phrase_model_of(len(letters))) is None:
            return letter_log_weight, 0.0
        return self._mix_weights(phrases, len(letters), phrases.string_log_weight(letters), letter_log_weight)
