"""The public corpora, and what a download brought, as text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from regis.corpora.catalogue import Public, part
from regis.render.table import size
from regis.system.terminal import Screen, plain, wrapped

INDENT = "  "


def listing(sources: Iterable[Public], folder: Path, screen: Screen) -> str:
    """What there is to fetch, under which licence, and what lies in `folder` already."""
    parts = [_lines(one.name, [one.holds, licence(one), _state(one, folder)], screen) for one in sources]
    return "\n".join([*parts, _filled(f"Downloads lie in {plain(str(folder))}", screen)])


def licence(one: Public) -> str:
    return f"licence: {one.licence}"


def fetched(one: Public, path: Path, count: int, sha256: str, new: bool, screen: Screen) -> str:
    """What lies at `path` now, and what was compared."""
    state = plain(str(path)) if new else f"{plain(str(path))}, there already; --again fetches it anew"
    said = [state, f"{size(count)}, sha256 {sha256[:16]}..."]
    if one.sha256:
        said[-1] += ", as expected"
    elif new:
        said.append(f"its size is as announced; no checksum is known, since it changes {one.changes}")
    return _lines(one.name, said, screen)


def _state(one: Public, folder: Path) -> str:
    path = folder / one.file
    if path.is_file():
        return f"fetched, {size(path.stat().st_size)}"
    if not one.url:
        return f"not fetched; get it by hand from {one.page} and save it as {one.file} there"
    begun = part(path)
    return f"begun, {size(begun.stat().st_size)}" if begun.is_file() else "not fetched"


def _lines(name: str, said: Iterable[str], screen: Screen) -> str:
    return name + "\n" + "".join(_filled(INDENT + line, screen) for line in said)


def _filled(line: str, screen: Screen) -> str:
    return "\n".join(wrapped(line, screen.width, rest=INDENT * 2, whole=True)) + "\n"
