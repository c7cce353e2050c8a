"""Hints and reasons as text: which letters are wrong, one hint, or why an entry is filled as it is.

A hint shows nothing else of the solution, on one line that other programs can read. `render_explanation` is a table for
people who measure; `explain_briefly` is two sentences for people who solve.
"""

from __future__ import annotations

from collections.abc import Sequence

from regis.candidates.candidate_list import Candidate
from regis.candidates.finder import Evidence
from regis.puzzle import Cell, Puzzle, Slot, format_slot_names
from regis.solving import hint as hints
from regis.solving.explanation import Explanation, SquareEvidence
from regis.solving.hint import Hint
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.terminal import Screen, pad_text, plain_text, text_width, wrap_text

NO_TIME_SENTENCE = "there was no time to check your letters; allow more seconds."


def render_check(solved: SolvedPuzzle, file_name: str) -> str:
    """Say how many of the person's letters are probably wrong, and where, but never what is right."""
    n_checked, n_skipped, n_late, wrong = solved.given_check
    are = "is" if len(wrong) < 2 else "are"
    lines = [f"{len(wrong) or 'none'} of your {n_checked} letters {are} probably wrong."]
    if n_checked == 1:
        lines = [f"your letter is probably {'wrong' if wrong else 'right'}."]
    elif n_late:
        lines = [NO_TIME_SENTENCE]
    elif not n_checked:
        lines = ["none of your letters were checked:" if n_skipped else "you haven't filled in any letters here."]
    lines += [f"  {plain_text(solved.puzzle.given[cell])}, {describe_cell(solved.puzzle, cell)}" for cell in wrong]
    if n_skipped:
        squares = "square" if n_skipped == 1 else "squares"
        were = "was" if n_skipped == 1 else "were"
        lines.append(f"  {n_skipped} {squares} with several letters or a digit {were} not checked")
    return f"{plain_text(file_name)}: " + "\n".join(lines) + "\n"


def render_hint(solved: SolvedPuzzle, file_name: str) -> str:
    """Render one letter with its place, a few answers to one entry, or why there is no hint."""
    hint = hints.find_hint(solved)
    slots = [answer.slot for answer in solved.answers]
    sentence = hint_sentence(hint, solved.puzzle) if hint else no_hint_sentence(solved.puzzle, slots, "`--check`")
    return f"{plain_text(file_name)}: {sentence}\n"


def no_hint_sentence(puzzle: Puzzle, slots: Sequence[Slot], check_name: str) -> str:
    """Say why there is no hint for `slots`; if they are full, `check_name` judges them."""
    if not slots:
        return "there are no entries to give a hint for."
    if all(cell in puzzle.given for cell in puzzle.grid.cells):
        return f"every square is filled; {check_name} says whether they're right."
    if all(cell in puzzle.given for slot in slots for cell in slot.cells):
        is_one = len(slots) == 1
        they = "is full; {} says whether it is right." if is_one else "are full; {} says whether they are right."
        return f"{format_slot_names(slots)} {they.format(check_name)}"
    return "no empty square is sure enough for a hint."


def hint_sentence(hint: Hint, puzzle: Puzzle) -> str:
    if hint.cell is not None:
        return f"{describe_cell(puzzle, hint.cell)} is {hint.letter} ({hint.probability:.0%} sure)."
    which = f"one of {', '.join(hint.answers)}" if len(hint.answers) > 1 else hint.answers[0]
    return f"{hint.slot} is {which} ({hint.probability:.0%} sure)."


def describe_cell(puzzle: Puzzle, cell: Cell) -> str:
    """Name a cell as solvers do: 'letter 3 of 17A (letter 1 of 4D)'."""
    places = [f"letter {i + 1} of {slot}" for slot, i in puzzle.grid.slots_through.get(cell, ())]
    first, *others = places or ["a square in no entry"]
    return first + (f" ({', '.join(others)})" if others else "")


def render_guess(
    clue: str, pattern: str, candidates: Sequence[Candidate], missing_probability: float, screen: Screen
) -> str:
    """Render a paragraph for each candidate, best first, and P(unlisted)."""
    lines = wrap_text(f"{plain_text(clue) or '(no clue)'}   {pattern or 'any length'}", screen.width)
    candidates = [one for one in candidates if one.probability >= 0.0005] or candidates[:1]
    if not candidates:
        return "\n".join([*lines, "No answer in the index fits."]) + "\n"
    widest = max(text_width(c.answer) for c in candidates)
    for candidate in candidates:
        head = f"{candidate.probability:>6.1%}  {pad_text(candidate.answer, widest)}  "
        lines += _candidate_lines(head, candidate.evidence, screen)
    return "\n".join([*lines, f"{missing_probability:>6.1%}  an answer on no list"]) + "\n"


