"""The public corpora, and what a download brought, as text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from regis.corpora.catalogue import Corpus, part
from regis.corpora.download import Fetched
from regis.render.table import paragraphs, size
from regis.system.terminal import Screen, plain

INDENT = "  "
UNTRIED = "nobody has tried this address yet"


def listing(sources: Iterable[Corpus], folder: Path, screen: Screen) -> str:
    """What there is to fetch, under which licence, and what lies in `folder` already."""
    parts = [
        _lines(one.name, [one.holds, licence(one), *([UNTRIED] if one.untried else []), _state(one, folder)], screen)
        for one in sources
    ]
    return "\n".join([*parts, paragraphs([f"Downloads lie in {plain(str(folder))}"], screen, INDENT * 2)])


def licence(corpus: Corpus) -> str:
    return f"licence: {corpus.licence}"


def fetched(corpus: Corpus, done: Fetched, screen: Screen) -> str:
    """What lies there now, and what was compared."""
    state = plain(str(done.path)) + ("" if done.new else ", there already; --again fetches it anew")
    found = [state, f"{size(done.bytes)}, sha256 {done.sha256[:16]}..."]
    if corpus.sha256:
        found[-1] += ", as expected"
    elif done.new:
        found.append(f"its size is as announced; no checksum is known, since it changes {corpus.changes}")
    return _lines(corpus.name, found, screen)


def _state(corpus: Corpus, folder: Path) -> str:
    path = folder / corpus.file
    if path.is_file():
        return f"fetched, {size(path.stat().st_size)}"
    if not corpus.url:
        return f"not fetched; get it by hand from {corpus.page} and save it as {corpus.file} there"
    begun = part(path)
    return f"begun, {size(begun.stat().st_size)}" if begun.is_file() else "not fetched"


def _lines(name: str, lines: Iterable[str], screen: Screen) -> str:
    return name + "\n" + paragraphs((INDENT + line for line in lines), screen, INDENT * 2)
