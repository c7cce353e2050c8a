"""Scores of contents for one square of a slot, by the answers that have them; contents are numbers, for speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import LETTER_MATCH_PROBABILITY
from regis.models.numeric import sorted_search
from regis.models.numeric.arrays import Float64Array
from regis.puzzle import Slot
from regis.puzzle.alphabet import ALPHABET, letter_codes
from regis.solving.rebus.squares import content_along

MAX_CONTENT_LETTERS = 5
LOG_IMPOSSIBLE = -99.0  # natural log probability of what is not possible
LOG_UNLISTED_LETTER = float(np.log(LETTER_MATCH_PROBABILITY))  # of a letter of an answer on no list, before it is known

_POWERS = 27 ** np.arange(MAX_CONTENT_LETTERS)

ContentNumbers = NDArray[np.int64]
"""Contents as numbers: their letters to the base 27, none of them 0."""


class ContentScores(NamedTuple):
    """Log odds of contents for one cell, in nats against all that the slot may be with single letters."""

    content_numbers: ContentNumbers  # of listed answers, ascending
    listed_logp: Float64Array  # of each of them
    unlisted_logp: float  # of any content, before its letters: each adds LOG_UNLISTED_LETTER

    def log_odds(self, content_numbers: ContentNumbers) -> Float64Array:
        """Return the log odds of contents, (contents,)."""
        places, is_listed = sorted_search.find_sorted(self.content_numbers, content_numbers)
        listed = (
            np.where(is_listed, self.listed_logp[places], LOG_IMPOSSIBLE) if len(self.listed_logp) else LOG_IMPOSSIBLE
        )
        unlisted = self.unlisted_logp + content_lengths(content_numbers) * LOG_UNLISTED_LETTER
        log_odds: Float64Array = np.maximum(listed, unlisted)
        return log_odds

    def best_contents(self, count: int) -> tuple[ContentNumbers, Float64Array]:
        """Return the `count` likeliest contents of listed answers, best first, and their log odds."""
        order = np.argsort(-self.listed_logp, kind="stable")[:count]
        return self.content_numbers[order], self.listed_logp[order]


def encode_contents(letters: NDArray[np.uint8]) -> ContentNumbers:
    """Encode contents, (contents, length) letters, as numbers, (contents,)."""
    numbers: ContentNumbers = (letters + 1) @ _POWERS[: letters.shape[1]]
    return numbers


def encode_content(content: str, slot: Slot) -> ContentNumbers:
    """Encode what a square of this content adds to the slot's answer, (1,)."""
    return encode_contents(letter_codes(content_along(content, slot.direction))[None])


def content_lengths(content_numbers: ContentNumbers) -> NDArray[np.intp]:
    return np.searchsorted(_POWERS, content_numbers, side="right")


def decode_content(number: int) -> str:
    content = ""
    while number:
        number, letter = divmod(number, 27)
        content += ALPHABET[letter - 1]
    return content


def sum_by_content(parts: Sequence[tuple[ContentNumbers, Float64Array]]) -> tuple[ContentNumbers, Float64Array]:
    """Add up probabilities, given as natural logs, by content number, ascending."""
    numbers, logp = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(numbers, kind="stable")
    numbers, logp = numbers[order], logp[order]
    starts = sorted_search.run_starts(numbers)
    return numbers[starts], np.logaddexp.reduceat(logp, starts)


def cell_loglik(letters: NDArray[np.uint8], column: int, message: Float64Array, content: str) -> Float64Array:
    """Return how well one cell of longer answers, (answers, length), fits: (answers,) natural logs.

    `column` is where the cell begins, `message`, (26,) logs, comes from its crossing, and `content` is what it must
    hold, `?` for any letter.
    """
    if content != "?":
        has_content = (letters[:, column : column + len(content)] == letter_codes(content)).all(axis=1)
        return np.where(has_content, 0.0, LOG_IMPOSSIBLE)
    loglik: Float64Array = message[letters[:, column]]
    return loglik
