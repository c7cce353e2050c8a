"""A transformer small enough to write down, and how an index comes to have one."""

from __future__ import annotations

import shutil
from pathlib import Path

import corpus
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from regis import transformer
from regis.encoder import DIMENSIONS, quantised
from regis.index import Index, manifest, tables
from regis.learn import course, gists
from regis.transformer import Transformer

WORDS = sorted({word for hint in corpus.HINTS.values() for word in hint.lower().split()})


def write_network(home: Path) -> None:
    """A network that adds up a random vector per word, and a tokenizer of the test corpus's words."""
    home.mkdir(parents=True)
    vocabulary = {word: i for i, word in enumerate(["[UNK]", "[MASK]", *WORDS])}
    tokens = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokens.normalizer = normalizers.Lowercase()
    tokens.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokens.add_special_tokens(["[MASK]"])
    tokens.save(str(home / transformer.TOKENIZER))
    table = np.random.default_rng(1).standard_normal((len(vocabulary), DIMENSIONS)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "tokens"], ["each"]),
        helper.make_node("Cast", ["mask"], ["there"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["there", "last"], ["weights"]),
        helper.make_node("Mul", ["each", "weights"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "second"], ["vectors"], keepdims=0),
    ]
    numbers = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in ("tokens", "mask")]
    out = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["n", DIMENSIONS])
    constants = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([2]), "last"),
        numpy_helper.from_array(np.array([1]), "second"),
    ]
    graph = helper.make_graph(nodes, "tiny", numbers, [out], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, home / transformer.MODEL)


def index(folder: Path, network: Path) -> Index:
    """An index with the transformer `network`, whose answers mean the sum of their clues' words."""
    found = corpus.index(folder, corpus.rows((2004, 2005)))
    shutil.copytree(network, found.folder / tables.TRANSFORMER)
    encoder = Transformer(network)
    for length in found.lengths:
        part = found[length]
        assert part is not None
        vectors = np.zeros((len(part.letters), DIMENSIONS), np.float32)
        np.add.at(vectors, part.clue_answer, encoder.encode(part.clue_column.to_pylist()))
        paths = [
            found.folder / tables.encoder_file(tables.TRANSFORMER, length, n) for n in ("answers", "scales", "bias")
        ]
        paths[0].parent.mkdir()
        rounded, scales = quantised(vectors / 50)
        for path, values in zip(paths, (rounded, scales, np.zeros(len(vectors), np.float16)), strict=True):
            np.save(path, values)
    read_all(found)
    course.learn(found, found.folder)
    list_files(found)
    return Index.open(found.folder)


def read_all(index: Index) -> None:
    """Lets the transformer of `index` read all its clues."""
    assert sum(gists.write(index, index.folder)) == sum(size["clues"] for size in index.manifest.lengths.values())


def list_files(index: Index) -> None:
    """Makes the manifest agree with the files that are there."""
    record = manifest.with_files(index.manifest, index.folder)
    (index.folder / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
