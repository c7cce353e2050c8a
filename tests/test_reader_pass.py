"""The reader's pass: which strings are read, what that changes, and what stays as it is."""

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


def make_list(words: Mapping[str, float], missing: float) -> CandidateList:
    pattern_evidence = Evidence("pattern", "word", "", 0.0, 0, None)
    candidates = tiny.listed({word: p * (1 - missing) for word, p in words.items()}, missing)
    return replace(candidates, explain=lambda i: (pattern_evidence,))


class FakeReader:
    """Finds some answers much likelier than all others, and records the strings that it reads."""

    def __init__(self, *right: str, odds: float = 8.0) -> None:
        self.right = right
        self.odds = odds
        self.strings_read: dict[Slot, list[str]] = {}

    def __call__(self, strings: Strings) -> Mapping[Slot, Sequence[ReaderScore]]:
        for slot, words in strings.items():
            assert not set(words) & set(self.strings_read.get(slot, [])), "nothing is read twice"
            self.strings_read.setdefault(slot, []).extend(words)
        return {
            slot: [ReaderScore(odds := self.odds * (word in self.right), word.lower(), odds) for word in words]
            for slot, words in strings.items()
        }


def run_reader_pass(
    puzzle: Puzzle,
    inputs: SolverInput,
    before: Fill,
    fill: Callable[[SolverInput], Fill],
    deadline: float = FOREVER,
) -> tuple[SolverInput, Fill]:
    """Run the reader's pass on a filled grid; return the new inputs and fill."""
    start = State(puzzle, inputs, inputs, before)
    state = read_doubtful_entries(start, lambda _, new_inputs, *others: fill(new_inputs), deadline)
    return state.inputs, state.fill


CLUES = {name: f"Clue of {name}" for name in tiny.CLUES}


def make_doubtful_puzzle(rows: tuple[str, ...] = ("LION", "OXEN", "STEM", "TENT")) -> tuple[Puzzle, SolverInput]:
    """Return a puzzle with two answers for each clue across, and wrong ones for those down."""
    puzzle = tiny.puzzle(rows, CLUES)
    lists = {}
    for slot in puzzle.grid.slots:
        answer = "".join(tiny.cells(rows)[cell] for cell in slot.cells)
        other = answer[:-1] + ("S" if answer[-1] != "S" else "T")
        words = {answer: 0.45, other: 0.55} if str(slot).endswith("A") else {"QUIZ": 0.5, "JAZZ": 0.5}
        lists[slot] = make_list(words, 0.02 if str(slot).endswith("A") else 0.9)
    return puzzle, tiny.candidates(lists)


def fill_grid(puzzle: Puzzle, inputs: SolverInput) -> Fill:
    return belief.fill(puzzle, inputs, FOREVER)


def take_second_look(
    puzzle: Puzzle, inputs: SolverInput, score_strings: ScoreStrings, before: Fill
) -> tuple[SolverInput, Fill]:
    with_reader = tiny.knowing(inputs, score_strings=score_strings)
    return run_reader_pass(puzzle, with_reader, before, lambda new_inputs: fill_grid(puzzle, new_inputs))


def change_settings(monkeypatch: pytest.MonkeyPatch, **settings: float) -> None:
    monkeypatch.setattr(reader_pass, "READER_PASS", ReaderPassSettings(**settings))


def test_the_reader_decides_doubtful_answers():
    puzzle, inputs = make_doubtful_puzzle()
    before = fill_grid(puzzle, inputs)
    across = [slot for slot in puzzle.grid.slots if str(slot).endswith("A")]
    assert [before.answer(slot) for slot in across] != ["LION", "OXEN", "STEM", "TENT"]
    reader = FakeReader("LION", "OXEN", "STEM", "TENT")
    new_inputs, after = take_second_look(puzzle, inputs, reader, before)
    assert [after.answer(slot) for slot in across] == ["LION", "OXEN", "STEM", "TENT"]
    assert fill_grid(puzzle, new_inputs).cells == after.cells
    assert all(words[0] == before.answer(slot) for slot, words in reader.strings_read.items())
    assert all(
        len(words) <= ReaderPassSettings.max_rounds * ReaderPassSettings.max_strings_per_slot
        for words in reader.strings_read.values()
    )


