"""Why an entry was filled as it was: its list by the clue alone, the crossings' messages, and both together.

This is the last round of belief propagation in its parts. The phrase model divides an unlisted answer into pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import Evidence
from regis.errors import UsageError
from regis.models.arrays import Float64Array
from regis.puzzle import Cell, Slot
from regis.puzzle.alphabet import ALPHABET, letter_codes
from regis.solving.inference.evidence import READER_NAME, crossing_loglik
from regis.solving.rebus.squares import expand_answer, token_letter
from regis.solving.report import remaining_mass_factor, reveal_answers
from regis.solving.solved_puzzle import Answer, SolvedPuzzle
from regis.solving.state import Assumption

MIN_NAMED_P = 0.01  # least probability of a crossing's letter that is shown


class ExplainedCandidate(NamedTuple):
    """A candidate with its evidence, and its probability with the crossings and by the clue alone."""

    answer: str
    probability: float  # with the crossings
    evidence: tuple[Evidence, ...]
    clue_probability: float
    clue_rank: int | None  # in the list by the clue alone, 1 for the best; None for a string that only the reader added


class SquareEvidence(NamedTuple):
    """A square of the entry, and the evidence from outside the entry."""

    cell: Cell
    letter: str  # in the filled grid
    written_letter: str  # what the person wrote there; '' for nothing
    crossing_answer: Answer | None  # None if the square is unchecked
    letter_probabilities: tuple[tuple[str, float], ...]  # likely by crossing and person, best first


@dataclass(frozen=True, repr=False)
class Explanation:
    answer: Answer
    candidates: tuple[ExplainedCandidate, ...]  # best first with the crossings, including the best by the clue alone
    missing_probability: float  # P(in no list) with the crossings; strings that the reader added count as unlisted
    missing_clue_probability: float  # the same by the clue alone
    squares: tuple[SquareEvidence, ...]
    pieces: tuple[str, ...]  # of an answer on no list; empty if the phrase model can't make it
    pieces_probability: float  # P(it is made of these pieces, if it is right)
    why: str  # one or two sentences
    assumptions: tuple[Assumption, ...] = ()  # assumptions of the whole grid

    def __repr__(self) -> str:
        return f"<Explanation {self.answer.slot}: {self.why}>"


def explain(solved: SolvedPuzzle, slots: Sequence[Slot], limit: int) -> tuple[Explanation, ...]:
    """Explain why `slots` are answered as they are, with at most `limit` candidates each, without solving again.

    Doubted letters are ignored. Raises UsageError unless `solved` is by `belief`.
    """
    if solved.inputs is None or solved.fill.beliefs is None:
        raise UsageError("explanations need the filler `belief`; solve the puzzle with it")
    explainer = _Explainer(reveal_answers(solved))
    return tuple(explainer.explain_slot(slot, limit) for slot in slots)


class _Explainer:
    def __init__(self, solved: SolvedPuzzle) -> None:
        assert solved.inputs is not None, "explain has looked"
        self.solved = solved
        self.beliefs = solved.fill.propagated_beliefs
        self.inputs = self.beliefs.final_inputs(solved.inputs)
        self.answers = {answer.slot: answer for answer in solved.answers}
        self.cells = {cell: x if cell in solved.puzzle.given else x[0] for cell, x in solved.fill.cells.items()}
        self.cells |= {cell: token_letter(content) for cell, content in solved.rebus_squares.items()}

    def explain_slot(self, slot: Slot, limit: int) -> Explanation:
        candidates, answer = self.inputs.lists[slot], self.answers[slot]
        entry = "".join(self.cells.get(cell, "?") for cell in slot.cells)
        row, unlisted_rows = candidates.find_answer(entry), self._unlisted_rows(slot)
        is_listed = row is not None and row not in unlisted_rows
        p = self._posterior(slot, row)
        first_row = next((i for i in range(len(candidates)) if i not in unlisted_rows), None)
        choices = self._choices(slot, p, (row, first_row), unlisted_rows, limit)
        squares = tuple(self._square(slot, i) for i in range(len(slot)))
        pieces, share = ((), 0.0) if is_listed else self._pieces(slot, entry)
        clue_missing = candidates.missing + float(np.exp(candidates.logp[unlisted_rows]).sum())
        missing = max(float(1 - p.sum()), 0.0) + float(p[unlisted_rows].sum())
        reasons = [] if first_row is None else _find_reasons(squares, candidates.answer(first_row))
        why = _why(answer, choices if is_listed else (), reasons, squares, pieces)
        why += self._change_sentence(slot, entry)
        pairs = (pair for pair in self.solved.two_answer_entries if not pair.letter_pairs.keys().isdisjoint(slot.cells))
        why += "".join(f" {pair.sentence}" for pair in pairs)
        return Explanation(answer, choices, missing, clue_missing, squares, pieces, share, why, self.solved.assumptions)

    def _change_sentence(self, slot: Slot, entry: str) -> str:
        """Return a sentence on what the reader's pass changed; '' if nothing."""
        first_entry = entry if self.solved.first_fill is None else self.solved.first_fill.answer(slot)
        before = expand_answer(slot, self.solved.rebus_squares, first_entry)
        return "" if first_entry == entry else f" Before the second look it was {before}."

    def _posterior(self, slot: Slot, answer_row: int | None) -> Float64Array:
        """Return the candidates' probabilities with the crossings.

        The answer has its confidence, the ranked ones the solver's probabilities, and the others share at most the
        rest.
        """
        candidates, confidence = self.inputs.lists[slot], self.answers[slot].confidence
        p = _list_posterior(candidates, self.beliefs.messages[slot]) * self.beliefs.p_in_list[slot]
        for answer, p_ranked in (self.solved.letter_fill or self.solved.fill).ranked_answers[slot]:
            if (row := candidates.find_answer(answer)) is not None:
                p[row] = p_ranked
        p_answer = 0.0 if answer_row is None else float(p[answer_row])
        p *= remaining_mass_factor(confidence, float(p.sum()) - p_answer)
        if answer_row is not None:
            p[answer_row] = confidence
        return p

    def _unlisted_rows(self, slot: Slot) -> list[int]:
        """Return the rows of strings that were in no list until the reader added them."""
        candidates, first_inputs = self.inputs.lists[slot], self.solved.first_inputs or self.inputs
        rows = np.flatnonzero(~first_inputs.lists[slot].has_answers(candidates.letters)).tolist()
        return [row for row in rows if all(evidence.finder == READER_NAME for evidence in candidates.explain(row))]

    def _choices(
        self,
        slot: Slot,
        p: Float64Array,
        shown_rows: Sequence[int | None],
        unlisted_rows: Sequence[int],
        limit: int,
    ) -> tuple[ExplainedCandidate, ...]:
        """Return the best candidates with the crossings, including `shown_rows` (the answer, the list's first)."""
        candidates = self.inputs.lists[slot]
        best = np.argsort(-p, kind="stable")[:limit].tolist()
        wanted = [i for i in shown_rows if i is not None and i not in best]
        choices = []
        for i in [*best, *dict.fromkeys(wanted)]:
            text = expand_answer(slot, self.solved.rebus_squares, candidates.answer(i))
            rank = None if i in unlisted_rows else i + 1 - sum(row < i for row in unlisted_rows)
            clue_probability = float(np.exp(candidates.logp[i]))
            choices.append(ExplainedCandidate(text, float(p[i]), candidates.explain(i), clue_probability, rank))
        return tuple(choices)

    def _pieces(self, slot: Slot, entry: str) -> tuple[tuple[str, ...], float]:
        """Return the pieces of an unlisted answer, unless they are only a guess."""
        if any(letter not in ALPHABET for letter in entry):
            return (), 0.0
        pieces, share = self.inputs.string_model_for(slot).best_pieces(letter_codes(entry))
        return (pieces, share) if share >= 0.1 else ((), 0.0)

    def _square(self, slot: Slot, i: int) -> SquareEvidence:
        cell, crossing = slot.cells[i], self.solved.puzzle.grid.crossings[slot][i]
        message = self.beliefs.messages[slot][i]
        written_letter = self.solved.puzzle.given.get(cell, "")
        letter = self.solved.fill.cells.get(cell, "?")
        best = np.argsort(-message, kind="stable")[:3]
        letter_probabilities = tuple(
            (ALPHABET[j], float(message[j])) for j in best.tolist() if message[j] >= MIN_NAMED_P
        )
        if crossing is None and written_letter != letter:
            letter_probabilities = ()  # no message came: all letters are equally likely
        crossing_answer = self.answers[crossing.slot] if crossing else None
        return SquareEvidence(cell, letter, written_letter, crossing_answer, letter_probabilities)


