"""The tables of one answer length: their names, columns and order. What `writer` writes, `Partition` reads.

What has no rows needs no file.

    answers/length=N/table.parquet    one row per answer, sorted by `answer`
        answer    fixed_size_binary[N]   letters A-Z; read as a (rows, N) letter table without a copy
        text      string                 as a title or list writes it ('Oslo Accords'); null where nothing is gained
        count     uint32                 how often it was an answer; 0 in lists only
        latest    uint32                 how often in the corpus's newest year, or added with that year or a later one
        last      uint16                 newest year it was seen in; 0 if unknown
        previous  uint16                 newest year before the corpus's newest year; 0 if there is none
        score     float32                best score of any list that has it, at most 1; 0 where no list has it, and
                                         less for one whose words hardly ever come up (building.worth)
    clues/length=N/table.parquet      one row per clue key and answer, sorted by `key`, then `answer`
        key       string                 text.clue_key of the clue
        clue      string                 the wording last seen
        answer    uint32                 row in the answer table
        count latest last previous            as above, of the pair
    clues/length=N/reversed.npy       uint32: rows of the clue table, sorted by text.reversed_key of the key
    postings/length=N/features.npy    uint64: hashes of words, stems and word pairs, sorted (models.features)
                      starts.npy      int64: where a feature's rows begin in rows.npy; one more at the end
                      rows.npy        uint32: rows of the clue table, ascending within a feature
                      norms.npy       float32: length of each clue's TF-IDF vector
    relations/                        what thesauri and dictionaries say, if a source is one (corpora.entry)
                                      In a distilled index only direct ones, NAME.parquet for NAME.npy
        heads.npy                     uint64: hashes of words and phrases, and of stems and pairs of definitions, sorted
        starts.npy                    int64: where a head's relations begin; one more at the end
        words.npy kinds.npy sources.npy   uint32 uint8 uint8: the word's number, the relation, the publisher
        inflected.npy bases.npy endings.npy   uint64 uint64 uint8: hash of a word with an ending, sorted; of its base
        length=N/words.npy rows.npy endings.npy   uint32 uint32 uint8: which rows of the answer table a word is, with
                                      which ending (0: as it stands), by the word's number
    repeats/length=N/table.parquet    in a distilled index (building.distil), which has no clue tables: past clues
        clue      uint64                 features.code of the clue key; sorted
        answer count last                as in the clue table
    vocabulary/length=N/table.parquet     there, too: which words past clues of each answer have, see FEATURES
                        answers.parquet   uint32: the rows of the answers that have a feature, ascending within it
    letters.npy                       float64 (27, 27, 27): trigram counts over answers that were used (models.ngram)
    phrases.parquet                   pieces of answers, if there are enough (models.unlisted)
        piece     string
        first middle last   float32      its chance in each place
    learned.json                      what `learn` fitted: weights, and P(made of pieces); in a distilled index also the
                                      weights for one that is built, beginning with it
    encoder/                          the clue encoder, if one was learned (models.embedding); if distilled, packed
        feature-codes.npy             uint8 (BUCKETS, FEATURE_PIECES), with feature-scales.npy and feature-book.npy
        length=N/often.npy once.npy never.npy   uint8 (answers, pieces): those used so often, in their order;
                 tier.npy             uint8 (answers,): or those of this number of TIERS, in an index that was built
                                      and began with the starter, and under layers
        often-book.npy once-book.npy never-book.npy feature-book.npy   float32 (pieces, 256, numbers): quantization
    transformer/                      the strong clue encoder, if one was learned (models.transformer); answers in a
                                      distilled index as in encoder/, and no clues
        length=N/clues.npy            int8 (clues, REDUCED): the meaning of each past clue, in the order of the answers
                 by-answer.npy        uint32: rows of the clue table in that order
    reader/                           what reads clue and answer together, if it was taught (models.reader)
        words.parquet                 what answers are cut into, sorted, and how often it is used, see SPELLING
    layers/NAME.parquet               what a person added under a name (index.layers), see LAYER
    base/                             of an index that was built, with layers: those of its own tables that the merged
                                      ones replace, and record.json, the manifest that it had without them

The `latest` and `previous` columns let an index be read as it was before its newest year, which is how its own
weights are fitted without a second build (`Index.as_it_was`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regis.index import manifest
from regis.models.spelling import LONGEST

PLAIN, PACKED = ".npy", ".parquet"
LETTERS = "letters.npy"
PHRASES = "phrases.parquet"
LEARNED = "learned.json"
WEIGHTS = "weigh"  # the key of the fitted weights in LEARNED
WEIGHTS_WITH_CLUES = "weigh with clues"  # in a distilled index: those for one that begins with it and has clues
UNLISTED = "phrases"  # the key of what answers in no list are made of
ENCODER = "encoder"
TRANSFORMER = "transformer"
READER = "reader"
BASE = "base"
BASE_RECORD = "record.json"
FEATURE_PIECES = 32  # into how many pieces a distilled index cuts the vectors of features
TIERS = {"often": 64, "once": 32, "never": 8}  # and those of answers, by how often they were used

POSTINGS = {"features": np.uint64, "starts": np.int64, "rows": np.uint32, "norms": np.float32}

RELATED = "relations"
RELATIONS = {
    "heads": np.uint64, "starts": np.int64, "words": np.uint32, "kinds": np.uint8, "sources": np.uint8,
    "inflected": np.uint64, "bases": np.uint64, "endings": np.uint8, "rows": np.uint32,
}  # fmt: skip

FORMS = ("words", "rows", "endings")  # those of them that each answer length has

COUNTED = {"count": np.uint32, "latest": np.uint32, "last": np.uint16, "previous": np.uint16}
CLUES = {"answer": np.uint32, **COUNTED}  # what is a number of them
REPEATS = {"clue": np.uint64, "answer": np.uint32, "count": np.uint32, "last": np.uint16}
FEATURES = {"feature": np.uint32, "answers": np.uint32}
"""The upper half of a stem's or word pair's hash (models.features), sorted, and how many answers have it."""

PIECES: Mapping[str, DTypeLike] = {"piece": "S", "first": np.float32, "middle": np.float32, "last": np.float32}
"""A piece has any size."""

SPELLING: Mapping[str, DTypeLike] = {"word": f"S{LONGEST}", "used": np.float32}


def tiers(count: NDArray[np.integer[Any]]) -> dict[str, NDArray[np.bool_]]:
    """Which answers are in which of TIERS, by how often each was used."""
    return {"often": count > 1, "once": count == 1, "never": count == 0}


def answer_kinds(length: int) -> dict[str, DTypeLike]:
    """The columns of the answer table of one length but for `text`."""
    return {"answer": f"S{max(length, 1)}", **COUNTED, "score": np.float32}


def answers_file(length: int) -> str:
    return f"answers/length={length}/table.parquet"


def clues_file(length: int) -> str:
    return f"clues/length={length}/table.parquet"


def reversed_file(length: int) -> str:
    return f"clues/length={length}/reversed.npy"


def repeats_file(length: int) -> str:
    return f"{manifest.REPEATS}/length={length}/table.parquet"


def vocabulary_file(length: int) -> str:
    return f"vocabulary/length={length}/table.parquet"


def vocabulary_answers_file(length: int) -> str:
    return f"vocabulary/length={length}/answers.npy"


def layer_file(name: str) -> str:
    return f"{manifest.LAYERS}/{name}.parquet"


def postings_file(length: int, name: str) -> str:
    return f"postings/length={length}/{name}.npy"


def relations_file(name: str, length: int | None = None) -> str:
    return f"{RELATED}/{name}.npy" if length is None else f"{RELATED}/length={length}/{name}.npy"


def packed_file(home: str, name: str) -> str:
    return f"{home}/{name}.npy"


def encoder_file(home: str, length: int, name: str) -> str:
    return f"{home}/length={length}/{name}.npy"
