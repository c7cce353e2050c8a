"""`records`: titles and names in a table with a heading (.csv) or in a list of JSON objects: films and who plays in
them, books and who wrote them, players.

Fields are known by their names. What is in brackets at the end of a title is dropped, as of titles of Wikipedia; one
with a subtitle is two entries, the whole and what stands before the colon. Each title and name comes once. A year of
publication is not taken over: an answer without a clue has none.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import files
from regis.errors import SourceError

SUFFIXES = (".csv", ".json")
TITLES = ("title", "original_title")
PEOPLE = ("name", "names", "author", "authors", "cast", "actors")  # one or several, in a JSON list or with commas
PARTED = ("nameFirst", "nameLast")  # one name in two fields
FIELDS = (*TITLES, *PEOPLE, *PARTED)
WEIGHT = 0.3  # between a word and a title of Wikipedia, of which there are more that nobody knows
LONGEST = 1 << 20  # characters of one JSON object; the longest of a film has 4,000
BETWEEN = " \t\r\n,[]"
DAMAGED = "{} is damaged or cut short (no list of JSON objects); download it again"
NOTHING = Reject("neither a title nor a name")

Record = Mapping[str, Any]


def read(path: Path) -> Iterator[Entry | Reject]:
    """The titles and names of a table. Raises SourceError if `path` cannot be read or is none."""
    source = files.stem(path)
    met: set[str] = set()
    for record in _records(path):
        if isinstance(record, Reject):
            yield record
            continue
        found = [one for one in _said(record) if one]
        if not found:
            yield NOTHING
        for one in found:
            if one not in met:
                met.add(one)
                yield files.listed(one, source, WEIGHT)


def _said(record: Record) -> Iterator[str]:
    """The titles and names in one record."""
    for field in TITLES:
        title = files.without_note(_text(record.get(field)))
        yield title
        if ": " in title:
            yield title.partition(": ")[0]
    for field in PEOPLE:
        value = record.get(field)
        names = value if isinstance(value, list) else _text(value).split(",")
        yield from map(_text, names)
    parts = [_text(record.get(field)) for field in PARTED]
    if all(parts):
        yield " ".join(parts)


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _records(path: Path) -> Iterator[Record | Reject]:
    start = next(files.blocks(path, SUFFIXES)).lstrip()[:1]
    return _objects(path) if start in (b"[", b"{") else _rows(path)


def _rows(path: Path) -> Iterator[Record | Reject]:
    """The rows of a table with a heading."""
    rejects: list[Reject] = []

    def plain() -> Iterator[str]:
        for line in files.lines(path, SUFFIXES):
            if isinstance(line, Reject):
                rejects.append(line)
            else:
                yield line

    try:
        rows = csv.DictReader(plain())
        if set(rows.fieldnames or ()).isdisjoint(FIELDS):
            raise SourceError(f"{path} has no column named {', '.join(FIELDS[:-1])} or {FIELDS[-1]}; name another file")
        for row in rows:
            yield row
            yield from rejects
            rejects.clear()
    except csv.Error as cause:
        raise SourceError(f"{path} is no table that can be read ({cause}); download it again") from cause
    yield from rejects


def _objects(path: Path) -> Iterator[Record | Reject]:
    """The objects of a JSON list, one after the other."""
    unpacked, decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), json.JSONDecoder(), ""
    for block in files.blocks(path, SUFFIXES):
        rest += unpacked.decode(block)
        while rest := rest.lstrip(BETWEEN):
            try:
                found, end = decoder.raw_decode(rest)
            except (ValueError, RecursionError) as cause:
                if len(rest) > LONGEST:
                    raise SourceError(DAMAGED.format(path)) from cause
                break
            rest = rest[end:]
            yield found if isinstance(found, dict) else NOTHING
    if rest:
        raise SourceError(DAMAGED.format(path))
