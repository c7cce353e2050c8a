"""Quips and quotations that run through several entries: "Start of a quip", "Quip, part 2", "End of the quote".

A setter breaks them where the grid wants it, so that a longer part is a string that nobody has listed. Past clues are
spelt just so, and each has another answer, of which a list is all too sure.
"""

from __future__ import annotations

import re

_NUMBER = r"(?:\d\d?|[ivx]+|one|two|three|four|five|six|seven|eight)\b"
_NUMBERED = rf"(?:part|pt\.?|line|half) {_NUMBER}"
_WHICH = (
    r"(?:still )?more|start|beginning|middle|end|ending|conclusion|rest|remainder|continuation"
    rf"|(?:first|second|third|fourth|fifth|[1-9](?:st|nd|rd|th)|last|final) (?:part|line|half)|{_NUMBERED}"
)
_WHOLE = (
    r"(?:adage|advice|aphorism|comment|definition|epigram|joke|limerick|maxim|message|observation|poem|proverb|question"
    r"|quip|quotation|quote|remark|riddle|saying|statement|thought|verse|wisecrack|witticism)"
)
_PART = re.compile(
    rf"(?i)^(?:[^,]{{1,80}}, )?(?:the )?(?:{_WHICH}) (?:of|to|in) (?:[\w'’.-]+ ){{0,4}}?{_WHOLE}\b"
    rf"|^(?:[\w'’.-]+ ){{0,2}}{_WHOLE}[,:;]?(?: -+| [–—])? [(\[]?(?:{_NUMBERED}|(?:continued|concluded|cont)\b)"
)
_NEW_SHARES = (0.13, 0.47, 0.73, 0.77, 0.89, 0.94, 0.96)
"""How many parts of so many letters, from MIN_PART_LETTERS on, are the answer to no clue for anything else? (Measured:
docs/experiments/quips.md.)"""

MIN_PART_LETTERS = 6  # letters; of shorter parts hardly any is new


def min_missing(clue: str, answer_length: int) -> float:
    """Return how likely it is at least that an answer is in no list; 0.0 where `clue` is for no part of a quip."""
    if answer_length < MIN_PART_LETTERS or not _PART.search(clue):
        return 0.0
    return _NEW_SHARES[min(answer_length - MIN_PART_LETTERS, len(_NEW_SHARES) - 1)]