def test_an_installed_language_model_compares_strings_that_were_read(monkeypatch: pytest.MonkeyPatch):
    change_settings(monkeypatch, collapsed_share=1.0)  # a collapsed grid starts over first
    puzzle, inputs = make_doubtful_puzzle()
    answers, compared, reader = ["LION", "OXEN", "STEM", "TENT"], {}, FakeReader()

    def language_logps(strings: Strings, _: float) -> Mapping[Slot, Mapping[str, float]]:
        compared.update(strings)
        return {slot: {word: -20.0 * (word not in answers) for word in words} for slot, words in strings.items()}

    def read_across(**knowledge: Callable[..., Any]) -> list[str]:
        with_reader = tiny.knowing(inputs, **{"score_strings": FakeReader(), **knowledge})
        before = fill_grid(puzzle, inputs)
        _, after = run_reader_pass(puzzle, with_reader, before, lambda new_inputs: fill_grid(puzzle, new_inputs))
        return [after.answer(slot) for slot in puzzle.grid.slots if str(slot).endswith("A")]

    assert read_across() != answers
    assert read_across(score_strings=reader, language_logps=language_logps) == answers
    assert compared and all(
        len(words) > 1 and set(words) <= set(reader.strings_read[slot]) for slot, words in compared.items()
    )


def test_an_unlisted_string_is_added_to_the_list(monkeypatch: pytest.MonkeyPatch):
    change_settings(monkeypatch, collapsed_share=1.0)  # otherwise only listed answers are read at first
    puzzle, inputs = make_doubtful_puzzle()
    before = fill_grid(puzzle, inputs)
    slot = next(slot for slot in puzzle.grid.slots if str(slot) == "4D")
    reader = FakeReader()
    take_second_look(puzzle, inputs, reader, before)
    new = next(word for word in reader.strings_read[slot][1:] if inputs.lists[slot].find_answer(word) is None)
    found = take_second_look(puzzle, inputs, FakeReader(new, odds=30.0), before)[0].lists[slot]
    place = found.find_answer(new)
    assert place is not None and {one.finder for one in found.explain(place)} == {READER_NAME}
    assert np.exp(found.logp[place]) > 0.9 and found.answer(0) == new
    assert float(np.exp(found.logp).sum()) + found.missing == pytest.approx(1.0)
    assert (np.diff(found.logp) <= 0).all()
    kept = found.find_answer("QUIZ")
    assert kept is not None and "pattern" in {one.finder for one in found.explain(kept)}


def test_a_reader_without_preference_changes_no_list():
    puzzle, inputs = make_doubtful_puzzle()
    fills: list[Fill] = []
    with_reader, before = tiny.knowing(inputs, score_strings=FakeReader()), fill_grid(puzzle, inputs)

    def fill(new_inputs: SolverInput) -> Fill:
        fills.append(fill_grid(puzzle, new_inputs))
        return fills[-1]

    new_inputs, _ = run_reader_pass(puzzle, with_reader, before, fill)
    assert len(fills) == 1, "nothing changed, so nothing is read again"
    for slot, candidates in inputs.lists.items():
        rescored = new_inputs.lists[slot]
        for i in range(len(candidates)):
            place = rescored.find_answer(candidates.answer(i))
            assert place is not None and rescored.logp[place] == pytest.approx(candidates.logp[i], abs=0.1)


def test_sure_and_given_letters_are_not_read_and_a_fill_without_reader_or_beliefs_stays():
    sure, cells = tiny.puzzle(), tiny.cells()
    lists = {s: make_list({"".join(cells[cell] for cell in s.cells): 1.0}, 1e-9) for s in sure.grid.slots}
    puzzle, inputs = make_doubtful_puzzle()
    given = replace(puzzle, given=tiny.cells(("LIOS", "OXES", "STES", "TENS")))
    sure_inputs, reader = tiny.candidates(lists), FakeReader("LION")
    sure_fill, solution = fill_grid(sure, sure_inputs), fill_grid(puzzle, inputs)
    assert take_second_look(sure, sure_inputs, reader, sure_fill)[1] is sure_fill and not reader.strings_read
    assert take_second_look(given, inputs, reader, solution)[1] is solution and not reader.strings_read
    assert run_reader_pass(puzzle, inputs, solution, pytest.fail) == (inputs, solution)
    without_beliefs = replace(solution, beliefs=None)
    inputs = tiny.knowing(inputs, score_strings=FakeReader())
    assert run_reader_pass(puzzle, inputs, without_beliefs, pytest.fail)[1] is without_beliefs


