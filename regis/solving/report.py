"""From a filled grid to answers with confidence, evidence, and alternatives.

The person's doubted letters stay as written, unless `reveal` asks for Regis's. Rebus squares are written out, and
entries with two answers show both.

Confidences are calibrated. Messages go in loops, lists are overconfident about what they omit, and a reader's mistakes
are correlated. So log odds are scaled down (temperature: Guo et al., "On Calibration of Modern Neural Networks", 2017),
especially if many answers are in no list. Clues of another puzzle or language show two signs together: the entries are
improbable in their lists, and letters are doubtful. Then log odds are also shifted down. A third sign adds to this:
lists that were sure and all wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import is_letters_only, letter_codes
from regis.solving.filler import Beliefs, Fill, SolverInput
from regis.solving.given import GivenReview
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    RebusSquares,
    entry_text,
    expand_answer,
    expand_fill,
    find_given_squares,
)
from regis.solving.settings import CONFIDENCE
from regis.solving.solved_puzzle import Answer, SolvedPuzzle, TwoAnswers
from regis.solving.state import State

N_ALTERNATIVES = 5  # best answers that are reported for each slot

UNCHECKED_P = 0.5  # confidence of a square that the person filled and nothing checked; a guess


def report_answers(puzzle: Puzzle, review: GivenReview, state: State, filler: str, reveal: bool) -> SolvedPuzzle:
    """Report the grid of `state`, filled by `filler`, to the person who wrote the letters of `puzzle`.

    Doubted letters stay as the person wrote them, unless `reveal` is true.
    """
    first, doubts, pairs, unexplained = state.first_state, review.doubts, tuple[TwoAnswers, ...](), 0.0
    if first.fill.beliefs is not None:
        lists = first.fill.beliefs.final_inputs(first.inputs).lists
        unexplained = unexplained_share(state.fill, state.puzzle, lists)
        pairs = () if state.squares else find_two_answer_entries(state.puzzle, state.inputs, state.fill)
        fill = temperature_scale(state.fill, state.puzzle, first.fill.beliefs, unexplained)
        state, doubts = replace(state, fill=fill), remaining_doubts(doubts, puzzle, fill, state.squares)
    solved = SolvedPuzzle(
        puzzle,
        state.fill,
        answers=(),
        filler=filler,
        seconds=0.0,
        index_fingerprint="",
        state=state,
        first_fill=None if first.fill.cells == state.fill.cells else first.fill,
        assumptions=state.assumptions,
        doubted_letters=dict(sorted(doubts.items())),
        checked_cells=review.checked_cells,
        rebus_squares=state.squares,
        unexplained_share=unexplained,
    )
    return _attach_answers(solved, state.fill, pairs, reveal)


def reveal_answers(solved: SolvedPuzzle) -> SolvedPuzzle:
    """Report the same grid with Regis's letters in place of the person's wrong ones."""
    assert solved.letter_fill is not None, "its state is in this process"
    return _attach_answers(solved, solved.letter_fill, solved.two_answer_entries, reveal=True)


def remaining_doubts(
    doubts: Mapping[Cell, float], puzzle: Puzzle, fill: Fill, squares: RebusSquares
) -> Mapping[Cell, float]:
    """Return the doubts of given letters, except letters that the grid now has too, or that rebus squares confirm."""

    def is_confirmed(cell: Cell) -> bool:
        content = squares.get(cell, fill.cells.get(cell, ""))
        readings = (*content.split(CONTENT_SEPARATOR), content.replace(CONTENT_SEPARATOR, ""))
        return any(reading.startswith(puzzle.given[cell]) for reading in readings)

    return {cell: p for cell, p in doubts.items() if not is_confirmed(cell)}


def _attach_answers(solved: SolvedPuzzle, fill: Fill, pairs: tuple[TwoAnswers, ...], reveal: bool) -> SolvedPuzzle:
    """Write out a fill with one letter per cell, and its answers, as the person sees them."""
    squares, kept = solved.rebus_squares, dict[Cell, str]()
    fill = replace(fill, confidence={**fill.confidence, **dict.fromkeys(sorted(solved.unchecked_cells), UNCHECKED_P)})
    if not reveal:
        kept = {cell: solved.puzzle.given[cell] for cell in solved.doubted_letters}
        confidence = {**fill.confidence, **solved.doubted_letters}
        fill = replace(fill, cells={**fill.cells, **kept}, confidence=confidence)
        pairs = tuple(pair for pair in pairs if kept.keys().isdisjoint(pair.letter_pairs))
        squares = {cell: content for cell, content in squares.items() if cell not in kept}
    answers = tuple(_report_answer(slot, solved, fill, squares) for slot in solved.puzzle.grid.slots)
    fill = expand_fill(fill, solved.rebus_squares)  # alternatives are whole, too, even next to a person's letter
    given_squares = find_given_squares(solved.puzzle)  # they stay, even if they are read two ways
    kept |= {cell: content for cell, content in given_squares.items() if cell not in solved.doubted_letters}
    fill = replace(fill, cells={**fill.cells, **kept})
    for pair in pairs:
        fill = _write_both_letters(fill, pair)
        answers = tuple(
            _merge_answers(answer, fill, pair) if answer.slot == pair.slot else answer for answer in answers
        )
    return replace(solved, fill=fill, answers=answers, two_answer_entries=pairs)


def _report_answer(slot: Slot, solved: SolvedPuzzle, fill: Fill, squares: RebusSquares) -> Answer:
    """Report one slot of `fill`, which has one letter per cell; `squares` are the rebus squares shown."""
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
    """Give `answer` the probability of either of two answers, with the other as first alternative."""
    p_second = dict(fill.ranked_answers.get(pair.slot, ())).get(pair.second_answer, 0.0)
    letter_probs = [fill.confidence.get(cell, 0.0) for cell in pair.slot.cells]
    confidence = frechet_clip(min(answer.confidence + p_second, 1.0), letter_probs)
    others = [(other, p) for other, p in answer.alternatives if other != pair.second_answer]
    factor = remaining_mass_factor(confidence, sum(p for _, p in others))
    alternatives = ((pair.second_answer, p_second), *((other, factor * p) for other, p in others))
    return answer._replace(confidence=confidence, alternatives=alternatives[:N_ALTERNATIVES])


MIN_CROSSING_LOGP = -8.0  # least natural log probability, by its list, of a crossing's other answer
MIN_GAIN_PER_CELL = -3.2
"""Least gain of the other answers in nats per square, given MIN_CROSSING_LOGP (docs/experiments/two-answers.md)."""


def find_two_answer_entries(puzzle: Puzzle, inputs: SolverInput, fill: Fill) -> tuple[TwoAnswers, ...]:
    """Find the entries with two answers (Schroedinger squares), in clue order; if two share a square, only the first.

    CAT or DOG is a house pet, and the down clues fit CAME and DAME equally. In other entries a second answer hardly
    ever differs in three squares or more, since some crossing has no answer for it. Here all crossings have one, nearly
    as likely.
    """
    entries: list[TwoAnswers] = []
    for slot in puzzle.grid.slots if fill.beliefs else ():
        taken = {cell for entry in entries for cell in entry.letter_pairs} | puzzle.given.keys()
        first = fill.answer(slot)
        if puzzle.has_clue(slot) and is_letters_only(first, len(slot)):
            pairs = (TwoAnswers(slot, first, other) for other, _ in fill.propagated_beliefs.ranked_answers[slot])
            apart = (pair for pair in pairs if len(pair.letter_pairs) >= 3)
            free = (pair for pair in apart if not taken & pair.letter_pairs.keys())
            entries += [pair for pair in free if _is_likely(puzzle, inputs, fill, pair)][:1]
    return tuple(entries)


def _is_likely(puzzle: Puzzle, inputs: SolverInput, fill: Fill, pair: TwoAnswers) -> bool:
    """Return whether the second answer and its crossings' answers are nearly as likely as the first."""
    gain = _gain(inputs.lists[pair.slot], pair.first_answer, pair.second_answer)
    for i, crossing in enumerate(puzzle.grid.crossings[pair.slot]):
        if pair.first_answer[i] != pair.second_answer[i]:
            if crossing is None or not puzzle.has_clue(crossing.slot):
                return False
            entry, at = fill.answer(crossing.slot), crossing.position
            gain += _gain(inputs.lists[crossing.slot], entry, entry[:at] + pair.second_answer[i] + entry[at + 1 :])
            if gain == -math.inf:
                return False
    return gain >= MIN_GAIN_PER_CELL * len(pair.letter_pairs)


