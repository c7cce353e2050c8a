"""What was learned from the corpus of an index, read from its folder when it is first asked for.

Each function reads one thing, checks it, and hands over a model of `regis.models`. Whatever turns out unreadable is an
IndexDamaged.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.index import arrays, schema
from regis.index.arrays import finite, must, reading
from regis.models import quantization
from regis.models.embedding import BUCKETS, DIMENSIONS, AnswerVectors, Bytes, Encoder, quantised
from regis.models.ngram import LetterModel
from regis.models.quantization import ENTRIES, Packed
from regis.models.transformer import AXES, REDUCED, Transformer
from regis.models.unlisted import PhraseModel, StringModel


def encoder(folder: Path, packed: bool) -> Encoder | None:
    """The learned clue encoder, `packed` as in a distilled index; None if there is none."""
    if not (folder / schema.ENCODER).is_dir():
        return None

    def array(name: str, kind: type, *shape: int) -> NDArray[Any]:
        law = finite if kind == np.float16 else None
        return arrays.read(folder, schema.packed_file(schema.ENCODER, name), kind, (BUCKETS, *shape), law)

    scales, pieces = array("feature-scales", np.float16), schema.FEATURE_PIECES
    if not packed:
        return Encoder(Bytes(array("features", np.int8, DIMENSIONS), scales))
    book = _book(folder, schema.ENCODER, "feature", pieces)
    return Encoder(Packed(array("feature-codes", np.uint8, pieces), scales, book, DIMENSIONS))


def transformer(folder: Path) -> Transformer | None:
    """The strong clue encoder, None if there is none."""
    if not (folder / schema.TRANSFORMER).is_dir():
        return None
    with reading(folder, schema.TRANSFORMER):
        return Transformer(folder / schema.TRANSFORMER)


def axes(folder: Path) -> NDArray[np.float32]:
    """What cuts vectors down to embeddings, (DIMENSIONS, REDUCED): unit vectors, each perpendicular to all others."""

    def unit(values: NDArray[np.float32]) -> bool:
        return bool((np.abs(values) < 2).all()) and np.allclose(values.T @ values, np.eye(REDUCED), atol=1e-3)

    return arrays.read(folder, f"{schema.TRANSFORMER}/{AXES}", np.float32, (DIMENSIONS, REDUCED), unit)


def answer_vectors(
    folder: Path, home: str, length: int, answers: int, count: NDArray[np.int64] | None
) -> AnswerVectors:
    """The vectors and biases of so many `answers` of `length` in the encoder `home`.

    In a distilled index, where they are packed by how often an answer was used, that is `count`, (answers,); else None.
    """

    def array(name: str, kind: type, *shape: int) -> NDArray[Any]:
        law = finite if kind == np.float16 else None
        return arrays.read(folder, schema.encoder_file(home, length, name), kind, shape, law)

    scales, bias = (array(name, np.float16, answers) for name in ("scales", "bias"))
    if count is None:
        return AnswerVectors(Bytes(array("answers", np.int8, answers, DIMENSIONS), scales), bias.astype(np.float32))
    table, sizes = np.empty((answers, DIMENSIONS), np.int8), np.empty(answers, np.float16)
    for name, rows in schema.tiers(count).items():
        pieces = schema.TIERS[name]
        codes = array(name, np.uint8, int(rows.sum()), pieces)
        whole = Packed(codes, scales[rows], _book(folder, home, name, pieces), DIMENSIONS)
        table[rows], sizes[rows] = quantised(whole.unpacked(slice(None)))
    return AnswerVectors(Bytes(table, sizes), bias.astype(np.float32))


def _book(folder: Path, home: str, name: str, pieces: int) -> NDArray[np.float32]:
    """The book with which vectors of DIMENSIONS numbers were cut into so many pieces."""
    file, shape = schema.packed_file(home, f"{name}-book"), (pieces, ENTRIES, None)
    return arrays.read(folder, file, np.float32, shape, lambda book: quantization.is_book(book, DIMENSIONS))


def trigrams(folder: Path) -> NDArray[np.float64]:
    """(27, 27, 27): how often each letter follows which two in answers that were used (regis.models.ngram)."""
    shape = 27, 27, 27
    return arrays.read(folder, schema.LETTERS, np.float64, shape, lambda v: ((v >= 0) & (v < 1e12)).all())


def learned(folder: Path) -> dict[str, Any]:
    """What was fitted when the index was built: `learned.json`."""
    with reading(folder, schema.LEARNED):
        values = json.loads((folder / schema.LEARNED).read_text(encoding="utf-8"))
        must(isinstance(values, dict))
        return dict(values)


def strings(folder: Path, letters: LetterModel, fitted: dict[str, Any]) -> StringModel:
    """What answers in no list look like: `letters`, and the phrase model if there is one, trusted as was `fitted`."""
    if not (folder / schema.PHRASES).is_file():
        return StringModel(letters)
    table = arrays.table(folder, schema.PHRASES, schema.PIECES)
    with reading(folder, schema.PHRASES):
        pieces = table["piece"].to_pylist()
        chances = np.stack([table[name].to_numpy() for name in schema.PIECES.names[1:]]).astype(np.float64)
        must(finite(chances) and (chances >= 0).all())
        must(all(piece.isascii() and piece.isalpha() and piece.isupper() for piece in pieces))
    with reading(folder, schema.LEARNED):
        share = {int(length): float(chance) for length, chance in fitted["phrases"]["share"].items()}
        must(all(0 <= chance < 1 for chance in share.values()))
    return StringModel(letters, PhraseModel(pieces, chances), share)


def lean(folder: Path, fitted: dict[str, Any]) -> float:
    """How far a clue's meaning leans the pieces of an unlisted answer, as was `fitted`."""
    with reading(folder, schema.LEARNED):
        found = float(fitted["phrases"]["lean"])
        must(0 <= found < 10)
        return found
