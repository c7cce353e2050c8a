"""Themes of every answer in one direction: found where all are changed alike, and nowhere else."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
import tiny

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.models.strings.string_model import StringModel
from regis.play.messages import Question
from regis.play.questions import answer_question
from regis.play.session import SolvedSession
from regis.puzzle import Direction, Grid, Puzzle, Slot
from regis.solving import belief
from regis.solving.filler import Fill, ReaderScore, SlotLength, SolverInput
from regis.solving.moves.given_letters import DOUBTED_BELOW, p_given_correct
from regis.solving.moves.plan import PLAN, Task
from regis.solving.pipeline import fill_grid
from regis.solving.report import report_answers
from regis.solving.solved_puzzle import Theme, join_slot_names
from regis.solving.state import State
from regis.solving.themes.direction_theme import find_direction_theme, is_direction_theme_plausible
from regis.system.deadline import FOREVER

PLAIN = {"HEART": "HEART", "EMBER": "EMBER", "ABUSE": "ABUSE", "RESIN": "RESIN", "TREND": "TREND"}
TURNED = {"TRAEH": "HEART", "REBME": "EMBER", "ESUBA": "ABUSE", "NISER": "RESIN", "DNERT": "TREND"}
OTHERS = {"HEFRT": "HEART", "EMUER": "EMBER", "ANUSE": "ABUSE", "REGIN": "RESIN", "TWEND": "TREND"}


def task(rows: Mapping[str, str], direction: Direction = Direction.ACROSS) -> tuple[Puzzle, SolverInput]:
    """Five answers, of which lists have only the phrases they were made of; most crossings have two last letters."""
    grid = Grid((".....",) * 5)
    puzzle = Puzzle(grid, dict.fromkeys(grid.slots, "A clue"))
    lines = list(rows)
    lists = {}
    for slot in grid.slots:
        place = slot.cells[0][0 if direction is Direction.ACROSS else 1]
        if slot.direction is direction:
            lists[slot] = tiny.listed([rows[lines[place]], "CLOUD"], 1e-4)
        else:
            at = slot.cells[0][1 if direction is Direction.ACROSS else 0]
            crossing = "".join(line[at] for line in lines)
            other = crossing[:-1] + ("A" if crossing[-1] == "E" else "E")
            lists[slot] = tiny.listed([crossing] if at == 1 else [crossing, other], 1e-9)
    return puzzle, SolverInput(lists, StringModel(tiny.letters()))


def searched(puzzle: Puzzle, among: SolverInput, deadline: float = FOREVER) -> tuple[Theme | None, SolverInput, Fill]:
    found = find_direction_theme(State(puzzle, among, belief.fill(puzzle, among, FOREVER)), belief.fill, deadline)
    return found.theme, found.inputs, found.fill


def stands(solution: Fill, puzzle: Puzzle, direction: Direction) -> list[str]:
    return [solution.answer(slot) for slot in puzzle.grid.slots if slot.direction is direction]


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(
    ("rows", "said"),
    [(TURNED, "all letters in reverse order"), (OTHERS, "one letter changed")],
    ids=["turned", "other"],
)
def test_answers_that_are_all_changed_are_found(rows: dict[str, str], said: str, direction: Direction) -> None:
    puzzle, among = task(rows, direction)
    assert stands(belief.fill(puzzle, among, FOREVER), puzzle, direction) != list(rows)
    theme, with_theme, solution = searched(puzzle, among)
    assert theme is not None and theme.description == said
    assert {solution.answer(slot): phrase for slot, phrase in theme.phrases.items()} == rows
    assert stands(solution, puzzle, direction) == list(rows)
    for slot in theme.phrases:
        one = with_theme.lists[slot]
        assert np.exp(one.logp).sum() + one.missing < 1 + 1e-9
        assert len({one.answer(i) for i in range(len(one))}) == len(one), "each answer once"
        assert rows[solution.answer(slot)] in str(one.explain(one.find_answer(solution.answer(slot)) or 0))


def test_a_word_that_is_another_one_changed_counts_as_that() -> None:
    puzzle, among = task(OTHERS)
    slot = puzzle.grid.slots[0]
    among.lists[slot] = tiny.listed(["HEART", "HEFRT", "CLOUD"])  # type: ignore[index]
    among.lists[slot].logp[:] = np.log([0.8, 0.0001, 0.1])
    theme, with_theme, _ = searched(puzzle, among)
    one = with_theme.lists[slot]
    word, other = one.find_answer("HEFRT"), one.find_answer("HEQRT")
    assert theme is not None and theme.phrases[slot] == "HEART"
    assert [one.answer(i) for i in range(len(one))].count("HEFRT") == 1
    assert word is not None and other is not None and one.logp[word] > one.logp[other] + 4, "half of all is words"


def test_there_is_none_where_answers_are_as_they_are() -> None:
    puzzle, among = task(PLAIN)
    plain = belief.fill(puzzle, among, FOREVER)
    theme, known, solution = searched(puzzle, among)
    assert theme is None and known is among and solution == plain


def test_there_is_none_where_lists_know_nothing() -> None:
    puzzle, among = task({"QZXVK": "QZXVK", "WJKQZ": "WJKQZ", "ZZXXQ": "ZZXXQ", "KVJWX": "KVJWX", "XQJZK": "XQJZK"})
    lists = {slot: tiny.listed(["CLOUD", "PIANO"]) if slot.direction is Direction.ACROSS else one
             for slot, one in among.lists.items()}  # fmt: skip
    nothing = {slot: unlisted(5) for slot in lists}
    assert searched(puzzle, replace(among, lists=lists))[0] is None
    assert searched(puzzle, replace(among, lists=nothing))[0] is None


def test_there_is_none_when_the_time_is_up() -> None:
    puzzle, among = task(TURNED)
    assert searched(puzzle, among, 0.0)[0] is None


def test_it_is_told_of_a_puzzle_and_clues_are_read_with_the_phrases() -> None:
    puzzle, among = task(TURNED)
    seen: set[str] = set()

    def read(strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
        for slot, its in strings.items():
            seen.update(its if slot.direction is Direction.ACROSS else ())
        return {slot: [ReaderScore(0.0, word, 0.0) for word in its] for slot, its in strings.items()}

    solved = report_answers(fill_grid(puzzle, replace(among, score_strings=read)), False)
    assert solved.theme is not None and solved.theme.description == "all letters in reverse order"
    assert stands(solved.fill, puzzle, Direction.ACROSS) == list(TURNED)
    assert seen.isdisjoint(TURNED), "what stands in the grid says nothing to who reads"


def test_a_theme_of_some_answers_may_be_that_of_all() -> None:
    """The letters that a person wrote let a grid come out so far that the other search has what a few answers show."""
    said = "all letters in reverse order"

    def some(state: State, task: Task) -> State:
        across = [slot for slot in state.puzzle.grid.slots if slot.direction is Direction.ACROSS]
        return replace(
            state, theme=Theme(said, dict(zip(across[:3], TURNED.values(), strict=False))), plain_state=state
        )

    plan = {**PLAN, "theme": some}
    puzzle, among = task(TURNED)
    puzzle = replace(puzzle, given={(2, 2): "U"})
    solved = report_answers(fill_grid(puzzle, among, plan=plan), False)
    assert solved.theme is not None and list(solved.theme.phrases.values()) == list(TURNED.values())
    assert stands(solved.fill, puzzle, Direction.ACROSS) == list(TURNED)
    said = "AL added"
    assert len(getattr(report_answers(fill_grid(puzzle, among, plan=plan), False).theme, "phrases", ())) == 3


def test_letters_of_the_person_that_only_changed_answers_have_are_not_doubted() -> None:
    puzzle, among = task(OTHERS)
    first, down = puzzle.grid.slots[0], puzzle.grid.slots[3]
    assert (str(first), str(down)) == ("1A", "3D")
    lists = {
        **among.lists,
        first: tiny.listed(["HEART", "CLOUD"], 1e-15),
        down: tiny.listed(["SUUGE", "SUUGA", "FUUGE", "AUUGA"], 1e-9),
    }
    among = replace(among, lists=lists)
    begun = replace(puzzle, given={(0, 2): "F", (4, 4): "Q"})
    plain = p_given_correct(begun, among, FOREVER)
    assert {cell for cell, p in plain.items() if p < DOUBTED_BELOW} == {(0, 2), (4, 4)}, "without the theme"
    solved = report_answers(fill_grid(begun, among), reveal=True)
    assert solved.theme is not None
    assert stands(solved.fill, puzzle, Direction.ACROSS) == list(OTHERS) and solved.doubted_letters.keys() == {(4, 4)}


def test_letters_that_are_doubted_speak_for_it_where_nothing_else_is_in_doubt() -> None:
    puzzle, among = task(PLAIN)
    right = {(r, c): x for r, row in enumerate(PLAIN) for c, x in enumerate(row)}
    several = sorted(right)[:4]
    begun = replace(puzzle, given=right)
    fill = belief.fill(begun, among, FOREVER)

    def doubting(n_doubted: int) -> State:
        doubted = dict.fromkeys(several[:n_doubted], 0.1)
        return State(begun.without_letters(doubted), among, fill, doubted_letters=doubted)

    assert [is_direction_theme_plausible(doubting(n)) for n in (0, 3, 4)] == [False, False, True]


def test_a_page_takes_letters_for_right_that_only_changed_answers_have() -> None:
    puzzle, among = task(TURNED)
    known = SolvedSession(report_answers(fill_grid(puzzle, among), reveal=True))
    right = dict(known.solved_blank.fill.cells)
    asked = Question("check", letters=right, cells=tuple(right))
    assert known.solved_blank.theme is not None
    assert {one["verdict"] for one in answer_question(known, asked)["verdicts"]} == {"right"}


def test_of_an_entry_with_a_rebus_square_no_phrase_is_told() -> None:
    """Lists have one letter for the square: ESUVBA would be told as ABUSE, written backwards."""
    puzzle, among = task(TURNED)
    down = next(slot for slot in puzzle.grid.slots if str(slot) == "3D")
    longer = {down: tiny.listed(["REUVNE", "REUVNA"], 1e-9), puzzle.grid.slots[7]: tiny.listed(["ABUVSE"], 1e-4)}
    assert str(puzzle.grid.slots[7]) == "7A"

    def found(wanted: Collection[SlotLength], depth: int | None, deadline: float) -> Mapping[SlotLength, CandidateList]:
        return {(slot, n): longer[slot] if slot in longer and n == 6 else unlisted(n) for slot, n in wanted}

    solved = report_answers(
        fill_grid(replace(puzzle, given={(2, 2): "UV"}), replace(among, lists_of_length=found)), False
    )
    told = {str(slot): phrase for slot, phrase in solved.theme.phrases.items()} if solved.theme else {}
    assert told == {"1A": "HEART", "6A": "EMBER", "8A": "RESIN", "9A": "TREND"}
    (answer,) = (one for one in solved.answers if str(one.slot) == "7A")
    assert "ABUSE" not in str(answer.evidence)


def test_entries_are_enumerated_up_to_a_dozen() -> None:
    slots = Grid(("....................",) * 20).slots
    assert join_slot_names(slots[:1]) == "1A"
    assert join_slot_names(slots[:3]) == "1A, 1D and 2D"
    assert join_slot_names(slots[:12]).endswith(f", {slots[10]} and {slots[11]}")
    assert join_slot_names(slots[:13]) == "1A, 1D, 2D, 3D, 4D and 8 more"
