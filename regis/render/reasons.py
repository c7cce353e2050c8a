"""Reasons as text: the candidates of one clue with their evidence, and why an entry is filled as it is.

`render_explanation` is a table for who measures; `explain_briefly` is two sentences for who solves.
"""

from __future__ import annotations

from collections.abc import Sequence

from regis.candidates.candidate_list import Candidate
from regis.candidates.finder import Evidence
from regis.solving.explanation import Explanation, SquareEvidence
from regis.system.terminal import Screen, pad_text, plain_text, text_width, wrap_text

MOVE_WORDS = {
    "rebus squares": "squares with several letters",
}
"""What a grid may be filled on the assumption of, in plain words."""
MIN_REASON_WIDTH = 24  # a column of reasons narrower than this is unpleasant to read; they then stand below the answer


def render_guess(
    clue: str, pattern: str, candidates: Sequence[Candidate], missing_probability: float, screen: Screen
) -> str:
    """Render one paragraph a candidate, best first, and how probable it is that the right answer is in no list."""
    lines = wrap_text(f"{plain_text(clue) or '(no clue)'}   {pattern}", screen.width)
    if not candidates:
        return "\n".join([*lines, "No answer in the index fits."]) + "\n"
    widest = max(text_width(c.answer) for c in candidates)
    for candidate in candidates:
        head = f"{candidate.probability:>6.1%}  {pad_text(candidate.answer, widest)}  "
        lines += _candidate_lines(head, candidate, screen)
    return "\n".join([*lines, f"{missing_probability:>6.1%}  an answer on no list"]) + "\n"


def render_explanation(explanation: Explanation, screen: Screen) -> str:
    """Render a heading and why; then candidates with their evidence, and crossings square by square."""
    answer = explanation.answer
    clue = plain_text(answer.clue) or "(no clue)"
    heading = f"{answer.slot}  {clue}  {plain_text(answer.answer)}  {answer.confidence:.0%}"
    lines = wrap_text(heading, screen.width) + wrap_text(plain_text(explanation.why), screen.width)
    moves = {assumption.move for assumption in explanation.assumptions}
    if not any(len(square.letter) > 1 for square in explanation.squares):
        moves.discard("rebus squares")  # no word on squares that are elsewhere
    if moves:
        what = " and ".join(MOVE_WORDS.get(move, move) for move in sorted(moves))
        lines += wrap_text(
            f"Regis believes this puzzle has {what}, because that makes the grid far likelier.", screen.width
        )
    lines += ["", *wrap_text("Candidates: from the clue alone, with the crossings", screen.width)]
    widest = max((text_width(choice.candidate.answer) for choice in explanation.choices), default=0)
    for candidate, clue_probability, clue_rank in explanation.choices:
        head = f"{clue_probability:>6.1%} {candidate.probability:>6.1%}  {pad_text(candidate.answer, widest)}  "
        lines += _candidate_lines(head + "in no list; " * (clue_rank is None), candidate, screen)
    clue_probability, probability = explanation.missing
    listed = [choice for choice in explanation.choices if choice.clue_rank is not None]
    clue_rest = max(0.0, 1 - clue_probability - sum(choice.clue_probability for choice in listed))
    rest = max(0.0, 1 - probability - sum(choice.candidate.probability for choice in listed))
    lines += wrap_text(f"{clue_rest:>6.1%} {rest:>6.1%}  all other candidates", screen.width, "", "    ")
    unlisted = ", including those above" if any(choice.clue_rank is None for choice in explanation.choices) else ""
    missing = f"{clue_probability:>6.1%} {probability:>6.1%}  an answer on no list{unlisted}"
    lines += wrap_text(missing, screen.width, "", "    ")
    lines += ["", *wrap_text("Crossings: what each says about its square", screen.width)]
    for i, square in enumerate(explanation.squares, 1):
        head = f"{i:>3}  {plain_text(square.letter)}  "
        lines += wrap_text(_crossing_text(square), screen.width, head, " " * text_width(head))
    return "\n".join(lines) + "\n"


def _crossing_text(square: SquareEvidence) -> str:
    """Name the crossing entry with its answer, what the person wrote, and the letters that these make likely."""
    crossing = square.crossing_answer
    who = [f"{crossing.slot} {plain_text(crossing.answer)}"] if crossing else []
    who += [f"you wrote {plain_text(square.given_content)}"] if square.given_content else []
    letters = ", ".join(f"{letter} {p:.0%}" for letter, p in square.letter_probs) or "no letter stands out"
    return f"{', '.join(who)}: {letters}" if who else "nothing crosses here"


def _candidate_lines(head: str, candidate: Candidate, screen: Screen) -> list[str]:
    """Put the candidate's reasons beside `head`, one a line; below it where the screen is narrow."""
    lines = []
    indent = " " * text_width(head)
    if screen.width - text_width(head) < MIN_REASON_WIDTH:
        lines.append(head.rstrip())
        head = indent = "    "
    for evidence in candidate.evidence:
        lines += wrap_text(f"{evidence.finder}: {describe_evidence(evidence)}", screen.width, head, indent)
        head = indent
    return lines if candidate.evidence else [*lines, head.rstrip()]


