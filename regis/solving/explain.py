"""Why an entry was filled as it was: what its clue alone says, what the crossings say, and both together.

This is the last word of belief propagation, taken apart. A slot's list has a probability for each answer before any
letter is known; what the slot hears in each square is a probability for each letter; their product is the belief. An
answer that is in no list is taken apart into the pieces of which the phrase model makes it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import Candidate, CandidateList
from regis.index import Index
from regis.puzzle import Puzzle, Slot, alphabet
from regis.puzzle.alphabet import ALPHABET
from regis.solving.explanation import Choice, Explanation, Square
from regis.solving.fillers import belief
from regis.solving.pipeline import complete, known
from regis.solving.rebus_candidates import begun, collapsed, whole
from regis.solving.solution import Answer, Budget, Candidates, Solved

HEARD = 0.01
"""Probability from which a letter that the crossings think of is named."""

MOST_HEARD = 3
"""How many letters are named for a square, at most."""

DECISIVE = 2.0
"""How many times as likely as the rival's letter a letter must be for its crossing to be named as a reason."""

MADE = 0.1
"""Least probability of the pieces of an answer in no list: with less, something else explains its letters better."""

Table = NDArray[np.float64]


def explain(puzzle: Puzzle, slots: Sequence[Slot], index: Index, limit: int) -> tuple[Explanation, ...]:
    """Why `belief` answers `slots` as it does, with up to `limit` candidates each.

    Letters of the person's that are probably wrong are set aside: what is explained is what Regis would write.
    """
    among = known(puzzle, index)
    solved = complete(puzzle, among, index, "belief", Budget(), reveal=True)
    among = collapsed(among, solved.squares)
    beliefs, _ = belief.believed(begun(puzzle.without(solved.doubts), solved.squares), among, Budget().deadline())
    answers = {answer.slot: answer for answer in solved.answers}
    return tuple(_explained(solved, answers, slot, beliefs.among, beliefs, limit) for slot in slots)


def _explained(
    solved: Solved,
    answers: dict[Slot, Answer],
    slot: Slot,
    among: Candidates,
    beliefs: belief.Beliefs,
    limit: int,
) -> Explanation:
    listed, heard, answer = among.lists[slot], beliefs.heard[slot], answers[slot]
    cells = {**solved.solution.cells, **{cell: content[0] for cell, content in solved.squares.items()}}
    shown = "".join(cells.get(cell, "?") for cell in slot.cells)
    p = _with_crossings(listed, heard) * beliefs.listed[slot]
    best = np.argsort(-p, kind="stable")[:limit].tolist()
    place = listed.find(shown)
    wanted = [i for i in (place, 0 if len(listed) else None) if i is not None and i not in best]
    choices = tuple(
        Choice(
            Candidate(whole(slot, solved.squares, listed.answer(i)), float(p[i]), listed.explain(i)),
            float(np.exp(listed.logp[i])),
            i + 1,
        )
        for i in [*best, *dict.fromkeys(wanted)]
    )
    squares = tuple(_square(solved, answers, slot, i, heard[i]) for i in range(len(slot)))
    pieces, share = _pieces(among, slot, shown) if place is None else ((), 0.0)
    missing = listed.missing, float(1 - beliefs.listed[slot])
    chosen = next((choice for choice in choices if choice.candidate.answer == answer.answer), None)
    rival = next((choice for choice in choices if choice.rank == 1), None)
    why = _why(answer, chosen, rival, listed.answer(0) if rival else "", squares, pieces)
    return Explanation(answer, choices, missing, squares, pieces, share, why)


def _pieces(among: Candidates, slot: Slot, answer: str) -> tuple[tuple[str, ...], float]:
    """What the phrase model makes an unlisted answer of, where that is not a mere guess."""
    if any(letter not in ALPHABET for letter in answer):
        return (), 0.0
    pieces, share = among.strings_for(slot).pieces(alphabet.codes(answer))
    return (pieces, share) if share >= MADE else ((), 0.0)


def _with_crossings(listed: CandidateList, heard: Table) -> Table:
    """The list's probabilities once the crossings are heard; they sum to 1."""
    if not len(listed):
        return np.empty(0)
    score = listed.logp.copy()
    for i, said in enumerate(np.log(heard)):
        score += said[listed.letters[:, i]]
    p: Table = np.exp(score - score.max())
    p /= p.sum()
    return p


def _square(solved: Solved, answers: dict[Slot, Answer], slot: Slot, i: int, heard: Table) -> Square:
    crossing = solved.puzzle.grid.crossings[slot][i]
    cell = slot.cells[i]
    written = solved.puzzle.given.get(cell, "")
    best = np.argsort(-heard, kind="stable")[:MOST_HEARD]
    said = tuple((ALPHABET[j], float(heard[j])) for j in best.tolist() if heard[j] >= HEARD)
    letter = solved.solution.cells.get(cell, "?")
    if crossing is None and written != letter:
        said = ()  # nobody says anything: all letters are alike
    return Square(cell, letter, written, answers[crossing.slot] if crossing else None, said)


def _why(
    answer: Answer,
    chosen: Choice | None,
    rival: Choice | None,
    shown: str,
    squares: Sequence[Square],
    pieces: Sequence[str],
) -> str:
    """Why this answer, in a sentence or two; `shown` are the rival's letters, one a cell."""
    word = answer.answer
    if all(square.written == square.letter for square in squares):
        return f"You wrote {word}."
    if chosen is None:
        made = f"the phrase model makes it of {' + '.join(pieces)}" if pieces else "no known pieces make it"
        return f"{word} is in no list: its letters come from the crossings, and {made}."
    sure = f"{chosen.candidate.probability:.0%}"
    if rival is None or chosen.rank == 1:
        return f"{word} is the likeliest by its clue alone ({chosen.alone:.0%}); with the crossings it is {sure} sure."
    first = f"By the clue alone {rival.candidate.answer} is likelier ({rival.alone:.1%} to {chosen.alone:.1%})"
    against = _deciding(squares, shown)
    told = f"; the crossings want {', '.join(against)}" if against else ""
    return f"{first}, and {word} is number {chosen.rank}{told}. With the crossings {word} is {sure} sure."


def _deciding(squares: Sequence[Square], rival: str) -> list[str]:
    """'D in square 3 (4D)' for the squares that speak most against the rival, in order, three at most."""
    found = []
    for i, square in enumerate(squares):
        heard = dict(square.heard)
        mine, other = heard.get(square.letter, HEARD), heard.get(rival[i], HEARD)
        if square.letter[0] != rival[i] and mine > DECISIVE * other:
            who = "you" if square.written == square.letter else str(square.crossing.slot) if square.crossing else ""
            found.append((-mine / other, i, f"{square.letter} in square {i + 1} ({who})"))
    return [text for _, i, text in sorted(sorted(found)[:3], key=lambda item: item[1])]
