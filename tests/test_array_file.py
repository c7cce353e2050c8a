"""Arrays in one file: reading returns what was written, and any change is reported."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from regis.system.files.array_file import ALIGNMENT, ArrayFile, FileChanged, compute_checksum, write_arrays

SHAPES = arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)
TYPES = st.sampled_from(["u1", "i1", "u2", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "?", "S3", "S1"])
ARRAYS = TYPES.flatmap(lambda kind: arrays_of.arrays(np.dtype(kind), SHAPES))
SOME = {"one": np.arange(7), "two": np.array([b"AB", b"C"]), "none": np.zeros((0, 4), np.float32)}


@given(st.dictionaries(st.text(max_size=5), ARRAYS, max_size=4))
def test_what_is_written_is_what_is_read(tmp_path_factory: pytest.TempPathFactory, arrays: dict[str, np.ndarray]):
    path = tmp_path_factory.mktemp("law") / "inner" / "some.arrays"
    write_arrays(path, arrays)
    found = ArrayFile(path, compute_checksum(path))
    assert list(found) == list(arrays)
    for name, values in arrays.items():
        assert found[name].dtype == values.dtype and found[name].shape == values.shape
        assert found[name].tobytes() == values.tobytes() and not found[name].flags.writeable


def test_the_same_is_the_same_to_the_byte(tmp_path: Path):
    for name in "ab":
        write_arrays(tmp_path / name, SOME)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_no_bit_changes_unnoticed(tmp_path: Path):
    """Except in the padding."""
    path = tmp_path / "some.arrays"
    write_arrays(path, SOME)
    content, checksum = path.read_bytes(), compute_checksum(path)
    whole = {name: values.tobytes() for name, values in SOME.items()}
    unnoticed = 0
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        try:
            assert {name: values.tobytes() for name, values in ArrayFile(path, checksum).items()} == whole
            unnoticed += 1
        except FileChanged:
            continue
    assert unnoticed == sum(-len(values) % ALIGNMENT for values in whole.values())


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"\xff" * 100, b"\x02" + b"\0" * 7 + b"{"])
def test_what_is_no_such_file(tmp_path: Path, content: bytes):
    (tmp_path / "some.arrays").write_bytes(content)
    for read in (ArrayFile, compute_checksum):
        with pytest.raises(FileChanged):
            read(tmp_path / "some.arrays")


def test_other_links_keep_what_they_had(tmp_path: Path):
    write_arrays(tmp_path / "old", SOME)
    before = (tmp_path / "old").read_bytes()
    (tmp_path / "new").hardlink_to(tmp_path / "old")
    write_arrays(tmp_path / "new", {"other": np.ones(2)})
    assert (tmp_path / "old").read_bytes() == before
