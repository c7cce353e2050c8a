"""How much an index knows, beside the starter that ships: whoever solves with less should be told so."""

from __future__ import annotations

from contextlib import suppress

from regis.errors import IndexError_
from regis.index import schema
from regis.index.index import Index
from regis.index.manifest import Manifest
from regis.system import paths

ENCODERS = (schema.ENCODER, schema.TRANSFORMER)


def warnings(index: Index) -> list[str]:
    """A sentence where `index` knows less than the starter."""
    starter = _starter(index)
    lacks = [] if starter is None or index.manifest.starter else less(index.manifest, starter.manifest)
    if not lacks:
        return []
    mend = "`regis add` puts your own on top of the starter where you have no index, or name another with --index"
    return [f"the index at {index.folder} knows less than the starter that ships: {', '.join(lacks)}; {mend}"]


def outdated(index: Index) -> list[str]:
    """A sentence where `index` lies on another starter than the one that ships."""
    starter = _starter(index)
    if starter is None or index.manifest.starter in ("", starter.fingerprint):
        return []
    return ["it lies on the starter of another Regis; the next `regis add` puts it on the one that comes with this"]


def less(held: Manifest, starter: Manifest) -> list[str]:
    """In what an index knows less than the starter: 'fewer past clues (8 for 20)'."""
    sizes = (("answers", held.answers, starter.answers), ("past clues", held.clue_uses, starter.clue_uses))
    lacks = [f"fewer {what} ({mine:,} for {theirs:,})" for what, mine, theirs in sizes if mine < theirs]
    learns = _encoders(starter) and not _encoders(held)
    return [*lacks, "no clue encoder, which `regis learn` makes"] if learns else lacks


def _starter(index: Index) -> Index | None:
    """The starter beside `index`; None if there is none, or that is it."""
    folder = paths.starter()
    if folder is None or folder == index.folder:
        return None
    with suppress(IndexError_):
        return Index.open(folder)
    return None


def _encoders(held: Manifest) -> set[str]:
    return {home for home in ENCODERS if held.has(home)}