def _gain(candidates: CandidateList, first: str, second: str) -> float:
    """Return by how many nats `second` is likelier than `first`; -inf if one is unlisted or too rare."""
    rows = [candidates.find_answer(first), candidates.find_answer(second)]
    logp = [-math.inf if row is None else float(candidates.logp[row]) for row in rows]
    return logp[1] - logp[0] if min(logp) >= MIN_CROSSING_LOGP else -math.inf


def temperature_scale(fill: Fill, puzzle: Puzzle, list_beliefs: Beliefs, unexplained_part: float = 0.0) -> Fill:
    """Lower a grid's confidences by its share of unlisted answers and its unexplained share.

    Given letters stay certain, and the order of letters by confidence stays.
    """
    p_in_list = list(list_beliefs.p_in_list.values())
    unlisted_share = 1 - float(np.mean(p_in_list)) if p_in_list else 0.0
    exponent = max(CONFIDENCE.kept_share - CONFIDENCE.unlisted_loss * unlisted_share, CONFIDENCE.min_kept_share)
    excess = max(unexplained_part - CONFIDENCE.max_unexplained_share, 0.0)
    exponent *= float(np.exp(-CONFIDENCE.unexplained_loss * excess))
    open_cells = {cell: p for cell, p in fill.confidence.items() if cell not in puzzle.given}
    p = np.clip(np.array(list(open_cells.values())), 1e-6, 1 - 1e-6)
    scaled = 1 / (1 + (1 / p - 1) ** exponent * np.exp(CONFIDENCE.unexplained_shift * excess))
    return replace(fill, confidence={**fill.confidence, **dict(zip(open_cells, scaled.tolist(), strict=True))})


