"""Why an entry was filled as it was: what its clue alone says, what the crossings say, and both together.

This is the last word of belief propagation, taken apart. A slot's list has a probability for each answer before any
letter is known; the message from each square is a probability for each letter; their product is the belief. An
answer that is in no list is taken apart into the pieces of which the phrase model makes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from regis.candidates.candidate_list import Candidate, CandidateList
from regis.errors import UsageError
from regis.models.tensors import Table
from regis.puzzle import Cell, Slot
from regis.puzzle.alphabet import ALPHABET, codes
from regis.solving.confidence import beside
from regis.solving.readings import READER
from regis.solving.rebus.squares import token, whole
from regis.solving.solved import Answer, Solved, enumerated
from regis.solving.surprise import by_crossings

NAMED = 0.01  # probability from which a letter that the crossings think of is named
MOST_NAMED = 3  # how many letters are named for a square, at most
DECISIVE = 2.0  # how many times as likely as the rival's a letter must be for its crossing to be named as a reason
MADE = 0.1  # least probability of the pieces of an unlisted answer: with less, something else explains it better


class Choice(NamedTuple):
    """One candidate: its probability by the clue alone and in `candidate` with the crossings, and its evidence."""

    candidate: Candidate
    alone: float
    rank: int  # by the clue alone, 1 the best


class Square(NamedTuple):
    """One square of the entry and what is said of it from outside."""

    cell: Cell
    letter: str  # what stands there
    written: str  # what the person wrote there; '' for nothing
    crossing: Answer | None  # None where the square is unchecked
    heard: tuple[tuple[str, float], ...]  # the letters that crossing and person think of, best first


@dataclass(frozen=True, repr=False)
class Explanation:
    """Everything that speaks for and against the answer to one entry."""

    answer: Answer
    choices: tuple[Choice, ...]  # the best with the crossings, best first; the best by the clue alone among them
    missing: tuple[float, float]  # P(in no list) by the clue alone, and with the crossings
    squares: tuple[Square, ...]
    pieces: tuple[str, ...]  # of an answer in no list; empty where the phrase model does not know it either
    pieces_share: float  # P(it is made of these pieces, if it is right)
    why: str  # one or two sentences

    def __repr__(self) -> str:
        return f"<Explanation {self.answer.slot}: {self.why}>"


def explain(solved: Solved, slots: Sequence[Slot], limit: int) -> tuple[Explanation, ...]:
    """Why `slots` are answered as they are, with up to `limit` candidates each, in what `belief` solved.

    Nothing is solved again: what was believed is part of what was solved. Letters of the person's that are probably
    wrong must have been set aside (pipeline.answered): what is explained is what Regis would write. Raises UsageError
    for what another filler solved.
    """
    if solved.candidates is None or solved.solution.beliefs is None:
        raise UsageError("only what the filler `belief` solved can be explained; solve it with that")
    view = _View(solved)
    return tuple(view.explained(slot, limit) for slot in slots)


class _View:
    """A solved puzzle as its explanation sees it."""

    def __init__(self, solved: Solved) -> None:
        assert solved.candidates is not None, "explain has looked"
        self.solved = solved
        self.beliefs = solved.solution.propagated
        self.among = self.beliefs.candidates(solved.candidates)
        self.answers = {answer.slot: answer for answer in solved.answers}
        self.cells = {cell: x if cell in solved.puzzle.given else x[0] for cell, x in solved.solution.cells.items()}
        self.cells |= {cell: token(content) for cell, content in solved.squares.items()}

    def explained(self, slot: Slot, limit: int) -> Explanation:
        listed, answer = self.among.lists[slot], self.answers[slot]
        shown = "".join(self.cells.get(cell, "?") for cell in slot.cells)
        place = listed.find(shown)
        known = place is not None and any(one.finder != READER for one in listed.explain(place))
        p = self._chances(slot, place)
        choices = self._choices(slot, p, place, limit)
        squares = tuple(self._square(slot, i) for i in range(len(slot)))
        pieces, share = ((), 0.0) if known else self._pieces(slot, shown)
        missing = listed.missing, max(float(1 - p.sum()), 0.0)
        against = _deciding(squares, listed.answer(0)) if len(listed) else []
        why = _why(answer, choices if known else (), against, squares, pieces)
        why += self._changed(slot, shown) + self._in_theme(slot)
        why += "".join(
            f" {two.sentence}" for two in self.solved.either if not two.squares.keys().isdisjoint(slot.cells)
        )
        return Explanation(answer, choices, missing, squares, pieces, share, why)

    def _changed(self, slot: Slot, answer: str) -> str:
        """What the second look changed, as a sentence behind others; '' where it changed nothing."""
        stood = answer if self.solved.first is None else self.solved.first.answer(slot)
        before = whole(slot, self.solved.squares, stood)
        return "" if stood == answer else f" Before the second look {before} stood here."

    def _in_theme(self, slot: Slot) -> str:
        """What the answer has in common with others, as a sentence behind others; '' where that is nothing."""
        theme = self.solved.theme
        if theme is None or slot not in theme.phrases:
            return ""
        others = enumerated([other for other in theme.phrases if other != slot])
        return f" It is {theme.phrases[slot]} with {theme.said}, as in {others}."

    def _chances(self, slot: Slot, place: int | None) -> Table:
        """The candidates' probabilities with the crossings; the answer, at `place`, is as likely as it is sure.

        How sure it is goes by its letters, too, and all others have what that leaves, at most. What the solver ranked
        is as likely as it says.
        """
        listed, sure = self.among.lists[slot], self.answers[slot].confidence
        p = _with_crossings(listed, self.beliefs.messages[slot]) * self.beliefs.listed[slot]
        for answer, chance in (self.solved.filled or self.solved.solution).ranked[slot]:
            if (at := listed.find(answer)) is not None:
                p[at] = chance
        p *= beside(sure, float(p.sum()) - (0.0 if place is None else float(p[place])))
        if place is not None:
            p[place] = sure
        return p

    def _choices(self, slot: Slot, p: Table, place: int | None, limit: int) -> tuple[Choice, ...]:
        """The best with the crossings, the answer at `place` of the list and the list's first among them."""
        listed = self.among.lists[slot]
        best = np.argsort(-p, kind="stable")[:limit].tolist()
        wanted = [i for i in (place, 0 if len(listed) else None) if i is not None and i not in best]
        return tuple(
            Choice(
                Candidate(whole(slot, self.solved.squares, listed.answer(i)), float(p[i]), listed.explain(i)),
                float(np.exp(listed.logp[i])),
                i + 1,
            )
            for i in [*best, *dict.fromkeys(wanted)]
        )

    def _pieces(self, slot: Slot, answer: str) -> tuple[tuple[str, ...], float]:
        """What the phrase model makes an unlisted answer of, where that is not a mere guess."""
        if any(letter not in ALPHABET for letter in answer):
            return (), 0.0
        pieces, share = self.among.strings_for(slot).pieces(codes(answer))
        return (pieces, share) if share >= MADE else ((), 0.0)

    def _square(self, slot: Slot, i: int) -> Square:
        cell, crossing = slot.cells[i], self.solved.puzzle.grid.crossings[slot][i]
        message = self.beliefs.messages[slot][i]
        written = self.solved.puzzle.given.get(cell, "")
        letter = self.solved.solution.cells.get(cell, "?")
        best = np.argsort(-message, kind="stable")[:MOST_NAMED]
        named = tuple((ALPHABET[j], float(message[j])) for j in best.tolist() if message[j] >= NAMED)
        if crossing is None and written != letter:
            named = ()  # no message came: all letters are alike
        return Square(cell, letter, written, self.answers[crossing.slot] if crossing else None, named)