def render_explanation(explanation: Explanation, screen: Screen) -> str:
    """Render a heading and why; then candidates with their evidence, and crossings square by square."""
    answer = explanation.answer
    clue = plain_text(answer.clue) or "(no clue)"
    heading = f"{answer.slot}  {clue}  {plain_text(answer.answer)}  {answer.confidence:.0%}"
    lines = wrap_text(heading, screen.width) + wrap_text(plain_text(explanation.why), screen.width)
    if explanation.assumptions and any(len(square.letter) > 1 for square in explanation.squares):
        belief = (
            "Regis believes this puzzle has squares with several letters, because that makes the grid far likelier."
        )
        lines += wrap_text(belief, screen.width)
    lines += ["", *wrap_text("Candidates: from the clue alone, with the crossings", screen.width)]
    widest = max((text_width(choice.answer) for choice in explanation.candidates), default=0)
    for choice in explanation.candidates:
        head = f"{choice.clue_probability:>6.1%} {choice.probability:>6.1%}  {pad_text(choice.answer, widest)}  "
        lines += _candidate_lines(head + "on no list; " * (choice.clue_rank is None), choice.evidence, screen)
    clue_probability, probability = explanation.missing_clue_probability, explanation.missing_probability
    listed = [choice for choice in explanation.candidates if choice.clue_rank is not None]
    clue_rest = max(0.0, 1 - clue_probability - sum(choice.clue_probability for choice in listed))
    rest = max(0.0, 1 - probability - sum(choice.probability for choice in listed))
    lines += wrap_text(f"{clue_rest:>6.1%} {rest:>6.1%}  all other candidates", screen.width, "", "    ")
    unlisted = ", including those above" if any(choice.clue_rank is None for choice in explanation.candidates) else ""
    missing = f"{clue_probability:>6.1%} {probability:>6.1%}  an answer on no list{unlisted}"
    lines += wrap_text(missing, screen.width, "", "    ")
    lines += ["", *wrap_text("Crossings: what each says about its square", screen.width)]
    for i, square in enumerate(explanation.squares, 1):
        head = f"{i:>3}  {plain_text(square.letter)}  "
        lines += wrap_text(describe_crossing(square), screen.width, head, " " * text_width(head))
    return "\n".join(lines) + "\n"


def describe_crossing(square: SquareEvidence) -> str:
    """Name the crossing entry, the person's letter, and the letters that these make likely."""
    crossing = square.crossing_answer
    who = [f"{crossing.slot} {plain_text(crossing.answer)}"] if crossing else []
    who += [f"you wrote {plain_text(square.written_letter)}"] if square.written_letter else []
    letters = ", ".join(f"{letter} {p:.0%}" for letter, p in square.letter_probabilities) or "no letter stands out"
    return f"{', '.join(who)}: {letters}" if who else "nothing crosses here"


def _candidate_lines(head: str, reasons: Sequence[Evidence], screen: Screen) -> list[str]:
    """Put the candidate's reasons next to `head`, or below it on a narrow screen."""
    lines = []
    indent = " " * text_width(head)
    if screen.width - text_width(head) < 24:
        lines.append(head.rstrip())
        head = indent = "    "
    for evidence in reasons:
        lines += wrap_text(f"{evidence.finder}: {describe_evidence(evidence)}", screen.width, head, indent)
        head = indent
    return lines if reasons else [*lines, head.rstrip()]


def describe_evidence(evidence: Evidence) -> str:
    """Describe a finder's evidence: '"Be lacking", 90% alike, once, in 2001'."""
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
    """Return '12 times' and 'last in 2013', if known."""
    if not evidence.use_count:
        return []
    often, when = ("once", "in") if evidence.use_count == 1 else (f"{evidence.use_count} times", "last in")
    return [prefix + often, *([f"{when} {evidence.last_year}"] if evidence.last_year else [])]


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
"""What found an answer, in a solver's words."""

KINDS_BY_WORTH = ("clue", "phrase", "relation", "paraphrase", "reading", "words", "meaning")
"""Kinds of evidence, the most convincing first."""


def reason_sentence(evidence: Evidence) -> str:
    """Write one reason with the finder's name in plain words."""
    return f"{FINDER_WORDS.get(evidence.finder, evidence.finder)}: {describe_evidence(evidence)}"


def explain_briefly(explanation: Explanation) -> str:
    """Explain in two sentences: the clue's best evidence, and whether the crossings agree."""
    if all(square.written_letter == square.letter for square in explanation.squares):
        return f"You wrote {explanation.answer.answer}."
    return f"{_clue_sentence(explanation)} {_crossing_sentence(explanation.squares)}"


def _clue_sentence(explanation: Explanation) -> str:
    answer = explanation.answer.answer
    choice = next((one for one in explanation.candidates if one.answer == answer), None)
    ranked = sorted(
        (evidence for evidence in (choice.evidence if choice else ()) if evidence.kind in KINDS_BY_WORTH),
        key=lambda evidence: (KINDS_BY_WORTH.index(evidence.kind), -evidence.score),
    )
    if not ranked:
        made = f", but it can be made of {' + '.join(explanation.pieces)}" if explanation.pieces else ""
        return f"Nothing Regis knows leads from this clue to {answer}{made}."
    best = ranked[0]
    when = f" in {best.last_year}" if best.last_year else ""
    quoted = f'"{plain_text(best.text)}"'
    if best.kind == "clue":
        if best.score >= 0.995:
            return f"This very clue had {answer}{when}."
        likeness = "almost like this" if best.score >= 0.7 else "somewhat like this"
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
        square.letter
        for square in crossed
        if square.letter_probabilities and square.letter_probabilities[0][0] == square.letter[:1]
    ]
    if len(agreed) == len(crossed):
        return f"The crossing{'s agree' if len(agreed) > 1 else ' agrees'}: {', '.join(agreed)}."
    if not agreed:
        return "The crossings don't say much."
    return f"Of its crossings, {len(agreed)} of {len(crossed)} agree: {', '.join(agreed)}."
