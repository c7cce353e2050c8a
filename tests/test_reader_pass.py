"""A second look: what is read again, what reading changes, and what it leaves alone."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import corpus
import numpy as np
import pytest
import strong
import tiny

from regis.ancestors import find_filler
from regis.building.training import reader_scale
from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import Evidence
from regis.index import Index
from regis.models.neural.cross_encoder import DEFAULT_TRUST, CrossEncoder
from regis.puzzle import Puzzle, Slot
from regis.solving import belief, moves
from regis.solving.explanation import explain
from regis.solving.filler import Fill, ReaderScore, SolverInput
from regis.solving.given import p_given_correct
from regis.solving.inference import evidence, propagation
from regis.solving.inference.evidence import READER_NAME
from regis.solving.moves import PLAN, reader_pass
from regis.solving.moves.reader_pass import ReaderPassSettings, read_doubtful_entries
from regis.solving.pipeline import Method, solve, solve_from_lists
from regis.solving.settings import PROPAGATION
from regis.solving.state import State
from regis.system.progress import FOREVER

ScoreStrings = Callable[[Mapping[Slot, Sequence[str]]], Mapping[Slot, Sequence[ReaderScore]]]

Strings = Mapping[Slot, Sequence[str]]


def listed(words: Mapping[str, float], missing: float) -> CandidateList:
    told = Evidence("pattern", "word", "", 0.0, 0, None)
    among = tiny.listed({word: p * (1 - missing) for word, p in words.items()}, missing)
    return replace(among, explain=lambda i: (told,))


class Judge:
    """Reads: one answer is much likelier than all others. Records all strings."""

    def __init__(self, *right: str, odds: float = 8.0) -> None:
        self.right = right
        self.odds = odds
        self.asked: dict[Slot, list[str]] = {}

    def __call__(self, strings: Strings) -> Mapping[Slot, Sequence[ReaderScore]]:
        for slot, its in strings.items():
            assert not set(its) & set(self.asked.get(slot, [])), "nothing is read twice"
            self.asked.setdefault(slot, []).extend(its)
        return {
            slot: [ReaderScore(odds := self.odds * (word in self.right), word.lower(), odds) for word in its]
            for slot, its in strings.items()
        }


def read_again(
    puzzle: Puzzle,
    among: SolverInput,
    before: Fill,
    fill: Callable[[SolverInput], Fill],
    deadline: float = FOREVER,
) -> tuple[SolverInput, Fill]:
    """Run the reader's pass on a grid, whatever else its state has."""
    after = read_doubtful_entries(State(puzzle, among, among, before), lambda _, known, *more: fill(known), deadline)
    return after.inputs, after.fill


CLUED = {name: f"Clue of {name}" for name in tiny.CLUES}


def doubtful(rows: tuple[str, ...] = ("LION", "OXEN", "STEM", "TENT")) -> tuple[Puzzle, SolverInput]:
    """Return two answers for each clue across, and none for those down."""
    puzzle = tiny.puzzle(rows, CLUED)
    lists = {}
    for slot in puzzle.grid.slots:
        answer = "".join(tiny.cells(rows)[cell] for cell in slot.cells)
        other = answer[:-1] + ("S" if answer[-1] != "S" else "T")
        words = {answer: 0.45, other: 0.55} if str(slot).endswith("A") else {"QUIZ": 0.5, "JAZZ": 0.5}
        lists[slot] = listed(words, 0.02 if str(slot).endswith("A") else 0.9)
    return puzzle, tiny.candidates(lists)


def filled(puzzle: Puzzle, among: SolverInput) -> Fill:
    return belief.fill(puzzle, among, FOREVER)


def looked(puzzle: Puzzle, among: SolverInput, read: ScoreStrings, before: Fill) -> tuple[SolverInput, Fill]:
    among = tiny.knowing(among, score_strings=read)
    return read_again(puzzle, among, before, lambda known: filled(puzzle, known))


def set_numbers(monkeypatch: pytest.MonkeyPatch, **numbers: float) -> None:
    monkeypatch.setattr(reader_pass, "READER_PASS", ReaderPassSettings(**numbers))


def test_what_reads_decides_what_is_in_doubt():
    puzzle, among = doubtful()
    before = filled(puzzle, among)
    across = [slot for slot in puzzle.grid.slots if str(slot).endswith("A")]
    assert [before.answer(slot) for slot in across] != ["LION", "OXEN", "STEM", "TENT"]
    judge = Judge("LION", "OXEN", "STEM", "TENT")
    known, after = looked(puzzle, among, judge, before)
    assert [after.answer(slot) for slot in across] == ["LION", "OXEN", "STEM", "TENT"]
    assert filled(puzzle, known).cells == after.cells
    assert all(its[0] == before.answer(slot) for slot, its in judge.asked.items())
    assert all(
        len(its) <= ReaderPassSettings.max_rounds * ReaderPassSettings.max_strings_per_slot
        for its in judge.asked.values()
    )


