"""`records`: titles and names in a .csv table with a heading or in JSON objects: films, books, people.

Field names decide what is read. Brackets at the end of a title are dropped; a title with a subtitle is two entries, the
whole and the part before the colon. Each entry comes once. Years don't matter, because these answers have no clues.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from regis.corpora import entry
from regis.corpora.entry import Entry, Reject
from regis.corpora.readers import text_files
from regis.errors import SourceError

TABLE_SUFFIXES = (".csv", ".json")
TITLE_FIELDS = ("title", "original_title")
NAME_FIELDS = ("name", "names", "author", "authors", "cast", "actors")  # one or several, in a JSON list or with commas
SPLIT_NAME_FIELDS = ("nameFirst", "nameLast")  # one name in two fields
KNOWN_FIELDS = (*TITLE_FIELDS, *NAME_FIELDS, *SPLIT_NAME_FIELDS)
JSON_SEPARATORS = " \t\r\n,[]"
DAMAGED_MESSAGE = "{} is damaged or incomplete (not a list of JSON objects); download it again"
NO_TITLE_OR_NAME = Reject("no title or name")

Record = Mapping[str, Any]


def read(path: Path) -> Iterator[Entry | Reject]:
    """Yield the titles and names of a table; raises SourceError if `path` can't be read or isn't a table."""
    source = text_files.list_name(path)
    seen_names: set[str] = set()
    for record in _read_records(path):
        if isinstance(record, Reject):
            yield record
            continue
        names = [one for one in _titles_and_names(record) if one]
        if not names:
            yield NO_TITLE_OR_NAME
        for one in names:
            if one not in seen_names:
                seen_names.add(one)
                yield entry.list_entry(one, source, 0.3)


def _titles_and_names(record: Record) -> Iterator[str]:
    for field in TITLE_FIELDS:
        title = entry.strip_note(_clean_text(record.get(field)))
        yield title
        if ": " in title:
            yield title.partition(": ")[0]
    for field in NAME_FIELDS:
        value = record.get(field)
        names = value if isinstance(value, list) else _clean_text(value).split(",")
        yield from map(_clean_text, names)
    parts = [_clean_text(record.get(field)) for field in SPLIT_NAME_FIELDS]
    if all(parts):
        yield " ".join(parts)


def _clean_text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _read_records(path: Path) -> Iterator[Record | Reject]:
    start = next(text_files.read_blocks(path, TABLE_SUFFIXES)).lstrip()[:1]
    return _read_objects(path) if start in (b"[", b"{") else _read_table(path)


def _read_table(path: Path) -> Iterator[Record | Reject]:
    rejects: list[Reject] = []

    def plain() -> Iterator[str]:
        for line in text_files.read_lines(path, TABLE_SUFFIXES):
            if isinstance(line, Reject):
                rejects.append(line)
            else:
                yield line

    try:
        rows = csv.DictReader(plain())
        if set(rows.fieldnames or ()).isdisjoint(KNOWN_FIELDS):
            raise SourceError(
                f"{path} has no column named {', '.join(KNOWN_FIELDS[:-1])} or {KNOWN_FIELDS[-1]}; name another file"
            )
        for row in rows:
            yield row
            yield from rejects
            rejects.clear()
    except csv.Error as cause:
        raise SourceError(f"{path} can't be read as a table ({cause}); download it again") from cause
    yield from rejects


def _read_objects(path: Path) -> Iterator[Record | Reject]:
    unpacked, decoder, rest = codecs.getincrementaldecoder("utf-8")("replace"), json.JSONDecoder(), ""
    for block in text_files.read_blocks(path, TABLE_SUFFIXES):
        rest += unpacked.decode(block)
        while rest := rest.lstrip(JSON_SEPARATORS):
            try:
                found, end = decoder.raw_decode(rest)
            except (ValueError, RecursionError) as cause:
                if len(rest) > 1 << 20:  # the longest object of a film has 4,000 characters
                    raise SourceError(DAMAGED_MESSAGE.format(path)) from cause
                break
            rest = rest[end:]
            yield found if isinstance(found, dict) else NO_TITLE_OR_NAME
    if rest:
        raise SourceError(DAMAGED_MESSAGE.format(path))
