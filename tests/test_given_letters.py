"""A person's own letters: kept in the grid, and hidden from the filler if they are probably wrong."""

import corpus
import pytest
import tiny

from regis.ancestors import FILLERS, find_filler
from regis.index import Index
from regis.puzzle import Cell, Puzzle
from regis.solving.given import DOUBTED_BELOW, p_given_correct
from regis.solving.pipeline import solve
from regis.solving.report import temperature_scale
from regis.solving.retrieval import retrieve_candidates
from regis.system.progress import FOREVER, deadline_in

ROWS, CLUES = corpus.GRID, corpus.CLUES
EACH = pytest.mark.parametrize("name", FILLERS)


def puzzle(given: dict[Cell, str]) -> Puzzle:
    """LION crosses LIMA at the L; SEAL crosses a word without a clue at its end."""
    grid = tiny.grid(ROWS)
    return Puzzle(grid, {slot: CLUES.get(str(slot), "") for slot in grid.slots}, given=given)


TRUE = tiny.cells(ROWS)


def doubted(of: Puzzle, index: Index) -> dict[Cell, float]:
    """Return the letters that are probably wrong."""
    return {
        cell: p for cell, p in p_given_correct(of, retrieve_candidates(of, index), FOREVER).items() if p < DOUBTED_BELOW
    }


@pytest.mark.parametrize("content", ["HEART", "7", "É", "/"])
def test_what_is_no_letter_or_in_no_slot_is_not_judged(content: str, whole: Index):
    grid = tiny.grid((".#..",))
    for of in (puzzle({(0, 0): content}), Puzzle(grid, dict.fromkeys(grid.slots, ""), given={(0, 0): "Q"})):
        assert p_given_correct(of, retrieve_candidates(of, whole), FOREVER) == {}


def test_nothing_is_accused_in_haste(whole: Index):
    of = puzzle({(0, 0): "Q"})
    assert p_given_correct(of, retrieve_candidates(of, whole), deadline_in(0.0)) == {}
    late = solve(of, whole, seconds=0.0)
    assert late.given_check == (0, 0, 1, {}) and solve(of, whole).given_check[:3] == (1, 0, 0)


@EACH
def test_a_wrong_letter_misleads_nobody_and_stays_unless_revealed(name: str, whole: Index):
    """Its crossings are filled as if it weren't there."""
    solved = solve(puzzle({(0, 0): "Q", (0, 1): "I"}), whole, find_filler(name))
    assert solved.fill.cells[0, 0] == "Q" and list(solved.doubted_letters) == [(0, 0)]
    assert solved.fill.confidence[0, 0] == solved.doubted_letters[0, 0] < DOUBTED_BELOW
    assert {str(a.slot): a.answer for a in solved.answers}["1A"] == "QION"
    assert {str(a.slot): a.answer for a in solved.answers}["1D"] == "QIMA"
    revealed = solve(puzzle({(0, 0): "Q", (0, 1): "I"}), whole, find_filler(name), reveal=True)
    assert {str(a.slot): a.answer for a in revealed.answers}["1A"] == "LION"
    assert list(revealed.doubted_letters) == [(0, 0)], "and told of all the same"


@EACH
def test_without_doubts_nothing_changes(name: str, whole: Index):
    """A partly filled puzzle with right letters is solved as by the filler alone."""
    of = puzzle({(0, 0): "L", (4, 4): "L"})
    among = retrieve_candidates(of, whole)
    solved = solve(of, whole, find_filler(name))
    alone = FILLERS[name](of, among, FOREVER)
    if alone.beliefs is not None:
        alone = temperature_scale(alone, of, alone.beliefs)
    assert (solved.fill.cells, solved.fill.confidence) == (alone.cells, alone.confidence)
    assert solved.doubted_letters == {}


def test_most_slips_are_found_and_few_right_letters_accused(whole: Index):
    """Every letter of three words is replaced by some others in turn."""
    wrong, accused, asked = 0, 0, 0
    for cell in [(0, 1), (0, 2), (2, 0), (3, 0), (4, 1), (4, 2)]:
        for letter in "BKVZ":
            of = puzzle({c: TRUE[c] for c in ((0, 0), (0, 3), (1, 0), (4, 3))} | {cell: letter})
            found = set(doubted(of, whole))
            asked += 1
            wrong += cell in found
            accused += len(found - {cell})
    assert wrong >= 0.9 * asked and accused <= 0.1 * asked


@EACH
def test_wrong_contents_of_several_letters_mislead_nobody(name: str, whole: Index):
    """Their crossings are filled as if they weren't there; the contents stay unless revealed."""
    of = puzzle({(0, 0): "XQZ", (4, 4): "L"})
    solved = solve(of, whole, find_filler(name))
    assert list(solved.doubted_letters) == [(0, 0)] and solved.doubted_letters[0, 0] < 0.1
    assert solved.fill.cells[0, 0] == "XQZ" and solved.fill.confidence[0, 0] == solved.doubted_letters[0, 0]
    assert {str(a.slot): a.answer for a in solved.answers}["1A"] == "XQZION"
    assert solved.rebus_squares == {} and solved.given_check[:3] == (2, 0, 0)
    revealed = solve(of, whole, find_filler(name), reveal=True)
    assert {str(a.slot): a.answer for a in revealed.answers}["1A"] == "LION"
    assert list(revealed.doubted_letters) == [(0, 0)]
    late = solve(puzzle({(0, 0): "XQZ"}), whole, find_filler(name), seconds=0.0)
    assert late.doubted_letters == {} and late.given_check == (0, 0, 1, {}), (
        "nothing is accused in haste, and that is told"
    )