def test_an_installed_language_model_compares_what_was_read(monkeypatch: pytest.MonkeyPatch):
    set_numbers(monkeypatch, collapsed_share=1.0)  # a collapsed grid starts over first
    puzzle, among = doubtful()
    answers, asked, judge = ["LION", "OXEN", "STEM", "TENT"], {}, Judge()

    def language_logps(strings: Strings, _: float) -> Mapping[Slot, Mapping[str, float]]:
        asked.update(strings)
        return {slot: {word: -20.0 * (word not in answers) for word in words} for slot, words in strings.items()}

    def read_across(**knowledge: Callable[..., Any]) -> list[str]:
        inputs = tiny.knowing(among, **{"score_strings": Judge(), **knowledge})
        _, after = read_again(puzzle, inputs, filled(puzzle, among), lambda known: filled(puzzle, known))
        return [after.answer(slot) for slot in puzzle.grid.slots if str(slot).endswith("A")]

    assert read_across() != answers
    assert read_across(score_strings=judge, language_logps=language_logps) == answers
    assert asked and all(len(words) > 1 and set(words) <= set(judge.asked[slot]) for slot, words in asked.items())


def test_a_string_in_no_list_joins_it(monkeypatch: pytest.MonkeyPatch):
    set_numbers(monkeypatch, collapsed_share=1.0)  # otherwise only listed answers are read at first
    puzzle, among = doubtful()
    before = filled(puzzle, among)
    slot = next(slot for slot in puzzle.grid.slots if str(slot) == "4D")
    asked = Judge()
    looked(puzzle, among, asked, before)
    new = next(word for word in asked.asked[slot][1:] if among.lists[slot].find_answer(word) is None)
    found = looked(puzzle, among, Judge(new, odds=30.0), before)[0].lists[slot]
    place = found.find_answer(new)
    assert place is not None and {one.finder for one in found.explain(place)} == {READER_NAME}
    assert np.exp(found.logp[place]) > 0.9 and found.answer(0) == new
    assert float(np.exp(found.logp).sum()) + found.missing == pytest.approx(1.0)
    assert (np.diff(found.logp) <= 0).all()
    kept = found.find_answer("QUIZ")
    assert kept is not None and "pattern" in {one.finder for one in found.explain(kept)}


def test_a_reader_without_preference_changes_no_list():
    puzzle, among = doubtful()
    fills: list[Fill] = []
    judged, before = tiny.knowing(among, score_strings=Judge()), filled(puzzle, among)
    known, _ = read_again(puzzle, judged, before, lambda inputs: fills.append(filled(puzzle, inputs)) or fills[-1])
    assert len(fills) == 1, "nothing changed, so nothing is read again"
    for slot, listed in among.lists.items():
        again = known.lists[slot]
        for i in range(len(listed)):
            place = again.find_answer(listed.answer(i))
            assert place is not None and again.logp[place] == pytest.approx(listed.logp[i], abs=0.1)


def test_what_is_sure_or_written_and_what_nobody_reads_or_believes_is_left_alone():
    sure, cells = tiny.puzzle(), tiny.cells()
    lists = {s: listed({"".join(cells[cell] for cell in s.cells): 1.0}, 1e-9) for s in sure.grid.slots}
    puzzle, among = doubtful()
    written = replace(puzzle, given=tiny.cells(("LIOS", "OXES", "STES", "TENS")))
    for of, inputs in ((sure, tiny.candidates(lists)), (written, among)):
        judge, before = Judge("LION"), filled(puzzle if of is written else of, inputs)
        assert looked(of, inputs, judge, before)[1] is before and not judge.asked
    solution = filled(puzzle, among)
    assert read_again(puzzle, among, solution, pytest.fail) == (among, solution)
    unbelieving = replace(solution, beliefs=None)
    assert read_again(puzzle, tiny.knowing(among, score_strings=Judge()), unbelieving, pytest.fail)[1] is unbelieving


def test_slots_with_several_letters_in_a_square_or_without_a_clue_are_not_read():
    puzzle, among = doubtful()
    clues = {slot: "?!" if str(slot) == "7A" else clue for slot, clue in puzzle.clues.items()}
    puzzle = replace(puzzle, clues=clues, given={(0, 0): "STAR", (1, 1): "7"})
    judge = Judge("LION")
    known, after = looked(puzzle, among, judge, filled(puzzle, among))
    assert judge.asked and all(len(word) == len(slot) for slot, its in judge.asked.items() for word in its)
    assert {str(slot) for slot in judge.asked}.isdisjoint({"1A", "1D", "5A", "2D", "7A"})
    assert after.cells[0, 0] == "STAR" and all(one.letters.shape[1] == 4 for one in known.lists.values())


