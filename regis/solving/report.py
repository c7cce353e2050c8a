"""From a filled grid to answers with confidence, evidence, and alternatives.

Only the person's doubted letters change: they stand as written, unless `reveal` asks for Regis's. Rebus squares are
written out, and entries with two answers show both.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regis.puzzle import Cell, Slot
from regis.puzzle.alphabet import letter_codes
from regis.solving.filler import Fill
from regis.solving.inference.confidence import frechet_clip, remaining_mass_factor
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    RebusSquares,
    entry_text,
    expand_answer,
    expand_fill,
    find_given_squares,
)
from regis.solving.solved_puzzle import Answer, SolvedPuzzle, TwoAnswers

N_ALTERNATIVES = 5  # how many of the best answers are kept for each slot

UNCHECKED_P = 0.5  # how sure is a square that the person filled and nobody looked at? As likely right as wrong; a guess


def report_answers(solved: SolvedPuzzle, reveal: bool) -> SolvedPuzzle:
    """Attach answers; doubted letters stand as the person wrote them, unless `reveal` is true."""
    assert solved.letter_fill is not None, "by `fill_grid`"
    fill, pairs, squares, kept = solved.letter_fill, solved.two_answer_entries, solved.rebus_squares, dict[Cell, str]()
    fill = replace(fill, confidence={**fill.confidence, **dict.fromkeys(sorted(solved.unchecked_cells), UNCHECKED_P)})
    if not reveal:
        kept = {cell: solved.puzzle.given[cell] for cell in solved.doubted_letters}
        confidence = {**fill.confidence, **solved.doubted_letters}
        fill = replace(fill, cells={**fill.cells, **kept}, confidence=confidence)
        pairs = tuple(pair for pair in pairs if kept.keys().isdisjoint(pair.letter_pairs))
        squares = {cell: content for cell, content in squares.items() if cell not in kept}
    answers = tuple(_report_answer(slot, solved, fill, squares) for slot in solved.puzzle.grid.slots)
    fill = expand_fill(fill, solved.rebus_squares)  # what else a slot may be is whole, also beside a person's letter
    given_squares = find_given_squares(solved.puzzle)  # they stay, also if read in two ways
    kept |= {cell: content for cell, content in given_squares.items() if cell not in solved.doubted_letters}
    fill = replace(fill, cells={**fill.cells, **kept})
    for pair in pairs:
        fill = _write_both_letters(fill, pair)
        answers = tuple(
            _merge_answers(answer, fill, pair) if answer.slot == pair.slot else answer for answer in answers
        )
    return replace(solved, fill=fill, answers=answers, two_answer_entries=pairs)


def _report_answer(slot: Slot, solved: SolvedPuzzle, fill: Fill, squares: RebusSquares) -> Answer:
    """Report what `fill`, one letter a cell, says of one slot; `squares` are the rebus squares shown."""
    candidates, answer = solved.lists[slot], fill.answer(slot)
    ranked = dict(fill.ranked_answers.get(slot, ()))
    p_in_list = fill.beliefs.p_in_list[slot] if fill.beliefs else sum(ranked.values())
    letter_probs = [fill.confidence.get(cell, 0.0) for cell in slot.cells]
    confidence = frechet_clip(ranked.get(answer, float(np.prod(letter_probs))), letter_probs)
    factor = remaining_mass_factor(confidence, p_in_list - ranked.pop(answer, 0.0))
    row = candidates.find_answer(answer) if "?" not in answer else None
    evidence = candidates.explain(row) if row is not None else ()
    others = tuple(ranked.items())[:N_ALTERNATIVES]
    alternatives = tuple((expand_answer(slot, solved.rebus_squares, other), factor * p) for other, p in others)
    if any(cell in squares for cell in slot.cells):
        answer = entry_text(slot, squares, fill)
    return Answer(slot, solved.puzzle.clues.get(slot, ""), answer, confidence, evidence, alternatives)


def _write_both_letters(fill: Fill, pair: TwoAnswers) -> Fill:
    """Write both letters where either is right, with their joint confidence."""
    confidence = dict(fill.confidence)
    for cell, content in pair.letter_pairs.items():
        codes = letter_codes(content.replace(CONTENT_SEPARATOR, ""))
        confidence[cell] = min(float(fill.propagated_beliefs.letter_probs[cell][codes].sum()), 1.0)
    return replace(fill, cells={**fill.cells, **pair.letter_pairs}, confidence=confidence)


def _merge_answers(answer: Answer, fill: Fill, pair: TwoAnswers) -> Answer:
    """Give `answer` the probability of either of the two answers, and list the other first."""
    p_second = dict(fill.ranked_answers.get(pair.slot, ())).get(pair.second_answer, 0.0)
    letter_probs = [fill.confidence.get(cell, 0.0) for cell in pair.slot.cells]
    confidence = frechet_clip(min(answer.confidence + p_second, 1.0), letter_probs)
    others = [(other, p) for other, p in answer.alternatives if other != pair.second_answer]
    factor = remaining_mass_factor(confidence, sum(p for _, p in others))
    alternatives = ((pair.second_answer, p_second), *((other, factor * p) for other, p in others))
    return answer._replace(confidence=confidence, alternatives=alternatives[:N_ALTERNATIVES])
