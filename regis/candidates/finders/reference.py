"""`reference`: what thesauri and dictionaries say about the clue's words (LUMOS, RIDDLER, NEMESIS, CrosswordTree).

The ancestors asked the web; this finder asks the index's relations. It looks up words other than stop words, pairs of
neighbors (LUMOS), parts at commas and colons, and the whole clue (CrosswordTree). It also looks up their bases, by a
dictionary (gave) or by rules (gives); the answer must then have the same ending (RIDDLER, NEMESIS). An answer found in
several ways counts for more (NEMESIS). The clue is also compared with definitions. Columns: 1 less the product, over
all ways, of 1 less the phrase's share of the clue; and the summed inverse frequencies of stems and word pairs that the
clue shares with the answer's definitions.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.candidates.finder import Evidence, Finder, FinderResult, Query, ask_one_by_one
from regis.candidates.settings import CANDIDATES
from regis.corpora import inflection
from regis.corpora.entry import RELATION_KINDS
from regis.index import Index, Partition, Relations
from regis.models import arrays
from regis.models.text import clue_features

_STOP = (
    "a an the of in on at to for from by with as and or but is are was were be it its that this some any one ones "
    "maybe perhaps say eg ie abbr var like kind sort type not no what who whom where when how his her their your my "
    "you he she they have has had do does did so than very _"
)
STOP_WORDS = frozenset(_STOP.split())
"""A span with only these words isn't looked up."""

PART_BREAKS = re.compile('[,;:()?!"“”—]|--')  # these separate the parts of a clue

RELATION_TEXTS = {
    "synonym": 'synonym of "{}"',
    "antonym": 'antonym of "{}"',
    "kind": 'kind of "{}"',
    "class": 'a "{}" is a kind of it',
    "relative": 'related to "{}"',
}


class HeadLookup(NamedTuple):
    phrase: str  # of the clue
    head: np.uint64
    ending: int  # that the answer must have; 0 for none
    coverage: float  # share of the clue, 0 to 1; rare words count for more


def find_answers(query: Query, index: Index) -> FinderResult:
    partition, relations, publishers = index[query.length], index.relations, index.manifest.publishers
    if relations is None or not query.clue_key or not len(partition.answer_letters):
        return FinderResult.empty()
    lookups = list_lookups(query.clue, partition, relations)
    related_rows, shares = _find_related(lookups, partition, relations)
    defined_rows, rarity = _find_defined(query, partition, relations)
    rows, places = np.unique(np.concatenate([related_rows.row, defined_rows.row]), return_inverse=True)
    related_places = places[: len(related_rows.row)]
    scores = 1 - np.exp(np.bincount(related_places, weights=np.log1p(-shares), minlength=len(rows)))
    definition = np.bincount(places[len(related_places) :], weights=rarity, minlength=len(rows))

    def explain(row: int) -> tuple[Evidence, ...]:
        answer_place, is_found = arrays.find_sorted(rows, row)
        if not is_found:
            return ()
        reasons = []
        if scores[answer_place]:
            best = max(np.flatnonzero(related_rows.row == row), key=lambda way: float(shares[way]))
            kind, source = RELATION_KINDS[related_rows.kind[best]], publishers[related_rows.source[best]]
            reasons.append(f"{RELATION_TEXTS[kind].format(lookups[related_rows.which_head[best]].phrase)}, in {source}")
        if definition[answer_place]:
            reasons.append("its definition shares words with the clue")
        score = float(scores[answer_place])
        return tuple(Evidence("reference", "relation", reason, score, 0, None) for reason in reasons)

    columns = {"reference": scores.astype(np.float32), "definition": definition.astype(np.float32)}
    return FinderResult(rows.astype(np.int32), columns, explain).keep_marked(partition.is_live[rows])


def list_lookups(clue: str, partition: Partition, relations: Relations) -> list[HeadLookup]:
    """List the spans of `clue` to look up, and their bases."""
    words, spans = _split_spans(clue)
    if not spans:
        return []
    weights = np.concatenate([[0.0], np.cumsum(_weigh_words(words, partition))])
    phrases = [" ".join(words[start:end]) for start, end in spans]
    coverage = [float((weights[end] - weights[start]) / weights[-1]) for start, end in spans]
    heads = clue_features.hash_words(phrases)
    lookups = [HeadLookup(*one) for one in zip(phrases, heads, [0] * len(heads), coverage, strict=True)]
    bases = {tuple(map(int, found)) for found in zip(*relations.find_bases(heads), strict=True)}
    for which, phrase in enumerate(phrases):
        for word, suffix in inflection.base_forms(phrase):
            bases.add((which, clue_features.hash_word(word), RELATION_KINDS.index(suffix)))
    for which, base, ending in sorted(bases):
        lookups.append(HeadLookup(phrases[which], np.uint64(base), ending, coverage[which]))
    return lookups


