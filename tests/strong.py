"""A transformer and a reader small enough to write down, and how to add one to an index."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import corpus
import numpy as np
import pytest
import shared
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from regis.building.training import base_encoder as base
from regis.building.training import checkpoints, train
from regis.building.training.checkpoints import CheckpointedTrainer
from regis.index import Index
from regis.index.tables import learned_models, schema
from regis.index.tables.answer_vectors import write_answer_vectors
from regis.models.neural import bag_encoder, bert, cross_encoder, tensor_file, transformer
from regis.models.neural.bert import HEAD_COUNT
from regis.models.neural.cross_encoder import WordSegmenter
from regis.models.neural.tensor_file import QuantizedMatrix
from regis.models.neural.transformer import TransformerEncoder
from regis.models.neural.vector_table import DIMENSIONS, AnswerVectors, Int8Rows, quantize_rows
from regis.system.files import array_file

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*MARKS, *sorted({word for hint in corpus.HINTS.values() for word in hint.lower().split()})]
HIDDEN = 8 * HEAD_COUNT


def write_words(home: Path, pieces: Sequence[str]) -> Tokenizer:
    """Write BERT's tokenizer for a vocabulary of `pieces` that begins with MARKS."""
    tokens = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokens.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokens.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokens.add_special_tokens(MARKS)
    ends = [(mark, pieces.index(mark)) for mark in ("[CLS]", "[SEP]")]
    tokens.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    tokens.save(str(home / transformer.TOKENIZER_FILE))
    return tokens


def write_network(home: Path) -> None:
    """Write a BERT of one layer with random numbers, whose vectors are mostly the mean of the words', and its words."""
    home.mkdir(parents=True)
    write_words(home, WORDS)
    tensor_file.write_tensors(home / transformer.MODEL_FILE, _network())


def write_pretrained(home: Path) -> None:
    """Write a pretrained network for torch: a BERT of one layer that knows the words of the test corpus."""
    import torch
    import transformers

    write_words(home, WORDS)
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=HIDDEN,
        num_hidden_layers=1,
        num_attention_heads=HEAD_COUNT,
        intermediate_size=HIDDEN,
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(home)


@contextmanager
def pretrained(home: Path, *modules: ModuleType) -> Iterator[pytest.MonkeyPatch]:
    """In this context, `modules` begin with such a network, and base encoders have fewer buckets."""
    write_pretrained(home)
    with pytest.MonkeyPatch.context() as patch:
        for module in (bag_encoder, learned_models, base):
            patch.setattr(module, "BUCKET_COUNT", 1 << 12)
        for module in modules:
            patch.setattr(module, "pretrained_folder", lambda: home)
        yield patch


def stop_and_go_on(folder: Path, learn: Callable[[Path], object], trainer: type, last_step: int) -> list[int]:
    """Stop training before a step, and let another call finish it; return the steps of that call."""
    before, halfway, right = shared.files(folder), checkpoints.checkpoint_folder(folder), trainer.train_step

    def stop(self: CheckpointedTrainer) -> None:
        if self.steps_done == last_step:
            raise KeyboardInterrupt
        right(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "train_step", stop)
        with pytest.raises(KeyboardInterrupt):
            learn(folder)
    assert shared.files(folder) == before, "an index is changed whole or not at all"
    assert {path.suffix for path in halfway.iterdir()} == {".npz", ".pt"}
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "train_step", lambda self: (steps.append(self.steps_done), right(self)))
        learn(folder)
    assert not halfway.exists()
    return steps