def _list_posterior(candidates: CandidateList, messages: Float64Array) -> Float64Array:
    if not len(candidates):
        return np.empty(0)
    score = candidates.logp + crossing_loglik(candidates.letters, np.log(messages))
    p = np.exp(score - score.max())
    return np.asarray(p / p.sum())


def _why(
    answer: Answer,
    choices: Sequence[ExplainedCandidate],
    reasons: Sequence[str],
    squares: Sequence[SquareEvidence],
    pieces: Sequence[str],
) -> str:
    """Return one or two sentences on why this is the answer; `reasons` speak against the clue's likeliest."""
    word = answer.answer
    chosen = next((choice for choice in choices if choice.answer == word), None)
    rival = next((choice for choice in choices if choice.clue_rank == 1), None)
    if all(square.written_letter == square.letter for square in squares):
        return f"You wrote {word}."
    if chosen is None:
        made = f"the phrase model forms it from {' + '.join(pieces)}" if pieces else "no known words form it"
        return f"{word} is on no list: its letters come from the crossings, and {made}."
    p, p_clue = chosen.probability, chosen.clue_probability
    if rival is None or chosen.clue_rank == 1:
        return f"{word} is the likeliest from its clue alone ({p_clue:.0%}); with the crossings it is {p:.0%} sure."
    first = f"From the clue alone, {rival.answer} is likelier ({rival.clue_probability:.1%} to {p_clue:.1%})"
    crossings = f"; the crossings want {', '.join(reasons)}" if reasons else ""
    return f"{first}, and {word} is number {chosen.clue_rank}{crossings}. With the crossings {word} is {p:.0%} sure."


def _find_reasons(squares: Sequence[SquareEvidence], rival: str) -> list[str]:
    """Name the squares that speak most against the rival, in order: 'D in square 3 (4D)'."""
    reasons = []
    for i, square in enumerate(squares):
        p = dict(square.letter_probabilities)
        p_letter, p_rival = p.get(square.letter, MIN_NAMED_P), p.get(rival[i], MIN_NAMED_P)
        if square.letter[0] != rival[i] and p_letter > 2.0 * p_rival:
            crossing = str(square.crossing_answer.slot) if square.crossing_answer else ""
            who = "you" if square.written_letter == square.letter else crossing
            reasons.append((-p_letter / p_rival, i, f"{square.letter} in square {i + 1} ({who})"))
    return [text for _, i, text in sorted(sorted(reasons)[:3], key=lambda item: item[1])]
