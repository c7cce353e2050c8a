"""Solving: ask, fill, look again, answer. The whole program in one page.

What the person wrote that is probably wrong, letters and contents of several, is kept from the filler, and written back
when it is done. Where the grid does not come out, rebus squares are looked for, and where answers are in no list, a
theme.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from regis.index import Index
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import codes
from regis.solving import fillers
from regis.solving.asking import known
from regis.solving.close_calls import settled
from regis.solving.confidence import beside, tempered
from regis.solving.either import either
from regis.solving.fillers import FILLERS
from regis.solving.letter_check import DOUBTED, judged
from regis.solving.own import Own, own
from regis.solving.rebus.search import Rebus
from regis.solving.rebus.squares import Squares, begun, shown, standing, whole
from regis.solving.rebus.written import written
from regis.solving.second_look import look
from regis.solving.solution import GIVEN_UP, OUT_OF_TIME, Candidates, Fill, Solution, Watch, unwatched
from regis.solving.solved import BOTH, Answer, Either, Solved, Theme
from regis.solving.themes.search import Themes
from regis.solving.themes.throughout import THROUGHOUT, spoken_for, throughout
from regis.system.deadline import FOREVER, deadline_in, passed

SEARCHED = "belief"  # the filler after which rebus squares are looked for: the search needs what it believes
ALTERNATIVES = 5  # how many of the best answers are kept for each slot


def solve(
    puzzle: Puzzle,
    index: Index,
    filler: str = SEARCHED,
    seconds: float | None = None,
    reveal: bool = False,
    watch: Watch = unwatched,
) -> Solved:
    """Solves `puzzle` with what `index` knows; with `reveal` also where the person's letters are probably wrong.

    Raises UsageError for a filler that is not there. Six parameters, since this is what all that Regis does hangs on.
    """
    fillers.check(filler)
    start = time.perf_counter()
    deadline = deadline_in(seconds)
    among = known(puzzle, index, deadline)
    solved = answered(filled(puzzle, among, filler, deadline, watch), reveal)
    return replace(solved, index=index.fingerprint, seconds=time.perf_counter() - start)


def filled(
    puzzle: Puzzle, among: Candidates, filler: str = SEARCHED, deadline: float = FOREVER, watch: Watch = unwatched
) -> Solved:
    """Fills what the person left open, from what is `known`: without answers, index and seconds."""
    return filled_beside(own(puzzle, among, FILLERS[SEARCHED], deadline), filler, deadline, watch)


def filled_beside(theirs: Own, filler: str = SEARCHED, deadline: float = FOREVER, watch: Watch = unwatched) -> Solved:
    """The same beside what is believed of the person's own."""
    puzzle, among = theirs.asked, theirs.among
    solved = functools.partial(Solved, puzzle, answers=(), filler=filler, seconds=0.0, index="", judged=theirs.judged)

    def fill(puzzle: Puzzle, among: Candidates) -> Solution:
        return FILLERS[filler](puzzle, among, deadline, watch)

    doubts, wrong = theirs.wrong_letters, theirs.wrong_contents
    if filler != SEARCHED:
        solution = fill(theirs.puzzle, among)
        doubts = dict(sorted({**doubts, **wrong}.items()))
        return solved(solution=solution, filled=solution, candidates=among, known=among, doubts=doubts)
    start = begun(theirs.puzzle, theirs.squares)
    solution = fill(start, replace(theirs.known, hasty=among.read is not None))
    plain = _Hidden(start, theirs.known, theirs.known, solution, theirs.squares, None)
    hidden = plain if _given_up(solution) else _hidden(theirs.puzzle, among, plain, deadline)
    hidden = _all_changed(hidden, plain, doubts, deadline)
    hidden, doubts = _trusted(hidden, puzzle.without(wrong), doubts, deadline)
    among, first, solution = _looked_at(hidden, functools.partial(fill, hidden.puzzle), deadline)
    if passed(deadline):  # in what came after a fill that was done
        solution = replace(solution, statistics={**solution.statistics, "stopped": OUT_OF_TIME})
    twofold = () if hidden.squares else either(hidden.puzzle, among, solution)
    solution = tempered(solution, hidden.puzzle, first.propagated)
    return solved(
        solution=solution,
        filled=solution,
        candidates=among,
        known=hidden.known,
        doubts=_doubts({**doubts, **wrong}, puzzle, solution, hidden.squares),
        squares=hidden.squares,
        either=twofold,
        first=first if first.cells != solution.cells else None,
        theme=hidden.theme and hidden.theme.standing(first, solution),
    )


