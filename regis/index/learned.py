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

from regis.index import columns, schema
from regis.index.arrays import finite
from regis.index.opening import must, reading
from regis.index.vectors import Books
from regis.models.bigrams import Bigrams
from regis.models.embedding import BUCKETS, DIMENSIONS, Bytes, Encoder
from regis.models.phrases import PhraseModel
from regis.models.quantization import Packed
from regis.models.reader import FITTED, WORDS, Reader
from regis.models.short_strings import ShortStrings
from regis.models.spelling import Speller
from regis.models.unlisted import StringModel
from regis.puzzle.alphabet import ALPHABET
from regis.system.held import Place


def encoder(folder: Place) -> Encoder | None:
    """The learned clue encoder, packed or not; None if there is none."""
    with reading(folder, schema.ENCODER):
        if not (folder / schema.ENCODER).is_dir():
            return None
        packed = (folder / schema.packed_file(schema.ENCODER, "feature-codes")).is_file()

    def array(name: str, kind: type, *shape: int) -> NDArray[Any]:
        law = finite if kind == np.float16 else None
        return columns.read(folder, schema.packed_file(schema.ENCODER, name), kind, (BUCKETS, *shape), law)

    scales, pieces = array("feature-scales", np.float16), schema.FEATURE_PIECES
    if not packed:
        return Encoder(Bytes(array("features", np.int8, DIMENSIONS), scales))
    book = Books(folder).book(schema.ENCODER, "feature", pieces)
    return Encoder(Packed(array("feature-codes", np.uint8, pieces), scales, book, DIMENSIONS))


def reader(folder: Place) -> Reader:
    """What reads a clue and an answer together, where there is one."""
    home = folder / schema.READER
    words, used = columns.columns(folder, f"{schema.READER}/{WORDS}", schema.SPELLING).values()
    with reading(folder, schema.READER):
        must(finite(used) and (used > 0).all())
        letters = words.view(np.uint8)
        must((words[1:] > words[:-1]).all() and ((letters == 0) | (letters - ord("A") < len(ALPHABET))).all())
        trust = float(json.loads((home / FITTED).read_bytes())["trust"])
        must(0 <= trust < 10)
        return Reader(home, Speller(words, used), trust)


def strings(
    folder: Place, short: ShortStrings, fitted: dict[str, Any], bigrams: Callable[[NDArray[np.bytes_]], Bigrams]
) -> StringModel:
    """What answers in no list look like: `short` and its letters, and the phrase model if there is one, trusted as was
    `fitted`.

    `bigrams` are those of its pieces, asked for when they are needed.
    """
    with reading(folder, schema.PHRASES):
        if not (folder / schema.PHRASES).is_file():
            return StringModel(short.letters, short=short)
    pieces, *rows = columns.columns(folder, schema.PHRASES, schema.PIECES).values()
    with reading(folder, schema.PHRASES):
        chances = np.stack(rows).astype(np.float64)
        must(finite(chances) and (chances >= 0).all())
        phrases = PhraseModel(pieces, chances, functools.cache(lambda: bigrams(pieces)))
        must(phrases.distinct)
    with reading(folder, schema.LEARNED):
        share = {int(length): float(chance) for length, chance in fitted["phrases"]["share"].items()}
        must(all(0 <= chance < 1 for chance in share.values()))
    return StringModel(short.letters, phrases, share, short)
