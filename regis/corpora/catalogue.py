"""The public corpora listed in `data/sources.toml`, and which of them are downloaded."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from regis.corpora.entry import Source
from regis.errors import SourceError
from regis.system import paths

CATALOGUE_FILE = "sources.toml"


class Corpus(NamedTuple):
    """One public corpus; the fields are the keys of data/sources.toml."""

    name: str
    reader: str
    file: str  # its name among the downloads
    page: str  # the address of a page about it, for people
    license: str  # as the source states it
    holds: str
    url: str = ""  # address of the file; '' if people must get it by hand
    changes: str = ""  # how often it changes; '' for a file that never does, which has `bytes` and `sha256`
    bytes: int | None = None
    sha256: str = ""
    usual: bool = False  # whether `regis update` fetches it without being asked to
    untried: str = ""  # where the address was found, if nobody has fetched it yet; '' for the others


def read_catalogue() -> Mapping[str, Corpus]:
    """Return all public corpora by name, in order; raises SourceError if the list is missing."""
    path = paths.shipped_path(CATALOGUE_FILE)
    if path is None:
        raise SourceError(f"this copy of Regis is incomplete ({CATALOGUE_FILE} is missing); install it again")
    return {name: Corpus(name, **about) for name, about in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def part_file(target: Path) -> Path:
    return target.with_name(target.name + ".part")


def list_fetched(downloads: Path) -> list[Source]:
    """Return the downloaded corpora, the default sources of `regis build`."""
    sources = (Source(corpus.reader, downloads / corpus.file) for corpus in read_catalogue().values())
    return [source for source in sources if source.path.is_file()]
