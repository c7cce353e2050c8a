"""What was learned from the corpus of an index, read from its folder when it is first asked for.

Each function reads one thing, checks it, and hands over a model of `regis.models`. Whatever turns out unreadable is an
IndexDamaged.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.index.storage import cached_columns
from regis.index.storage.npy import is_finite
from regis.index.storage.validation import guard_reading, require
from regis.index.tables import schema
from regis.index.tables.answer_vectors import IndexCodebooks
from regis.models.neural.bag_encoder import BUCKET_COUNT, BagEncoder
from regis.models.neural.cross_encoder import FITTED_FILE, WORDS_FILE, CrossEncoder
from regis.models.neural.product_quantization import PQRows
from regis.models.neural.vector_table import DIMENSIONS, Int8Rows
from regis.models.strings.phrase_model import PhraseModel
from regis.models.strings.short_strings import ShortStrings
from regis.models.strings.string_model import StringModel
from regis.models.strings.word_bigrams import WordBigrams
from regis.models.strings.word_segmentation import WordSegmenter
from regis.puzzle.alphabet import ALPHABET
from regis.system.files.locked_folder import ReadablePath


def read_encoder(index_folder: ReadablePath) -> BagEncoder | None:
    """Read the learned clue encoder, packed or not; None if there is none."""
    with guard_reading(index_folder, schema.ENCODER_FOLDER):
        if not (index_folder / schema.ENCODER_FOLDER).is_dir():
            return None
        is_packed = (index_folder / schema.encoder_array_file(schema.ENCODER_FOLDER, "feature-codes")).is_file()

    def read(name: str, dtype: type, *shape: int) -> NDArray[Any]:
        file_name = schema.encoder_array_file(schema.ENCODER_FOLDER, name)
        check = is_finite if dtype == np.float16 else None
        return cached_columns.read_array(index_folder, file_name, dtype, (BUCKET_COUNT, *shape), check)

    scales, pieces = read("feature-scales", np.float16), schema.FEATURE_PIECES
    if not is_packed:
        return BagEncoder(Int8Rows(read("features", np.int8, DIMENSIONS), scales))
    codebook = IndexCodebooks(index_folder).read_codebook(schema.ENCODER_FOLDER, "feature", pieces)
    return BagEncoder(PQRows(read("feature-codes", np.uint8, pieces), scales, codebook, DIMENSIONS))


def read_cross_encoder(index_folder: ReadablePath) -> CrossEncoder:
    """Read the cross-encoder, which reads a clue and an answer together; it must be there."""
    home = index_folder / schema.CROSS_ENCODER_FOLDER
    words_file = f"{schema.CROSS_ENCODER_FOLDER}/{WORDS_FILE}"
    words, counts = cached_columns.read_columns(index_folder, words_file, schema.SPELLING_COLUMNS).values()
    with guard_reading(index_folder, schema.CROSS_ENCODER_FOLDER):
        require(is_finite(counts) and (counts > 0).all())
        letters = words.view(np.uint8)
        require((words[1:] > words[:-1]).all() and ((letters == 0) | (letters - ord("A") < len(ALPHABET))).all())
        trust = float(json.loads((home / FITTED_FILE).read_bytes())["trust"])
        require(0 <= trust < 10)
        return CrossEncoder(home, WordSegmenter(words, counts), trust)


def read_string_model(
    index_folder: ReadablePath,
    short_strings: ShortStrings,
    fitted_values: dict[str, Any],
    count_bigrams: Callable[[NDArray[np.bytes_]], WordBigrams],
) -> StringModel:
    """Read the model of answers in no list: letters, and phrases if the index has a phrase model.

    Parameters
    ----------
    short_strings : model of the shortest, with the letter model.
    fitted_values : what was fitted with the index; has the trust in phrases by length.
    count_bigrams : counts the bigrams of the phrase model's pieces, called when they are needed.
    """
    with guard_reading(index_folder, schema.PHRASES_FILE):
        if not (index_folder / schema.PHRASES_FILE).is_file():
            return StringModel(short_strings.letter_model, short_strings=short_strings)
    pieces, *rows = cached_columns.read_columns(index_folder, schema.PHRASES_FILE, schema.PIECE_COLUMNS).values()
    with guard_reading(index_folder, schema.PHRASES_FILE):
        chances = np.stack(rows).astype(np.float64)
        require(is_finite(chances) and (chances >= 0).all())
        phrases = PhraseModel(pieces, chances, functools.cache(lambda: count_bigrams(pieces)))
        require(phrases.has_distinct_pieces)
    with guard_reading(index_folder, schema.LEARNED_FILE):
        share = {int(length): float(chance) for length, chance in fitted_values["phrases"]["share"].items()}
        require(all(0 <= chance < 1 for chance in share.values()))
    return StringModel(short_strings.letter_model, phrases, share, short_strings)