def _looked_at(hidden: _Hidden, fill: Fill, deadline: float) -> tuple[Candidates, Solution, Solution]:
    """What is known once a grid was looked at again, how it was filled before that, and how it is now."""
    among, solution = look(hidden.puzzle, hidden.among, hidden.solution, fill, deadline)
    if not _given_up(hidden.solution):
        known = hidden.solution.propagated.candidates(hidden.among)
        return among, hidden.solution, settled(hidden.puzzle, known, solution, deadline)
    if solution is not hidden.solution:
        return among, hidden.solution, solution
    # nobody read anything, or to no purpose, or there was no time for it
    again = fill(replace(among, believed=solution.beliefs, hasty=True))
    return among, again, again


def _given_up(solution: Solution) -> bool:
    """Whether the filler was in haste, and gave up."""
    return solution.statistics.get("stopped") == GIVEN_UP


def _doubts(doubts: Mapping[Cell, float], puzzle: Puzzle, solution: Solution, squares: Squares) -> Mapping[Cell, float]:
    """The person's letters that are probably wrong, but for those that the `solution` has too, now that more is known.

    A letter that stands for a rebus square that was found is one of those.
    """

    def right(cell: Cell) -> bool:
        content = squares.get(cell, solution.cells.get(cell, ""))
        return any(one.startswith(puzzle.given[cell]) for one in (*content.split(BOTH), content.replace(BOTH, "")))

    return {cell: p for cell, p in sorted(doubts.items()) if not right(cell)}


class _Hidden(NamedTuple):
    """What a grid hides, mostly nothing, and how it is filled with that."""

    puzzle: Puzzle  # with the letters written in that stand for rebus squares
    known: Candidates  # with the answers that have them
    among: Candidates  # with the phrases of a theme, too
    solution: Solution
    squares: Squares
    theme: Theme | None


def _hidden(puzzle: Puzzle, among: Candidates, first: _Hidden, deadline: float) -> _Hidden:
    """The rebus squares or the theme that a grid speaks for, which was filled with those that the person wrote."""
    fill = FILLERS[SEARCHED]
    rebus = Rebus(puzzle, among, fill, deadline)
    squares, solution = rebus.find(first.solution, first.squares)
    if squares:
        known = rebus.known(squares)
        return _Hidden(begun(puzzle, squares), known, known, solution, squares, None)
    theme, known, solution = Themes(puzzle, among, fill, deadline).find(solution)
    return _Hidden(puzzle, among, known, solution, {}, theme)


def _all_changed(hidden: _Hidden, plain: _Hidden, doubts: Collection[Cell], deadline: float) -> _Hidden:
    """A grid with a theme of all answers of a direction, if it speaks for one; `plain` is it with nothing known of it.

    So may one do in which a few answers are known to be changed, where a person's letters let those show it.
    """
    if hidden.theme and hidden.theme.said not in THROUGHOUT:
        return hidden
    grid = plain if hidden.theme else hidden
    if not spoken_for(grid.puzzle, grid.solution.propagated, doubts):
        return hidden
    theme, known, solution = throughout(
        grid.puzzle, grid.among, grid.solution, FILLERS[SEARCHED], deadline, grid.squares.keys()
    )
    if theme is None or (hidden.theme and len(theme.phrases) <= len(hidden.theme.phrases)):
        return hidden
    return grid._replace(among=known, solution=solution, theme=theme)


def _trusted(
    hidden: _Hidden, puzzle: Puzzle, doubts: Mapping[Cell, float], deadline: float
) -> tuple[_Hidden, Mapping[Cell, float]]:
    """A grid with a theme, filled with the person's letters that are right by what is known now; and their doubts.

    Lists without its phrases may have doubted letters that the theme made.
    """
    if hidden.theme is None:
        return hidden, doubts
    own = {**{cell: puzzle.given[cell] for cell in doubts}, **hidden.puzzle.given}
    right = judged(replace(puzzle, given=own), hidden.among, deadline)
    wrong = {cell: p for cell, p in right.items() if p < DOUBTED and cell not in hidden.squares}
    if wrong.keys() == doubts.keys() or not right:
        return hidden, doubts
    start = replace(puzzle, given=own).without(wrong)
    solution = FILLERS[SEARCHED](start, hidden.among, deadline)
    if passed(deadline):
        return hidden, doubts
    theme = hidden.theme.standing(hidden.solution, solution)
    return hidden._replace(puzzle=start, solution=solution, theme=theme), wrong


