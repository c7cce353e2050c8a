"""Finders: from one clue to candidate answers, each by another road (`found.Finder`).

A new one is a file with its `FINDER` and a row here, an encoder the row alone (`dense`); nothing elsewhere knows its
name. Finders never see the grid.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from regis.candidates import dense
from regis.candidates.finders import blanks, keywords, nearby, pattern, reference, vocabulary
from regis.candidates.found import Finder, Findings
from regis.candidates.query import Query
from regis.index import Index, schema
from regis.puzzle.alphabet import fits

FINDERS: dict[str, Finder] = {
    "nearby": nearby.FINDER,
    "keywords": keywords.FINDER,
    "vocabulary": vocabulary.FINDER,
    "meaning": dense.finder("meaning", schema.ENCODER, 0.7),
    "transformer": dense.finder("transformer", schema.TRANSFORMER),
    "reference": reference.FINDER,
    "blanks": blanks.FINDER,
    "pattern": pattern.FINDER,
}


def search(
    queries: Sequence[Query], index: Index, finders: Mapping[str, Finder] = FINDERS
) -> Iterator[tuple[int, Findings]]:
    """What the `finders` find for each query (query.encoded), and its place among them.

    All of one length are asked together, one length after another.
    """
    of_length: dict[int, list[int]] = defaultdict(list)
    for place, query in enumerate(queries):
        of_length[query.length].append(place)
    for length, places in of_length.items():
        part, some = index[length], [queries[place] for place in places]
        found = {name: finder.find(some, index) for name, finder in finders.items()}
        for i, (place, query) in enumerate(zip(places, some, strict=True)):
            kept = {name: each[i] for name, each in found.items()}
            if set(query.pattern) != {"?"}:
                kept = {name: one.keep(fits(part.letters[one.answers], query.pattern)) for name, one in kept.items()}
            yield place, Findings(query, part, part.fitting(query.pattern), kept)
