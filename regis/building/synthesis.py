"""Answers that no list has, coined from what is there: words of clues, words side by side in them, answers that differ
from a known one by an ending.

Scores say how often such an answer turns up, so that ranking can trust lists alike; how they follow from what was
counted stands in docs/measured.md.
"""

from __future__ import annotations

import itertools
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from regis import text
from regis.corpora.inflection import plural as plural_of

CLUE_WORDS = "clue words"  # the clues are a corpus too, and have words that no answer was yet: LIBRARIAN, BEYONCE
CLUE_PAIRS = "clue pairs"  # two or three neighbouring words of clues, set together as one answer (RIDDLER): STARSTUDDED
ENDINGS = "endings"  # known answers with another ending
COMMON, COMMONEST = 40, 10  # so many common words are in no pair, unless a frequent one, and so many end no triple
PAIR, PAIR_WITH_COMMON, PAIR_SAID_ONCE = 0.4, 0.25, 0.2  # scores: found twice; the same, with a common word; found once
TRIPLE, TRIPLE_SAID_TWICE = 0.4, 0.15  # scores of three words that were found together three times, and twice

PRODUCTIVE = 30
"""A pair found once, or with a common word, is coined if the known answers that begin with its first word, times those
that end with its second, are so many. Of others hardly any is an answer."""

LONG, SAID = 6, 5  # letters from which an answer may be of two words, and how often each must be said somewhere
INFLECTED, PLURAL = 0.5, 0.15  # scores of a known answer in another form that a dictionary has, and of one with an S
WITH_PARTICLE = 0.7  # score of TIMEDOUT where TIMEOUT is known
ASKED_OFTEN = 3  # how often an answer was asked for that gets an S without a dictionary

PARTICLES = {
    *("ABOUT", "ACROSS", "AFTER", "AHEAD", "ALONG", "APART", "AROUND", "ASIDE", "AT", "AWAY", "BACK", "BY", "DOWN"),
    *("FOR", "FROM", "HOME", "IN", "INTO", "IT", "OF", "OFF", "ON", "OUT", "OVER", "THROUGH", "TO", "UP", "WITH"),
}
"""What follows a verb in an answer of two words."""


BITS = 1 << 28  # of memory for what was met: 32 MiB; with a million clues, one in 500 is not heard


class Coined(NamedTuple):
    """A possible answer."""

    answer: str
    written: str  # '' if that says no more
    score: float
    source: str