def answered(solved: Solved, reveal: bool) -> Solved:
    """`solved` with its answers: where the person's letters are probably wrong, with theirs, or with what is right."""
    assert solved.filled is not None, "by `filled`"
    solution, twofold, squares, kept = solved.filled, solved.either, solved.squares, dict[Cell, str]()
    if not reveal:
        kept = {cell: solved.puzzle.given[cell] for cell in solved.doubts}
        sure = {**solution.confidence, **solved.doubts}
        solution = replace(solution, cells={**solution.cells, **kept}, confidence=sure)
        twofold = tuple(one for one in twofold if kept.keys().isdisjoint(one.squares))
        squares = {cell: content for cell, content in squares.items() if cell not in kept}
    answers = tuple(_answer(slot, solved, solution, squares) for slot in solved.puzzle.grid.slots)
    solution = shown(solution, solved.squares)  # what else a slot may be is whole, also beside a person's letter
    kept |= {c: x for c, x in written(solved.puzzle).items() if c not in solved.doubts}  # also if read in two ways
    solution = replace(solution, cells={**solution.cells, **kept})
    for one in twofold:
        solution = _either(solution, one)
        answers = tuple(_of_two(answer, solution, one) if answer.slot == one.slot else answer for answer in answers)
    return replace(solved, solution=solution, answers=answers, either=twofold)


def _answer(slot: Slot, solved: Solved, solution: Solution, squares: Squares) -> Answer:
    """What the `solution`, one letter a cell, says of one slot, and why; `squares` are the rebus squares it shows."""
    listed, answer = solved.lists[slot], solution.answer(slot)
    ranked = dict(solution.ranked.get(slot, ()))
    every = solution.beliefs.listed[slot] if solution.beliefs else sum(ranked.values())
    sure = [solution.confidence.get(cell, 0.0) for cell in slot.cells]
    confidence = _together(ranked.get(answer, float(np.prod(sure))), sure)
    share = beside(confidence, every - ranked.pop(answer, 0.0))
    place = listed.find(answer) if "?" not in answer else None
    evidence = listed.explain(place) if place is not None else ()
    others = tuple(ranked.items())[:ALTERNATIVES]
    best = tuple((whole(slot, solved.squares, other), share * p) for other, p in others)
    if any(cell in squares for cell in slot.cells):
        answer = standing(slot, squares, solution)
    return Answer(slot, solved.puzzle.clues.get(slot, ""), answer, confidence, evidence, best)


def _either(solution: Solution, one: Either) -> Solution:
    """`solution` with both letters where either is right, as sure as it is of one of them."""
    letters = {cell: codes(content.replace(BOTH, "")) for cell, content in one.squares.items()}
    sure = {cell: min(float(solution.propagated.letters[cell][both].sum()), 1.0) for cell, both in letters.items()}
    cells, confidence = {**solution.cells, **one.squares}, {**solution.confidence, **sure}
    return replace(solution, cells=cells, confidence=confidence)


def _of_two(answer: Answer, solution: Solution, one: Either) -> Answer:
    """`answer`, the first of the two, as sure as it is that one of them is right; the other is the next best."""
    p = dict(solution.ranked.get(one.slot, ())).get(one.other, 0.0)
    sure = [solution.confidence.get(cell, 0.0) for cell in one.slot.cells]
    confidence = _together(min(answer.confidence + p, 1.0), sure)
    others = [pair for pair in answer.alternatives if pair[0] != one.other]
    share = beside(confidence, sum(p for _, p in others))
    best = ((one.other, p), *((other, share * p) for other, p in others))
    return answer._replace(confidence=confidence, alternatives=best[:ALTERNATIVES])


def _together(p: float, letters: Sequence[float]) -> float:
    """P(a whole answer is right), which is `p` as its list has it, within what P(right) of its `letters` leaves.

    It is no more than the least of them, and no less than 1 less what they all lack (Frechet 1935): a list knows
    nothing of the same string as an answer in no list.
    """
    return min(max(p, 1 - sum(1 - letter for letter in letters)), min(letters))
