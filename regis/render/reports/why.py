"""Why an answer stands there, in two sentences for somebody who solves: what its clue says, what the crossings say.

`evidence.py` has the same reasons as a table for somebody who measures.
"""

from __future__ import annotations

from regis.candidates.finder import Evidence
from regis.render.reports.evidence import describe_evidence
from regis.solving.explanation import Explanation, SquareEvidence
from regis.system.terminal import plain_text

SAME_CLUE = 0.995  # from which likeness two clues are the same
ALMOST_SAME_CLUE = 0.7  # from which they are almost
FINDER_WORDS = {
    "nearby": "A past clue",
    "keywords": "Past clues with its words",
    "vocabulary": "Words of the clue",
    "meaning": "What the clue means",
    "transformer": "What the clue means, read closely",
    "reference": "A dictionary",
    "blanks": "A phrase with a gap",
    "pattern": "The letters that are there",
    "reader": "Clue and answer, read together",
}
"""What finds an answer, as somebody says it who solves."""

KINDS_BY_WORTH = ("clue", "phrase", "relation", "edit", "paraphrase", "reading", "words", "meaning")
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
        made = f", and it can be made of {' + '.join(explanation.pieces)}" if explanation.pieces else ""
        return f"Nothing that Regis knows has {answer} for this clue{made}."
    best = ranked[0]
    when = f" in {best.last}" if best.last else ""
    quoted = f'"{plain_text(best.text)}"'
    if best.kind == "clue":
        if best.score >= SAME_CLUE:
            return f"This very clue had {answer}{when}."
        likeness = "almost like this" if best.score >= ALMOST_SAME_CLUE else "somewhat like this"
        return f"A clue {likeness}, {quoted}, had {answer}{when}."
    if best.kind == "paraphrase":
        return f"A clue that means much the same, {quoted}, had {answer}{when}."
    if best.kind == "phrase":
        return f"{answer} completes {quoted}."
    if best.kind in ("relation", "edit"):
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
        return "The crossings do not say much."
    return f"Of its crossings, {len(agreed)} of {len(crossed)} agree: {', '.join(agreed)}."
