"""The tables of one answer length: their names, columns and order. What `writer` writes, `Partition` reads.

What has no rows needs no file.

    answers/length=N/table.parquet    one row per answer, sorted by `answer`
        answer    fixed_size_binary[N]   letters A-Z; read as a (rows, N) letter table without a copy
        text      string                 as a title or list writes it ('Oslo Accords'); null where nothing is gained
        count     uint32                 how often it was an answer; 0 in lists only
        latest    uint32                 how often in the corpus's newest year, or added with that year or a later one
        last      uint16                 newest year it was seen in; 0 if unknown
        previous  uint16                 newest year before the corpus's newest year; 0 if there is none
        recent    uint32                 uses decayed by their age in the corpus's newest year (decay_uses)
        score     float32                best score of any list that has it, at most 1; 0 where no list has it, and
                                         less for one whose words hardly ever come up (building.list_scores)
    clues/length=N/table.parquet      one row per clue key and answer, sorted by `key`, then `answer`
        key       string                 text.clue_key of the clue
        clue      string                 the wording last seen
        answer    uint32                 row in the answer table
        count latest last previous   as above, of the pair
    clues/length=N/reversed.npy       uint32: rows of the clue table, sorted by text.reverse_key of the key
    postings/length=N/features.npy    uint64: hashes of words, stems and word pairs, sorted (models.text.clue_features)
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
        clue      uint64                 clue_features.hash_word of the clue key; sorted
        answer count last                as in the clue table
    vocabulary/length=N/table.parquet     there, too: which words past clues of each answer have, see FEATURE_COLUMNS
                        answers.parquet   uint32: the rows of the answers that have a feature, ascending within it
    letters.npy                       float64 (27, 27, 27): trigram counts over answers that were used (models.strings)
    phrases.parquet                   pieces of answers, if there are enough (models.strings.string_model)
        piece     string
        first middle last   float32      its chance in each place
    learned.json                      what `learn` fitted: weights, and P(made of pieces); in a distilled index also the
                                      weights for one that is built, beginning with it
    encoder/                          the clue encoder, if one was learned (models.neural); if distilled, packed
        feature-codes.npy             uint8 (BUCKETS, FEATURE_PIECES), with feature-scales.npy and feature-book.npy
        length=N/often.npy once.npy never.npy   uint8 (answers, pieces): those used so often, in their order;
                 tier.npy             uint8 (answers,): or those of this number of TIER_PIECES, in an index that was
                                      built and began with the starter, and under layers
        often-book.npy once-book.npy never-book.npy feature-book.npy   float32 (pieces, 256, numbers): quantization
    transformer/                      the strong clue encoder, if one was learned (models.neural); answers in a
                                      distilled index as in encoder/, and no clues
        length=N/clues.npy            int8 (clues, REDUCED): the meaning of each past clue, in the order of the answers
                 by-answer.npy        uint32: rows of the clue table in that order
    reader/                           the cross-encoder, if it was taught (models.neural.cross_encoder)
        words.parquet                 what answers are cut into, sorted, and how often it is used, see SPELLING_COLUMNS
    layers/NAME.parquet               what a person added under a name (index.layers.layer_files), see LAYER_SCHEMA
    base/                             of an index that was built, with layers: those of its own tables that the merged
                                      ones replace, and record.json, the manifest that it had without them

The `latest` and `previous` columns let an index be read as it was before its newest year, which is how its own
weights are fitted without a second build (`Index.before_newest_year`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from regis.index.storage import manifest
from regis.models.strings.word_segmentation import MAX_WORD_LETTERS

LETTERS_FILE = "letters.npy"
PHRASES_FILE = "phrases.parquet"
LEARNED_FILE = "learned.json"
WEIGHTS_KEY = "weigh"  # the key of the fitted weights in LEARNED_FILE
WEIGHTS_WITH_CLUES_KEY = "weigh with clues"  # in a distilled index: those for one that begins with it and has clues
UNLISTED_KEY = "phrases"  # the key of what answers in no list are made of
ENCODER_FOLDER = "encoder"
TRANSFORMER_FOLDER = "transformer"
CROSS_ENCODER_FOLDER = "reader"
BASE_FOLDER = "base"
BASE_RECORD_FILE = "record.json"
FEATURE_PIECES = 32  # into how many pieces a distilled index cuts the vectors of features
TIER_PIECES = {"often": 64, "once": 32, "never": 8}  # and those of answers, by how often they were used

POSTING_TYPES = {"features": np.uint64, "starts": np.int64, "rows": np.uint32, "norms": np.float32}

RELATIONS_FOLDER = "relations"
RELATION_TYPES = {
    "heads": np.uint64, "starts": np.int64, "words": np.uint32, "kinds": np.uint8, "sources": np.uint8,
    "inflected": np.uint64, "bases": np.uint64, "endings": np.uint8, "rows": np.uint32,
}  # fmt: skip

FORM_ARRAYS = ("words", "rows", "endings")  # those of them that each answer length has

COUNT_COLUMNS = {"count": np.uint32, "latest": np.uint32, "last": np.uint16, "previous": np.uint16}
CLUE_COLUMNS = {"answer": np.uint32, **COUNT_COLUMNS}  # those that are numbers
DECAYED_COLUMNS = {"recent": np.uint32}
HASHED_CLUE_COLUMNS = {"clue": np.uint64, "answer": np.uint32, "count": np.uint32, "last": np.uint16}
FEATURE_COLUMNS = {"feature": np.uint32, "answers": np.uint32}
"""The upper half of a stem's or word pair's hash (models.text.clue_features), sorted, and how many answers have it."""

PIECE_COLUMNS: Mapping[str, DTypeLike] = {"piece": "S", "first": np.float32, "middle": np.float32, "last": np.float32}
"""A piece has any size."""

SPELLING_COLUMNS: Mapping[str, DTypeLike] = {"word": f"S{MAX_WORD_LETTERS}", "used": np.float32}


USE_HALF_LIFE = 4.0
"""After how many years does the use of an answer count half? Two to sixteen were tried on the answers of 2019 and 2022;
four and eight make both likeliest, 0.04 nats more so than plain counts. (docs/experiments/use-by-age.md.)"""

DECAY_UNIT = 256  # what a use of the newest year counts: whole numbers, so that sums do not depend on an order
UNDATED_USE_AGE = 20  # years that a use without a year counts as; a guess


def decay_factor(ages: NDArray[np.int64] | int) -> Any:
    """Return what uses of these ages, in years, count beside new ones."""
    return 0.5 ** (ages / USE_HALF_LIFE)


def decay_uses(years: NDArray[np.integer[Any]], newest_year: int) -> NDArray[np.uint32]:
    """Return what each use counts by its age, DECAY_UNIT for one of `newest_year` or later.

    Parameters
    ----------
    years : (uses,) 0 if unknown.
    newest_year : 0 if no year is known.
    """
    ages = np.where(years > 0, np.maximum(newest_year - years.astype(np.int64), 0), UNDATED_USE_AGE)
    weights: NDArray[np.uint32] = np.rint(DECAY_UNIT * decay_factor(ages)).astype(np.uint32)
    return weights


def assign_tiers(use_counts: NDArray[np.integer[Any]]) -> dict[str, NDArray[np.bool_]]:
    """Assign answers to tiers by how often each was used.

    Parameters
    ----------
    use_counts : (answers,) uses of each answer.

    Returns
    -------
    (answers,) masks by their tier's name, as in TIER_PIECES.
    """
    return {"often": use_counts > 1, "once": use_counts == 1, "never": use_counts == 0}


def answer_columns(answer_length: int) -> dict[str, DTypeLike]:
    """Return the types of the columns of one length's answer table but for `text`."""
    return {"answer": f"S{max(answer_length, 1)}", **COUNT_COLUMNS, **DECAYED_COLUMNS, "score": np.float32}


