"""Only what was asked for: some entries, the letters that are wrong, one hint."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
import tiny

from regis.puzzle import Cell
from regis.render import RENDERERS, text_grid
from regis.render import json as as_json
from regis.render import reasons as as_text
from regis.solving import hint
from regis.solving.given import GivenReview
from regis.solving.report import UNCHECKED_P, report_answers
from regis.solving.solved_puzzle import SolvedPuzzle, TwoAnswers
from regis.solving.state import State
from regis.system.terminal import Screen


def solved(
    given: Mapping[Cell, str] | None = None,
    doubts: Mapping[Cell, float] | None = None,
    confidence: Mapping[Cell, float] | None = None,
    ranked: Mapping[str, tuple[tuple[str, float], ...]] | None = None,
) -> SolvedPuzzle:
    """Return the 4x4 square; each list has the right answer, and one that differs in its last letter."""
    puzzle = replace(tiny.puzzle(), given=given or {})
    of = tiny.solved(puzzle, {**tiny.cells(), **(given or {})}, confidence)
    right = {slot: "".join(tiny.cells()[cell] for cell in slot.cells) for slot in puzzle.grid.slots}
    lists = {slot: tiny.listed({word: 0.6, word[:3] + "Z": 0.3}) for slot, word in right.items()}
    best = {slot: (ranked or {}).get(str(slot), ()) for slot in puzzle.grid.slots}
    fill = replace(of.fill, ranked_answers=best)
    state = State(puzzle, tiny.candidates(lists), tiny.candidates(lists), fill)
    return replace(of, state=state, doubted_letters=doubts or {}, fill=fill, checked_cells=frozenset(given or ()))


def part(of: SolvedPuzzle, *names: str) -> SolvedPuzzle:
    return of.restrict_to([slot for slot in of.puzzle.grid.slots if str(slot) in names])


def test_only_leaves_the_entries_and_what_the_person_wrote():
    shown = part(solved({(3, 3): "E"}), "1A", "1D")
    row, column = {(0, c) for c in range(4)}, {(r, 0) for r in range(4)}
    assert set(shown.fill.cells) == set(shown.fill.confidence) == row | column | {(3, 3)}
    assert [str(answer.slot) for answer in shown.answers] == ["1A", "1D"]
    text = as_text.render_check(shown, "a.puz") + as_text.render_hint(shown, "a.puz")
    assert "IRON" not in text
    wrong = replace(solved({(3, 3): "Q"}), wrong_cells=frozenset({(0, 0), (3, 3)}))
    revealed = replace(wrong, fill=replace(wrong.fill, cells={**wrong.fill.cells, (3, 3): "E"}))
    assert part(revealed, "1A").fill.cells[3, 3] == "Q" and part(revealed, "1A").wrong_cells == {(0, 0)}
    assert part(revealed, "4D").fill.cells[3, 3] == "E" and part(revealed, "4D").wrong_cells == {(3, 3)}


def test_only_tells_of_two_answers_in_those_entries_alone():
    of = solved()
    slots = {str(slot): slot for slot in of.puzzle.grid.slots}
    of = replace(of, two_answer_entries=(TwoAnswers(slots["7A"], "BAKE", "COOK"),))
    alone, two, other = part(of, "1A"), part(of, "1A", "6A"), part(of, "7A")
    assert alone.two_answer_entries == () and other.two_answer_entries == of.two_answer_entries
    for shown in (alone, two):
        assert not any(word in RENDERERS["text"](shown, "a", Screen()) for word in ("7A", "COOK", "BAKE"))
        told = json.loads(RENDERERS["json"](shown, "a", Screen()))
        assert told["two_answers"] == {}


def test_check_names_wrong_letters_of_the_shown_entries_and_never_the_right_ones():
    of = solved({(0, 0): "L", (1, 1): "Q"}, {(1, 1): 0.01})
    out = as_text.render_check(of, "a.puz")
    assert out == "a.puz: 1 of your 2 letters is probably wrong.\n  Q, letter 2 of 5A (letter 2 of 2D)\n"
    value = json.loads(as_json.render_check(of, "a.puz"))
    assert value == {
        "file": "a.puz", "written_count": 2, "checked_count": 2, "timed_out": False,
        "wrong": [{"row": 1, "column": 1, "letter": "Q", "probability_right": 0.01}],
    }  # fmt: skip
    assert part(of, "1A").given_check == (1, 0, 0, {}) and part(of, "5A").given_check == (1, 0, 0, {(1, 1): 0.01})
    assert "your letter is probably right" in as_text.render_check(part(of, "1A"), "a.puz")
    assert "you haven't filled in any letters here" in as_text.render_check(part(of, "7A"), "a.puz")


def test_check_calls_nothing_right_that_was_not_looked_at():
    of = replace(solved({(0, 0): "L", (1, 1): "TH", (2, 2): "7"}), checked_cells=frozenset({(0, 0)}))
    assert as_text.render_check(of, "a.puz") == (
        "a.puz: your letter is probably right.\n  2 squares with several letters or a digit were not checked\n"
    )
    assert part(of, "5A").given_check.n_skipped == 1
    one = "  1 square with several letters or a digit was not checked\n"
    assert as_text.render_check(part(of, "5A"), "a").endswith(f":\n{one}")
    told = json.loads(as_json.render_check(of, "a.puz"))
    assert (told["written_count"], told["checked_count"], told["wrong"]) == (3, 1, [])


def test_what_was_not_looked_at_is_told_and_never_sure():
    given = {(0, 0): "L", (0, 1): "TH", (0, 2): "7"}
    of = solved(given)
    sure = replace(of.fill, confidence=dict.fromkeys(of.fill.cells, 1.0))
    checked = frozenset({(0, 0)})
    assert of.state is not None
    review = GivenReview(of.puzzle, {}, of.state.inputs, {}, checked)
    of = report_answers(of.puzzle, review, replace(of.state, fill=sure), "belief", reveal=False)
    assert of.unchecked_cells == {(0, 1), (0, 2)} and not of.is_confident
    assert [of.fill.confidence[0, c] for c in range(4)] == [1.0, UNCHECKED_P, UNCHECKED_P, 1.0]
    assert "2 of your squares were not checked." in text_grid.grid_legend(of, Screen())
    assert json.loads(as_json.render(of, "a.puz", Screen()))["unchecked_squares"] == [[0, 1], [0, 2]]
    assert "not checked" not in text_grid.grid_legend(part(of, "6A"), Screen())


def test_a_hint_is_the_letter_that_tells_most():
    """In every list the two answers begin alike, so only the last letters help; the corner does so twice."""
    found = hint.find_hint(solved())
    assert found is not None and (found.cell, found.letter, found.answers) == ((3, 3), "E", ())
    assert str(found.slot) == "4D" and found.probability == 0.99
    out = as_text.render_hint(solved(), "a.puz")
    assert out == "a.puz: letter 4 of 7A (letter 4 of 4D) is E (99% sure).\n"


@pytest.mark.parametrize(
    ("of", "cell"),
    [
        (solved({(3, 3): "E"}, confidence={(3, 0): 0.5}), (0, 3)),
        (part(solved(), "1A"), (0, 3)),
        (part(solved({(3, 3): "E"}), "7A", "1A"), (0, 3)),
        (solved({(0, 1): "Q"}, {(0, 1): 0.01}), (3, 3)),
    ],
    ids=["written or doubtful", "not asked for", "told by the written letters", "next to a wrong letter"],
)
def test_a_hint_is_never_what_is_no_help(of: SolvedPuzzle, cell: Cell):
    """No answer has a wrong letter; if it counted, all other letters of its entries would be the greatest surprise."""
    found = hint.find_hint(of)
    assert found is not None and found.cell == cell


def test_without_a_sure_letter_the_hint_narrows_the_entry_with_the_fewest_answers():
    low = dict.fromkeys(tiny.cells(), 0.6)
    ranked = {"1A": (("LUCK", 0.5), ("LACK", 0.3), ("LOCK", 0.15)), "5A": (("IRON", 0.6), ("ICON", 0.35))}
    of = solved(confidence=low, ranked=ranked)
    found = hint.find_hint(of)
    assert found is not None and found.cell is None and str(found.slot) == "5A"
    assert found.answers == ("ICON", "IRON") and found.probability == pytest.approx(0.95)
    assert "5A is one of ICON, IRON (95% sure)" in as_text.render_hint(of, "a.puz")
    value = json.loads(as_json.render_hint(of, "a.puz"))
    assert (value["entry"], value["row"], value["answers"]) == ("5A", None, ["ICON", "IRON"])
    found = hint.find_hint(part(of, "1A"))
    assert found is not None and found.answers == ("LACK", "LOCK", "LUCK")


FULL_ROW = {cell: letter for cell, letter in tiny.cells().items() if cell[0] == 0}


@pytest.mark.parametrize(
    ("given", "only", "said"),
    [
        (tiny.cells(), ("1A",), "every square is filled; `--check` says whether they're right."),
        (FULL_ROW, ("1A",), "1A is full; `--check` says whether it is right."),
        (FULL_ROW, ("1A", "5A"), "no empty square is sure enough for a hint."),
        ({**tiny.cells(), (3, 3): ""}, ("1A", "5A"), ""),
    ],
)
def test_no_hint_where_all_is_written_or_too_little_is_sure(given: dict[Cell, str], only: tuple[str, ...], said: str):
    given = {cell: letter for cell, letter in given.items() if letter}
    said = said or "1A, 5A are full; `--check` says whether they are right."
    of = solved(given, confidence=dict.fromkeys(tiny.cells(), 0.6), ranked={"1A": (("LACK", 0.5), ("LOCK", 0.2))})
    of = part(of, *only)
    assert hint.find_hint(of) is None
    assert as_text.render_hint(of, "a.puz") == f"a.puz: {said}\n"
    assert json.loads(as_json.render_hint(of, "a.puz"))["entry"] is None
