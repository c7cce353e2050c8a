"""Words of a clue that were read from a picture, of which others look alike: 'lowa' is Iowa, 'Iand' is land.

A capital I and a small l are one stroke in much type. Of two spellings the one is taken that past clues have more
often, alone and beside its neighbours (a noisy channel: Kernighan, Church and Gale 1990).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.models.numeric import sorted_search
from regis.models.strings.word_bigrams import PairFeatures, match_width
from regis.models.text import clue_features

SWAP_COST = 2.0
LOST_L_COST = 5.5
"""In nats, by how much likelier the past must find another spelling: with I for l, or with ll at the end, of which a
network sees one. (Measured: docs/experiments/clue-mending.md.)"""

UNSEEN_COUNT = 0.5  # as how many times is taken what was never met; as usual
LOOKALIKES = {"I": "l", "l": "I"}
MAX_PLACES = 4  # of a word where another letter is tried: it takes twice the time for each
ENDS_IN_L = re.compile(r"(.*[^\Wl]l)(\W*)$")
LETTERS = re.compile(r"[^\W\d_]+")


class FeatureCounts(NamedTuple):
    """How often past clues, or in a distilled index the answers' clues, have features: words and pairs of words."""

    features: PairFeatures  # (features,), ascending
    counts: NDArray[np.float32]  # (features,)

    def score(self, clue: str) -> float:
        """Say how often past clues have the words and pairs of a clue, in logs, summed up."""
        words = text.clue_key(clue).split()
        codes = clue_features.hash_words(words)
        codes = np.concatenate([clue_features.hash_stems(words), clue_features.hash_pairs(codes[:-1], codes[1:])])
        places, is_known = sorted_search.find_sorted(self.features, match_width(codes, self.features))
        counts = np.where(is_known, self.counts[places], 0) if len(self.counts) else np.zeros(len(codes))
        return float(np.log(counts + UNSEEN_COUNT).sum())


def mend_clue(clue: str, past_counts: FeatureCounts) -> str:
    """Spell each word of a clue as what looks like it, where past clues have that by far more often."""
    words = clue.split(" ")
    for i, word in enumerate(words):
        best = past_counts.score(" ".join(words))
        for other, cost in list_lookalikes(word):
            others = [*words[:i], other, *words[i + 1 :]]
            score = past_counts.score(" ".join(others)) - cost
            if score > best:
                words, best = others, score
    return " ".join(words)


def list_lookalikes(word: str) -> Iterator[tuple[str, float]]:
    """List other spellings that look like a word, and what each costs, in nats.

    Capitals are where words have them.
    """
    places = [i for i, letter in enumerate(word) if letter in LOOKALIKES][:MAX_PLACES]
    for swapped in itertools.product((False, True), repeat=len(places)):
        letters = list(word)
        for i in itertools.compress(places, swapped):
            letters[i] = LOOKALIKES[letters[i]]
        other = "".join(letters)
        runs = LETTERS.findall(other)
        if any(swapped) and all(map(has_usual_capitals, runs)):
            yield other, SWAP_COST
    if ends := ENDS_IN_L.match(word):
        yield f"{ends[1]}l{ends[2]}", LOST_L_COST


def has_usual_capitals(letters: str) -> bool:
    """Return whether letters are capitals in front or everywhere, as in GIs; l alone is none."""
    return letters.removesuffix("s").isupper() or (letters != "l" and letters[1:] == letters[1:].lower())