def answers_file(answer_length: int) -> str:
    return f"answers/length={answer_length}/table.parquet"


def clues_file(answer_length: int) -> str:
    return f"clues/length={answer_length}/table.parquet"


def reversed_file(answer_length: int) -> str:
    return f"clues/length={answer_length}/reversed.npy"


def hashed_clues_file(answer_length: int) -> str:
    return f"{manifest.REPEATS_FOLDER}/length={answer_length}/table.parquet"


def packed_postings_file(answer_length: int) -> str:
    return f"vocabulary/length={answer_length}/table.parquet"


def packed_answers_file(answer_length: int) -> str:
    return f"vocabulary/length={answer_length}/answers.npy"


def layer_file(layer_name: str) -> str:
    return f"{manifest.LAYERS_FOLDER}/{layer_name}.parquet"


def postings_file(answer_length: int, array_name: str) -> str:
    return f"postings/length={answer_length}/{array_name}.npy"


def relations_file(array_name: str, answer_length: int | None = None) -> str:
    folder = RELATIONS_FOLDER if answer_length is None else f"{RELATIONS_FOLDER}/length={answer_length}"
    return f"{folder}/{array_name}.npy"


def encoder_array_file(encoder_folder: str, array_name: str) -> str:
    return f"{encoder_folder}/{array_name}.npy"


def encoder_length_file(encoder_folder: str, answer_length: int, array_name: str) -> str:
    return f"{encoder_folder}/length={answer_length}/{array_name}.npy"
