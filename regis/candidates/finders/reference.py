"""`reference`: what thesauri and dictionaries say of the clue's words (LUMOS, RIDDLER, NEMESIS, CrosswordTree).

Where the ancestors asked the web, the relations of the index are asked: for the clue's words without stop words and for
each pair of neighbours (LUMOS), for its parts at commas and colons and for the whole (CrosswordTree); and for what any
of these is an inflection of, by a dictionary (gave) or by the rules (gives), in which case the answer must have the
same ending, as RIDDLER and NEMESIS wished for. An answer that was found in several ways counts for more (NEMESIS). The
clue is also held against definitions.

Columns: 1 less the product, over all ways an answer was found, of 1 less the looked-up phrase's share of the clue; and
how much of the clue stands in the answer's definitions, as the sum of the inverse frequencies of stems and word pairs.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.found import Evidence, Finder, Found, one_by_one
from regis.candidates.query import Query
from regis.corpora import inflection
from regis.corpora.entry import RELATIONS
from regis.index import Index, Partition, Relations
from regis.models import features, lookup

_STOP = (
    "a an the of in on at to for from by with as and or but is are was were be it its that this some any one ones "
    "maybe perhaps say eg ie abbr var like kind sort type not no what who whom where when how his her their your my "
    "you he she they have has had do does did so than very _"
)
STOP = frozenset(_STOP.split())  # words that nothing looked up consists of; they say how a clue is meant, or nothing
LIGHT = 0.2  # what a stop word counts beside another of the same rarity
PARTS = re.compile('[,;:()?!"“”—]|--')  # what stands between the parts of a clue
COMMONNESS = 0.1  # a word found under a head is worth 1 / (words under it) ** COMMONNESS

IN_WORDS = {
    "synonym": 'synonym of "{}"',
    "antonym": 'antonym of "{}"',
    "kind": 'kind of "{}"',
    "class": 'what "{}" is a kind of',
    "relative": 'related to "{}"',
}


CERTAIN = 0.99  # the most that one way can say for an answer


class Lookup(NamedTuple):
    """One thing to look up."""

    phrase: str  # of the clue
    head: np.uint64
    ending: int  # that the answer must have; 0 for none
    coverage: float  # how much of the clue it is, 0 to 1, rare words being more of it


def find(query: Query, index: Index) -> Found:
    """Answers that stand in a relation to what the clue says."""
    part, relations, publishers = index[query.length], index.relations, index.manifest.publishers
    if relations is None or not query.key or not len(part.letters):
        return Found.nothing()
    wanted = lookups(query.clue, part, relations)
    related, share = _related(wanted, part, relations)
    defined, rarity = _defined(query, part, relations)
    rows, place = np.unique(np.concatenate([related.row, defined.row]), return_inverse=True)
    ways = place[: len(related.row)]
    score = 1 - np.exp(np.bincount(ways, weights=np.log1p(-share), minlength=len(rows)))
    definition = np.bincount(place[len(ways) :], weights=rarity, minlength=len(rows))

    def explain(row: int) -> tuple[Evidence, ...]:
        at, known = lookup.place(rows, row)
        if not known:
            return ()
        reasons = []
        if score[at]:
            best = max(np.flatnonzero(related.row == row), key=lambda way: float(share[way]))
            kind, source = RELATIONS[related.kind[best]], publishers[related.source[best]]
            reasons.append(f"{IN_WORDS[kind].format(wanted[related.which[best]].phrase)}, in {source}")
        if definition[at]:
            reasons.append("its definition has words of the clue")
        return tuple(Evidence("reference", "relation", reason, float(score[at]), 0, None) for reason in reasons)

    columns = {"reference": score.astype(np.float32), "definition": definition.astype(np.float32)}
    return Found(rows.astype(np.int32), columns, explain).keep(part.exists[rows])


def lookups(clue: str, part: Partition, relations: Relations) -> list[Lookup]:
    """What to look up for `clue`: its spans, and what these are inflections of."""
    words, spans = _spans(clue)
    if not spans:
        return []
    weight = np.concatenate([[0.0], np.cumsum(_weights(words, part))])
    phrases = [" ".join(words[start:end]) for start, end in spans]
    coverage = [float((weight[end] - weight[start]) / weight[-1]) for start, end in spans]
    heads = features.codes_of(phrases)
    found = [Lookup(*one) for one in zip(phrases, heads, [0] * len(heads), coverage, strict=True)]
    bases = {(int(which), int(base), int(ending)) for which, base, ending in zip(*relations.bases(heads), strict=True)}
    for which, phrase in enumerate(phrases):
        bases |= {(which, features.code(base), RELATIONS.index(suffix)) for base, suffix in inflection.bases(phrase)}
    for which, base, ending in sorted(bases):
        found.append(Lookup(phrases[which], np.uint64(base), ending, coverage[which]))
    return found


def _spans(clue: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The words of the clue, and from where to where each lookup goes: words, pairs, parts, the whole."""
    words: list[str] = []
    spans: dict[tuple[int, int], None] = {}
    for piece in PARTS.split(clue):
        start = len(words)
        words += text.clue_key(piece).split()
        end = len(words)
        for i in range(start, end):
            if words[i] not in STOP:
                spans[i, i + 1] = None
            if i + 1 < end and not STOP.issuperset(words[i : i + 2]):
                spans[i, i + 2] = None
        while start < end and words[start] in STOP:
            start += 1
        while start < end and words[end - 1] in STOP:
            end -= 1
        if start < end:
            spans[start, end] = None
    if spans:
        spans[0, len(words)] = None
    return words, list(spans)


