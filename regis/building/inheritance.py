"""What a built index takes over from the starter.

It takes the transformer, the reader, the base encoder's features, the pieces of phrases, and the vectors of all known
answers; `index.layers.oov_vectors` estimates the others. Answers that no source has come with their use counts. So the
index knows everything that the starter knows, plus its sources, especially past clues. It lacks their embeddings, which
take an hour (`regis learn`). The starter has weights for such an index. (Measured:
docs/experiments/building-on-the-starter.md.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.index import Index
from regis.index.layers import oov_vectors
from regis.index.relation_arrays import RelationArrays, merge_relations
from regis.index.tables import answer_vectors, schema, writer
from regis.models import arrays


def add_starter_answers(
    starter: Index, length: int, used_rows: pa.Table, listed_rows: pa.Table, newest_year: int
) -> pa.Table:
    """Add the starter's answers of this `length` to the listed rows, without the uses that the sources have.

    Undated uses, or uses in a year that the starter knows, may be the starter's. `newest_year` is the sources' newest
    year, 0 if unknown. Returns LISTED_SCHEMA with further columns (writer.make_answer_rows).
    """
    part, extra_counts = starter[length], count_extra_uses(starter, length, used_rows)
    previous_years = np.where(extra_counts > 0, part.last_years, 0)
    extra_share = extra_counts / np.maximum(part.use_counts, 1)
    age = max(newest_year - (starter.manifest.latest_year or newest_year), 0)
    decayed_uses = np.rint(part.decayed_uses * extra_share * schema.decay_factor(age)).astype(np.uint32)
    starter_rows = writer.make_answer_rows(part, extra_counts, part.last_years, previous_years, decayed_uses)
    return pa.concat_tables([listed_rows, starter_rows], promote_options="default")


def count_extra_uses(starter: Index, length: int, used_rows: pa.Table) -> NDArray[np.integer[Any]]:
    """Count the starter's uses of its answers of one length beyond the sources' `used_rows`, (answers,)."""
    part = starter[length]
    starter_year = starter.manifest.latest_year
    years = used_rows["year"].to_numpy()
    may_be_known = np.full(len(years), True) if starter_year is None else years <= starter_year
    answers = used_rows["answer"].filter(pa.array(may_be_known)).to_numpy(zero_copy_only=False)
    place, is_known = arrays.find_sorted(part.answers, answers.astype(f"S{length}"))
    shared_counts = np.bincount(place[is_known], minlength=len(part.answers))
    extra_counts: NDArray[np.integer[Any]] = np.maximum(part.use_counts - shared_counts, 0)
    return extra_counts


def inherit_relations(
    starter: Index,
    built_relations: RelationArrays,
    answer_names: Mapping[int, NDArray[np.bytes_]],
    publishers: Sequence[str],
) -> RelationArrays:
    """Merge the built relations with the starter's; `publishers` numbers their sources."""
    if starter.relations is None:
        return built_relations
    place = np.array([publishers.index(name) for name in starter.manifest.publishers])
    forms = {n: starter.relations.move_forms(starter[n].answers, names) for n, names in answer_names.items()}
    starter_relations = RelationArrays.from_relations(starter.relations, forms)
    starter_relations = starter_relations._replace(source_numbers=place[starter_relations.source_numbers])
    return merge_relations(built_relations, starter_relations) if built_relations.has_relations else starter_relations


def relation_publishers(starter: Index) -> list[str]:
    if starter.relations is None:
        return []
    sources = np.unique(starter.relations.all_relations()[1].source_numbers)
    return [starter.manifest.publishers[source] for source in sources]


def inherit_encoders(starter: Index, index: Index, folder: Path) -> None:
    """Write the starter's encoders into the `folder` of `index`, with vectors for all answers of the index."""
    names = (schema.ENCODER, schema.TRANSFORMER, schema.CROSS_ENCODER)
    inherited = tuple(f"{name}{mark}" for name in names for mark in "./")
    starter.files.copy_to(folder, [name for name in starter.files.files if not name.startswith(inherited)])
    for part in index.partitions():
        starter_part = starter[part.length]
        oov_clues = oov_vectors.find_oov_clues(starter_part, part)
        for encoder_name, encoder in starter.encoders.items():
            vectors = oov_vectors.extend_answer_vectors(starter_part, part.answers, encoder_name, encoder, oov_clues)
            answer_vectors.write_answer_vectors(folder, encoder_name, part.length, vectors)


def inherit_weights(starter: Index, folder: Path) -> None:
    """Write ranking weights and pieces of phrases into `folder`."""
    phrases = schema.part_path(Path(), schema.PHRASES).name
    if starter.files.has_file(phrases):
        starter.files.copy_file(phrases, folder)
    values = starter.fitted_values
    weights, unlisted = values[schema.WEIGHTS_WITH_CLUES_KEY], values[schema.UNLISTED_KEY]
    writer.write_fitted_values(folder, {schema.WEIGHTS_KEY: weights, schema.UNLISTED_KEY: unlisted})
