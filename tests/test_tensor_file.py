"""Matrices in few bits: their errors, and invalid files."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from regis.models.neural import tensor_file
from regis.models.neural.tensor_file import BLOCK_SIZE, QuantizedMatrix

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
def test_what_was_packed_stays_when_packed_again(bits: int):
    once = QuantizedMatrix.quantize(
        np.random.default_rng(1).standard_normal((5, 4 * BLOCK_SIZE)).astype(np.float32), bits
    ).dequantize()
    assert np.allclose(QuantizedMatrix.quantize(once, bits).dequantize(), once, rtol=1e-6)


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


def test_codes_without_scales_and_scales_of_nothing(tmp_path: Path):
    for held in ({"a": RIGHT}, {"b.scales": RIGHT.scales}):
        tensor_file.write_tensors(tmp_path / "x", held)
        data = (tmp_path / "x").read_bytes().replace(b'"a.scales"', b'"b.scales"')
        (tmp_path / "x").write_bytes(data)
        with pytest.raises(ValueError):
            tensor_file.read_tensors(tmp_path / "x")
