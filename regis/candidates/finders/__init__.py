"""Finders: from one clue to candidate answers, each by another road (`finder.Finder`).

A new one is a file with its `FINDER` and a row here, an encoder the row alone (`dense_retrieval`); nothing elsewhere
knows its name. Finders never see the grid.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from regis.candidates import dense_retrieval
from regis.candidates.finder import Finder, QueryResults
from regis.candidates.finders import blanks, keywords, nearby, pattern, reference, vocabulary
from regis.candidates.query import Query
from regis.index import Index
from regis.index.tables import schema
from regis.puzzle.alphabet import pattern_mask

FINDERS: dict[str, Finder] = {
    "nearby": nearby.FINDER,
    "keywords": keywords.FINDER,
    "vocabulary": vocabulary.FINDER,
    "meaning": dense_retrieval.encoder_finder("meaning", schema.ENCODER, 0.7),
    "transformer": dense_retrieval.encoder_finder("transformer", schema.TRANSFORMER),
    "reference": reference.FINDER,
    "blanks": blanks.FINDER,
    "pattern": pattern.FINDER,
}


def ask_finders(
    queries: Sequence[Query], index: Index, finders: Mapping[str, Finder] = FINDERS
) -> Iterator[tuple[int, QueryResults]]:
    """Ask the finders for each query; all of one length are asked together, one length after another.

    Parameters
    ----------
    queries : encoded (query.encode_queries).
    index : what they search.
    finders : by name.

    Yields
    ------
    The query's place among them, and what was found for it.
    """
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
