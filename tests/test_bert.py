"""The network in numpy: a slow, obvious one gives the same results, also in four bits; and damage is noticed."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from slow_bert import SlowBert

from regis.models.neural import tensor_file
from regis.models.neural.bert import POSITION_VECTORS, TOKEN_VECTORS, Bert, quantize_network
from regis.models.neural.transformer import MODEL_FILE, TransformerEncoder, pad_tokens

TOKENS = [[2, 3], [2, 9, 3], [2, 7, 8, 9, 10, 11, 3], [2, 6, 3], [2, *range(5, 30), 3]]


def slowly(model: Path, tokens: list[int]) -> np.ndarray:
    """Return the vector of one clue."""
    slow = SlowBert(model)
    x = slow.begun(tokens)
    return slow.read(x, x)


def shrunk(model: Path, to: Path) -> Path:
    tensor_file.write_tensors(to, quantize_network(tensor_file.read_tensors(model), 4))
    return to


def header(data: bytes) -> int:
    """Return the number of bytes before the numbers."""
    return 8 + int.from_bytes(data[:8], "little")


def place(data: bytes, name: str) -> int:
    """Return the place of a tensor's numbers in the file."""
    return header(data) + json.loads(data[8 : header(data)])[name]["data_offsets"][0]


def test_it_says_what_a_slow_one_says(network: Path):
    slow = [slowly(network / MODEL_FILE, tokens) for tokens in TOKENS]
    assert np.allclose(Bert(network / MODEL_FILE)(pad_tokens(TOKENS)), slow, atol=2e-3)


def test_in_four_bits_too(network: Path, tmp_path: Path):
    small = shrunk(network / MODEL_FILE, tmp_path / MODEL_FILE)
    assert small.stat().st_size < 0.75 * (network / MODEL_FILE).stat().st_size
    slow = [slowly(small, tokens) for tokens in TOKENS]
    assert np.allclose(Bert(small)(pad_tokens(TOKENS)), slow, atol=2e-3)
    assert not np.allclose(slow, Bert(network / MODEL_FILE)(pad_tokens(TOKENS)), atol=1e-2), (
        "four bits are fewer than eight"
    )


@pytest.mark.parametrize("seed", range(60))
def test_damage_is_reported_or_does_not_matter(seed: int, network: Path, tmp_path: Path):
    """Damaged weights can't be noticed; everything else is."""
    generator = random.Random(seed)
    data = bytearray((network / MODEL_FILE).read_bytes())
    assert 1000 < header(data) < 0.1 * len(data)
    for at in generator.sample(range(header(data)), 3):
        data[at] = generator.randrange(256)
    shutil.copytree(network, tmp_path / "damaged")
    (tmp_path / "damaged" / MODEL_FILE).write_bytes(data)
    right = TransformerEncoder(network).encode(["Fjord city"])
    try:
        found = TransformerEncoder(tmp_path / "damaged").encode(["Fjord city"])
    except (ValueError, KeyError):
        return
    assert np.array_equal(found, right)


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e30])
@pytest.mark.parametrize("name", ["turn.weight", "norm.weight", "layer.0.query.weight.scales", TOKEN_VECTORS])
def test_invalid_numbers_are_reported(odd: float, name: str, network: Path, tmp_path: Path):
    data = bytearray((network / MODEL_FILE).read_bytes())
    at = place(data, name)
    data[at : at + 4] = np.float32(odd).tobytes()
    (tmp_path / MODEL_FILE).write_bytes(data)
    with pytest.raises(ValueError, match="that aren't numbers"):
        Bert(tmp_path / MODEL_FILE)


@pytest.mark.parametrize("name", ["layer.0.query.weight", "layer.0.output.norm.bias", "turn.bias", POSITION_VECTORS])
def test_a_part_that_is_lacking_or_too_small(name: str, network: Path, tmp_path: Path):
    held = tensor_file.dequantize_tensors(tensor_file.read_tensors(network / MODEL_FILE))
    shutil.copytree(network, tmp_path / "damaged")
    for changed in ({}, {name: held[name][: len(held[name]) // 2]}):
        tensor_file.write_tensors(
            tmp_path / "damaged" / MODEL_FILE, {key: held[key] for key in held.keys() - {name}} | changed
        )
        with pytest.raises(ValueError, match=r"lacks parts|doesn't match"):
            TransformerEncoder(tmp_path / "damaged")


@pytest.mark.parametrize(
    "data", [b"", b"x", b"\x02\0\0\0\0\0\0\0{}", b"no network at all", b"\xff" * 1_000_000, b"\0" * 1_000_000]
)
def test_what_is_no_network(data: bytes, tmp_path: Path):
    (tmp_path / MODEL_FILE).write_bytes(data)
    with pytest.raises(ValueError):
        Bert(tmp_path / MODEL_FILE)
