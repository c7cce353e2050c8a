"""What a slot makes of one of its squares: how likely each content is there, by the answers that have it.

Contents are numbers here, so that those of thousands of answers are looked up and added up at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import KNOWN_LETTER
from regis.models import lookup
from regis.models.tensors import Table
from regis.puzzle import Slot
from regis.puzzle.alphabet import ALPHABET, codes
from regis.solving.rebus.squares import part

MOST = 5  # letters of a content, at most
NEVER = -99.0  # natural log of what is not possible,
LETTER = float(np.log(KNOWN_LETTER))  # and of a letter of an answer in no list, before it is known

Numbers = NDArray[np.int64]


class Side(NamedTuple):
    """What a slot makes of one of its cells, in natural log relative to all that it may be with single letters."""

    contents: Numbers  # what answers have there, as numbers, ascending
    listed: Table  # how likely each of them is
    unlisted: float  # any content of no letters: for each of its letters it is `LETTER` more

    def odds(self, contents: Numbers) -> Table:
        """How likely each of `contents` is."""
        place, known = lookup.place(self.contents, contents)
        listed = np.where(known, self.listed[place], NEVER) if len(self.listed) else NEVER
        odds: Table = np.maximum(listed, self.unlisted + sizes(contents) * LETTER)
        return odds

    def best(self, count: int) -> tuple[Numbers, Table]:
        """The likeliest contents that answers have there, and how likely each is."""
        order = np.argsort(-self.listed, kind="stable")[:count]
        return self.contents[order], self.listed[order]


_POWERS = 27 ** np.arange(MOST)


def number(letters: NDArray[np.uint8]) -> Numbers:
    """Contents of one length, (contents, letters), each as a number: its letters to the base 27, none of them 0."""
    found: Numbers = (letters + 1) @ _POWERS[: letters.shape[1]]
    return found


def number_of(content: str, slot: Slot) -> Numbers:
    """What a square of this `content` adds to the answer of `slot`, as a number, (1,)."""
    return number(codes(part(content, slot.direction))[None])


def sizes(contents: Numbers) -> NDArray[np.intp]:
    """How many letters these contents have."""
    return np.searchsorted(_POWERS, contents, side="right")


def content_of(number: int) -> str:
    """The content that has this number."""
    content = ""
    while number:
        number, letter = divmod(number, 27)
        content += ALPHABET[letter - 1]
    return content


def summed(found: Sequence[tuple[Numbers, Table]]) -> tuple[Numbers, Table]:
    """Each number once, ascending, with the natural log of all its probabilities together."""
    numbers, logp = (np.concatenate(columns) for columns in zip(*found, strict=True))
    order = np.argsort(numbers, kind="stable")
    numbers, logp = numbers[order], logp[order]
    first = lookup.begins(numbers)
    return numbers[first], np.logaddexp.reduceat(logp, first)


def fit(letters: NDArray[np.uint8], column: int, message: Table, content: str) -> Table:
    """Natural log of how well a cell that begins in `column` of longer answers fits: any letter (?), or its content."""
    if content != "?":
        return np.where((letters[:, column : column + len(content)] == codes(content)).all(axis=1), 0.0, NEVER)
    found: Table = message[letters[:, column]]
    return found
