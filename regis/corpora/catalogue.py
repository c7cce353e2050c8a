"""The public corpora that Regis knows of, as `data/sources.toml` lists them, and which of them were fetched."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from regis.corpora.entry import Source
from regis.errors import SourceError
from regis.system import paths

NAME = "sources.toml"


class Corpus(NamedTuple):
    """One public corpus."""

    name: str
    reader: str
    file: str  # its name among the downloads
    page: str  # the address of a page about it, for people
    licence: str  # as the source states it
    holds: str
    url: str = ""  # of the file; '' for one that has to be got by hand
    changes: str = ""  # how often; '' for a file that never does, which has `bytes` and `sha256`
    bytes: int | None = None
    sha256: str = ""
    untried: str = ""  # where the address was found, if nobody has fetched it for the list yet; '' for the others


def read() -> Mapping[str, Corpus]:
    """Every public corpus by name, in the order of the list. Raises SourceError if the list is not there."""
    path = paths.shipped(NAME)
    if path is None:
        raise SourceError(f"this copy of Regis is not whole ({NAME} is not there); install it again")
    return {name: Corpus(name, **about) for name, about in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def part(path: Path) -> Path:
    """Where the file `path` grows while it is fetched."""
    return path.with_name(path.name + ".part")


def fetched(folder: Path) -> list[Source]:
    """What `regis build` reads when no source is named: those that lie among the downloads in `folder`."""
    return [Source(one.reader, folder / one.file) for one in read().values() if (folder / one.file).is_file()]
