"""What a page may ask of a solved puzzle: is this right, a hint, what stands here, why. One question, one answer.

Right, wrong and unknown are told apart as in the letter check: the person's letters are soft. "Right" needs more: that
Regis is sure even if it did not know that somebody wrote the letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from regis.errors import unknown
from regis.play.known import Known
from regis.play.messages import Question
from regis.puzzle import Cell, Slot
from regis.puzzle.alphabet import ALPHABET, spelled
from regis.render import evidence
from regis.render import hint as text
from regis.solving import hint as hints
from regis.solving import pipeline
from regis.solving.explain import explain
from regis.solving.hint import Hint
from regis.solving.letter_check import DOUBTED, WRONG
from regis.solving.rebus.squares import whole
from regis.solving.solved import BOTH, DOUBTFUL, Solved

Reply = dict[str, Any]

NAMED = 5  # candidates that an explanation names


def reply(known: Known, question: Question) -> Reply:
    """The answer to one question. Raises PuzzleError or UsageError for a question or an entry that is not there."""
    if question.what not in ANSWERS:
        raise unknown("question", question.what, ANSWERS)
    return ANSWERS[question.what](known, question)


def check(known: Known, asked: Question) -> Reply:
    """Of each square that is asked about and written in: right, wrong or unknown, and how sure Regis is of that."""
    chances, verdicts = known.judged(asked.letters).chances, []
    for cell in asked.cells:
        if cell in asked.letters:
            verdict, sure = _verdict(known, cell, asked.letters[cell], chances.get(cell))
            verdicts.append({"cell": cell, "verdict": verdict, "sure": round(sure, 3)})
    return {"verdicts": verdicts}


def _verdict(known: Known, cell: Cell, written: str, chance: float | None) -> tuple[str, float]:
    if not known.either(cell).isdisjoint(written.split(BOTH)):
        return "right", DOUBTFUL
    if chance is None:
        return "unknown", 0.0
    if chance < DOUBTED:
        return "wrong", 1 - chance
    for_it, against = 1 - WRONG, WRONG / (len(ALPHABET) - 1)
    alone = chance / for_it / (chance / for_it + (1 - chance) / against)
    return ("right" if alone >= DOUBTFUL else "unknown"), alone


def hint(known: Known, asked: Question) -> Reply:
    """One letter, the most telling, of an entry if one is named, or a few answers to an entry."""
    slots = [known.slot(asked.entry)] if asked.entry else known.puzzle.grid.slots
    cells = {cell for slot in slots for cell in slot.cells}
    found = _hint(known, asked, known.blank, slots)
    if found is None:
        found = _hint(known, asked, known.told(asked.letters, cells - asked.letters.keys()), slots)
    if found is None:
        return {"said": text.sentence(None, known.puzzle)}
    told = {"said": text.sentence(found, known.puzzle), "entry": str(found.slot)}
    return told | ({"cells": [_square(found.cell, found.letter, found.probability)]} if found.cell else {})


def _hint(known: Known, asked: Question, solved: Solved, slots: Sequence[Slot]) -> Hint | None:
    """The hint that `solved` has for who wrote what was sent."""
    begun = replace(solved, puzzle=replace(known.puzzle, given=dict(asked.letters)), doubts=_doubts(known, asked))
    return hints.hint(begun.only(slots))


def _doubts(known: Known, asked: Question) -> Mapping[Cell, float]:
    """The person's letters that Regis, without having seen them, thinks wrong, each with P(right)."""
    beliefs = known.blank.solution.beliefs
    judging = {
        cell: float(beliefs.letters[cell][ALPHABET.index(x)])
        for cell, x in known.written(asked.letters).given.items()
        if beliefs and cell in beliefs.letters and spelled(x, 1)
    }
    return {cell: p for cell, p in judging.items() if p < DOUBTED}


def narrow(known: Known, asked: Question) -> Reply:
    """A few answers to an entry in alphabetical order: the likeliest by its clue that fit, and Regis's own."""
    slot = known.slot(asked.entry)
    doubts = _doubts(known, asked)
    begun = known.written({c: x for c, x in asked.letters.items() if c in slot.cells and c not in doubts})
    fitting = known.blank.lists[slot].given(begun.pattern(slot))
    solved = known.told(asked.letters, [cell for cell in slot.cells if cell not in begun.given])
    (mine,) = (answer for answer in solved.answers if answer.slot == slot)
    ranked = dict(mine.alternatives) | {mine.answer: mine.confidence}
    likeliest = [whole(slot, known.blank.squares, fitting.answer(i)) for i in range(min(len(fitting), hints.FEW))]
    two = known.blank.two_answers(slot)
    other = [two.other] if two and mine.answer == two.first else []
    few = dict.fromkeys([mine.answer, *other, *likeliest])
    answers = sorted(list(few)[: hints.FEW])
    sure = min(sum(ranked.get(answer, 0.0) for answer in answers), 1.0)
    return {"said": f"{slot} is one of these, Regis is {sure:.0%} sure.", "entry": str(slot), "answers": answers}


def reveal(known: Known, asked: Question) -> Reply:
    """What Regis would write into the squares that are asked about, and how sure it is."""
    solution = known.told(asked.letters, asked.cells).solution
    shown = [cell for cell in asked.cells if solution.cells.get(cell)]
    return {"cells": [_square(cell, solution.cells[cell], solution.confidence.get(cell, 0.0)) for cell in shown]}


def why(known: Known, asked: Question) -> Reply:
    """Why Regis would fill an entry as it would: candidates with reasons, and what crosses each square."""
    slot = known.slot(asked.entry)
    told = explain(pipeline.answered(known.told(asked.letters, slot.cells), reveal=True), [slot], NAMED)[0]
    return {
        "entry": str(slot),
        "answer": told.answer.answer,
        "said": told.why,
        "candidates": [
            {
                "answer": choice.candidate.answer,
                "alone": choice.alone,
                "sure": choice.candidate.probability,
                "reasons": [evidence.reason(one) for one in choice.candidate.evidence],
            }
            for choice in told.choices
        ],
        "missing": told.missing[1],
        "crossings": [
            {"letter": square.letter, "entry": str(square.crossing.slot) if square.crossing else "", "heard": heard}
            for square in told.squares
            for heard in [", ".join(f"{letter} {p:.0%}" for letter, p in square.heard)]
        ],
    }


def heat(known: Known, asked: Question) -> Reply:
    """How sure Regis is of each square, and no letter."""
    confidence = known.blank.solution.confidence
    return {"sure": [[*cell, round(confidence.get(cell, 0.0), 3)] for cell in known.puzzle.grid.cells]}


def _square(cell: Cell, letter: str, sure: float) -> Reply:
    return {"cell": cell, "letter": letter, "sure": round(sure, 3)}


ANSWERS = {one.__name__: one for one in (check, hint, narrow, reveal, why, heat)}
"""What may be asked, by name."""