def test_slots_with_several_letters_in_a_square_or_without_a_clue_are_not_read():
    puzzle, inputs = make_doubtful_puzzle()
    clues = {slot: "?!" if str(slot) == "7A" else clue for slot, clue in puzzle.clues.items()}
    puzzle = replace(puzzle, clues=clues, given={(0, 0): "STAR", (1, 1): "7"})
    reader = FakeReader("LION")
    new_inputs, after = take_second_look(puzzle, inputs, reader, fill_grid(puzzle, inputs))
    assert reader.strings_read and all(
        len(word) == len(slot) for slot, words in reader.strings_read.items() for word in words
    )
    assert {str(slot) for slot in reader.strings_read}.isdisjoint({"1A", "1D", "5A", "2D", "7A"})
    assert after.cells[0, 0] == "STAR" and all(one.letters.shape[1] == 4 for one in new_inputs.lists.values())


@pytest.mark.parametrize("slow_step", ["read", "fill"])
def test_a_pass_that_runs_out_of_time_changes_nothing(slow_step: str, monkeypatch: pytest.MonkeyPatch):
    puzzle, inputs = make_doubtful_puzzle()
    before = fill_grid(puzzle, inputs)
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    reader = FakeReader("LION", "OXEN", "STEM", "TENT")

    def pass_time(step: str):
        clock[0] += 10.0 * (step == slow_step)

    def read(strings: Strings) -> Mapping[Slot, Sequence[ReaderScore]]:
        pass_time("read")
        return reader(strings)

    def fill(inputs: SolverInput) -> Fill:
        pass_time("fill")
        return fill_grid(puzzle, inputs)

    monkeypatch.setattr(evidence, "SLOTS_PER_BATCH", 2)
    inputs = tiny.knowing(inputs, score_strings=read)
    assert run_reader_pass(puzzle, inputs, before, fill, deadline=5.0) == (inputs, before)
    assert len(reader.strings_read) == 2 or slow_step == "fill"
    reader.strings_read.clear()
    assert run_reader_pass(puzzle, inputs, before, fill, deadline=1e9)[1].cells != before.cells


@pytest.mark.parametrize("share", [0.1, 1.0])
def test_a_collapsed_grid_starts_over_after_the_best_of_each_list_are_read(
    share: float, monkeypatch: pytest.MonkeyPatch
):
    # with one string per slot, only the entries are read unless the grid starts over
    change_settings(monkeypatch, collapsed_share=share, max_strings_per_slot=1, restart_answers=2)
    puzzle, inputs = make_doubtful_puzzle()
    before, reader = fill_grid(puzzle, inputs), FakeReader("LION", "OXEN", "STEM", "TENT")
    is_restart: list[bool] = []

    def fill(inputs: SolverInput) -> Fill:
        is_restart.append(inputs.warm_start is None)
        return fill_grid(puzzle, inputs)

    _, after = run_reader_pass(puzzle, tiny.knowing(inputs, score_strings=reader), before, fill)
    collapsed = share < 1
    assert is_restart[0] is collapsed and not any(is_restart[1:])
    assert len(is_restart) <= ReaderPassSettings.max_rounds + collapsed
    has_both = [
        {"QUIZ", "JAZZ"} <= set(words) for slot, words in reader.strings_read.items() if str(slot).endswith("D")
    ]
    assert all(has_both) if collapsed else not any(has_both)
    across = {after.answer(slot) for slot in puzzle.grid.slots if str(slot).endswith("A")}
    assert across == {"LION", "OXEN", "STEM", "TENT"} or not collapsed


def test_a_puzzle_whose_clues_mean_nothing_is_filled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    index, puzzle = strong.with_reader(tmp_path, trust=3.0), tiny.puzzle()
    monkeypatch.setattr(moves, "measure_agreement", lambda *_: 0.0)
    settings = replace(PROPAGATION, give_up_share=-1.0, give_up_round=1)
    monkeypatch.setattr(propagation, "PROPAGATION", settings)
    change_settings(monkeypatch, sure_letter_p=1.1)
    solved = solve(puzzle, index)
    assert solved.letter_fill is not None and solved.letter_fill.has_given_up and solved.letter_fill.n_states == 1
    assert solved.fill.cells.keys() == set(tiny.cells()) and not solved.rebus_squares


