"""The network in numpy: what a slow, obvious one makes of the same file, also in four bits, and what damage does."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from slow_bert import SlowBert

from regis.models import tensors
from regis.models.bert import PLACES, WORDS, Bert, quantised
from regis.models.transformer import MODEL, Transformer, padded

TOKENS = [[2, 3], [2, 9, 3], [2, 7, 8, 9, 10, 11, 3], [2, 6, 3], [2, *range(5, 30), 3]]


def slowly(model: Path, tokens: list[int]) -> np.ndarray:
    """The vector of one clue."""
    slow = SlowBert(model)
    x = slow.begun(tokens)
    return slow.read(x, x)


def shrunk(model: Path, to: Path) -> Path:
    tensors.write(to, quantised(tensors.read(model), 4))
    return to


def header(data: bytes) -> int:
    """How many bytes stand before the numbers."""
    return 8 + int.from_bytes(data[:8], "little")


def place(data: bytes, name: str) -> int:
    """Where the numbers of a tensor begin in the file."""
    return header(data) + json.loads(data[8 : header(data)])[name]["data_offsets"][0]


def test_it_says_what_a_slow_one_says(network: Path):
    slow = [slowly(network / MODEL, tokens) for tokens in TOKENS]
    assert np.allclose(Bert(network / MODEL)(padded(TOKENS)), slow, atol=2e-3)


def test_in_four_bits_too(network: Path, tmp_path: Path):
    small = shrunk(network / MODEL, tmp_path / MODEL)
    assert small.stat().st_size < 0.75 * (network / MODEL).stat().st_size
    slow = [slowly(small, tokens) for tokens in TOKENS]
    assert np.allclose(Bert(small)(padded(TOKENS)), slow, atol=2e-3)
    assert not np.allclose(slow, Bert(network / MODEL)(padded(TOKENS)), atol=1e-2), "four bits are fewer than eight"


def test_the_same_network_is_the_same_file(network: Path, tmp_path: Path):
    tensors.write(tmp_path / MODEL, tensors.read(network / MODEL))
    assert (tmp_path / MODEL).read_bytes() == (network / MODEL).read_bytes()


def test_clues_together_are_as_alone(network: Path):
    network_ = Bert(network / MODEL)
    together = network_(padded(TOKENS))
    for tokens, vector in zip(TOKENS, together, strict=True):
        assert np.allclose(network_(padded([tokens]))[0], vector, atol=1e-4)
    tables = [padded(TOKENS[:2]), padded(TOKENS[2:])]
    assert np.allclose(network_(*tables), together, atol=1e-4)


@pytest.mark.parametrize("seed", range(60))
def test_damage_is_told_of_or_does_not_matter(seed: int, network: Path, tmp_path: Path):
    """Of all but the weights: which of them are damaged nobody can tell."""
    generator = random.Random(seed)
    data = bytearray((network / MODEL).read_bytes())
    assert 1000 < header(data) < 0.1 * len(data)
    for at in generator.sample(range(header(data)), 3):
        data[at] = generator.randrange(256)
    shutil.copytree(network, tmp_path / "damaged")
    (tmp_path / "damaged" / MODEL).write_bytes(data)
    right = Transformer(network).encode(["Fjord city"])
    try:
        found = Transformer(tmp_path / "damaged").encode(["Fjord city"])
    except (ValueError, KeyError):
        return
    assert np.array_equal(found, right)


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e30])
@pytest.mark.parametrize("name", ["turn.weight", "norm.weight", "layer.0.query.weight.scales", WORDS])
def test_numbers_that_are_none_are_told_of(odd: float, name: str, network: Path, tmp_path: Path):
    data = bytearray((network / MODEL).read_bytes())
    at = place(data, name)
    data[at : at + 4] = np.float32(odd).tobytes()
    (tmp_path / MODEL).write_bytes(data)
    with pytest.raises(ValueError, match="that are none"):
        Bert(tmp_path / MODEL)


@pytest.mark.parametrize("name", ["layer.0.query.weight", "layer.0.output.norm.bias", "turn.bias", PLACES])
def test_a_part_that_is_lacking_or_too_small(name: str, network: Path, tmp_path: Path):
    held = tensors.unpacked(tensors.read(network / MODEL))
    shutil.copytree(network, tmp_path / "damaged")
    for changed in ({}, {name: held[name][: len(held[name]) // 2]}):
        tensors.write(tmp_path / "damaged" / MODEL, {key: held[key] for key in held.keys() - {name}} | changed)
        with pytest.raises(ValueError, match=r"lacks parts|go with"):
            Transformer(tmp_path / "damaged")


def test_more_parts_than_there_are(network: Path, tmp_path: Path):
    held = tensors.read(network / MODEL)
    tensors.write(tmp_path / MODEL, held | {"layer.1.query.weight": held["layer.0.query.weight"]})
    with pytest.raises(ValueError, match="lacks parts"):
        Bert(tmp_path / MODEL)


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"\x02\0\0\0\0\0\0\0{}", b"no network at all", b"\xff" * 1_000_000, b"\0" * 1_000_000],
)
def test_what_is_no_network(data: bytes, tmp_path: Path):
    (tmp_path / MODEL).write_bytes(data)
    with pytest.raises(ValueError):
        Bert(tmp_path / MODEL)
