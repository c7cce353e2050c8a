"""What was learned from the corpus of an index, read when it is first asked for.

Each function reads one thing, checks it, and hands over a model of `regis.models`. Whatever turns out unreadable is an
IndexDamaged.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.index.storage.index_files import IndexFiles
from regis.index.storage.validation import require
from regis.index.tables import schema
from regis.index.tables.answer_vectors import IndexCodebooks
from regis.models.neural.bag_encoder import BUCKET_COUNT, BagEncoder
from regis.models.neural.cross_encoder import FITTED_FILE, CrossEncoder
from regis.models.neural.product_quantization import PQRows
from regis.models.neural.transformer import MODEL_FILE, TOKENIZER_FILE, TransformerEncoder
from regis.models.neural.vector_table import DIMENSIONS, Int8Rows
from regis.models.numeric.arrays import is_finite
from regis.models.strings.phrase_model import PhraseModel
from regis.models.strings.string_model import ShortStrings, StringModel
from regis.models.strings.word_bigrams import WordBigrams
from regis.models.strings.word_segmentation import MAX_WORD_LETTERS, WordSegmenter
from regis.puzzle.alphabet import ALPHABET


def read_encoder(index_files: IndexFiles) -> BagEncoder | None:
    """Read the learned clue encoder, packed or not; None if there is none."""
    part = schema.ENCODER
    with index_files.guard(part):
        names = set(index_files.read_arrays(part))

    def read(name: str, dtype: type, *shape: int) -> NDArray[Any]:
        check = is_finite if dtype == np.float16 else None
        return index_files.read_array(part, name, dtype, (BUCKET_COUNT, *shape), check)

    if not names:
        return None
    scales, pieces = read("feature-scales", np.float16), schema.FEATURE_PIECES
    if "feature-codes" not in names:
        return BagEncoder(Int8Rows(read("features", np.int8, DIMENSIONS), scales))
    codebook = IndexCodebooks(index_files).read_codebook(part, "feature", pieces)
    return BagEncoder(PQRows(read("feature-codes", np.uint8, pieces), scales, codebook, DIMENSIONS))


def read_transformer(index_files: IndexFiles) -> TransformerEncoder | None:
    """Read the strong clue encoder; None if there is none."""
    if not index_files.has_part(schema.TRANSFORMER):
        return None
    with index_files.guard(schema.TRANSFORMER):
        return TransformerEncoder(network_folder(index_files, schema.TRANSFORMER))


def network_folder(index_files: IndexFiles, name: str) -> Path:
    """Return the folder of a network and its word pieces. Raises OSError or FileChanged."""
    for file_name in (MODEL_FILE, TOKENIZER_FILE):
        index_files.verified_path(f"{name}/{file_name}")
    return index_files.path / name


def read_cross_encoder(index_files: IndexFiles) -> CrossEncoder:
    """Read the cross-encoder, which reads a clue and an answer together; it must be there."""
    part = schema.CROSS_ENCODER
    words = index_files.read_array(part, "words.word", f"S{MAX_WORD_LETTERS}", (None,))
    counts = index_files.read_array(part, "words.used", np.float32, (len(words),), is_finite)
    with index_files.guard(part):
        require((counts > 0).all())
        letters = words.view(np.uint8)
        require((words[1:] > words[:-1]).all() and ((letters == 0) | (letters - ord("A") < len(ALPHABET))).all())
        trust = float(json.loads(index_files.read_bytes(f"{part}/{FITTED_FILE}"))["trust"])
        require(0 <= trust < 10)
        return CrossEncoder(network_folder(index_files, part), WordSegmenter(words, counts), trust)


def read_string_model(
    index_files: IndexFiles,
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
    part = schema.PHRASES
    if not index_files.has_part(part):
        return StringModel(short_strings.letter_model, short_strings=short_strings)
    rows = [index_files.read_array(part, f"pieces.{name}", np.float32, (None,)) for name in ("first", "middle", "last")]
    texts = index_files.read_texts(part, "pieces.piece", len(rows[0]))
    with index_files.guard(part):
        pieces, chances = texts.to_words(), np.stack(rows).astype(np.float64)
        require(is_finite(chances) and (chances >= 0).all())
        phrases = PhraseModel(pieces, chances, functools.cache(lambda: count_bigrams(pieces)))
        require(phrases.has_distinct_pieces)
    with index_files.guard(schema.LEARNED_FILE):
        share = {int(length): float(chance) for length, chance in fitted_values["phrases"]["share"].items()}
        require(all(0 <= chance < 1 for chance in share.values()))
    return StringModel(short_strings.letter_model, phrases, share, short_strings)