def write_reader(home: Path, trust: float = 1.0) -> None:
    """Write a reader of one layer with random numbers into its own folder."""
    home.mkdir(parents=True)
    write_words(home, [*WORDS, *(answer.lower() for answer in corpus.HINTS)])
    tensor_file.write_tensors(
        home / transformer.MODEL_FILE, _network(len(WORDS) + len(corpus.HINTS), cross_encoder.MAX_TOKENS, 1)
    )
    speller = WordSegmenter.from_word_counts(dict.fromkeys(corpus.HINTS, 5.0))
    words = {"words.word": speller.words, "words.used": speller.word_counts}
    array_file.write_arrays(schema.part_path(home.parent, schema.CROSS_ENCODER), words)
    (home / cross_encoder.FITTED_FILE).write_text(json.dumps({"trust": trust}))


def with_reader(folder: Path, trust: float = 1.0) -> Index:
    """Return an index with that reader, in `folder`."""
    built = shared.copied(corpus.rows((2004, 2005)), folder)
    write_reader(built.folder / schema.CROSS_ENCODER, trust)
    return shared.list_files(built)


def _network(
    pieces: int = len(WORDS), places: int = transformer.MAX_CLUE_TOKENS, numbers: int = DIMENSIONS
) -> dict[str, NDArray[Any] | QuantizedMatrix]:
    random = np.random.default_rng(1)

    def some(*shape: int, scale: float = 0.1) -> NDArray[Any]:
        return scale * random.standard_normal(shape)

    held: dict[str, NDArray[Any] | QuantizedMatrix] = {
        bert.TOKEN_VECTORS: some(pieces, HIDDEN, scale=1.0), bert.POSITION_VECTORS: some(places, HIDDEN),
        bert.TYPE_VECTORS: some(2, HIDDEN), "turn.weight": some(numbers, HIDDEN, scale=0.5),
        "turn.bias": some(numbers),
    }  # fmt: skip
    for name in ("norm", *(f"layer.0.{part}" for part in bert.NORM_PARTS)):
        held |= {f"{name}.weight": 1 + some(HIDDEN), f"{name}.bias": some(HIDDEN)}
    for name in (f"layer.0.{part}" for part in bert.DENSE_PARTS):
        codes = random.integers(0, 256, (HIDDEN, HIDDEN)).astype(np.uint8)
        scales = np.full((HIDDEN, HIDDEN // tensor_file.BLOCK_SIZE), 2e-4, np.float32)
        held |= {f"{name}.weight": QuantizedMatrix(codes, scales), f"{name}.bias": some(HIDDEN)}
    return held


def index(folder: Path, network: Path) -> Index:
    """Return an index with the transformer `network`, in which answers mean the sum of their clues' words."""
    built = shared.copied(corpus.rows((2004, 2005)), folder)
    found = Index(built.folder, built.manifest)  # its files may change
    shutil.copytree(network, found.folder / schema.TRANSFORMER)
    encoder = TransformerEncoder(network)
    for length in found.lengths:
        part = found[length]
        vectors = np.zeros((len(part.answer_letters), DIMENSIONS), np.float32)
        np.add.at(vectors, part.clue_answer_rows, encoder.encode(list(part.clue_texts)))
        answers = AnswerVectors(Int8Rows(*quantize_rows(vectors / 50)), np.zeros(len(vectors), np.float32))
        write_answer_vectors(found.folder, schema.TRANSFORMER, length, answers)
    read_all(found)
    train.fit_index(found, found.folder)
    return shared.list_files(found)


def read_all(index: Index) -> None:
    """Let the transformer of `index` read all its clues."""
    assert sum(train.embed_clues(index, index.folder)) == sum(size["clues"] for size in index.manifest.lengths.values())


def with_network(index: Index, network: Path) -> Index:
    """Return the index with a transformer, whose answer vectors are the encoder's; its files change in place."""
    home = index.files.path
    shutil.copytree(network, home / schema.TRANSFORMER)
    for length in index.lengths:
        parts = (schema.length_part(length, name) for name in (schema.ENCODER, schema.TRANSFORMER))
        shutil.copy(*(schema.part_path(home, part) for part in parts))
    read_all(Index(home, index.manifest))
    shared.list_files(index)
    return Index.open(index.folder)
