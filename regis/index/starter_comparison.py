"""Warnings about an index that knows less than the starter that ships."""

from __future__ import annotations

from contextlib import suppress

from regis.errors import IndexError_
from regis.index.index import Index
from regis.index.storage.manifest import Manifest
from regis.index.tables import schema
from regis.system import paths


def starter_warnings(index: Index) -> list[str]:
    starter = _open_starter(index)
    shortfalls = [] if starter is None or index.manifest.starter else list_shortfalls(index.manifest, starter.manifest)
    if not shortfalls:
        return []
    mend = "use another with --index, or none: `regis add` then starts one on top of the starter"
    return [f"the index at {index.folder} knows less than the starter that ships: {', '.join(shortfalls)}; {mend}"]


def outdated_starter_warnings(index: Index) -> list[str]:
    starter = _open_starter(index)
    if starter is None or index.manifest.starter in ("", starter.fingerprint):
        return []
    return ["it's on top of another version's starter; the next `regis add` moves it to this one's"]


def list_shortfalls(manifest: Manifest, starter: Manifest) -> list[str]:
    """Return in what an index knows less than the starter: 'fewer past clues (8 for 20)'."""
    sizes = (
        ("answers", manifest.answer_count, starter.answer_count),
        ("past clues", manifest.clue_use_count, starter.clue_use_count),
    )
    shortfalls = [f"fewer {what} ({own:,} for {starters:,})" for what, own, starters in sizes if own < starters]
    encoder_folders = (schema.ENCODER, schema.TRANSFORMER)
    if any(map(starter.has_part, encoder_folders)) and not any(map(manifest.has_part, encoder_folders)):
        shortfalls.append("no clue encoder (run `regis learn`)")
    return shortfalls


def _open_starter(index: Index) -> Index | None:
    """Open the starter, unless it is missing or `index` itself."""
    folder = paths.starter_folder()
    if folder is None or folder == index.folder:
        return None
    with suppress(IndexError_):
        return Index.open(folder)
    return None
