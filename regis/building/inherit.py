"""Where an index that is built begins: with what the starter has learned.

It takes over the transformer, the reader, the features of the base encoder, the pieces of phrases, and the vectors of
all answers that the starter knows; of others, `index.newcomers` says where they stand. Answers that no source has come
along with how often they were used. So such an index knows what the starter knows, and what its sources add: past clues
most of all. It has no embeddings of them, which take an hour (`regis learn`). The starter brings weights that were
fitted for an index like this. Where it has none, they are fitted if there are enough clues of a year that the starter
does not know; on one that it knows, its encoders would be trusted too far, and its own weights serve better (measured:
docs/measured.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.building.training import weights
from regis.candidates.weights import DEFAULT
from regis.index import Index, newcomers, publish, schema, vectors, writer
from regis.index.related import Related, joined
from regis.index.relations import renumbered
from regis.models import lookup


def with_answers(starter: Index, length: int, used: pa.Table, listed: pa.Table) -> pa.Table:
    """`listed`, and what `starter` knows of answers, but for uses that `used` may have too.

    Those two are rows of tables.LISTED and tables.USED, of answers of this `length`. Uses of a year that the starter
    knows, or of none, may be among its own: of an answer it then counts those that are more. It knows all the
    same when that was last used.
    """
    part = starter[length]
    known = starter.manifest.latest_year
    years = used["year"].to_numpy()
    seen = used["answer"].filter(pa.array(np.full(len(years), True) if known is None else years <= known))
    place, there = lookup.place(part.names, seen.to_numpy(zero_copy_only=False).astype(f"S{length}"))
    more = np.maximum(part.count - np.bincount(place[there], minlength=len(part.names)), 0)
    previous = np.where(more > 0, part.last, 0)
    return pa.concat_tables([listed, writer.listed(part, more, part.last, previous)], promote_options="default")


def relations(
    starter: Index, mine: Related, names: Mapping[int, NDArray[np.bytes_]], publishers: Sequence[str]
) -> Related:
    """`mine` and what `starter` says of words besides; `names` are the answers of each length, sorted, as bytes.

    The sources of relations are places in `publishers`.
    """
    if starter.relations is None:
        return mine
    heads, said = starter.relations.everything()
    place = np.array([publishers.index(name) for name in starter.manifest.publishers])
    forms = {}
    for length, known in names.items():
        part = starter[length]
        forms[length] = renumbered(starter.relations.forms(length, len(part.names)), part.names, known)
    none = np.empty(0, np.uint64)
    theirs = Related(heads[said.which], said.word, said.kind, place[said.source], none, none, none, forms)
    return joined(mine, theirs) if mine.anything else theirs


def speakers(starter: Index) -> list[str]:
    """The publishers of what `starter` says of words."""
    if starter.relations is None:
        return []
    return [starter.manifest.publishers[source] for source in np.unique(starter.relations.everything()[1].source)]


def encoders(starter: Index, index: Index, folder: Path) -> None:
    """Writes the encoders of `starter` into the `folder` of `index`, whose answers they then know."""
    heads = {f"length={length}" for length in starter.lengths}
    taken = {schema.ENCODER, schema.TRANSFORMER, schema.READER}
    others = {name.split("/")[0] for name in starter.home.listed} - taken
    publish.copy(starter.home, folder, heads | others)
    for part in index.parts():
        known = starter[part.length]
        new = newcomers.beside(known, part)
        for home, encoder in starter.encoders.items():
            vectors.write(folder, home, part.length, newcomers.inherited(known, part.names, home, encoder, new))


def learn(starter: Index, index: Index, folder: Path) -> None:
    """Writes into the `folder` of `index` the weights, and what new answers are made of."""
    if (starter.home / schema.PHRASES).is_file():
        (starter.home / schema.PHRASES).copy(folder / schema.PHRASES)
    fitted = starter.learned.get(schema.WEIGHTS_WITH_CLUES)
    newest, known = index.manifest.newest_year, starter.manifest.latest_year
    if fitted is None and newest and known and newest > known:
        found = weights.fit(index)
        fitted = None if found is DEFAULT else found.to_json()
    fitted = fitted or starter.learned[schema.WEIGHTS]
    writer.write_learned(folder, {schema.WEIGHTS: fitted, schema.UNLISTED: starter.learned[schema.UNLISTED]})
