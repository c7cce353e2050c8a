"""Coined answers, which no list has: words of clues, neighboring words, other endings of known answers.

Their scores say how often such answers occur, so that ranking trusts all lists equally (measured:
docs/experiments/coined-answers.md).
"""

from __future__ import annotations

import itertools
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from regis import text
from regis.building.settings import COINING
from regis.corpora.inflection import pluralise as plural_of

CLUE_WORDS = "clue words"  # words of clues that weren't answers yet: LIBRARIAN, BEYONCE
CLUE_PAIRS = "clue pairs"  # two or three neighboring words of clues as one answer (RIDDLER): STARSTUDDED
OTHER_ENDINGS = "endings"  # known answers with another ending


VERB_PARTICLES = {
    *("ABOUT", "ACROSS", "AFTER", "AHEAD", "ALONG", "APART", "AROUND", "ASIDE", "AT", "AWAY", "BACK", "BY", "DOWN"),
    *("FOR", "FROM", "HOME", "IN", "INTO", "IT", "OF", "OFF", "ON", "OUT", "OVER", "THROUGH", "TO", "UP", "WITH"),
}
"""Words that follow a verb in an answer of two words."""


class CoinedAnswer(NamedTuple):
    answer: str
    display_text: str  # '' if it adds nothing
    score: float
    source: str


class _BloomFilter:
    """A set of strings, a bit each (Bloom 1970), with one false hit in hundreds."""

    def __init__(self) -> None:
        self._bits = bytearray(1 << 25)  # for a million clues, one in 500 wrongly counts as a repeat

    def __call__(self, string: str) -> bool:
        """Return whether `string` was seen before, and remember it."""
        place, bit = divmod(zlib.crc32(string.encode()) % (8 * len(self._bits)), 8)
        byte_before = self._bits[place]
        self._bits[place] = byte_before | 1 << bit
        return bool(byte_before >> bit & 1)


