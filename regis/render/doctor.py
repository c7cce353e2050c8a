"""What was found out about a copy of Regis, as text."""

from __future__ import annotations

from collections.abc import Sequence

from regis.system.terminal import Screen, padded, plain, wide, wrapped


def render(found: Sequence[tuple[str, str]], screen: Screen) -> str:
    """One finding a paragraph, behind its heading; one without a heading goes on with the one before."""
    margin = max(wide(heading) for heading, _ in found) + 2
    width = max(screen.width, 2 * margin)
    lines: list[str] = []
    for heading, finding in found:
        lines += wrapped(plain(finding), width, padded(heading, margin), " " * margin, whole=True)
    return "\n".join(lines) + "\n"