def _with_crossings(listed: CandidateList, messages: Table) -> Table:
    """The list's probabilities given the messages of the crossings; they sum to 1."""
    if not len(listed):
        return np.empty(0)
    score = listed.logp + by_crossings(listed.letters, np.log(messages))
    p = np.exp(score - score.max())
    return np.asarray(p / p.sum())


def _why(
    answer: Answer, choices: Sequence[Choice], against: Sequence[str], squares: Sequence[Square], pieces: Sequence[str]
) -> str:
    """Why this answer, in a sentence or two; `against` the one that is likeliest by the clue alone are some squares."""
    word = answer.answer
    chosen = next((choice for choice in choices if choice.candidate.answer == word), None)
    rival = next((choice for choice in choices if choice.rank == 1), None)
    if all(square.written == square.letter for square in squares):
        return f"You wrote {word}."
    if chosen is None:
        made = f"the phrase model makes it of {' + '.join(pieces)}" if pieces else "no known pieces make it"
        return f"{word} is in no list: its letters come from the crossings, and {made}."
    sure = f"{chosen.candidate.probability:.0%}"
    if rival is None or chosen.rank == 1:
        return f"{word} is the likeliest by its clue alone ({chosen.alone:.0%}); with the crossings it is {sure} sure."
    first = f"By the clue alone {rival.candidate.answer} is likelier ({rival.alone:.1%} to {chosen.alone:.1%})"
    told = f"; the crossings want {', '.join(against)}" if against else ""
    return f"{first}, and {word} is number {chosen.rank}{told}. With the crossings {word} is {sure} sure."


def _deciding(squares: Sequence[Square], rival: str) -> list[str]:
    """'D in square 3 (4D)' for the squares that speak most against the rival, in order, three at most."""
    found = []
    for i, square in enumerate(squares):
        odds = dict(square.heard)
        mine, other = odds.get(square.letter, NAMED), odds.get(rival[i], NAMED)
        if square.letter[0] != rival[i] and mine > DECISIVE * other:
            who = "you" if square.written == square.letter else str(square.crossing.slot) if square.crossing else ""
            found.append((-mine / other, i, f"{square.letter} in square {i + 1} ({who})"))
    return [text for _, i, text in sorted(sorted(found)[:3], key=lambda item: item[1])]