@pytest.mark.parametrize("slow", ["read", "fill"])
def test_what_comes_too_late_changes_nothing(slow: str, monkeypatch: pytest.MonkeyPatch):
    puzzle, among = doubtful()
    before = filled(puzzle, among)
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    judge = Judge("LION", "OXEN", "STEM", "TENT")

    def late(name: str):
        clock[0] += 10.0 * (name == slow)

    def read(strings: Strings) -> Mapping[Slot, Sequence[ReaderScore]]:
        late("read")
        return judge(strings)

    def fill(known: SolverInput) -> Fill:
        late("fill")
        return filled(puzzle, known)

    monkeypatch.setattr(evidence, "SLOTS_PER_BATCH", 2)
    among = tiny.knowing(among, score_strings=read)
    assert read_again(puzzle, among, before, fill, deadline=5.0) == (among, before)
    assert len(judge.asked) == 2 or slow == "fill"
    judge.asked.clear()
    assert read_again(puzzle, among, before, fill, deadline=1e9)[1].cells != before.cells


def test_clues_are_read_as_others_joined_them():
    puzzle, among = doubtful()
    other = Judge()
    believed = replace(filled(puzzle, among).beliefs, confident_answers={puzzle.grid.slots[0]: "LION"})  # type: ignore[type-var]
    before = replace(filled(puzzle, among), beliefs=believed)
    never = Judge("never")
    told = tiny.knowing(
        among,
        score_strings=never,
        reword=lambda sure, deadline: tiny.knowing(among, score_strings=other),
    )
    known, _ = read_again(puzzle, told, before, lambda all_: filled(puzzle, all_))
    assert other.asked and not never.asked and not known.may_reword


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_a_collapsed_grid_starts_over_after_the_best_of_each_list_are_read(
    share: float, monkeypatch: pytest.MonkeyPatch
):
    # so that otherwise only the present entries are read
    set_numbers(monkeypatch, collapsed_share=share, max_strings_per_slot=1, restart_answers=2)
    puzzle, among = doubtful()
    before, judge = filled(puzzle, among), Judge("LION", "OXEN", "STEM", "TENT")
    begun: list[bool] = []

    def fill(known: SolverInput) -> Fill:
        begun.append(known.warm_start is None)
        return filled(puzzle, known)

    _, after = read_again(puzzle, tiny.knowing(among, score_strings=judge), before, fill)
    collapsed = share < 1
    assert begun[0] is collapsed and not any(begun[1:]) and len(begun) <= ReaderPassSettings.max_rounds + collapsed
    both = [{"QUIZ", "JAZZ"} <= set(its) for slot, its in judge.asked.items() if str(slot).endswith("D")]
    assert all(both) if collapsed else not any(both)
    across = {after.answer(slot) for slot in puzzle.grid.slots if str(slot).endswith("A")}
    assert across == {"LION", "OXEN", "STEM", "TENT"} or not collapsed


