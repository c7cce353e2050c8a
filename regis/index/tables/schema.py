"""What an index contains: its parts, the arrays in each, their types and order. `writer` writes and `Partition` reads.

A part is a file of arrays (`part.arrays`; regis.system.files.array_file). Arrays without rows may be missing. A table
is several arrays with a name in common, and a column of texts two arrays (storage.columns).

    length=N/tables               all data for answers of one length
        answers                   one row per answer, sorted by `answer`
            answer    S[N]        letters A-Z
            text      texts       as a title or list writes it ('Oslo Accords'); none if it adds nothing
            count     uint32      how often it was an answer; 0 if only lists have it
            latest    uint32      uses in the corpus's newest year, or added with that year or a later one
            last      uint16      newest year in which it occurred; 0 if unknown
            previous  uint16      newest year before the corpus's newest year; 0 if there is none
            recent    uint32      uses decayed by their age in the corpus's newest year (decay_uses)
            score     float32     best score of any list that has it, at most 1; 0 if no list has it, and negative for
                                  lists whose words are hardly ever answers (building.list_scores)
        clues                     one row per past clue and answer, sorted by the clue, then `answer`
            answer    uint32      row in the answer table
            count latest last previous   as above, of the pair
        The rest depends on whether the index keeps the texts of clues. If so:
            key       texts       text.clue_key of the clue
            text      texts       the latest wording
            reversed  uint32      rows of the clue table, sorted by text.reverse_key of the key
            norm      float32     length of the clue's TF-IDF vector
        postings
            feature   uint64      hashes of words, stems and word pairs, sorted (models.text.clue_features)
            start     int64       where a feature's rows begin in `row`; one more at the end
            row       uint32      rows of the clue table, ascending within a feature
        If not (Manifest.without_clues), there are neither `latest` nor `previous` of clues, and only:
            clue      uint64      clue_features.hash_word of the clue key
        vocabulary                words in the past clues of each answer
            feature   uint32      upper halves of hashes of stems and word pairs, sorted
            answers   uint32      number of answers that have it
        vocabulary-rows uint32    the rows of the answers that have a feature, ascending within it
    length=N/encoder              answer vectors of the clue encoder (tables.answer_vectors)
    length=N/transformer          the same for the strong clue encoder
    length=N/clue-embeddings      the transformer's vectors of past clues, if it has read them
        embeddings    int8        (clues, REDUCED), in the order of the answers
        rows          uint32      rows of the clue table in that order
    length=N/relations            words rows endings, uint32 uint32 uint8: which rows of the answer table a word is,
                                  with which ending (0: as it stands), by the word's number
    relations                     from thesauri and dictionaries, if any (corpora.entry)
        heads         uint64      hashes of words and phrases, and of stems and pairs of definitions, sorted
        starts        int64       where a head's relations begin; one more at the end
        words kinds sources       uint32 uint8 uint8: the word's number, the relation, the publisher
        inflected bases endings   uint64 uint64 uint8: hash of a word with an ending, sorted; of its base
    letters                       trigrams, float64 (27, 27, 27): counts over used answers (models.strings)
    phrases                       pieces of answers, if there are enough (models.strings.string_model)
        pieces        piece first middle last   texts, float32: its probability in each position
    encoder                       the learned clue encoder, if any (models.neural): features int8 (BUCKETS,
                                  numbers), or packed feature-codes uint8 (BUCKETS, pieces) and feature-book;
                                  feature-scales
    transformer                   axes float32: axes of short vectors; or the codebooks of packed answers
    reader                        words   word used: words for cutting answers, sorted, and their uses

Other files:

    learned.json                  what `learn` fitted: weights, and P(made of pieces); in a distilled index also the
                                  weights for one that is built, beginning with it
    transformer/ reader/          networks and their word pieces (models.neural)
    layers/NAME.parquet           what a person added under a name (index.layers.layer_files), see LAYER_SCHEMA

The `latest` and `previous` columns let an index be read as it was before its newest year, which is how its own
weights are fitted without a second build (`Index.before_newest_year`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regis.index.storage import manifest
from regis.system.files.array_file import ARRAY_SUFFIX

LETTERS = "letters"
PHRASES = "phrases"
RELATIONS = "relations"
ENCODER = "encoder"
TRANSFORMER = "transformer"
CROSS_ENCODER = "reader"
TABLES = "tables"  # of each answer length
CLUE_EMBEDDINGS = "clue-embeddings"

LEARNED_FILE = "learned.json"
WEIGHTS_KEY = "weigh"  # the key of the fitted weights in LEARNED_FILE
WEIGHTS_WITH_CLUES_KEY = "weigh with clues"  # in a distilled index: for indexes that begin with it and have clues
UNLISTED_KEY = "phrases"  # the key of what unlisted answers are made of

TIERS = ("often", "once", "never")  # the tables of packed answer vectors, by uses of an answer

RELATION_TYPES: Mapping[str, DTypeLike] = {
    "heads": np.uint64, "starts": np.int64, "words": np.uint32, "kinds": np.uint8, "sources": np.uint8,
    "inflected": np.uint64, "bases": np.uint64, "endings": np.uint8, "rows": np.uint32,
}  # fmt: skip
FORM_ARRAYS = ("words", "rows", "endings")  # these are stored by answer length

COUNT_COLUMNS = {"count": np.uint32, "latest": np.uint32, "last": np.uint16, "previous": np.uint16}
ANSWER_COLUMNS = {**COUNT_COLUMNS, "recent": np.uint32, "score": np.float32}  # the numeric columns
CLUE_COLUMNS = {"answer": np.uint32, **COUNT_COLUMNS}


USE_HALF_LIFE = 4.0
"""Years after which a use of an answer counts half. Four and eight make the answers of 2019 and 2022 likeliest, by 0.04
nats over plain counts (docs/experiments/use-by-age.md)."""

DECAY_UNIT = 256  # weight of a use in the newest year; an integer, so that sums don't depend on the order


def decay_factor(ages: NDArray[np.int64] | int) -> Any:
    """Return the weight of uses of these ages, in years."""
    return 0.5 ** (ages / USE_HALF_LIFE)


def decay_uses(years: NDArray[np.integer[Any]], newest_year: int) -> NDArray[np.uint32]:
    """Weigh each use by its age, (uses,): DECAY_UNIT for `newest_year` or later; unknown years are 0."""
    ages = np.where(years > 0, np.maximum(newest_year - years.astype(np.int64), 0), 20)  # a guess
    weights: NDArray[np.uint32] = np.rint(DECAY_UNIT * decay_factor(ages)).astype(np.uint32)
    return weights


def assign_tiers(use_counts: NDArray[np.integer[Any]]) -> dict[str, NDArray[np.bool_]]:
    """Assign answers to TIERS by their use counts, as masks, (answers,)."""
    return dict(zip(TIERS, (use_counts > 1, use_counts == 1, use_counts == 0), strict=True))


def length_part(answer_length: int, part: str) -> str:
    return f"length={answer_length}/{part}"


def part_path(index_folder: Path, part: str) -> Path:
    return index_folder / f"{part}{ARRAY_SUFFIX}"


def encoder_files(encoder_name: str) -> list[str]:
    """Return patterns for the files of an encoder (IndexFiles.copy_to)."""
    files = [f"{encoder_name}{ARRAY_SUFFIX}", f"{encoder_name}/*", f"length=*/{encoder_name}{ARRAY_SUFFIX}"]
    return [*files, f"length=*/{CLUE_EMBEDDINGS}{ARRAY_SUFFIX}"] if encoder_name == TRANSFORMER else files


def layer_file(layer_name: str) -> str:
    return f"{manifest.LAYERS_FOLDER}/{layer_name}.parquet"
