"""A transformer and a reader small enough to write down, and how an index comes to have one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import corpus
import numpy as np
import pyarrow.parquet as pq
import pytest
import shared
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from regis.building.training import embedding as base
from regis.building.training import spelling, train
from regis.index import Index, learned, listing, manifest, schema
from regis.models import bert, embedding, reader, tensors, transformer
from regis.models.bert import HEADS
from regis.models.embedding import DIMENSIONS, quantised
from regis.models.spelling import Speller
from regis.models.tensors import Blocks
from regis.models.transformer import Transformer

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*MARKS, *sorted({word for hint in corpus.HINTS.values() for word in hint.lower().split()})]
HIDDEN = 8 * HEADS


def write_words(home: Path, pieces: Sequence[str]) -> Tokenizer:
    """BERT's tokenizer for a vocabulary of `pieces` that begins with MARKS."""
    tokens = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokens.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokens.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokens.add_special_tokens(MARKS)
    ends = [(mark, pieces.index(mark)) for mark in ("[CLS]", "[SEP]")]
    tokens.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    tokens.save(str(home / transformer.TOKENIZER))
    return tokens


def write_network(home: Path) -> None:
    """A BERT of one layer with random numbers, whose vectors are mostly the mean of its words', and its words."""
    home.mkdir(parents=True)
    write_words(home, WORDS)
    tensors.write(home / transformer.MODEL, _network())


def write_pretrained(home: Path) -> None:
    """What torch would have as pretrained: a BERT of one layer that knows the words of the test corpus."""
    import torch
    import transformers

    write_words(home, WORDS)
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=HIDDEN,
        num_hidden_layers=1,
        num_attention_heads=HEADS,
        intermediate_size=HIDDEN,
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(home)


@contextmanager
def pretrained(home: Path, *modules: ModuleType) -> Iterator[pytest.MonkeyPatch]:
    """While it holds, `modules` begin with such a network, and base encoders have fewer buckets."""
    write_pretrained(home)
    with pytest.MonkeyPatch.context() as patch:
        for module in (embedding, learned, base):
            patch.setattr(module, "BUCKETS", 1 << 12)
        for module in modules:
            patch.setattr(module, "pretrained", lambda: home)
        yield patch


def write_reader(home: Path, trust: float = 1.0) -> None:
    """A reader of one layer with random numbers, in a folder of its own."""
    home.mkdir(parents=True)
    write_words(home, [*WORDS, *(answer.lower() for answer in corpus.HINTS)])
    tensors.write(home / reader.MODEL, _network(len(WORDS) + len(corpus.HINTS), reader.PLACES, 1))
    speller = Speller.of(dict.fromkeys(corpus.HINTS, 5.0))
    pq.write_table(spelling.table(speller), home / reader.WORDS, write_page_checksum=True)
    (home / reader.FITTED).write_text(json.dumps({"trust": trust}))


def with_reader(folder: Path, trust: float = 1.0) -> Index:
    """An index with that reader, in `folder`."""
    built = shared.copied(corpus.rows((2004, 2005)), folder)
    write_reader(built.folder / schema.READER, trust)
    list_files(built)
    return Index.open(built.folder)


def _network(
    pieces: int = len(WORDS), places: int = transformer.LONGEST, numbers: int = DIMENSIONS
) -> dict[str, NDArray[Any] | Blocks]:
    random = np.random.default_rng(1)

    def some(*shape: int, scale: float = 0.1) -> NDArray[Any]:
        return scale * random.standard_normal(shape)

    held: dict[str, NDArray[Any] | Blocks] = {
        bert.WORDS: some(pieces, HIDDEN, scale=1.0),
        bert.PLACES: some(places, HIDDEN),
        bert.TYPES: some(2, HIDDEN),
        "turn.weight": some(numbers, HIDDEN, scale=0.5),
        "turn.bias": some(numbers),
    }
    for name in ("norm", *(f"layer.0.{part}" for part in bert.NORMS)):
        held |= {f"{name}.weight": 1 + some(HIDDEN), f"{name}.bias": some(HIDDEN)}
    for name in (f"layer.0.{part}" for part in bert.DENSE):
        codes = random.integers(0, 256, (HIDDEN, HIDDEN)).astype(np.uint8)
        scales = np.full((HIDDEN, HIDDEN // tensors.BLOCK), 2e-4, np.float32)
        held |= {f"{name}.weight": Blocks(codes, scales), f"{name}.bias": some(HIDDEN)}
    return held


def index(folder: Path, network: Path) -> Index:
    """An index with the transformer `network`, whose answers mean the sum of their clues' words."""
    built = shared.copied(corpus.rows((2004, 2005)), folder)
    found = Index(built.folder, built.manifest)  # whose files may change
    shutil.copytree(network, found.folder / schema.TRANSFORMER)
    encoder = Transformer(network)
    for length in found.lengths:
        part = found[length]
        vectors = np.zeros((len(part.letters), DIMENSIONS), np.float32)
        np.add.at(vectors, part.clue_answer, encoder.encode(part.clue_column.all))
        paths = [
            found.folder / schema.encoder_file(schema.TRANSFORMER, length, n) for n in ("answers", "scales", "bias")
        ]
        paths[0].parent.mkdir()
        rounded, scales = quantised(vectors / 50)
        for path, values in zip(paths, (rounded, scales, np.zeros(len(vectors), np.float16)), strict=True):
            np.save(path, values)
    read_all(found)
    train.learn(found, found.folder)
    list_files(found)
    return Index.open(found.folder)


def read_all(index: Index) -> None:
    """Lets the transformer of `index` read all its clues."""
    assert sum(train.embed_clues(index, index.folder)) == sum(size["clues"] for size in index.manifest.lengths.values())


def list_files(index: Index) -> None:
    """Makes the manifest agree with the files that are there."""
    record = listing.with_files(index.manifest, index.folder)
    (index.folder / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