def unexplained_share(fill: Fill, puzzle: Puzzle, lists: Mapping[Slot, CandidateList]) -> float:
    """Return the share of a grid that neither clues nor crossings explain, at most 1.

    It is (1 - mean probability of the entries by their clues alone, plus more if the lists expected more) times (1 -
    mean confidence of the letters).
    """
    open_probs = [p for cell, p in fill.confidence.items() if cell not in puzzle.given]
    rows = {slot: candidates.find_answer(fill.answer(slot)) for slot, candidates in lists.items()}
    list_probs = [0.0 if row is None else float(np.exp(lists[slot].logp[row])) for slot, row in rows.items()]
    if not list_probs or not open_probs:
        return 0.0
    p, expected = np.mean(list_probs), np.mean([np.exp(2 * candidates.logp).sum() for candidates in lists.values()])
    surprise = max(1 - p / expected, 0.0) if expected > 0 else 0.0
    return min(float((1 - p + CONFIDENCE.surprise_weight * surprise) * (1 - np.mean(open_probs))), 1.0)


def remaining_mass_factor(p: float, other_mass: float) -> float:
    """Return the factor that lowers probabilities, `other_mass` in sum, to what one of `p` leaves of 1."""
    return min(1.0, (1 - p) / other_mass) if other_mass > 0 else 1.0


def frechet_clip(p: float, letter_probs: Sequence[float]) -> float:
    """Clip an answer's probability to the bounds that P(right) of its letters sets (Frechet 1935)."""
    return min(max(p, 1 - sum(1 - letter for letter in letter_probs)), min(letter_probs))
