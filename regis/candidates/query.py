"""What is asked: a clue and a pattern, with all that is worked out of the clue once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.index import Index
from regis.models import clue_form, features

PAST_CLUES = 400  # how many past clues each finder looks at closely

Vector = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Query:
    """One question. `clue` is cut to text.LONGEST; vectors and embedding are there once it is `encoded`."""

    clue: str
    pattern: str  # as long as the answer: known letters, `?` for the others
    original: str | None = None  # the clue as the puzzle has it, where this is another wording: its form counts
    oftener: float = 1.0  # how many times as likely as was fitted, as odds, is it that the answer is in no list
    vectors: Mapping[str, Vector] = field(default_factory=dict)  # by encoder (schema.ENCODER, schema.TRANSFORMER)
    embedding: Vector | None = None  # what the clue means beside past clues (Index.clue_embeddings)

    def __post_init__(self) -> None:
        object.__setattr__(self, "clue", self.clue[: text.LONGEST])

    @property
    def length(self) -> int:
        return len(self.pattern)

    @cached_property
    def kind(self) -> str:
        """The class of the clue (clue_form.kind); '' where there is no clue at all, also no empty one."""
        clue = self.clue if self.original is None else self.original
        return "" if self.original is None and not clue else clue_form.kind(clue)

    @cached_property
    def key(self) -> str:
        """What clues are compared by (text.clue_key); '' where the clue has no word."""
        return text.clue_key(self.clue)

    @cached_property
    def features(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """Codes and kinds of the clue's words, stems and word pairs, each once (models.features)."""
        _, codes, kinds = features.features([self.key])
        codes, first = np.unique(codes, return_index=True)
        return codes, kinds[first]


def encoded(queries: Sequence[Query], index: Index) -> list[Query]:
    """The same with what the encoders of `index` make of the clues, read together, which is faster."""
    clues = [query.clue for query in queries if query.key]
    vectors = {home: iter(encoder.encode(clues)) for home, encoder in index.encoders.items()}
    found = index.clue_embeddings(clues)
    embeddings = iter(found) if found is not None else None
    return [
        replace(query, vectors={name: next(each) for name, each in vectors.items()},
                embedding=None if embeddings is None else next(embeddings))
        if query.key else query
        for query in queries
    ]  # fmt: skip
