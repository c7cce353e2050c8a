"""The plan of moves, and the report of their assumptions."""

from dataclasses import replace

import tiny

from regis.puzzle import Puzzle
from regis.render.json import render
from regis.solving.moves import PLAN, plan_without
from regis.solving.pipeline import Method, solve_from_lists
from regis.solving.state import Assumption, State
from regis.system.terminal import Screen

PUZZLE: Puzzle = tiny.puzzle()
INPUTS = tiny.candidates({s: tiny.listed(["".join(tiny.cells()[c] for c in s.cells)]) for s in PUZZLE.grid.slots})


def test_an_ablation_is_the_plan_less_a_row():
    assert [*plan_without("reader pass")] == [name for name in PLAN if name != "reader pass"]


def test_what_a_move_assumes_is_in_json():
    def assume(state: State, *_: object) -> State:
        return replace(state, assumptions=(Assumption("guess", 16.0, 44.0),))

    solved = solve_from_lists(PUZZLE, INPUTS, Method(plan={"guess": assume}))
    assert '"assumptions": [{"move": "guess", "price": 16.0, "gain": 44.0}]' in render(solved, "x.puz", Screen())
    assert '"assumptions": []' in render(solve_from_lists(PUZZLE, INPUTS), "x.puz", Screen())
