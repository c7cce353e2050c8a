"""From the letters that a search has written to a solution: open cells guessed, every letter and answer judged.

The searches score grids each in its own way; how sure they are of a letter they do not say. So all are judged alike:
the probability of a letter is what the two short lists through its cell make of it together, and that of an answer is
what its list and the lists that cross it make of it. That is the first round of `belief`, read off at once.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, foremost
from regis.solving.fillers.ancestors.board import Board, Table
from regis.solving.solution import Candidates, Solution

BEST = 10  # how many answers of each slot are reported


def solution(
    board: Board, cells: Mapping[Cell, str], statistics: Mapping[str, float | str], open_too: bool
) -> Solution:
    """The solution with the letters `cells`; with `open_too` the cells that have none are guessed."""
    guesses = guessed(board.puzzle, board.candidates, cells) if open_too else {}
    full = {**cells, **{cell: letter for cell, (letter, _) in guesses.items()}}
    messages = [_message(board, place) for place in range(len(board))]
    chances = _chances(board, messages)
    confidence = dict.fromkeys(board.puzzle.given, 1.0)
    for cell, letter in full.items():
        if cell not in confidence:
            sure = chances[cell][ALPHABET.index(letter)]
            confidence[cell] = guesses[cell][1] if cell in guesses else float(sure)
    ranked = {slot: _ranked(board, place, messages) for place, slot in enumerate(board.slots)}
    lists = board.candidates.lists
    answers = {slot: "".join(full.get(cell, "?") for cell in slot.cells) for slot in board.slots}
    neglected = frozenset(slot for slot, answer in answers.items() if lists[slot].find(answer) is None)
    return Solution(full, confidence, ranked, neglected, statistics)


def guessed(puzzle: Puzzle, candidates: Candidates, cells: Mapping[Cell, str]) -> dict[Cell, tuple[str, float]]:
    """The letter model's likeliest letter for each open cell of a slot, with its probability; fullest slot first."""
    found: dict[Cell, tuple[str, float]] = {}
    known = dict(cells)

    def unknown(slot: Slot) -> int:
        return puzzle.pattern(slot, known).count("?")

    for slot in sorted(puzzle.grid.slots, key=lambda s: (unknown(s), s.number, s.direction)):
        if all(cell in known for cell in slot.cells):
            continue
        seen = np.ones((1, len(slot), 26))
        for i, letter in enumerate(puzzle.pattern(slot, known)):
            if letter in ALPHABET:
                seen[0, i] = 0
                seen[0, i, ALPHABET.index(letter)] = 1
        likely = candidates.strings.by_letters(seen)[1][0]
        for i, cell in enumerate(slot.cells):
            if cell not in known:
                found[cell] = ALPHABET[int(likely[i].argmax())], float(likely[i].max())
                known[cell] = found[cell][0]
    return found


def _message(board: Board, place: int) -> Table:
    """What a slot's short list makes of each of its cells: (length, 26), rows that sum to 1."""
    among = board[place]
    likely = np.exp(among.logp)
    counts = [np.bincount(column, weights=likely, minlength=26) for column in among.letters.T]
    message = np.stack(counts) + among.missing / 26
    return np.asarray(message / message.sum(axis=1, keepdims=True))


def _chances(board: Board, messages: list[Table]) -> dict[Cell, Table]:
    """Each cell's letter probabilities by all slots through it, (26,)."""
    chances: dict[Cell, Table] = {}
    for slot, table in zip(board.slots, messages, strict=True):
        for cell, row in zip(slot.cells, table, strict=True):
            chances[cell] = chances.get(cell, 1.0) * row
    return {cell: p / p.sum() for cell, p in chances.items()}


def _ranked(board: Board, place: int, messages: list[Table]) -> tuple[tuple[str, float], ...]:
    """The best of a slot's short list, weighed with what the lists that cross say of its letters."""
    among = board[place]
    if not len(among):
        return ()
    score, missing = among.logp.copy(), np.log(among.missing)
    for here, other, there in board.crossings[place]:
        score += np.log(messages[other][there])[among.letters[:, here]]
        missing -= np.log(26)
    top = max(float(score.max()), float(missing))
    p = np.exp(score - top)
    p /= p.sum() + np.exp(missing - top)
    return tuple((among.answer(i), float(p[i])) for i in foremost(among.letters, score, BEST))