@pytest.mark.parametrize(("share", "given_up"), [(0.3, True), (1.0, False)])
def test_a_filler_that_may_give_up_gives_up_a_doubtful_grid(
    share: float, given_up: bool, monkeypatch: pytest.MonkeyPatch
):
    settings = replace(PROPAGATION, give_up_share=share, give_up_round=3)
    monkeypatch.setattr(propagation, "PROPAGATION", settings)
    puzzle, inputs = make_doubtful_puzzle()
    usual = fill_grid(puzzle, tiny.knowing(inputs, score_strings=FakeReader()))
    hasty = fill_grid(puzzle, replace(inputs, may_give_up=True))
    assert hasty.has_given_up is given_up and not usual.has_given_up
    assert (hasty.n_states == 3) is given_up and hasty.cells.keys() == usual.cells.keys()
    letters = replace(puzzle, given={(0, 0): "L"})
    probabilities = p_given_correct(letters, inputs, FOREVER)
    assert probabilities == p_given_correct(letters, tiny.knowing(inputs, score_strings=FakeReader()), FOREVER)


def test_an_interrupted_second_look_is_reported(monkeypatch: pytest.MonkeyPatch):
    """The grid is complete, but more time might have changed it."""
    puzzle, inputs = make_doubtful_puzzle()
    clock = [0.0]

    def take_too_long(state: State, *_: object) -> State:
        clock[0] = 10.0
        return state

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    in_time = solve_from_lists(puzzle, inputs, Method(deadline=20.0))
    interrupted = solve_from_lists(puzzle, inputs, Method(deadline=5.0, plan={**PLAN, "reader pass": take_too_long}))
    assert interrupted.is_out_of_time and not in_time.is_out_of_time and interrupted.fill.cells == in_time.fill.cells


def test_solving_takes_a_second_look(tmp_path: Path, whole: Index, monkeypatch: pytest.MonkeyPatch):
    index = strong.with_reader(tmp_path, trust=3.0)
    # the tiny index leaves little in doubt
    change_settings(monkeypatch, sure_letter_p=1.0, min_letter_p=1e-9, min_answer_p=1e-9)
    clues_read: list[str] = []
    log_odds = CrossEncoder.log_odds

    def record(self: CrossEncoder, questions: Sequence[tuple[str, Sequence[str]]]):
        clues_read.extend(clue for clue, _ in questions)
        return log_odds(self, questions)

    monkeypatch.setattr(CrossEncoder, "log_odds", record)
    puzzle = tiny.puzzle()
    solved = solve(puzzle, index)
    assert clues_read and set(clues_read) <= set(puzzle.clues.values())
    reasons = [one for answer in solved.answers for one in answer.evidence if one.finder == READER_NAME]
    assert reasons and all(0 <= one.score <= 1 and one.text for one in reasons)
    assert solved.first_fill is not None and solved.first_fill.cells != solved.fill.cells
    explanations = {str(one.answer.slot): one.why for one in explain(solved, puzzle.grid.slots, 3)}
    first_answer = solved.first_fill.answer(puzzle.grid.slots[0])
    assert (
        first_answer == solved.answers[0].answer
        or f"Before the second look it was {first_answer}." in explanations["1A"]
    )
    assert any("Before the second look" in why for why in explanations.values())
    clues_read.clear()
    assert solve(puzzle, index, seconds=0.0).fill.cells and not clues_read, "there is no time for it"
    assert solve(puzzle, index, filler=find_filler("singletons")).fill.cells and not clues_read
    assert solve(puzzle, whole).fill.cells and not clues_read


def test_a_reader_is_trusted_as_far_as_it_is_right(whole: Index, tmp_path: Path):
    before = whole.before_newest_year()
    answers = dict(reader_scale.newest_year_clues(whole))

    class RightReader:
        def log_odds(self, questions: Sequence[tuple[str, Sequence[str]]]):
            return [
                np.array([2.0 * (answers[clue] == word) for word in words], np.float32) for clue, words in questions
            ]

    class WrongReader:
        def log_odds(self, questions: Sequence[tuple[str, Sequence[str]]]):
            return [-odds for odds in RightReader().log_odds(questions)]

    right, wrong = (reader_scale.fit_reader_scale(whole, before, one()) for one in (RightReader, WrongReader))  # type: ignore[arg-type]
    assert right["trust"] > DEFAULT_TRUST and wrong["trust"] < 0.01
    assert right["log loss"] < wrong["log loss"] and right["year"] == 2005
    small_index = corpus.index(tmp_path, [corpus.entry("LION", "Proud roarer", year) for year in (2004, 2005)])
    scale = reader_scale.fit_reader_scale(small_index, small_index.before_newest_year(), RightReader())  # type: ignore[arg-type]
    assert scale == {"trust": DEFAULT_TRUST}
