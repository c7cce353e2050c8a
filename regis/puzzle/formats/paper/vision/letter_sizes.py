"""Letters that are the same small and large, and o and 0, told by their height where they stand alone: 'c-c-cold'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from regis.puzzle.formats.paper.vision.recognizer import Character, write_signs

LONE_LETTER = re.compile(r"(?<![^\W_])(?<![^\W_]['’])[cosvwxzCOSVWXZ](?![^\W_])")
ZEROS_WORD = re.compile(r"(?<![\w'’-])(?=[0-]*[^\W\d_])(?:[^\W\d_]|[0-])*(?!\w)")  # letters, hyphens and 0: 'so-0-0'
SMALL = 0.87  # of a capital's height, below which such a letter is small
MIN_HEIGHT = 0.5  # of it, of letters
LETTER_SLACK = 0.4  # of it, from where the network sees a letter to the middle of its ink


def size_lone_letters(characters: Sequence[Character], boxes: Any, size: float) -> Iterator[Character]:
    """Tell small letters from large ones, and o from 0, by their height, where no others beside them show it."""
    boxes = boxes[boxes[:, 3] - boxes[:, 1] > MIN_HEIGHT * size]
    line = write_signs(characters)
    lone = {found.start() for found in LONE_LETTER.finditer(line)}
    lone |= {i for word in ZEROS_WORD.finditer(line) for i in range(*word.span()) if line[i] == "0"}
    for i, character in enumerate(characters):
        off = abs((boxes[:, 0] + boxes[:, 2]) / 2 - character.middle) / size
        if i in lone and min(off, default=1.0) < LETTER_SLACK:
            top, foot = boxes[off.argmin(), [1, 3]]
            text = character.text.upper() if foot - top > SMALL * size else character.text.lower().replace("0", "o")
            character = character._replace(text=text)
        yield character