def _weights(words: list[str], part: Partition) -> NDArray[np.float64]:
    """How much each word is of the clue: its inverse frequency among past clues, less if it is a stop word."""
    codes = features.codes_of(words)
    place, known = lookup.place(part.features, codes)
    size = np.where(known, part.starts[place + known] - part.starts[place], 0)
    rarity = features.inverse_frequency(size, len(part.norms)) + 1e-3
    return np.where([word in STOP for word in words], LIGHT, 1.0) * rarity


class Hits(NamedTuple):
    """Answers found, as parallel arrays; an answer as often as it was found."""

    row: NDArray[np.int64]
    ending: NDArray[np.uint8]  # that the answer has
    which: NDArray[np.int64]  # the head it stands under
    kind: NDArray[np.uint8]
    source: NDArray[np.uint8]

    def keep(self, which: NDArray[np.bool_]) -> Hits:
        return Hits(self.row[which], self.ending[which], self.which[which], self.kind[which], self.source[which])


def _related(wanted: list[Lookup], part: Partition, relations: Relations) -> tuple[Hits, NDArray[np.float64]]:
    """What stands in a relation to what is wanted, and how much of the clue speaks for each."""
    heads = np.array([one.head for one in wanted], np.uint64)
    found = _under(heads, part, relations)
    found = found.keep(found.ending == np.array([one.ending for one in wanted], np.uint8)[found.which])
    share = np.array([one.coverage for one in wanted]) / np.maximum(relations.sizes(heads), 1) ** COMMONNESS
    return found, np.minimum(share[found.which], CERTAIN)


def _defined(query: Query, part: Partition, relations: Relations) -> tuple[Hits, NDArray[np.float64]]:
    """What is defined in stems and word pairs of the clue, and how rare each of these is."""
    codes, kinds = query.features
    codes = codes[kinds != features.WORD]
    found = _under(codes, part, relations)
    found = found.keep(found.ending == 0)
    return found, features.inverse_frequency(relations.sizes(codes), relations.heads)[found.which]


def _under(heads: NDArray[np.uint64], part: Partition, relations: Relations) -> Hits:
    """All answers that stand under `heads`."""
    related = relations.said(heads)
    way, row, ending = relations.written(related.word, part.length, len(part.names))
    return Hits(row.astype(np.int64), ending, related.which[way], related.kind[way], related.source[way])


FINDER = Finder(
    one_by_one(find),
    ("reference", "reference, alone", "definition", "definition, alone"),
    {"reference": 0.5, "reference, alone": 5.0, "definition": 0.05, "definition, alone": 0.2},
)