class AnswerCoiner:
    """Counts all clues, each wording once, then coins answers."""

    def __init__(self) -> None:
        self.word_counts: Counter[str] = Counter()
        self.pair_counts: Counter[str] = Counter()
        self.repeated_triples: Counter[str] = Counter()  # number of repeats; most triples have none
        self.answer_uses: Counter[str] = Counter()
        self._seen_clues = _BloomFilter()
        self._seen_triples = _BloomFilter()

    def count_clue(self, clue_key: str, answer: str) -> None:
        self.answer_uses[answer] += 1
        if self._seen_clues(clue_key):
            return
        words = clue_key.split()
        self.word_counts.update(words)
        self.pair_counts.update(f"{a} {b}" for a, b in itertools.pairwise(words))
        triples = (f"{a} {b} {c}" for a, b, c in zip(words, words[1:], words[2:], strict=False))
        self.repeated_triples.update(filter(self._seen_triples, triples))

    def coin_answers(self, inflections: Sequence[tuple[str, str, str]]) -> Iterator[CoinedAnswer]:
        """Coin answers, even known ones; `inflections` are (base, ending, form), in capitals."""
        yield from itertools.chain(self._coin_words(), self._coin_pairs(), self._coin_triples())
        yield from itertools.chain(self._coin_inflections(inflections), self._coin_particle_verbs(inflections))

    def _coin_words(self) -> Iterator[CoinedAnswer]:
        """Coin every word of a clue; its score is the share of words that aren't more common."""
        plain_words = (word for word in self.word_counts if len(word) >= 3 and word.isascii() and word.isalpha())
        counted_words = [(self.word_counts[word], word) for word in plain_words]
        at_most = np.cumsum(np.bincount([count for count, _ in counted_words], minlength=1))
        for count, word in counted_words:
            yield CoinedAnswer(word.upper(), "", float(at_most[count]) / len(counted_words), CLUE_WORDS)

    def _coin_pairs(self) -> Iterator[CoinedAnswer]:
        common = self._commonest_words(COINING.common_in_pairs)
        first_counts, last_counts = self._count_joints()
        for pair, count in self.pair_counts.items():
            words = pair.split()
            if text.BLANK_TOKEN in words:
                continue
            productive = first_counts[words[0].upper()] * last_counts[words[1].upper()] >= COINING.min_productivity
            rare = common.isdisjoint(words)
            if (rare and count > 1) or (productive and (rare or count > 1)):
                score = COINING.pair_score if rare else COINING.common_pair_score
                score = COINING.once_pair_score if count == 1 else score
                yield CoinedAnswer(text.normalize_answer(pair), pair, score, CLUE_PAIRS)

    def _coin_triples(self) -> Iterator[CoinedAnswer]:
        common = self._commonest_words(COINING.common_in_triples)
        for triple, again in self.repeated_triples.items():
            words = triple.split()
            if text.BLANK_TOKEN not in words and common.isdisjoint((words[0], words[2])):
                score = COINING.triple_score if again > 1 else COINING.twice_triple_score
                yield CoinedAnswer(text.normalize_answer(triple), triple, score, CLUE_PAIRS)

    def _coin_inflections(self, inflections: Sequence[tuple[str, str, str]]) -> Iterator[CoinedAnswer]:
        """Coin known answers with another ending: OPEN -> OPENED; ASHTREE -> ASHTREES and back, as TREE."""
        plurals: dict[str, str] = {}
        for base, ending, form in inflections:
            if base in self.answer_uses:
                yield CoinedAnswer(form, "", COINING.inflected_score, OTHER_ENDINGS)
            if ending == "s" and len(base) > 2:
                plurals.setdefault(base, form)  # nouns come first: MEN, not MANS
        for endings in (plurals, {form: base for base, form in plurals.items()}):
            for answer in sorted(self.answer_uses):
                for i in range(2, len(answer) - 2):
                    if answer[i:] in endings and answer[:i] in self.answer_uses:
                        yield CoinedAnswer(answer[:i] + endings[answer[i:]], "", COINING.inflected_score, OTHER_ENDINGS)
                        break
        for answer in sorted(self.answer_uses):
            is_frequent = self.answer_uses[answer] >= COINING.min_plural_uses
            if is_frequent and not answer.endswith("S") and answer not in plurals:
                yield CoinedAnswer(plural_of(answer.lower()).upper(), "", COINING.plural_score, OTHER_ENDINGS)

    def _coin_particle_verbs(self, inflections: Sequence[tuple[str, str, str]]) -> Iterator[CoinedAnswer]:
        """Coin known answers of a verb and a particle with other forms of the verb."""
        verb_forms: dict[str, dict[str, str]] = defaultdict(dict)  # by ending
        for base, ending, form in inflections:
            if ending != "er":
                verb_forms[base].setdefault(ending, form)
        base_of = {form: base for base, known in verb_forms.items() if "ing" in known for form in known.values()}
        base_of |= {base: base for base, known in verb_forms.items() if "ing" in known}
        for answer in sorted(self.answer_uses):
            for i in range(2, len(answer) - 1):
                if answer[i:] in VERB_PARTICLES and answer[:i] in base_of:
                    base = base_of[answer[:i]]
                    for form in (base, *verb_forms[base].values()):
                        yield CoinedAnswer(form + answer[i:], "", COINING.particle_score, OTHER_ENDINGS)

    def _count_joints(self) -> tuple[Counter[str], Counter[str]]:
        """Count the known answers of two words by first and by last word."""
        counts = self.word_counts.items()
        words = {word.upper() for word, count in counts if count >= COINING.min_word_count and len(word) > 1}
        answers = (answer for answer in self.answer_uses if len(answer) >= 6)
        cuts = ((answer[:i], answer[i:]) for answer in answers for i in range(2, len(answer) - 1))
        joints = [(first, last) for first, last in cuts if first in words and last in words]
        return Counter(first for first, _ in joints), Counter(last for _, last in joints)

    def _commonest_words(self, count: int) -> set[str]:
        return {word for word, _ in self.word_counts.most_common(count)}
