"""The candidates for one clue as text: probability, answer, and the reasons for it, best first."""

from __future__ import annotations

from collections.abc import Sequence

from regis.candidates.candidate_list import Candidate
from regis.render.reasons import paragraph
from regis.system.terminal import Screen, padded, plain, wide, wrapped


def render(clue: str, pattern: str, candidates: Sequence[Candidate], missing: float, screen: Screen) -> str:
    """One paragraph a candidate. `missing` is the probability that the right answer is in no list."""
    lines = wrapped(f"{plain(clue) or '(no clue)'}   {pattern}", screen.width)
    if not candidates:
        return "\n".join([*lines, "No answer in the index fits."]) + "\n"
    widest = max(wide(c.answer) for c in candidates)
    for candidate in candidates:
        head = f"{candidate.probability:>6.1%}  {padded(candidate.answer, widest)}  "
        lines += paragraph(head, candidate, screen)
    return "\n".join([*lines, f"{missing:>6.1%}  an answer in no list"]) + "\n"
