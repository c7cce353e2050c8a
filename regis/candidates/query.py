"""A query: a clue and a pattern, with everything derived from the clue once."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.index import Index
from regis.models.text.clue_features import extract_features
from regis.models.text.clue_form import classify_clue

MAX_PAST_CLUES = 400  # how many past clues each finder looks at closely

ClueVector = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Query:
    """One query. `clue` is cut to text.MAX_CLUE_LENGTH; `encode_queries` adds vectors and embedding."""

    clue: str
    pattern: str  # as long as the answer: known letters, `?` for the others
    original_clue: str | None = None  # the clue as the puzzle has it, where this is another wording: its form counts
    oov_odds_factor: float = 1.0  # how many times as likely as was fitted, as odds, is it that the answer is in no list
    clue_vectors: Mapping[str, ClueVector] = field(default_factory=dict)  # (DIMENSIONS,) each, by the encoder's folder
    clue_embedding: ClueVector | None = None  # what the clue means beside past clues (Index.embed_clues)

    def __post_init__(self) -> None:
        object.__setattr__(self, "clue", self.clue[: text.MAX_CLUE_LENGTH])

    @property
    def length(self) -> int:
        return len(self.pattern)

    @cached_property
    def clue_kind(self) -> str:
        """Return the clue's class (clue_form); '' without a clue."""
        clue = self.clue if self.original_clue is None else self.original_clue
        return "" if self.original_clue is None and not clue else classify_clue(clue)

    @cached_property
    def clue_key(self) -> str:
        """Return the clue's key (text.clue_key); '' without a word."""
        return text.clue_key(self.clue)

    @cached_property
    def clue_features(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """Return codes and kinds of the clue's distinct features, (features,) each."""
        _, codes, kinds = extract_features([self.clue_key])
        codes, firsts = np.unique(codes, return_index=True)
        return codes, kinds[firsts]


def encode_queries(queries: Sequence[Query], index: Index) -> list[Query]:
    """Add the encoders' vectors and embeddings; reading clues together is faster."""
    clues = [query.clue for query in queries if query.clue_key]
    vectors = {home: iter(encoder.encode(clues)) for home, encoder in index.encoders.items()}
    embeddings = index.embed_clues(clues)
    next_embedding = itertools.repeat(None) if embeddings is None else iter(embeddings)

    def encode(query: Query) -> Query:
        own_vectors = {home: next(each) for home, each in vectors.items()}
        return replace(query, clue_vectors=own_vectors, clue_embedding=next(next_embedding))

    return [encode(query) if query.clue_key else query for query in queries]
