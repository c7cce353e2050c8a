"""Finders: from one clue to candidate answers, each by another route; a new one is a file and a row here.

Finders never see the grid. A clue encoder takes only a row (`encoder_finder`; the idea of BCS): it needs no similar
past clue, and scores every answer of a length.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from regis.candidates.finder import Evidence, EvidenceKind, Finder, FinderResult, Query, QueryResults, ask_one_by_one
from regis.candidates.finders import blanks, keywords, nearby, reference
from regis.index import Index
from regis.index.tables import schema
from regis.models.arrays import find_sorted, log_softmax
from regis.puzzle.alphabet import pattern_mask


def encoder_finder(name: str, encoder_folder: str, default_weight: float = 0.0) -> Finder:
    """Make the finder of one encoder of the index, in `encoder_folder`.

    Its column is the natural log probability of an answer among those of its length. It finds nothing without the
    encoder, or for a clue without words.
    """

    def find_answers(queries: Sequence[Query], index: Index) -> list[FinderResult]:
        vectors = [query.clue_vectors[encoder_folder] for query in queries if encoder_folder in query.clue_vectors]
        partition = index[queries[0].length]
        if not vectors or not len(partition.answer_letters):
            return [FinderResult.empty() for _ in queries]
        rows = partition.matching_rows("?" * partition.length)
        scores = partition.answer_vectors(encoder_folder).score(np.stack(vectors))
        logp = iter(log_softmax(scores, partition.is_live))
        is_encoded = [encoder_folder in query.clue_vectors for query in queries]
        return [_make_result(rows, next(logp)) if encoded else FinderResult.empty() for encoded in is_encoded]

    def _make_result(rows: NDArray[np.int32], logp: NDArray[np.float32]) -> FinderResult:
        named_rows = np.flatnonzero(logp >= np.log(0.001))
        probabilities = np.exp(logp[named_rows])

        def explain(row: int) -> tuple[Evidence, ...]:
            place, is_named = find_sorted(named_rows, row)
            return (Evidence(name, "meaning", "", float(probabilities[place]), 0, None),) if is_named else ()

        return FinderResult(rows, {name: logp[rows] if len(rows) < len(logp) else logp}, explain)

    return Finder(find_answers, (name, f"{name}, never used"), {name: default_weight}, is_dense=True)


def find_by_pattern(query: Query, index: Index) -> FinderResult:
    """Find every answer, title, and word with the known letters (Regis FILLbin 3.3)."""
    partition = index[query.length]

    def explain(row: int) -> tuple[Evidence, ...]:
        display_text, use_count = partition.display_texts[row], int(partition.use_counts[row])
        kind: EvidenceKind = "title" if display_text else "answer" if use_count else "word"
        score, last_year = max(float(partition.list_scores[row]), 0.0), int(partition.last_years[row]) or None
        return (Evidence("pattern", kind, display_text or "", score, use_count, last_year),)

    return FinderResult(partition.matching_rows(query.pattern), {}, explain)


FINDERS: dict[str, Finder] = {
    "nearby": nearby.FINDER,
    "keywords": keywords.FINDER,
    "vocabulary": keywords.VOCABULARY_FINDER,
    "meaning": encoder_finder("meaning", schema.ENCODER, 0.7),
    "transformer": encoder_finder("transformer", schema.TRANSFORMER),
    "reference": reference.FINDER,
    "blanks": blanks.FINDER,
    "pattern": Finder(ask_one_by_one(find_by_pattern), ()),
}


def ask_finders(
    queries: Sequence[Query], index: Index, finders: Mapping[str, Finder] = FINDERS
) -> Iterator[tuple[int, QueryResults]]:
    """Ask the finders about each encoded query, all of one length together; yield its place and results."""
    places_of_length: dict[int, list[int]] = defaultdict(list)
    for place, query in enumerate(queries):
        places_of_length[query.length].append(place)
    for length, places in places_of_length.items():
        partition, batch = index[length], [queries[place] for place in places]
        batch_results = {name: finder.find_answers(batch, index) for name, finder in finders.items()}
        for i, (place, query) in enumerate(zip(places, batch, strict=True)):
            results = {name: finder_results[i] for name, finder_results in batch_results.items()}
            if set(query.pattern) != {"?"}:
                for name, result in results.items():
                    letters = partition.answer_letters[result.answer_rows]
                    results[name] = result.keep_marked(pattern_mask(letters, query.pattern))
            yield place, QueryResults(query, partition, partition.matching_rows(query.pattern), results)
