"""What a page may ask about a solved puzzle: is this right, a hint, what goes here, why. One question, one answer.

These are Regis's own answers; if the file has a solution, `file_verdict` answers what that can. A letter is wrong if
the letter check is sure that it is, and right if Regis is sure of it without counting that you typed it. All other
letters, and all letters of a grid that Regis doesn't understand, are unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from regis.errors import unknown_name
from regis.play.messages import Question
from regis.play.session import VERDICT_FROM, SolvedSession
from regis.puzzle import Cell, Slot
from regis.puzzle.alphabet import ALPHABET, is_letters_only
from regis.render import reasons
from regis.solving import hint as hints
from regis.solving.explanation import explain
from regis.solving.given import DOUBTED_BELOW, PRIOR_WRONG
from regis.solving.hint import Hint
from regis.solving.rebus.squares import CONTENT_SEPARATOR, expand_answer
from regis.solving.solved_puzzle import SolvedPuzzle

AnswerJson = dict[str, Any]


def answer_question(session: SolvedSession, question: Question) -> AnswerJson:
    """Answer one question. Raises PuzzleError or UsageError for an unknown question or entry."""
    if question.kind not in QUESTION_KINDS:
        raise unknown_name("question", question.kind, QUESTION_KINDS)
    return QUESTION_KINDS[question.kind](session, question)


def check_letters(session: SolvedSession, question: Question) -> AnswerJson:
    """Call each filled square in question right, wrong, or unknown, and say how sure that is."""
    p_correct = session.review_letters(question.letters).p_correct if session.is_understood else {}
    verdicts = []
    for cell in question.cells:
        if cell in question.letters:
            verdict, sure = _judge_content(session, cell, question.letters[cell], p_correct.get(cell))
            verdicts.append({"cell": cell, "verdict": verdict, "sure": round(sure, 3)})
    return {"verdicts": verdicts}


def check_complete(session: SolvedSession, question: Question) -> AnswerJson:
    """Say whether anything in a full grid is wrong, and how many squares Regis doesn't know; never where."""
    cells = tuple(session.puzzle.grid.cells)
    verdicts = [one["verdict"] for one in check_letters(session, replace(question, cells=cells))["verdicts"]]
    return {"wrong": "wrong" in verdicts, "unknown": len(cells) - sum(one in ("right", "wrong") for one in verdicts)}


def _judge_content(session: SolvedSession, cell: Cell, content: str, p_correct: float | None) -> tuple[str, float]:
    """Return a content's verdict and its certainty, not counting that you typed it."""
    if not session.is_understood:
        return "unknown", 0.0
    if not session.ambiguous_letters(cell).isdisjoint(content.split(CONTENT_SEPARATOR)):
        return "right", VERDICT_FROM
    if p_correct is None:
        return "unknown", 0.0
    if p_correct < DOUBTED_BELOW:
        return ("wrong" if 1 - p_correct >= VERDICT_FROM else "unknown"), 1 - p_correct
    weight_right = p_correct / (1 - PRIOR_WRONG)
    weight_wrong = (1 - p_correct) / (PRIOR_WRONG / (len(ALPHABET) - 1))
    fill = session.solved_blank.fill
    own = fill.confidence.get(cell, 0.0) if fill.cells.get(cell) == content else 0.0
    unaided = max(own, weight_right / (weight_right + weight_wrong))
    return ("right" if unaided >= VERDICT_FROM else "unknown"), unaided


def give_hint(session: SolvedSession, question: Question) -> AnswerJson:
    """Give the most telling letter, of an entry if one is named."""
    slots = [session.find_slot(question.entry_name)] if question.entry_name else session.puzzle.grid.slots
    cells = {cell for slot in slots for cell in slot.cells}
    found = _find_hint(session, question, session.solved_blank, slots)
    if found is None:
        found = _find_hint(session, question, session.refill(question.letters, cells - question.letters.keys()), slots)
    if found is None:
        puzzle = replace(session.puzzle, given=dict(question.letters))
        return {"said": reasons.no_hint_sentence(puzzle, slots, "Check")}
    answer = {"said": reasons.hint_sentence(found, session.puzzle), "entry": str(found.slot)}
    return answer | ({"cells": [_cell_json(found.cell, found.letter, found.probability)]} if found.cell else {})


def _find_hint(session: SolvedSession, question: Question, solved: SolvedPuzzle, slots: Sequence[Slot]) -> Hint | None:
    puzzle = replace(session.puzzle, given=dict(question.letters))
    begun = replace(solved, puzzle=puzzle, doubted_letters=_doubted_letters(session, question))
    return hints.find_hint(begun.restrict_to(slots))


