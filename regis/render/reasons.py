"""A candidate's evidence as phrases: 'nearby: "Beta Kappa's leader", 93% alike, 12 times, last in 2013'."""

from __future__ import annotations

from regis.candidates.candidate_list import Candidate
from regis.candidates.found import Evidence
from regis.system.terminal import Screen, plain, wide, wrapped

REASON = 24
"""A column of reasons narrower than this is unpleasant to read; they then stand below the answer."""


def paragraph(head: str, candidate: Candidate, screen: Screen) -> list[str]:
    """`head`, and beside it the candidate's reasons, one a line; below it where the screen is narrow."""
    lines = []
    indent = " " * wide(head)
    if screen.width - wide(head) < REASON:
        lines.append(head.rstrip())
        head = indent = "    "
    for why in map(reason, candidate.evidence):
        lines += wrapped(why, screen.width, head, indent)
        head = indent
    if not candidate.evidence:
        lines.append(head.rstrip())
    return lines


def reason(evidence: Evidence) -> str:
    """One piece of evidence as a phrase."""
    return f"{evidence.finder}: {', '.join(_parts(evidence))}"


def _parts(evidence: Evidence) -> list[str]:
    """What a past clue, an encoder, a dictionary or a phrase says, or what is known of the answer itself."""
    quoted = f'"{plain(evidence.text)}"'
    if evidence.kind == "clue":
        return [quoted, f"{evidence.score:.0%} alike", *_uses(evidence, "")]
    if evidence.kind == "paraphrase":
        return [quoted, f"{evidence.score:.0%} alike in meaning", *_uses(evidence, "")]
    if evidence.kind == "meaning":
        return [f"{evidence.score:.1%} by meaning alone"]
    if evidence.kind == "relation":
        return [plain(evidence.text)]
    if evidence.kind == "phrase":
        return [f"completes {quoted}"]
    known = [*([f"listed as {quoted}"] if evidence.text else []), *_uses(evidence, "the answer ")]
    return ["fits", *(known or ["listed"])]


def _uses(evidence: Evidence, what: str) -> list[str]:
    """'12 times' and 'last in 2013', where there is such a thing."""
    if not evidence.times:
        return []
    often, when = ("once", "in") if evidence.times == 1 else (f"{evidence.times} times", "last in")
    return [what + often, *([f"{when} {evidence.last}"] if evidence.last else [])]
