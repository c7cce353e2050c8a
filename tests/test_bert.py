"""The network in numpy: what ONNX Runtime says of the same file, also in four bits, and what damage does to it."""

import random
import shutil
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from regis.building.training.quantize import shrink
from regis.models import onnxfile
from regis.models.bert import WORDS, Bert
from regis.models.transformer import MODEL, Transformer, padded

TOKENS = [[2, 3], [2, 9, 3], [2, 7, 8, 9, 10, 11, 3], [2, 6, 3], [2, *range(5, 30), 3]]


def runtimes(model: Path) -> np.ndarray:
    tokens, mask = padded(TOKENS)
    return onnxruntime.InferenceSession(str(model)).run(None, {"tokens": tokens, "mask": mask})[0]


def test_it_says_what_onnx_runtime_says(network: Path):
    assert np.allclose(Bert(network / MODEL)(*padded(TOKENS)), runtimes(network / MODEL), atol=2e-3)


def test_in_four_bits_too(network: Path, tmp_path: Path):
    shrink(network / MODEL, tmp_path / MODEL)
    assert (tmp_path / MODEL).stat().st_size < 0.75 * (network / MODEL).stat().st_size
    theirs = runtimes(tmp_path / MODEL)
    assert np.allclose(Bert(tmp_path / MODEL)(*padded(TOKENS)), theirs, atol=2e-3)
    assert not np.allclose(theirs, runtimes(network / MODEL), atol=1e-2), "four bits are fewer than eight"


def test_clues_together_are_as_alone(network: Path):
    network_ = Bert(network / MODEL)
    together = network_(*padded(TOKENS))
    for tokens, vector in zip(TOKENS, together, strict=True):
        assert np.allclose(network_(*padded([tokens]))[0], vector, atol=1e-4)


@pytest.mark.parametrize("seed", range(60))
def test_damage_is_told_of_or_does_not_matter(seed: int, network: Path, tmp_path: Path):
    """Of all but the weights: which of them are damaged nobody can tell."""
    generator = random.Random(seed)
    data = bytearray((network / MODEL).read_bytes())
    weights = [values.tobytes() for values in onnxfile.read(network / MODEL).tensors.values() if values.size > 64]
    places = [data.index(values) for values in weights]
    others = np.ones(len(data), bool)
    for start, values in zip(places, weights, strict=True):
        others[start : start + len(values)] = False
    assert 1000 < others.sum() < 0.1 * len(data)
    for at in generator.sample(np.flatnonzero(others).tolist(), 3):
        data[at] = generator.randrange(256)
    shutil.copytree(network, tmp_path / "damaged")
    (tmp_path / "damaged" / MODEL).write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regis.models.transformer.installed", lambda: False)
        right = Transformer(network).encode(["Fjord city"])
        try:
            found = Transformer(tmp_path / "damaged").encode(["Fjord city"])
        except (ValueError, KeyError, IndexError):
            return
    assert np.allclose(found, right, rtol=0.2, atol=0.5), "a scale or two may be off"


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e30])
@pytest.mark.parametrize("name", ["turn.weight", "bert.embeddings.LayerNorm.weight", WORDS])
def test_numbers_that_are_none_are_told_of(odd: float, name: str, network: Path, tmp_path: Path):
    values = onnxfile.read(network / MODEL).tensors[name]
    data = bytearray((network / MODEL).read_bytes())
    place = data.index(values.tobytes())
    data[place : place + 4] = np.float32(odd).tobytes()
    (tmp_path / MODEL).write_bytes(data)
    with pytest.raises(ValueError, match="that are none"):
        Bert(tmp_path / MODEL)


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"\x3a\x05abc", b"\x3a\x02\x2a\x00", b"no network at all", b"\xff" * 1_000_000, b"\0" * 1_000_000],
)
def test_what_is_no_network(data: bytes, tmp_path: Path):
    (tmp_path / MODEL).write_bytes(data)
    with pytest.raises(ValueError):
        Bert(tmp_path / MODEL)
