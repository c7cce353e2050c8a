"""What several tests share: one index, built once."""

from __future__ import annotations

import corpus
import pytest

from regis import build
from regis.index import Index


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of all of `corpus`. Nobody may change its files."""
    return corpus.index(tmp_path_factory.mktemp("whole"), corpus.rows())


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a build read what `corpus.write` wrote."""
    monkeypatch.setitem(build.READERS, "rows", corpus.read)
