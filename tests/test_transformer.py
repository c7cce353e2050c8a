"""The strong encoder: laws of encoding with a tiny network of our own, what an index does with one and without."""

import json
import shutil
from pathlib import Path

import corpus
import numpy as np
import onnx
import pytest
import tiny
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from regis import transformer
from regis.encoder import DIMENSIONS, quantised
from regis.errors import IndexDamaged
from regis.finders import meaning
from regis.index import Index, manifest, tables
from regis.learn import course, gists
from regis.solving import solve, weights_of
from regis.transformer import LONGEST, Transformer, padded, spoken
from regis.weigh import BASE, STRONG

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


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("network") / "transformer"
    write_network(home)
    return home


@pytest.fixture(scope="module")
def taught(network: Path, tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index with such a transformer, whose answers mean the sum of their clues' words; nobody may change it."""
    index = corpus.index(tmp_path_factory.mktemp("taught"), corpus.rows((2004, 2005)))
    shutil.copytree(network, index.folder / tables.TRANSFORMER)
    encoder = Transformer(network)
    for length in index.lengths:
        part = index[length]
        assert part is not None
        vectors = np.zeros((len(part.letters), DIMENSIONS), np.float32)
        np.add.at(vectors, part.clue_answer, encoder.encode(part.clue_column.to_pylist()))
        paths = [
            index.folder / tables.encoder_file(tables.TRANSFORMER, length, n) for n in ("answers", "scales", "bias")
        ]
        paths[0].parent.mkdir()
        rounded, scales = quantised(vectors / 50)
        for path, values in zip(paths, (rounded, scales, np.zeros(len(vectors), np.float16)), strict=True):
            np.save(path, values)
    assert sum(gists.write(index, index.folder)) == sum(size["clues"] for size in index.manifest.lengths.values())
    course.learn(index, index.folder)
    record = manifest.with_files(index.manifest, index.folder)
    (index.folder / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
    return Index.open(index.folder)


@pytest.mark.parametrize("clues", [[], [""], ["Fjord city"], ["?!", "東京", "x" * 500, "word " * 300, "___ city"]])
def test_clues_together_are_as_alone(clues: list[str], network: Path):
    together = Transformer(network).encode(clues)
    assert together.shape == (len(clues), DIMENSIONS) and together.dtype == np.float32
    for clue, vector in zip(clues, together, strict=True):
        assert Transformer(network).encode([clue])[0] == pytest.approx(vector, rel=1e-4, abs=1e-4)


def test_what_was_read_is_remembered_up_to_a_bound(network: Path, monkeypatch: pytest.MonkeyPatch):
    encoder = Transformer(network)
    monkeypatch.setattr(transformer, "REMEMBERED", 3)
    first = encoder.encode(["Fjord city", "Bean city"])
    for clue in ("a", "b", "c", "Fjord city", "d"):
        encoder.encode([clue])
    assert np.array_equal(encoder.encode(["Fjord city", "Bean city", "Fjord city"])[:2], first)


def test_gaps_are_masked_words():
    assert spoken("___ Beta Kappa").split() == ["[MASK]", "Beta", "Kappa"]
    assert spoken("well-known A-B") == "well-known A-B"


def test_padding_keeps_every_token():
    table, mask = padded([[5, 6], [], [7, 8, 9]])
    assert table.tolist() == [[5, 6, 0], [0, 0, 0], [7, 8, 9]] and mask.sum(axis=1).tolist() == [2, 0, 3]
    assert padded([[]])[0].shape == (1, 1)


def test_only_so_much_of_a_clue_is_read(network: Path):
    words = " ".join(["city"] * (LONGEST + 5))
    assert len(transformer.tokenizer(network / transformer.TOKENIZER).encode(words).ids) == LONGEST


def test_it_is_weighed_and_finds(taught: Index):
    learned = json.loads((taught.folder / tables.LEARNED).read_text())
    assert {BASE, STRONG} <= set(learned)
    assert learned[STRONG]["fitted"]["log loss"] <= learned[BASE]["fitted"]["log loss"]
    assert learned[BASE]["features"]["transformer"] == 0 < learned[STRONG]["features"]["transformer"]
    found = meaning.read(corpus.HINTS["OSLO"], "????", taught, 400)
    part = taught[4]
    assert part is not None and np.exp(found.score).sum() == pytest.approx(1, abs=1e-4)
    assert part.names[found.answers[found.score.argmax()]] == b"OSLO"
    assert solve(tiny.puzzle(), taught).solution.cells


def test_where_it_cannot_run_the_other_weights_hold(taught: Index, monkeypatch: pytest.MonkeyPatch):
    strong = weights_of(taught)
    monkeypatch.setattr("regis.index.reading.installed", lambda: False)
    index = Index.open(taught.folder)
    assert index.has_transformer and index.transformer is None
    assert not len(meaning.read("Fjord city", "????", index, 400).answers)
    assert weights_of(index).features.tolist() != strong.features.tolist()
    assert solve(tiny.puzzle(), index).solution.cells


@pytest.mark.parametrize("name", [transformer.MODEL, transformer.TOKENIZER])
@pytest.mark.parametrize("spoil", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b"x" * len(b)])
def test_a_damaged_transformer_is_one_sentence(name: str, spoil, taught: Index, tmp_path: Path):
    folder = Path(shutil.copytree(taught.folder, tmp_path / "index"))
    path = folder / tables.TRANSFORMER / name
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(IndexDamaged, match="regis build"):
        solve(tiny.puzzle(), Index(folder, taught.manifest))
