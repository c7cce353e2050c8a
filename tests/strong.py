"""A transformer small enough to write down, and how an index comes to have one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import corpus
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from regis.building.training import clue_embeddings, train
from regis.index import Index, manifest, schema
from regis.models import transformer
from regis.models.bert import HEADS
from regis.models.embedding import DIMENSIONS, quantised
from regis.models.transformer import Transformer

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*MARKS, *sorted({word for hint in corpus.HINTS.values() for word in hint.lower().split()})]
HIDDEN = 8 * HEADS
BLOCK = 32


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
    onnx.save(_Drawing().whole(), home / transformer.MODEL)


class _Drawing:
    """The network, drawn node by node as torch exports it and ONNX Runtime's quantizer changes it."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(1)
        self.nodes: list[onnx.NodeProto] = []
        self.held: list[onnx.TensorProto] = []

    def hold(self, name: str, values: Any, kind: type = np.float32) -> str:
        self.held.append(numpy_helper.from_array(np.asarray(values, kind), name))
        return name

    def node(self, kind: str, *inputs: str, domain: str = "", **settings: Any) -> str:
        out = f"{kind} {len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], domain=domain, **settings))
        return out

    def some(self, *shape: int, scale: float = 0.1) -> Any:
        return scale * self.random.standard_normal(shape)

    def dense(self, said: str, name: str) -> str:
        codes = self.random.integers(0, 256, (HIDDEN, HIDDEN // BLOCK, BLOCK))
        held = (
            self.hold(f"{name} codes", codes, np.uint8),
            self.hold(f"{name} scales", np.full(codes.size // BLOCK, 2e-4)),
        )
        settings = {"K": HIDDEN, "N": HIDDEN, "bits": 8, "block_size": BLOCK, "accuracy_level": 1}
        product = self.node("MatMulNBits", said, *held, domain="com.microsoft", **settings)
        return self.node("Add", self.hold(f"{name}.bias", self.some(HIDDEN)), product)

    def normal(self, said: str, name: str) -> str:
        held = self.hold(f"{name}.weight", 1 + self.some(HIDDEN)), self.hold(f"{name}.bias", self.some(HIDDEN))
        return self.node("LayerNormalization", said, *held, axis=-1, epsilon=1e-12)

    def heads(self, said: str, name: str, order: tuple[int, ...]) -> str:
        shaped = self.node("Reshape", self.dense(said, name), "apart")
        return self.node("Transpose", shaped, perm=order)

    def whole(self) -> onnx.ModelProto:
        embed = "bert.embeddings"
        for name, count, scale in (
            ("word", len(WORDS), 1.0),
            ("position", transformer.LONGEST, 0.1),
            ("token_type", 2, 0.1),
        ):
            self.hold(f"{embed}.{name}_embeddings.weight", self.some(count, HIDDEN, scale=scale))
        for name, numbers in (
            ("apart", [0, 0, HEADS, -1]),
            ("whole", [0, 0, HIDDEN]),
            ("1", [1]),
            ("2", [2]),
            ("1 2", [1, 2]),
            ("0", [0]),
            ("one", 1),
        ):
            self.hold(name, numbers, np.int64)
        there = self.node("Cast", "mask", to=TensorProto.FLOAT)
        shape = self.node("Shape", "tokens", start=1, end=2)
        places = self.node("Range", self.hold("zero", 0, np.int64), self.node("Squeeze", shape), "one")
        said = self.node("Gather", f"{embed}.word_embeddings.weight", "tokens")
        said = self.node("Add", said, self.node("Gather", f"{embed}.position_embeddings.weight", places))
        said = self.node("Add", said, self.node("Gather", f"{embed}.token_type_embeddings.weight", "0"))
        said = self.normal(said, f"{embed}.LayerNorm")
        at = "bert.encoder.layer.0"
        looks = [
            self.heads(said, f"{at}.attention.self.{name}", order)
            for name, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)))
        ]
        score = self.node("Mul", self.node("MatMul", *looks[:2]), self.hold("width", (HIDDEN / HEADS) ** -0.5))
        gone = self.node("Mul", self.node("Sub", self.hold("one.0", 1.0), there), self.hold("far", -1e9))
        score = self.node("Softmax", self.node("Add", score, self.node("Unsqueeze", gone, "1 2")), axis=-1)
        heard = self.node("Transpose", self.node("MatMul", score, looks[2]), perm=(0, 2, 1, 3))
        heard = self.dense(self.node("Reshape", heard, "whole"), f"{at}.attention.output.dense")
        said = self.normal(self.node("Add", heard, said), f"{at}.attention.output.LayerNorm")
        inner = self.node("Gelu", self.dense(said, f"{at}.intermediate.dense"))
        said = self.normal(self.node("Add", self.dense(inner, f"{at}.output.dense"), said), f"{at}.output.LayerNorm")
        weight = self.node("Unsqueeze", there, "2")
        mean = self.node("ReduceSum", self.node("Mul", said, weight), "1", keepdims=0)
        mean = self.node("Div", mean, self.node("ReduceSum", weight, "1", keepdims=0))
        turn = (
            self.hold("turn.weight", self.some(DIMENSIONS, HIDDEN, scale=0.5)),
            self.hold("turn.bias", self.some(DIMENSIONS)),
        )
        self.nodes.append(helper.make_node("Gemm", [mean, *turn], ["vectors"], transB=1))
        numbers = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in ("tokens", "mask")]
        out = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", DIMENSIONS])
        graph = helper.make_graph(self.nodes, "small", numbers, [out], self.held)
        domains = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=domains, ir_version=9)


def index(folder: Path, network: Path) -> Index:
    """An index with the transformer `network`, whose answers mean the sum of their clues' words."""
    found = corpus.index(folder, corpus.rows((2004, 2005)))
    shutil.copytree(network, found.folder / schema.TRANSFORMER)
    encoder = Transformer(network)
    for length in found.lengths:
        part = found[length]
        assert part is not None
        vectors = np.zeros((len(part.letters), DIMENSIONS), np.float32)
        np.add.at(vectors, part.clue_answer, encoder.encode(part.clue_column.to_pylist()))
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
    assert sum(clue_embeddings.write(index, index.folder)) == sum(
        size["clues"] for size in index.manifest.lengths.values()
    )


def list_files(index: Index) -> None:
    """Makes the manifest agree with the files that are there."""
    record = manifest.with_files(index.manifest, index.folder)
    (index.folder / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
