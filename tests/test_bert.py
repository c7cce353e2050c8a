"""The network in numpy: what ONNX Runtime says of the same file, also in four bits, and what damage does to it."""

import random
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from regis import onnxfile
from regis.bert import Bert
from regis.learn.shrinking import shrink
from regis.transformer import MODEL, padded

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


@pytest.mark.parametrize("seed", range(40))
def test_damage_is_told_of_or_does_not_matter(seed: int, network: Path, tmp_path: Path):
    generator = random.Random(seed)
    data = bytearray((network / MODEL).read_bytes())
    graph = onnxfile.read(network / MODEL)
    numbers = sum(values.nbytes for values in graph.tensors.values())
    assert numbers > 0.8 * len(data)
    for _ in range(20):  # the nodes come first, then tensors with their names
        end = len(data) - numbers if generator.random() < 0.7 else len(data)
        data[generator.randrange(end)] = generator.randrange(256)
    (tmp_path / MODEL).write_bytes(data)
    try:
        with np.errstate(all="ignore"):
            assert Bert(tmp_path / MODEL)(*padded(TOKENS)).shape[0] == len(TOKENS)
    except ValueError:
        pass


@pytest.mark.parametrize("data", [b"", b"x", b"\x3a\x05abc", b"\xff" * 50, b"\x3a\x02\x2a\x00", b"no network at all"])
def test_what_is_no_network(data: bytes, tmp_path: Path):
    (tmp_path / MODEL).write_bytes(data)
    with pytest.raises(ValueError):
        Bert(tmp_path / MODEL)
