"""The strong encoder: laws of encoding with a tiny network of our own, and what an index does with it."""

import json
import shutil
import sys
from pathlib import Path

import corpus
import numpy as np
import pytest
import tiny

from regis.candidates.finders import meaning
from regis.cli import doctor
from regis.errors import IndexDamaged
from regis.index import Index, schema
from regis.models import transformer
from regis.models.bert import Bert
from regis.models.embedding import DIMENSIONS
from regis.models.transformer import Transformer, padded, spoken
from regis.solving.pipeline import solve

CLUES = [
    "Fjord city",
    "Bean city",
    "city",
    "",
    "東京",
    "___ city",
    "Capital on a fjord, with nothing else to do",
    "x" * 500,
]


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


@pytest.mark.parametrize("engine", ["numpy", "onnxruntime"])
def test_both_engines_read_alike(engine: str, network: Path, monkeypatch: pytest.MonkeyPatch):
    """ONNX Runtime may count in bytes: what it says is a little off, here by no more than its float32 is."""
    monkeypatch.setattr(transformer, "installed", lambda: engine == "onnxruntime")
    vectors = Transformer(network).encode(CLUES)
    monkeypatch.undo()
    assert np.allclose(vectors, Transformer(network).encode(CLUES), atol=2e-3)
    assert len(np.unique(vectors.round(1), axis=0)) == len(CLUES), "each is a vector of its own"


def test_it_is_weighed_and_finds(strong_index: Index):
    learned = json.loads((strong_index.folder / schema.LEARNED).read_text())
    assert learned[schema.WEIGHTS]["features"]["transformer"] > 0
    found = meaning.read(corpus.HINTS["OSLO"], "????", strong_index, 400)
    part = strong_index[4]
    assert part is not None and np.exp(found.score).sum() == pytest.approx(1, abs=1e-4)
    assert part.names[found.answers[found.score.argmax()]] == b"OSLO"
    assert solve(tiny.puzzle(), strong_index).solution.cells


def test_where_the_extra_is_not_installed_numpy_reads(strong_index: Index, monkeypatch: pytest.MonkeyPatch):
    found = meaning.read("Fjord city", "????", strong_index, 400)
    monkeypatch.setattr(transformer, "installed", lambda: False)
    index = Index.open(strong_index.folder)
    assert index.transformer is not None and isinstance(index.transformer._network, Bert)
    assert np.allclose(meaning.read("Fjord city", "????", index, 400).score, found.score, atol=1e-2)
    assert solve(tiny.puzzle(), index).solution.cells == solve(tiny.puzzle(), strong_index).solution.cells


@pytest.mark.parametrize("error", [ImportError, OSError, AttributeError])
def test_what_cannot_be_loaded_is_not_installed(
    error: type[Exception], strong_index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """There, but not for this system: numpy reads."""
    (tmp_path / "onnxruntime.py").write_text(f"raise {error.__name__}('a native library is not there')")
    monkeypatch.delitem(sys.modules, "onnxruntime")
    monkeypatch.syspath_prepend(tmp_path)
    assert not transformer.installed()
    index = Index.open(strong_index.folder)
    assert index.transformer is not None and isinstance(index.transformer._network, Bert)
    assert "cannot be loaded" in doctor._extra("transformer")


@pytest.mark.parametrize("engine", ["numpy", "onnxruntime"])
@pytest.mark.parametrize("name", [transformer.MODEL, transformer.TOKENIZER])
@pytest.mark.parametrize("spoil", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b"x" * len(b)])
def test_a_damaged_transformer_is_one_sentence(
    name: str, spoil, engine: str, strong_index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(transformer, "installed", lambda: engine == "onnxruntime")
    folder = Path(shutil.copytree(strong_index.folder, tmp_path / "index"))
    path = folder / schema.TRANSFORMER / name
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(IndexDamaged, match="regis build"):
        solve(tiny.puzzle(), Index(folder, strong_index.manifest))


@pytest.mark.parametrize("engine", ["numpy", "onnxruntime"])
def test_a_piece_with_a_number_that_is_too_large(engine: str, strong_index: Index, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(transformer, "installed", lambda: engine == "onnxruntime")
    folder = Path(shutil.copytree(strong_index.folder, tmp_path / "index"))
    path = folder / schema.TRANSFORMER / transformer.TOKENIZER
    path.write_text(path.read_text().replace('"city":', '"city":99'))
    with pytest.raises(IndexDamaged, match="regis build"):
        solve(tiny.puzzle(), Index(folder, strong_index.manifest))