class _Met:
    """Which strings were met before, in as little memory for millions of them: a bit each (Bloom 1970).

    One in hundreds that was not is taken for one that was, since it shares its bit with another.
    """

    def __init__(self) -> None:
        self._bits = bytearray(BITS // 8)

    def __call__(self, string: str) -> bool:
        """Whether `string` was met before; now it was."""
        place, bit = divmod(zlib.crc32(string.encode()) % BITS, 8)
        before = self._bits[place]
        self._bits[place] = before | 1 << bit
        return bool(before >> bit & 1)


class Coiner:
    """Hears all clues, each wording once, then coins answers."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.pairs: Counter[str] = Counter()
        self.triples: Counter[str] = Counter()  # how often each was said again: most never are
        self.used: Counter[str] = Counter()
        self._heard, self._said = _Met(), _Met()

    def hear(self, key: str, answer: str) -> None:
        """Takes in one use of a clue (its text.clue_key) and its answer."""
        self.used[answer] += 1
        if self._heard(key):
            return
        said = key.split()
        self.words.update(said)
        self.pairs.update(f"{a} {b}" for a, b in itertools.pairwise(said))
        triples = (f"{a} {b} {c}" for a, b, c in zip(said, said[1:], said[2:], strict=False))
        self.triples.update(filter(self._said, triples))

    def coin(self, forms: Sequence[tuple[str, str, str]]) -> Iterator[Coined]:
        """All answers that may be, known ones among them; `forms` are (base, ending, form), as a dictionary says."""
        from_clues = (self._words(), self._pairs(), self._triples())
        yield from itertools.chain(*from_clues, self._inflected(forms), self._with_particles(forms))

    def _words(self) -> Iterator[Coined]:
        """Every word of a clue, scored by how common it is among them: the share of words that are no commoner."""
        plain = (word for word in self.words if len(word) >= 3 and word.isascii() and word.isalpha())
        found = [(self.words[word], word) for word in plain]
        at_most = np.cumsum(np.bincount([count for count, _ in found], minlength=1))
        for count, word in found:
            yield Coined(word.upper(), "", float(at_most[count]) / len(found), CLUE_WORDS)

    def _pairs(self) -> Iterator[Coined]:
        common = self._commonest(COMMON)
        begun, ended = self._joints()
        for pair, count in self.pairs.items():
            words = pair.split()
            if text.BLANK in words:
                continue
            productive = begun[words[0].upper()] * ended[words[1].upper()] >= PRODUCTIVE
            rare = common.isdisjoint(words)
            if (rare and count > 1) or (productive and (rare or count > 1)):
                score = PAIR_SAID_ONCE if count == 1 else PAIR if rare else PAIR_WITH_COMMON
                yield Coined(text.answer(pair), pair, score, CLUE_PAIRS)

    def _triples(self) -> Iterator[Coined]:
        common = self._commonest(COMMONEST)
        for triple, again in self.triples.items():
            words = triple.split()
            if text.BLANK not in words and common.isdisjoint((words[0], words[2])):
                score = TRIPLE if again > 1 else TRIPLE_SAID_TWICE
                yield Coined(text.answer(triple), triple, score, CLUE_PAIRS)

    def _inflected(self, forms: Sequence[tuple[str, str, str]]) -> Iterator[Coined]:
        """What known answers become with an ending: OPEN -> OPENED; ASHTREE -> ASHTREES and back, as TREE."""
        plural: dict[str, str] = {}
        for base, ending, form in forms:
            if base in self.used:
                yield Coined(form, "", INFLECTED, ENDINGS)
            if ending == "s" and len(base) > 2:
                plural.setdefault(base, form)  # nouns come first: MEN, not MANS
        for other in (plural, {form: base for base, form in plural.items()}):
            for answer in sorted(self.used):
                for i in range(2, len(answer) - 2):
                    if answer[i:] in other and answer[:i] in self.used:
                        yield Coined(answer[:i] + other[answer[i:]], "", INFLECTED, ENDINGS)
                        break
        for answer in sorted(self.used):
            if self.used[answer] >= ASKED_OFTEN and not answer.endswith("S") and answer not in plural:
                yield Coined(plural_of(answer.lower()).upper(), "", PLURAL, ENDINGS)

    def _with_particles(self, forms: Sequence[tuple[str, str, str]]) -> Iterator[Coined]:
        """Known answers of a verb and a particle, with the other forms of the verb."""
        verbs: dict[str, dict[str, str]] = defaultdict(dict)  # forms by ending
        for base, ending, form in forms:
            if ending != "er":
                verbs[base].setdefault(ending, form)
        base_of = {form: base for base, known in verbs.items() if "ing" in known for form in known.values()}
        base_of |= {base: base for base, known in verbs.items() if "ing" in known}
        for answer in sorted(self.used):
            for i in range(2, len(answer) - 1):
                if answer[i:] in PARTICLES and answer[:i] in base_of:
                    base = base_of[answer[:i]]
                    for form in (base, *verbs[base].values()):
                        yield Coined(form + answer[i:], "", WITH_PARTICLE, ENDINGS)

    def _joints(self) -> tuple[Counter[str], Counter[str]]:
        """How many known answers of two words begin, and end, with each word."""
        words = {word.upper() for word, count in self.words.items() if count >= SAID and len(word) > 1}
        cuts = ((one[:i], one[i:]) for one in self.used if len(one) >= LONG for i in range(2, len(one) - 1))
        joined = [(first, last) for first, last in cuts if first in words and last in words]
        return Counter(first for first, _ in joined), Counter(last for _, last in joined)

    def _commonest(self, count: int) -> set[str]:
        return {word for word, _ in self.words.most_common(count)}
