"""The network in numpy and matrices in few bits: a slow, obvious network gives the same; and damage is noticed."""

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from slow_bert import SlowBert

from regis.models.neural import tensor_file
from regis.models.neural.bert import POSITION_VECTORS, Bert, quantize_network
from regis.models.neural.tensor_file import BLOCK_SIZE, QuantizedMatrix
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


BITS = pytest.mark.parametrize("bits", [4, 8])
MATRICES = arrays(np.float32, (3, 2 * BLOCK_SIZE), elements=st.floats(-99, 99, width=32))


@BITS
@given(matrix=MATRICES)
def test_no_number_is_off_by_more_than_a_step(bits: int, matrix: np.ndarray):
    """Half a step, except at the end that has one code less."""
    found = QuantizedMatrix.quantize(matrix, bits)
    off = np.abs(found.dequantize() - matrix).reshape(*found.scales.shape, BLOCK_SIZE)
    assert (off <= np.abs(found.scales[..., None]) * 1.001 + 1e-30).all()
    assert np.array_equal(found.dequantize(np.array([2, 0])), found.dequantize()[[2, 0]])


@BITS
def test_a_file_holds_what_was_written(bits: int, tmp_path: Path):
    matrix = np.random.default_rng(1).standard_normal((5, 4 * BLOCK_SIZE)).astype(np.float32)
    tensor_file.write_tensors(tmp_path / "x", {"small": QuantizedMatrix.quantize(matrix, bits), "whole": matrix.T})
    found = tensor_file.dequantize_tensors(tensor_file.read_tensors(tmp_path / "x"))
    assert np.array_equal(found["small"], QuantizedMatrix.quantize(matrix, bits).dequantize())
    assert np.array_equal(found["whole"], matrix.T)
    assert (tmp_path / "x").stat().st_size < 1000 + matrix.nbytes * (1 + bits / 32 + 1 / BLOCK_SIZE)


RIGHT = QuantizedMatrix.quantize(np.ones((4, 2 * BLOCK_SIZE), np.float32), 4)


@pytest.mark.parametrize(
    "blocks",
    [
        QuantizedMatrix(RIGHT.codes[:3], RIGHT.scales),
        QuantizedMatrix(RIGHT.codes[:, :-1], RIGHT.scales),
        QuantizedMatrix(RIGHT.codes[0], RIGHT.scales),
        QuantizedMatrix(RIGHT.codes, RIGHT.scales[:, 0]),
        QuantizedMatrix(RIGHT.codes, RIGHT.scales[:, :0]),
        QuantizedMatrix(RIGHT.codes.astype(np.int8), RIGHT.scales),
        QuantizedMatrix(RIGHT.codes, RIGHT.scales.astype(np.float64)),
        QuantizedMatrix(RIGHT.codes, RIGHT.scales * np.float32(np.nan)),
    ],
)
def test_codes_and_scales_that_do_not_go_together(blocks: QuantizedMatrix, tmp_path: Path):
    tensor_file.write_tensors(tmp_path / "x", {"a": blocks})
    with pytest.raises(ValueError):
        tensor_file.read_tensors(tmp_path / "x")
