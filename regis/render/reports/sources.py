"""The public corpora, and what a download brought, as text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from regis.corpora.catalogue import Corpus, part_file
from regis.corpora.download import FetchedFile
from regis.render.reports.table import format_size, wrap_paragraphs
from regis.system.terminal import Screen, plain_text

LINE_INDENT = "  "


def render_corpora(corpora: Iterable[Corpus], folder: Path, screen: Screen) -> str:
    """Render what there is to fetch, under which licence, and what lies in `folder` already."""
    parts = []
    for corpus in corpora:
        notes = ["address not tested"] if corpus.untried else []
        lines = [corpus.holds, licence_line(corpus), *notes, _download_state(corpus, folder)]
        parts.append(_named_paragraphs(corpus.name, lines, screen))
    place = f"Downloads lie in {plain_text(str(folder))}"
    return "\n".join([*parts, wrap_paragraphs([place], screen, LINE_INDENT * 2)])


def licence_line(corpus: Corpus) -> str:
    """Name the licence of a corpus."""
    return f"licence: {corpus.licence}"


def render_download(corpus: Corpus, download: FetchedFile, screen: Screen) -> str:
    """Render what a download brought, and what was compared."""
    state = plain_text(str(download.path)) + ("" if download.is_new else ", there already; --again fetches it anew")
    lines = [state, f"{format_size(download.byte_count)}, sha256 {download.sha256[:16]}..."]
    if corpus.sha256:
        lines[-1] += ", as expected"
    elif download.is_new:
        lines.append(f"its size is as announced; no checksum is known, since it changes {corpus.changes}")
    return _named_paragraphs(corpus.name, lines, screen)


def _download_state(corpus: Corpus, folder: Path) -> str:
    path = folder / corpus.file
    if path.is_file():
        return f"fetched, {format_size(path.stat().st_size)}"
    if not corpus.url:
        return f"not fetched; download it by hand from {corpus.page} and save it as {corpus.file} there"
    partial = part_file(path)
    return f"begun, {format_size(partial.stat().st_size)}" if partial.is_file() else "not fetched"


def _named_paragraphs(name: str, lines: Iterable[str], screen: Screen) -> str:
    return name + "\n" + wrap_paragraphs((LINE_INDENT + line for line in lines), screen, LINE_INDENT * 2)
