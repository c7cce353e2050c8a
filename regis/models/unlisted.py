"""What answers in no list look like: a letter model for any string, a phrase model for most, and the two mixed.

The shortest are looked at one by one (`short_strings`).

Nine of ten new answers of nine letters and more are words that the corpus knows, in a row that it does not (RED + SEA +
SCROLLS), or a word and its endings (UN + TIE + S): what the phrase model (`phrases`) makes strings of. It is mixed with
the letter model (`ngram`) by P(pieces) of each length. The letter model is quick and does many slots at once; the
phrase model is used where it matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from regis.models.ngram import LetterModel
from regis.models.phrases import PhraseModel
from regis.models.short_strings import POWERS, ShortStrings
from regis.models.tensors import Floats, Table


@dataclass(frozen=True)
class StringModel:
    """Letters and pieces; `share` is P(an unlisted answer is made of pieces) by length, 0 where it is not named.

    Where it knows what is listed, `short` says of short strings what `letters` would.
    """

    letters: LetterModel
    phrases: PhraseModel | None = None
    share: Mapping[int, float] = field(default_factory=dict)
    short: ShortStrings | None = None
    _known: dict[bytes, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def leaning(self, factor: Floats) -> StringModel:
        """The model whose pieces are `factor` times as likely, (pieces,); itself where it has none."""
        return self if self.phrases is None else replace(self, phrases=self.phrases.leaning(factor))

    def places(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Which pieces some words are; those that are none are left out."""
        found = self.phrases.find(words) if self.phrases and words else np.zeros(0, np.intp)
        return found[found >= 0]

    def by_letters(self, evidence: Table) -> tuple[Table, Table]:
        """As LetterModel.posterior, (slots, cells, 26), but the weights are relative to all strings of the length."""
        return self.all_by_letters([evidence])[0]

    def all_by_letters(self, several: Sequence[Table]) -> list[tuple[Table, Table]]:
        """The same of slots of several lengths, which takes little longer."""
        found: dict[int, tuple[Table, Table]] = {}
        for i, one in enumerate(several):
            if (short := self._short(one.shape[1])) is not None:
                found[i] = short.posterior(one)
        longer = [i for i in range(len(several)) if i not in found]
        for i, (weight, marginal) in zip(longer, self.letters.posteriors([several[i] for i in longer]), strict=True):
            found[i] = weight - self.letters.base(several[i].shape[1]), marginal
        return [found[i] for i in range(len(several))]

    def with_phrases(self, evidence: Table, weight: float, marginal: Table) -> tuple[float, Table]:
        """The same for one slot, (cells, 26), with its phrases; `weight` and `marginal` are those of `by_letters`."""
        length = len(evidence)
        if (phrases := self._phrases(length)) is None:
            return weight, marginal
        found, letters = phrases.posterior(evidence)
        both, part = self._mixed(phrases, length, found, weight)
        return both, part * letters + (1 - part) * marginal

    def near(self, evidence: Table) -> StringModel:
        """The same for one slot and evidence much like this, (cells, 26): phrases of the pieces that are in reach."""
        phrases = self._phrases(len(evidence))
        return self if phrases is None else replace(self, phrases=phrases.near(evidence))

    def _short(self, length: int) -> ShortStrings | None:
        """What says of strings of `length` what `letters` would, if anything does."""
        return self.short if length in POWERS else None

    def _phrases(self, length: int) -> PhraseModel | None:
        """The phrase model, if it makes any strings of `length`."""
        phrases = self.phrases if self.share.get(length, 0) > 0 else None
        return None if phrases is None or np.isneginf(phrases.base(length)) else phrases

    def _mixed(self, phrases: PhraseModel, length: int, found: float, weight: float) -> tuple[float, float]:
        """The weight of what `phrases` give the weight `found` and letters `weight`, and the phrases' part of it."""
        share = self.share[length]
        pieces, other = np.log(share) + found - phrases.base(length), np.log1p(-share) + weight
        both = float(np.logaddexp(pieces, other))
        return both, float(np.exp(pieces - both))

    def pieces(self, codes: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """What the phrase model makes one string of, and P(made of just these, if it is in no list)."""
        if (phrases := self._phrases(len(codes))) is None:
            return (), 0.0
        pieces, part = phrases.split(codes)
        return pieces, part * self._whole(codes)[1]

    def string(self, codes: NDArray[np.uint8]) -> float:
        """Natural log probability of one string among those of its length; `codes` (length,), values 0 to 25.

        It is kept: where a grid is filled again and again, half of what is tried was tried before.
        """
        key = codes.tobytes()
        if key not in self._known:
            self._known[key] = self._whole(codes)[0]
        return self._known[key]

    def _whole(self, codes: NDArray[np.uint8]) -> tuple[float, float]:
        """The same, and P(made of pieces)."""
        short = self._short(len(codes))
        alone = short.string(codes) if short else self.letters.string(codes) - self.letters.base(len(codes))
        if (phrases := self._phrases(len(codes))) is None:
            return alone, 0.0
        return self._mixed(phrases, len(codes), phrases.weight(codes), alone)
