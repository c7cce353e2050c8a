"""What a person asked for in the place of the solution: which of their letters are wrong, or one hint; no more.

Each is one line, however wide the screen is, so that other programs can read it line by line.
"""

from __future__ import annotations

from collections.abc import Sequence

from regis.puzzle import Cell, Puzzle, Slot, format_slot_names
from regis.solving import hint as hints
from regis.solving.hint import Hint
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system.terminal import plain_text

NO_TIME_SENTENCE = "there was no time to check your letters; allow more --seconds."


def render_check(solved: SolvedPuzzle, file_name: str) -> str:
    """Say how many of the person's letters are probably wrong, then each with its place; never what is right."""
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
    """Give one letter with its place, or a few answers to one entry; or say that there is no hint."""
    hint = hints.find_hint(solved)
    slots = [answer.slot for answer in solved.answers]
    sentence = hint_sentence(hint, solved.puzzle) if hint else no_hint_sentence(solved.puzzle, slots, "`--check`")
    return f"{plain_text(file_name)}: {sentence}\n"


def no_hint_sentence(puzzle: Puzzle, slots: Sequence[Slot], check_name: str) -> str:
    """Say why there is no hint for `slots`; where they are full, that what is called `check_name` judges them."""
    if all(cell in puzzle.given for cell in puzzle.grid.cells):
        return f"every square is filled; {check_name} says whether they're right."
    if all(cell in puzzle.given for slot in slots for cell in slot.cells):
        is_one = len(slots) == 1
        they = "is full; {} says whether it is right." if is_one else "are full; {} says whether they are right."
        return f"{format_slot_names(slots)} {they.format(check_name)}"
    return "no empty square is sure enough for a hint."


def hint_sentence(hint: Hint, puzzle: Puzzle) -> str:
    """Write a hint as a sentence."""
    if hint.cell is not None:
        return f"{describe_cell(puzzle, hint.cell)} is {hint.letter} ({hint.probability:.0%} sure)."
    which = f"one of {', '.join(hint.answers)}" if len(hint.answers) > 1 else hint.answers[0]
    return f"{hint.slot} is {which} ({hint.probability:.0%} sure)."


def describe_cell(puzzle: Puzzle, cell: Cell) -> str:
    """Say where a cell is, as solvers say it: 'letter 3 of 17A (letter 1 of 4D)'."""
    places = [f"letter {i + 1} of {slot}" for slot, i in puzzle.grid.slots_through.get(cell, ())]
    first, *others = places or ["a square in no entry"]
    return first + (f" ({', '.join(others)})" if others else "")
