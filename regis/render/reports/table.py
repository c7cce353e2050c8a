"""Rows of words and numbers in columns of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from regis.system.terminal import Screen, pad_text, plain_text, text_width, wrap_text

RULE_ROW: tuple[str, ...] = ()  # a row that is an empty line


def headed_paragraphs(headed_sentences: Sequence[tuple[str, str]], screen: Screen) -> str:
    """Write one (heading, sentence) a paragraph; one without a heading goes on with the one before."""
    margin = max(text_width(heading) for heading, _ in headed_sentences) + 2
    width = max(screen.width, 2 * margin)
    lines: list[str] = []
    for heading, sentence in headed_sentences:
        lines += wrap_text(plain_text(sentence), width, pad_text(heading, margin), " " * margin, keep_words=True)
    return "\n".join(lines) + "\n"


def wrap_paragraphs(lines: Iterable[str], screen: Screen, rest_indent: str = "") -> str:
    """Wrap each line as a paragraph, its words whole; behind `rest_indent` stands what its first line cannot hold."""
    parts = [
        part for line in lines for part in wrap_text(line, screen.width, other_indent=rest_indent, keep_words=True)
    ]
    return "".join(f"{part}\n" for part in parts)


def format_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write the first column to the left, all others to the right, as wide as their widest entry."""
    full_rows = [row for row in (headings, *rows) if row]
    widths = [max(len(row[i]) for row in full_rows) for i in range(len(headings))]
    lines = []
    for row in (headings, *rows):
        parts = [x.rjust(w) if i else x.ljust(w) for i, (x, w) in enumerate(zip(row, widths, strict=False))]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def format_size(byte_count: int) -> str:
    """Write a number of bytes: 1234567 -> '1.2 MB'."""
    for unit, unit_bytes in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if byte_count >= unit_bytes:
            return f"{byte_count / unit_bytes:.1f} {unit}"
    return f"{byte_count} bytes"