@pytest.mark.parametrize(("share", "is_read_again"), [(0.0, False), (1.0, True)])
def test_a_grid_that_stays_doubtful_after_reading_is_not_read_again(
    share: float, is_read_again: bool, monkeypatch: pytest.MonkeyPatch
):
    puzzle, among = doubtful()
    judge, asked = Judge("LION", "OXEN", "STEM", "TENT", odds=1.0), list[Strings]()

    def read(strings: Strings) -> Mapping[Slot, Sequence[ReaderScore]]:
        asked.append(strings)
        return judge(strings)

    set_numbers(
        monkeypatch,
        restart_answers=2,
        max_strings_collapsed=3,
        min_letter_p=0.0,
        collapsed_share=0.1,
        hopeless_share=share,
    )
    n_lists = -(-len(puzzle.grid.slots) // evidence.SLOTS_PER_BATCH)
    looked(puzzle, among, read, filled(puzzle, among))
    assert (len(asked) > n_lists) is is_read_again


def test_a_puzzle_whose_clues_mean_nothing_is_filled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    index, puzzle = strong.with_reader(tmp_path, trust=3.0), tiny.puzzle()
    monkeypatch.setattr(moves, "measure_agreement", lambda *_: 0.0)
    settings = replace(PROPAGATION, give_up_share=-1.0, give_up_round=1)
    monkeypatch.setattr(propagation, "PROPAGATION", settings)
    set_numbers(monkeypatch, sure_letter_p=1.1)
    solved = solve(puzzle, index)
    assert solved.letter_fill is not None and solved.letter_fill.has_given_up and solved.letter_fill.n_states == 1
    assert solved.fill.cells.keys() == set(tiny.cells()) and not solved.rebus_squares


@pytest.mark.parametrize(("share", "given_up"), [(0.3, True), (1.0, False)])
def test_a_filler_that_may_give_up_gives_up_a_doubtful_grid(
    share: float, given_up: bool, monkeypatch: pytest.MonkeyPatch
):
    settings = replace(PROPAGATION, give_up_share=share, give_up_round=3)
    monkeypatch.setattr(propagation, "PROPAGATION", settings)
    puzzle, among = doubtful()
    usual, hasty = (
        filled(puzzle, tiny.knowing(among, score_strings=Judge())),
        filled(puzzle, replace(among, may_give_up=True)),
    )
    assert hasty.has_given_up is given_up and not usual.has_given_up
    assert (hasty.n_states == 3) is given_up and hasty.cells.keys() == usual.cells.keys()
    letters = replace(puzzle, given={(0, 0): "L"})
    seen = p_given_correct(letters, among, FOREVER)
    assert seen == p_given_correct(letters, tiny.knowing(among, score_strings=Judge()), FOREVER)


def test_an_interrupted_second_look_is_reported(monkeypatch: pytest.MonkeyPatch):
    """The fill before it was complete, but the grid may not be the final one."""
    puzzle, among = doubtful()
    clock = [0.0]

    def late(state: State, *_: object) -> State:
        clock[0] = 10.0
        return state

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    in_time = solve_from_lists(puzzle, among, Method(deadline=20.0))
    ended = solve_from_lists(puzzle, among, Method(deadline=5.0, plan={**PLAN, "reader pass": late}))
    assert ended.is_out_of_time and not in_time.is_out_of_time and ended.fill.cells == in_time.fill.cells


def test_a_puzzle_is_looked_at_twice(tmp_path: Path, whole: Index, monkeypatch: pytest.MonkeyPatch):
    index = strong.with_reader(tmp_path, trust=3.0)
    set_numbers(monkeypatch, sure_letter_p=1.0, min_letter_p=1e-9, min_answer_p=1e-9)  # this leaves little in doubt
    read: list[str] = []
    odds = CrossEncoder.log_odds

    def counted(self: CrossEncoder, asked: Sequence[tuple[str, Sequence[str]]]):
        read.extend(clue for clue, _ in asked)
        return odds(self, asked)

    monkeypatch.setattr(CrossEncoder, "log_odds", counted)
    puzzle = tiny.puzzle()
    solved = solve(puzzle, index)
    assert read and set(read) <= set(puzzle.clues.values())
    named = [one for answer in solved.answers for one in answer.evidence if one.finder == READER_NAME]
    assert named and all(0 <= one.score <= 1 and one.text for one in named)
    assert solved.first_fill is not None and solved.first_fill.cells != solved.fill.cells
    told = {str(one.answer.slot): one.why for one in explain(solved, puzzle.grid.slots, 3)}
    stood = solved.first_fill.answer(puzzle.grid.slots[0])
    assert stood == solved.answers[0].answer or f"Before the second look it was {stood}." in told["1A"]
    assert any("Before the second look" in why for why in told.values())
    read.clear()
    assert solve(puzzle, index, seconds=0.0).fill.cells and not read, "there is no time for it"
    assert solve(puzzle, index, filler=find_filler("singletons")).fill.cells and not read
    assert solve(puzzle, whole).fill.cells and not read


def test_a_reader_is_trusted_as_far_as_it_is_right(whole: Index, tmp_path: Path):
    before = whole.before_newest_year()
    true = dict(reader_scale.newest_year_clues(whole))

    class Knowing:
        def log_odds(self, asked: Sequence[tuple[str, Sequence[str]]]):
            return [np.array([2.0 * (true[clue] == word) for word in its], np.float32) for clue, its in asked]

    class Lying:
        def log_odds(self, asked: Sequence[tuple[str, Sequence[str]]]):
            return [-odds for odds in Knowing().log_odds(asked)]

    knows, lies = (reader_scale.fit_reader_scale(whole, before, one()) for one in (Knowing, Lying))  # type: ignore[arg-type]
    assert knows["trust"] > DEFAULT_TRUST and lies["trust"] < 0.01
    assert knows["log loss"] < lies["log loss"] and knows["year"] == 2005
    few = corpus.index(tmp_path, [corpus.entry("LION", "Proud roarer", year) for year in (2004, 2005)])
    assert reader_scale.fit_reader_scale(few, few.before_newest_year(), Knowing()) == {"trust": DEFAULT_TRUST}  # type: ignore[arg-type]
