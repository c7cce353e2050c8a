"""The loop of all moves: what is filled, scored, paid and kept, and what the ledger says of it."""

import itertools
from dataclasses import replace

import pytest
import tiny

from regis.puzzle import Puzzle
from regis.render.json import render
from regis.solving.filler import Fill, Filler, SolverInput
from regis.solving.moves.plan import PLAN, Task, plan_without
from regis.solving.pipeline import Method, fill_grid
from regis.solving.state import Assumption, Proposal, State, improve
from regis.system.progress import FOREVER
from regis.system.terminal import Screen

PUZZLE = tiny.puzzle()
GOOD, BAD = tiny.cells(), tiny.cells(("PLAN", "ROSE", "OVEN", "DEED"))


def lists_of(cells: dict[tuple[int, int], str]) -> dict:
    """Lists in which the grid's answers are the only ones."""
    return {slot: tiny.listed(["".join(cells[cell] for cell in slot.cells)]) for slot in PUZZLE.grid.slots}


INPUTS = tiny.candidates(lists_of(GOOD))
START = State(PUZZLE, INPUTS, Fill(BAD, {}, {})).with_score(INPUTS)
FILLS = {"good": Fill(GOOD, {}, {}), "bad": START.fill}


def filling(*names: str) -> tuple[Filler, list[SolverInput]]:
    """A filler that fills so, one time after the other, and what it was asked."""
    turns, asked = iter(names), list[SolverInput]()

    def fill(puzzle: Puzzle, inputs: SolverInput, deadline: float, *_: object) -> Fill:
        asked.append(inputs)
        return FILLS[next(turns)]

    return fill, asked


def test_the_first_grid_that_is_worth_its_price_is_kept_and_in_the_ledger():
    gain = replace(START, fill=FILLS["good"]).with_score(INPUTS).log_evidence - START.log_evidence
    fill, asked = filling("bad", "good")
    dear, cheap = (Proposal("guess", PUZZLE, INPUTS, price) for price in (gain + 1, gain - 1))
    assert improve(START, [dear, dear], filling("good", "good")[0], FOREVER) is START
    found = improve(START, itertools.chain([cheap, cheap], iter(pytest.fail, None)), fill, FOREVER)
    assert found.fill.cells == GOOD and len(asked) == 2, "no more is asked for"
    assert found.ledger == (Assumption("guess", gain - 1, pytest.approx(gain)),) and found.score > START.score


def test_a_move_that_goes_on_has_one_row():
    fill, _ = filling("good")
    start = replace(START, price=2.0, ledger=(Assumption("other", 1.0, 2.0), Assumption("guess", 2.0, 3.0)))
    (_, row) = improve(start, [Proposal("guess", PUZZLE, INPUTS, 5.0)], fill, FOREVER).ledger
    assert row.price == 5.0 and row.gain > 3.0


def test_nothing_is_filled_when_the_time_is_up():
    assert improve(START, [Proposal("", PUZZLE, INPUTS, 0.0)], pytest.fail, 0.0) is START


def test_an_ablation_is_the_plan_less_a_row():
    assert [*plan_without("reader pass")] == [name for name in PLAN if name != "reader pass"]


def test_the_ledger_is_in_json():
    def assume(state: State, task: Task) -> State:
        return replace(state, ledger=(Assumption("guess", 16.0, 44.0),))

    solved = fill_grid(PUZZLE, INPUTS, Method(plan={"guess": assume}))
    assert '"assumptions": [{"move": "guess", "price": 16.0, "gain": 44.0}]' in render(solved, "x.puz", Screen())
    assert '"assumptions": []' in render(fill_grid(PUZZLE, INPUTS), "x.puz", Screen())