def describe_evidence(evidence: Evidence) -> str:
    """Describe what a finder has to say: '"Be lacking", 90% alike, once, in 2001'."""
    return ", ".join(_evidence_parts(evidence))


def _evidence_parts(evidence: Evidence) -> list[str]:
    quoted = f'"{plain_text(evidence.text)}"'
    if evidence.kind == "clue":
        return [quoted, f"{evidence.score:.0%} alike", *_use_parts(evidence, "")]
    if evidence.kind == "paraphrase":
        return [quoted, f"{evidence.score:.0%} similar in meaning", *_use_parts(evidence, "")]
    if evidence.kind == "meaning":
        what = "the whole clue" if evidence.finder == "transformer" else "its words"
        return [f"{evidence.score:.1%} similar in meaning to {what}"]
    if evidence.kind == "relation":
        return [plain_text(evidence.text)]
    if evidence.kind == "reading":
        return [quoted, f"{evidence.score:.0%} likely among the answers read with the clue"]
    if evidence.kind == "words":
        return [f"other clues have {quoted}", f"{evidence.score:.0%} of this one"]
    if evidence.kind == "phrase":
        return [f"completes {quoted}"]
    reasons = [*([f"listed as {quoted}"] if evidence.text else []), *_use_parts(evidence, "the answer ")]
    return ["fits", *(reasons or ["listed"])]


def _use_parts(evidence: Evidence, prefix: str) -> list[str]:
    """Write '12 times' and 'last in 2013', where there is such a thing."""
    if not evidence.times:
        return []
    often, when = ("once", "in") if evidence.times == 1 else (f"{evidence.times} times", "last in")
    return [prefix + often, *([f"{when} {evidence.last}"] if evidence.last else [])]


SAME_CLUE = 0.995  # from which likeness two clues are the same
ALMOST_SAME_CLUE = 0.7  # from which they are almost
FINDER_WORDS = {
    "nearby": "A past clue",
    "keywords": "Past clues with its words",
    "vocabulary": "Words of the clue",
    "meaning": "What the clue means",
    "transformer": "What the clue means, read more closely",
    "reference": "A dictionary",
    "blanks": "A phrase with a blank",
    "pattern": "The known letters",
    "reader": "Clue and answer, read together",
}
"""What finds an answer, as somebody says it who solves."""

KINDS_BY_WORTH = ("clue", "phrase", "relation", "paraphrase", "reading", "words", "meaning")
"""Which evidence is told first, where there is more."""


def reason_sentence(evidence: Evidence) -> str:
    """Write one reason with the finder's name in plain words."""
    return f"{FINDER_WORDS.get(evidence.finder, evidence.finder)}: {describe_evidence(evidence)}"


def explain_briefly(explanation: Explanation) -> str:
    """Explain in two sentences: the best evidence of the clue, and whether the crossings agree."""
    if all(square.given_content == square.letter for square in explanation.squares):
        return f"You wrote {explanation.answer.answer}."
    return f"{_clue_sentence(explanation)} {_crossing_sentence(explanation.squares)}"


def _clue_sentence(explanation: Explanation) -> str:
    answer = explanation.answer.answer
    choice = next((one for one in explanation.choices if one.candidate.answer == answer), None)
    ranked = sorted(
        (evidence for evidence in (choice.candidate.evidence if choice else ()) if evidence.kind in KINDS_BY_WORTH),
        key=lambda evidence: (KINDS_BY_WORTH.index(evidence.kind), -evidence.score),
    )
    if not ranked:
        made = f", but it can be made of {' + '.join(explanation.pieces)}" if explanation.pieces else ""
        return f"Nothing Regis knows leads from this clue to {answer}{made}."
    best = ranked[0]
    when = f" in {best.last}" if best.last else ""
    quoted = f'"{plain_text(best.text)}"'
    if best.kind == "clue":
        if best.score >= SAME_CLUE:
            return f"This very clue had {answer}{when}."
        likeness = "almost like this" if best.score >= ALMOST_SAME_CLUE else "somewhat like this"
        return f"A clue {likeness}, {quoted}, had {answer}{when}."
    if best.kind == "paraphrase":
        return f"A clue with much the same meaning, {quoted}, had {answer}{when}."
    if best.kind == "phrase":
        return f"{answer} completes {quoted}."
    if best.kind == "relation":
        return f"{answer} fits the clue: {plain_text(best.text)}."
    if best.kind == "words":
        return f"Other clues for {answer} have {quoted}, too."
    return f"{answer} fits what the clue means."


def _crossing_sentence(squares: tuple[SquareEvidence, ...]) -> str:
    crossed = [square for square in squares if square.crossing_answer]
    if not crossed:
        return "Nothing crosses it."
    agreed = [
        square.letter for square in crossed if square.letter_probs and square.letter_probs[0][0] == square.letter[:1]
    ]
    if len(agreed) == len(crossed):
        return f"The crossing{'s agree' if len(agreed) > 1 else ' agrees'}: {', '.join(agreed)}."
    if not agreed:
        return "The crossings don't say much."
    return f"Of its crossings, {len(agreed)} of {len(crossed)} agree: {', '.join(agreed)}."
