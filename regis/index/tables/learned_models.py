"""An index's learned models, read on demand, and the word pairs of its past clues.

Each function reads and checks one model; an unreadable one raises IndexDamaged. Word pairs are counted in features of
past clues. A clue with a blank is half of a phrase: "___ Joey" and PAL say more about new answers than all other clues
together (measured: docs/experiments/phrase-model.md).
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.index.storage.index_files import IndexFiles
from regis.index.storage.validation import require
from regis.index.tables import schema
from regis.index.tables.answer_vectors import IndexCodebooks
from regis.index.tables.partition import Partition
from regis.models import arrays
from regis.models.arrays import is_finite
from regis.models.neural.bag_encoder import BUCKET_COUNT, BagEncoder
from regis.models.neural.cross_encoder import FITTED_FILE, MAX_WORD_LETTERS, CrossEncoder, WordSegmenter
from regis.models.neural.transformer import MODEL_FILE, TOKENIZER_FILE, TransformerEncoder
from regis.models.neural.vector_table import DIMENSIONS, Int8Rows, PQRows
from regis.models.strings.phrase_model import PhraseModel
from regis.models.strings.semi_markov import PairFeatures, WordBigrams, match_width, sum_by_feature
from regis.models.strings.string_model import ShortStrings, StringModel
from regis.models.text import clue_features
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
    scales = read("feature-scales", np.float16)
    if "feature-codes" not in names:
        return BagEncoder(Int8Rows(read("features", np.int8, DIMENSIONS), scales))
    codebook = IndexCodebooks(index_files).read_codebook(part, "feature")
    return BagEncoder(PQRows(read("feature-codes", np.uint8, len(codebook)), scales, codebook, DIMENSIONS))


def read_transformer(index_files: IndexFiles) -> TransformerEncoder | None:
    if not index_files.has_part(schema.TRANSFORMER):
        return None
    with index_files.guard(schema.TRANSFORMER):
        return TransformerEncoder(network_folder(index_files, schema.TRANSFORMER))


def network_folder(index_files: IndexFiles, name: str) -> Path:
    """Check the files of a network, and return its folder; raises OSError or FileChanged."""
    for file_name in (MODEL_FILE, TOKENIZER_FILE):
        index_files.verified_path(f"{name}/{file_name}")
    return index_files.path / name


def read_cross_encoder(index_files: IndexFiles) -> CrossEncoder:
    """Read the reader, which must exist."""
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
    """Read the model of unlisted answers: letters, and phrases if there are any.

    `count_bigrams` counts the bigrams of the phrase model's pieces on demand.
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


AnswerPostings = tuple[NDArray[np.bytes_], PairFeatures, NDArray[np.int64], NDArray[np.integer[Any]]]
"""Answers, and the postings of their clues (Partition.feature_postings)."""


def count_bigrams(partitions: Iterable[Partition], words: NDArray[np.bytes_]) -> WordBigrams:
    """Count pairs of `words`, in capitals, in clues with the answer in place of the blank."""
    lower = np.char.lower(words).astype(str).tolist()
    codes, stems = clue_features.hash_words(lower), clue_features.hash_stems(lower)
    postings = [(part.answers, *part.feature_postings) for part in partitions]
    postings = [one for one in postings if len(one[1])]
    if not postings:
        return WordBigrams(np.zeros(0, np.uint64), np.zeros(0, np.float32), codes, np.zeros(len(words), np.float32))
    features, counts_by_length = zip(*((features, np.diff(starts)) for _, features, starts, _ in postings), strict=True)
    known, counts = sum_by_feature(np.concatenate(features), np.concatenate(counts_by_length))
    place, there = arrays.find_sorted(known, match_width(stems, known))
    word_counts = np.where(there, counts[place], 0).astype(np.float32)
    filled = [match_width(pairs, known) for pairs in _find_filled_blanks(postings, words, codes, known)]
    pairs, pair_counts = sum_by_feature(
        np.concatenate([known, *filled]), np.concatenate([counts, *(np.ones(len(x)) for x in filled)])
    )
    is_single = np.isin(pairs, np.concatenate([match_width(codes, pairs), match_width(stems, pairs)]))
    return WordBigrams(pairs[~is_single], pair_counts[~is_single], codes, word_counts)


def _find_filled_blanks(
    postings: Sequence[AnswerPostings],
    words: NDArray[np.bytes_],
    codes: NDArray[np.uint64],
    known_features: PairFeatures,
) -> Iterator[NDArray[np.uint64]]:
    """Yield the pairs of an answer and the word next to its blank, each as often as it occurs."""
    order = np.argsort(words, kind="stable")
    blank = np.full(len(codes), clue_features.hash_word(text.BLANK_TOKEN), np.uint64)
    for ahead in (True, False):
        gaps = match_width(clue_features.hash_pairs(*((blank, codes) if ahead else (codes, blank))), known_features)
        met = np.flatnonzero(arrays.find_sorted(known_features, gaps)[1])
        for names, features, starts, answers in postings:
            place, there = arrays.find_sorted(features, gaps[met])
            which, rows = arrays.expand_ranges(starts[place[there]], starts[place[there] + 1])
            word = met[there][which]
            answer, is_word = arrays.find_sorted(words[order], names[answers[rows]])
            pair = order[answer[is_word]], word[is_word]
            yield clue_features.hash_pairs(*(codes[side] for side in (pair if ahead else pair[::-1])))