def _split_spans(clue: str) -> tuple[list[str], list[tuple[int, int]]]:
    """Split the clue into words and spans: words, pairs, parts, and the whole."""
    words: list[str] = []
    spans: dict[tuple[int, int], None] = {}
    for piece in PART_BREAKS.split(clue):
        start = len(words)
        words += text.clue_key(piece).split()
        end = len(words)
        for i in range(start, end):
            if words[i] not in STOP_WORDS:
                spans[i, i + 1] = None
            if i + 1 < end and not STOP_WORDS.issuperset(words[i : i + 2]):
                spans[i, i + 2] = None
        while start < end and words[start] in STOP_WORDS:
            start += 1
        while start < end and words[end - 1] in STOP_WORDS:
            end -= 1
        if start < end:
            spans[start, end] = None
    if spans:
        spans[0, len(words)] = None
    return words, list(spans)


def _weigh_words(words: list[str], partition: Partition) -> NDArray[np.float64]:
    """Weigh each word by its inverse frequency among past clues; stop words weigh less."""
    codes = clue_features.hash_words(words)
    places, is_known = arrays.find_sorted(partition.posting_features, codes)
    sizes = np.where(is_known, partition.posting_starts[places + is_known] - partition.posting_starts[places], 0)
    rarity = clue_features.inverse_frequency(sizes, len(partition.clue_norms)) + 1e-3
    return np.where([word in STOP_WORDS for word in words], CANDIDATES.stop_word_weight, 1.0) * rarity


class RelatedRows(NamedTuple):
    """Answers, once for each way in which they were found: parallel arrays, (found,)."""

    row: NDArray[np.int64]
    which_head: NDArray[np.int64]  # number of the head that led to the answer
    kind: NDArray[np.uint8]
    source: NDArray[np.uint8]


def _find_related(
    lookups: list[HeadLookup], partition: Partition, relations: Relations
) -> tuple[RelatedRows, NDArray[np.float64]]:
    """Find the answers related to `lookups`, and each lookup's share of the clue."""
    heads = np.array([lookup.head for lookup in lookups], np.uint64)
    endings = np.array([lookup.ending for lookup in lookups], np.uint8)
    related = _rows_under(heads, endings, partition, relations)
    coverage = np.array([lookup.coverage for lookup in lookups])
    shares = coverage / np.maximum(relations.count_relations(heads), 1) ** CANDIDATES.head_size_power
    return related, np.minimum(shares[related.which_head], 0.99)


def _find_defined(query: Query, partition: Partition, relations: Relations) -> tuple[RelatedRows, NDArray[np.float64]]:
    """Find the answers defined with stems and word pairs of the clue, and the rarity of these."""
    codes, kinds = query.clue_features
    codes = codes[kinds != clue_features.WORD]
    defined = _rows_under(codes, np.zeros(len(codes), np.uint8), partition, relations)
    rarity = clue_features.inverse_frequency(relations.count_relations(codes), relations.head_count)
    return defined, rarity[defined.which_head]


def _rows_under(
    heads: NDArray[np.uint64], endings: NDArray[np.uint8], partition: Partition, relations: Relations
) -> RelatedRows:
    """Find all answers under `heads` that have the ending of their head, (heads,)."""
    found = relations.find_relations(heads)
    way, row, ending = relations.find_answers(found.word_numbers, partition.length, len(partition.answers))
    fits = ending == endings[found.head_index[way]]
    way, row = way[fits], row[fits].astype(np.int64)
    return RelatedRows(row, found.head_index[way], found.relation_kinds[way], found.source_numbers[way])


FINDER = Finder(
    ask_one_by_one(find_answers),
    ("reference", "reference, alone", "definition", "definition, alone"),
    {"reference": 0.5, "reference, alone": 5.0, "definition": 0.05, "definition, alone": 0.2},
)
