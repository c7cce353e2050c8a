"""Candidates and the reasons for them as text: those of one clue, and why an entry was filled as it was."""

from __future__ import annotations

from collections.abc import Sequence

from regis.candidates.candidate_list import Candidate
from regis.candidates.found import Evidence
from regis.solving.explain import Explanation, Square
from regis.system.terminal import Screen, padded, plain, wide, wrapped

REASON = 24  # a column of reasons narrower than this is unpleasant to read; they then stand below the answer


def guess(clue: str, pattern: str, candidates: Sequence[Candidate], missing: float, screen: Screen) -> str:
    """One paragraph a candidate, best first. `missing` is the probability that the right answer is in no list."""
    lines = wrapped(f"{plain(clue) or '(no clue)'}   {pattern}", screen.width)
    if not candidates:
        return "\n".join([*lines, "No answer in the index fits."]) + "\n"
    widest = max(wide(c.answer) for c in candidates)
    for candidate in candidates:
        lines += _reasons(f"{candidate.probability:>6.1%}  {padded(candidate.answer, widest)}  ", candidate, screen)
    return "\n".join([*lines, f"{missing:>6.1%}  an answer in no list"]) + "\n"


def explanation(explained: Explanation, screen: Screen) -> str:
    """A heading and why; then candidates with their evidence, and crossings square by square."""
    answer = explained.answer
    heading = f"{answer.slot}  {plain(answer.clue) or '(no clue)'}  {plain(answer.answer)}  {answer.confidence:.0%}"
    lines = wrapped(heading, screen.width) + wrapped(plain(explained.why), screen.width)
    lines += ["", *wrapped("Candidates: by the clue alone, with the crossings", screen.width)]
    widest = max((wide(choice.candidate.answer) for choice in explained.choices), default=0)
    for candidate, alone, _ in explained.choices:
        head = f"{alone:>6.1%} {candidate.probability:>6.1%}  {padded(candidate.answer, widest)}  "
        lines += _reasons(head, candidate, screen)
    alone, now = explained.missing
    lines += wrapped(f"{alone:>6.1%} {now:>6.1%}  an answer in no list", screen.width, "", "    ")
    lines += ["", *wrapped("Crossings: square by square, what they make of its letter", screen.width)]
    for i, square in enumerate(explained.squares, 1):
        head = f"{i:>3}  {plain(square.letter)}  "
        lines += wrapped(_crossing(square), screen.width, head, " " * wide(head))
    return "\n".join(lines) + "\n"


def _crossing(square: Square) -> str:
    """The crossing entry with its answer, what the person wrote, and the letters that it makes likely."""
    who = [f"{square.crossing.slot} {plain(square.crossing.answer)}"] if square.crossing else []
    who += [f"you wrote {plain(square.written)}"] if square.written else []
    letters = ", ".join(f"{letter} {p:.0%}" for letter, p in square.heard) or "no letter stands out"
    return f"{', '.join(who)}: {letters}" if who else "nothing crosses here"


def _reasons(head: str, candidate: Candidate, screen: Screen) -> list[str]:
    """`head`, and beside it the candidate's reasons, one a line; below it where the screen is narrow."""
    lines = []
    indent = " " * wide(head)
    if screen.width - wide(head) < REASON:
        lines.append(head.rstrip())
        head = indent = "    "
    for evidence in candidate.evidence:
        lines += wrapped(reason(evidence), screen.width, head, indent)
        head = indent
    return lines if candidate.evidence else [*lines, head.rstrip()]


def reason(evidence: Evidence) -> str:
    """'nearby: "Be lacking", 90% alike, once, in 2001'."""
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
    if evidence.kind == "reading":
        return [f"{quoted} {evidence.score:.0%} by reading both, of what it looked at again"]
    if evidence.kind == "words":
        return [f"other clues have {quoted}", f"{evidence.score:.0%} of this one"]
    if evidence.kind == "edit":
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
