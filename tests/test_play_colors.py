"""The colors of the page of `regis play`: each neighboring pair is distinct, light and dark, by the measure of WCAG.

Each color is in one of the two tables, next to every color that it can be on or next to.
"""

import re

import pytest

from regis.play.app import PAGE_FOLDER, TOKENS_FILE

TEXT_CONTRAST = 4.5  # between letters and their ground
PART_CONTRAST = 3.0  # between parts that must be distinct from their neighbors
INKS = ("ink", "pencil", "good", "told", "bad")
SQUARES = ("square", "shade", "along", "refers", "doubt", "shade-along")
"""The grounds of letters; the last is a shaded square of the word, mixed."""

EDGES = ("along-edge", "refers-edge")  # around a word, inside its squares, next to blocks and other squares
PAGE_GROUNDS = ("paper", "key")
TEXTS = {
    *((ink, ground) for ink in INKS for ground in SQUARES),
    *((ink, ground) for ink in ("ink", "soft", "accent", "good", "bad") for ground in PAGE_GROUNDS),
    ("here-ink", "here"), ("paper", "accent"), ("soft", "along"), ("ink", "key"),
}  # fmt: skip
PARTS = {
    *((edge, ground) for edge in EDGES for ground in (*SQUARES, *PAGE_GROUNDS)),
    *(("doubt-bar", ground) for ground in SQUARES), ("here-ink", "here"),
    ("block", "square"), ("line", "square"), ("block", "here"), ("here-edge", "along"), ("here-edge", "square"),
    ("here-edge", "shade"), ("here-edge", "refers"), ("here-edge", "doubt"), ("here-edge", "shade-along"),
    ("rule", "paper"), ("accent", "square"), ("soft", "square"), ("soft", "shade"),
}  # fmt: skip


BOARD = (PAGE_FOLDER / "board.css").read_text(encoding="utf-8")


def palettes() -> dict[str, dict[str, str]]:
    """Return the tokens of each scheme; the dark ones override the light ones."""
    text = TOKENS_FILE.read_text(encoding="utf-8")
    light, dark = text.split("@media (prefers-color-scheme: dark)")
    first, second = (dict(re.findall(r"--([\w-]+): (#\w{6})", part.split("@media")[0])) for part in (light, dark))
    return {
        name: colors | {"shade-along": mixed(colors)} for name, colors in (("light", first), ("dark", first | second))
    }


def mixed(colors: dict[str, str]) -> str:
    """Return the ground of a shaded square in the word, as board.css mixes it."""
    share = 0.01 * int(re.search(r"color-mix\(in srgb, var\(--shade\) (\d+)%, var\(--along\)\)", BOARD)[1])
    pairs = [[int(colors[name][i : i + 2], 16) for name in ("shade", "along")] for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * one + (1 - share) * other):02x}" for one, other in pairs)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_meets_is_told_apart(scheme: str):
    colors = palettes()[scheme]
    weak = [
        f"{one} on {other}: {found:.2f}, least {least}"
        for pairs, least in ((TEXTS, TEXT_CONTRAST), (PARTS, PART_CONTRAST))
        for one, other in pairs
        if (found := contrast(colors[one], colors[other])) < least
    ]
    assert weak == []
    assert contrast(colors["here-edge"], colors["along"]) >= PART_CONTRAST
    edge, fill = contrast(colors["here-edge"], colors["here"]), contrast(colors["here"], colors["along"])
    assert max(edge, fill) >= PART_CONTRAST, "the cursor is told from its word by its fill or by its edge"
