"""The candidates for one clue as text: probability, answer, and the reasons for it, best first."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from regis.candidates import Candidate, Evidence
from regis.screen import Screen, plain

REASON = 24
"""A column of reasons narrower than this is unpleasant to read; they then stand below the answer."""


def render(clue: str, pattern: str, candidates: Sequence[Candidate], missing: float, screen: Screen) -> str:
    """One paragraph a candidate. `missing` is the probability that the right answer is in no list."""
    lines = textwrap.wrap(f"{plain(clue) or '(no clue)'}   {pattern}", screen.width)
    if not candidates:
        return "\n".join([*lines, "No answer in the index fits."]) + "\n"
    widest = max(len(c.answer) for c in candidates)
    for candidate in candidates:
        head = f"{candidate.probability:>6.1%}  {candidate.answer:<{widest}}  "
        indent = " " * len(head)
        if screen.width - len(head) < REASON:
            lines.append(head.rstrip())
            head = indent = "    "
        for why in map(reason, candidate.evidence):
            lines += textwrap.wrap(why, screen.width, initial_indent=head, subsequent_indent=indent)
            head = indent
        if not candidate.evidence:
            lines.append(head.rstrip())
    return "\n".join([*lines, f"{missing:>6.1%}  in no list"]) + "\n"


def reason(evidence: Evidence) -> str:
    """One piece of evidence as a phrase: 'nearby: "Beta Kappa's leader", 93% alike, 12 times, last in 2013'."""
    parts = [f'"{plain(evidence.text)}"' if evidence.text else evidence.kind]
    if evidence.kind == "clue":
        parts.append(f"{evidence.score:.0%} alike")
    if evidence.times:
        parts.append("once" if evidence.times == 1 else f"{evidence.times} times")
    if evidence.last:
        parts.append(f"last in {evidence.last}" if evidence.times > 1 else f"in {evidence.last}")
    return f"{evidence.finder}: {', '.join(parts)}"
