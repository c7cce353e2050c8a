"""What was found out about a copy of Regis, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from regis.screen import Screen, plain


def render(found: Sequence[tuple[str, str]], screen: Screen) -> str:
    """One finding a paragraph, behind its heading; one without a heading goes on with the one before."""
    margin = max(len(heading) for heading, _ in found) + 2
    return "".join(
        textwrap.fill(
            plain(said), max(screen.width, 2 * margin), initial_indent=heading.ljust(margin),
            subsequent_indent=" " * margin, break_long_words=False, break_on_hyphens=False,
        ) + "\n"
        for heading, said in found
    )  # fmt: skip
