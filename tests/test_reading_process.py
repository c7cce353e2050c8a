"""Uploads are read in separate processes: a file that takes too much time or memory harms only itself."""

import time
from collections.abc import Iterator

import papers
import pytest

from regis.errors import PuzzleError
from regis.play import reading_process
from regis.play.reading_process import FileReader
from regis.puzzle import formats


@pytest.fixture
def reader() -> Iterator[FileReader]:
    made = FileReader()
    yield made
    made.close()


def test_a_file_is_read_as_here_and_its_problems_are_reported(reader: FileReader):
    file = papers.file("sampler.xd")
    assert reader.call(formats.read_puzzle, file) == formats.read_puzzle(file)
    with pytest.raises(PuzzleError, match="isn't a puzzle file"):
        reader.call(formats.read_puzzle, file._replace(data=b"nothing"))


def test_a_file_that_takes_too_much_time_or_memory_is_refused_and_the_next_is_read(
    reader: FileReader, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(reading_process, "MAX_SECONDS", 0.2)
    with pytest.raises(PuzzleError, match="takes more than 0 seconds"):
        reader.call(time.sleep, 60)
    monkeypatch.setattr(reading_process, "MAX_SECONDS", 60.0)
    with pytest.raises(PuzzleError, match="takes too much memory"):
        reader.call(bytes, 1 << 42)
    assert reader.call(formats.read_puzzle, papers.file("sampler.xd"))[1] == ()