def _doubted_letters(session: SolvedSession, question: Question) -> Mapping[Cell, float]:
    """Return P(right) of the letters that Regis, solving without them, thinks are wrong."""
    beliefs = session.solved_blank.fill.beliefs
    p_correct = {
        cell: float(beliefs.letter_probs[cell][ALPHABET.index(x)])
        for cell, x in session.puzzle_with_letters(question.letters).given.items()
        if beliefs and cell in beliefs.letter_probs and is_letters_only(x, 1)
    }
    return {cell: p for cell, p in p_correct.items() if p < DOUBTED_BELOW}


def narrow_entry(session: SolvedSession, question: Question) -> AnswerJson:
    """List a few answers to an entry in alphabetical order: the likeliest by its clue that fit, and Regis's own."""
    slot = session.find_slot(question.entry_name)
    doubts = _doubted_letters(session, question)
    letters = {c: x for c, x in question.letters.items() if c in slot.cells and c not in doubts}
    begun = session.puzzle_with_letters(letters)
    fitting = session.solved_blank.lists[slot].condition_on(begun.pattern(slot))
    solved = session.refill(question.letters, [cell for cell in slot.cells if cell not in begun.given])
    (own,) = (answer for answer in solved.answers if answer.slot == slot)
    ranked = dict(own.alternatives) | {own.answer: own.confidence}
    squares, count = session.solved_blank.rebus_squares, min(len(fitting), hints.MAX_HINT_ANSWERS)
    likeliest = [expand_answer(slot, squares, fitting.answer(i)) for i in range(count)]
    two = session.solved_blank.find_two_answers(slot)
    other = [two.second_answer] if two and own.answer == two.first_answer else []
    distinct = dict.fromkeys([own.answer, *other, *likeliest])
    answers = sorted(list(distinct)[: hints.MAX_HINT_ANSWERS])
    sure = min(sum(ranked.get(answer, 0.0) for answer in answers), 1.0)
    spaced = [session.segment(x).upper() if is_letters_only(x, len(x)) else x for x in answers]
    return {"said": f"{slot} is one of these. Regis is {sure:.0%} sure.", "entry": str(slot), "answers": spaced}


def reveal_cells(session: SolvedSession, question: Question) -> AnswerJson:
    """Reveal squares, and how sure Regis is of each."""
    solution = session.refill(question.letters, question.cells).fill
    filled_cells = [cell for cell in question.cells if solution.cells.get(cell)]
    return {
        "cells": [_cell_json(cell, solution.cells[cell], solution.confidence.get(cell, 0.0)) for cell in filled_cells]
    }


def explain_entry(session: SolvedSession, question: Question) -> AnswerJson:
    """Explain how Regis would fill an entry: candidates with reasons, and the crossing of each square."""
    slot = session.find_slot(question.entry_name)
    solved = session.refill(question.letters, slot.cells)
    explanation = explain(solved, [slot], limit=5)[0]
    return {
        "entry": str(slot),
        "answer": explanation.answer.answer,
        "said": reasons.explain_briefly(explanation),
        "whole": explanation.why,
        "candidates": [
            {
                "answer": choice.answer,
                "alone": choice.clue_probability,
                "sure": choice.probability,
                "reasons": [reasons.reason_sentence(one) for one in choice.evidence],
            }
            for choice in explanation.candidates
            if choice.probability >= 0.01 or choice.answer == explanation.answer.answer
        ],
        "missing": explanation.missing_probability,
        "crossings": [
            {
                "letter": square.letter,
                "entry": str(square.crossing_answer.slot) if square.crossing_answer else "",
                "heard": heard,
            }
            for square in explanation.squares
            for heard in [", ".join(f"{letter} {p:.0%}" for letter, p in square.letter_probabilities)]
        ],
    }


def map_confidence(session: SolvedSession, question: Question) -> AnswerJson:
    """Return how sure Regis is of each square, and no letter."""
    confidence = session.solved_blank.fill.confidence
    return {"sure": [[*cell, round(confidence.get(cell, 0.0), 3)] for cell in session.puzzle.grid.cells]}


def _cell_json(cell: Cell, letter: str, sure: float) -> AnswerJson:
    return {"cell": cell, "letter": letter, "sure": round(sure, 3)}


QUESTION_KINDS = {
    "check": check_letters,
    "complete": check_complete,
    "hint": give_hint,
    "narrow": narrow_entry,
    "reveal": reveal_cells,
    "why": explain_entry,
    "heat": map_confidence,
}
