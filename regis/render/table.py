"""Rows of words and numbers in columns of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regis.system.terminal import Screen, padded, plain, wide, wrapped

RULE: tuple[str, ...] = ()  # a row that is an empty line
GAP = "  "


def headed(found: Sequence[tuple[str, str]], screen: Screen) -> str:
    """One (heading, sentence) a paragraph, the heading beside it; one without a heading goes on with the one before."""
    margin = max(wide(heading) for heading, _ in found) + 2
    width = max(screen.width, 2 * margin)
    lines: list[str] = []
    for heading, finding in found:
        lines += wrapped(plain(finding), width, padded(heading, margin), " " * margin, whole=True)
    return "\n".join(lines) + "\n"


def paragraphs(lines: Iterable[str], screen: Screen, rest: str = "") -> str:
    """Each line a paragraph, its words whole; what does not fit into its first line stands below it behind `rest`."""
    return "".join(f"{part}\n" for line in lines for part in wrapped(line, screen.width, rest=rest, whole=True))


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The first column to the left, all others to the right, as wide as their widest entry."""
    full = [row for row in (headings, *rows) if row]
    widths = [max(len(row[i]) for row in full) for i in range(len(headings))]
    lines = []
    for row in (headings, *rows):
        parts = [x.rjust(w) if i else x.ljust(w) for i, (x, w) in enumerate(zip(row, widths, strict=False))]
        lines.append(GAP.join(parts).rstrip())
    return "\n".join(lines) + "\n"


def size(count: int) -> str:
    """1234567 -> '1.2 MB'."""
    for unit, of in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= of:
            return f"{count / of:.1f} {unit}"
    return f"{count} bytes"
