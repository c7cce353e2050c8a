"""What an answer that is in no list looks like: a letter model for any string, a phrase model for most.

Both give a string's probability among those of its length and, given what the crossings say, the letters' marginals.
With P(pieces) by length they are mixed, which again is exact. The letter model is quick and does many slots at once;
the phrase model is asked where it matters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regis.models.ngram import LetterModel, certain
from regis.models.segmentation import PhraseModel

Table = NDArray[np.float64]


@dataclass(frozen=True)
class StringModel:
    """Letters and pieces; `share` is P(an unlisted answer is made of pieces) by length, 0 where it is not named."""

    letters: LetterModel
    phrases: PhraseModel | None = None
    share: Mapping[int, float] = field(default_factory=dict)

    def leaning(self, factor: Table) -> StringModel:
        """The model whose pieces are `factor` times as likely, (pieces,); itself where it has none."""
        return self if self.phrases is None else StringModel(self.letters, self.phrases.leaning(factor), self.share)

    def by_letters(self, evidence: Table) -> tuple[Table, Table]:
        """As LetterModel.posterior, (slots, cells, 26), but the weights are relative to all strings of the length."""
        weight, marginal = self.letters.posterior(evidence)
        return weight - self.letters.base(evidence.shape[1]), marginal

    def with_phrases(self, evidence: Table, weight: float, marginal: Table) -> tuple[float, Table]:
        """The same for one slot, (cells, 26), once its phrases are looked at too.

        `weight` and `marginal` are what `by_letters` said of it.
        """
        length = len(evidence)
        share = self.share.get(length, 0.0)
        if self.phrases is None or share <= 0 or np.isneginf(base := self.phrases.base(length)):
            return weight, marginal
        found, letters = self.phrases.posterior(evidence)
        if np.isneginf(found):
            return weight + float(np.log1p(-share)), marginal
        pieces, other = np.log(share) + found - base, np.log1p(-share) + weight
        both = float(np.logaddexp(pieces, other))
        part = np.exp(pieces - both)
        return both, part * letters + (1 - part) * marginal

    def pieces(self, codes: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """What the phrase model makes one string of, and P(made of just these, if it is in no list)."""
        share = self.share.get(len(codes), 0.0)
        if self.phrases is None or share <= 0 or np.isneginf(base := self.phrases.base(len(codes))):
            return (), 0.0
        pieces, part = self.phrases.split(codes)
        if not pieces:
            return (), 0.0
        made = np.log(share) + self.phrases.posterior(certain(codes))[0] - base
        return pieces, part * float(np.exp(made - self.string(codes)))

    def string(self, codes: NDArray[np.uint8]) -> float:
        """Natural log probability of one string among those of its length; `codes` (length,), values 0 to 25."""
        alone = self.letters.string(codes) - self.letters.base(len(codes))
        seen = certain(codes)
        return self.with_phrases(seen, alone, seen)[0]
