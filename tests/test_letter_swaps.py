"""Close calls: which letters are tried, what it takes to write one, and what stays."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
import tiny

from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, letter_codes
from regis.solving.filler import Beliefs, Fill, ReaderScore, SolverInput, StopReason
from regis.solving.moves.letter_swaps import LetterSwapSettings, apply_letter_swaps
from regis.solving.settings import LanguageModelSettings

ROWS = ("LION", "OXEN", "STEM", "TENT")
CLUED = {name: f"Clue of {name}" for name in tiny.CLUES}
CORNER = (0, 0)  # of 1A and 1D


class Judge:
    """Reads with these odds for each string, and records the strings."""

    def __init__(self, odds: Mapping[str, float]) -> None:
        self.odds = odds
        self.asked: dict[Slot, Sequence[str]] = {}

    def __call__(self, strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
        self.asked |= strings
        alone = {slot: [self.odds.get(word, 0.0) for word in its] for slot, its in strings.items()}
        return {slot: [ReaderScore(0.0, "", odds) for odds in its] for slot, its in alone.items()}


def stood(p: Mapping[tuple[int, int], Mapping[str, float]], rows: tuple[str, ...] = ROWS) -> Fill:
    """Return the grid filled with `rows`, sure of its letters unless `p` has other letters for a cell."""
    cells = tiny.cells(rows)
    letters = {}
    for cell, letter in cells.items():
        letters[cell] = np.zeros(26)
        others = p.get(cell, {})
        letters[cell][ALPHABET.index(letter)] = 1 - sum(others.values())
        for other, chance in others.items():
            letters[cell][ALPHABET.index(other)] = chance
    beliefs = Beliefs(letters, {}, {}, {}, {}, 1, StopReason.DONE)
    return Fill(cells, dict.fromkeys(cells, 0.9), {}, beliefs=beliefs)


def known(puzzle: Puzzle, judge: Judge | None, **more: Sequence[str]) -> SolverInput:
    """Give each slot a list of its present entry and `more`, all equally likely."""
    lists = {}
    for slot in puzzle.grid.slots:
        answer = "".join(tiny.cells(ROWS)[cell] for cell in slot.cells)
        lists[slot] = tiny.listed([answer, *more.get(f"s{slot}", ())])
    return tiny.knowing(tiny.candidates(lists), score_strings=judge)


def after(judge: Judge | None, p: Mapping[str, float], **more: Sequence[str]) -> Fill:
    puzzle = tiny.puzzle(ROWS, CLUED)
    return apply_letter_swaps(puzzle, known(puzzle, judge, **more), stood({CORNER: p}))


NEEDED = LetterSwapSettings.min_gain + np.log(0.7 / 0.3)  # nats for P, where the messages give it 0.3 and L the rest
BOTH = {"s1A": ["PION"], "s1D": ["POST"]}  # LION and LOST, or PION and POST


@pytest.mark.parametrize(
    ("odds", "letter"),
    [(NEEDED + 0.1, "P"), (NEEDED - 0.1, "L"), (-5.0, "L")],
)
def test_what_is_likelier_by_enough_when_read_is_written(odds, letter):
    solution = after(Judge({"POST": odds}), {"P": 0.3}, **BOTH)
    assert solution.cells == {**tiny.cells(ROWS), CORNER: letter}
    assert set(solution.confidence.values()) == {0.9}


def test_lists_count_as_much_as_what_is_read():
    lists = {"s1A": ["PION"], "s1D": ["POST", "COST", "MOST"]}
    rare = replace(tiny.listed(["LOST", "POST"]), logp=np.log([0.9, 0.9 * np.exp(-3)]) - np.log(1 + np.exp(-3)))
    puzzle = tiny.puzzle(ROWS, CLUED)
    for odds, letter in (
        (3.0 + NEEDED + 0.1, "P"),
        (3.0 + NEEDED - 0.1, "L"),
    ):
        among = known(puzzle, Judge({"POST": odds}), **lists)
        down = next(slot for slot in puzzle.grid.slots if str(slot) == "1D")
        among = replace(among, lists={**among.lists, down: rare})
        assert apply_letter_swaps(puzzle, among, stood({CORNER: {"P": 0.3}})).cells[CORNER] == letter


def test_the_reader_counts_twice_if_one_entry_is_unlisted():
    def least(**more: Sequence[str]) -> float:
        """Return the odds at which POST is written, if PION is as good as LION."""
        tried = np.arange(0.0, 40.0, 0.25)
        return next(odds for odds in tried if after(Judge({"POST": odds}), {"P": 0.3}, **more).cells[CORNER] == "P")

    puzzle = tiny.puzzle(ROWS, CLUED)
    among = known(puzzle, None, s1A=["PION"])
    down = next(slot for slot in puzzle.grid.slots if str(slot) == "1D")
    lists = among.lists[down]
    string = lists.log_missing + among.string_model_for(down).string_loglik(letter_codes("POST"))
    lacks = float(lists.logp[0]) - string
    assert least(s1A=["PION"]) == pytest.approx((lacks + NEEDED) / 2, abs=0.25)
    assert least(**BOTH) == pytest.approx(NEEDED, abs=0.25)


def test_a_language_model_counts_by_its_weight_where_a_letter_is_likely():
    puzzle = tiny.puzzle(ROWS, CLUED)

    def written(p: float, nats: float) -> str:
        """The letter in the corner if POST is so much likelier than LOST after its clue."""

        def language_logps(strings: Mapping[Slot, Sequence[str]], _: float) -> Mapping[Slot, Mapping[str, float]]:
            return {slot: {word: nats * (word == "POST") - 20 for word in its} for slot, its in strings.items()}

        inputs = tiny.knowing(known(puzzle, Judge({}), **BOTH), language_logps=language_logps)
        return apply_letter_swaps(puzzle, inputs, stood({CORNER: {"P": p}})).cells[CORNER]

    nats = NEEDED / LanguageModelSettings.swap_weight
    assert [written(0.3, nats * share) for share in (0.9, 1.1)] == ["L", "P"]
    assert written(LanguageModelSettings.min_p * 0.9, 1000) == "L"


def test_what_is_hardly_possible_is_not_read():
    judge = Judge({"POST": 20.0})
    assert after(judge, {"P": LetterSwapSettings.min_letter_p / 2}, **BOTH).cells == tiny.cells(ROWS)
    assert not judge.asked
    assert after(judge, {"P": LetterSwapSettings.min_letter_p * 2}, **BOTH).cells[CORNER] == "P"
    found = {str(slot): list(its) for slot, its in judge.asked.items()}
    assert found == {"1A": ["LION", "PION"], "1D": ["LOST", "POST"]}


def test_nothing_changes_where_nobody_reads_or_time_is_up_or_a_letter_is_given_or_lacks_a_clue():
    """Nor in an entry with a square that holds no letter."""
    assert after(None, {"P": 0.4}, **BOTH).cells == tiny.cells(ROWS)
    plain, judge, before = tiny.puzzle(ROWS, CLUED), Judge({"POST": 20.0}), stood({CORNER: {"P": 0.4}})
    given, silent = replace(plain, given={CORNER: "L"}), tiny.puzzle(ROWS, {**CLUED, "1D": ""})
    for puzzle in (given, silent):
        assert apply_letter_swaps(puzzle, known(puzzle, judge, **BOTH), before).cells == tiny.cells(ROWS)
    among = known(plain, judge, **BOTH)
    assert apply_letter_swaps(plain, among, before, deadline=0.0) is before
    odd = [{cell: x for cell, x in before.cells.items() if cell != (1, 0)}]  # (1, 0) is of 1D, too
    odd += [{**before.cells, (1, 0): held} for held in ("AB", "?", "7")]
    for fill in (replace(before, beliefs=None), *(replace(before, cells=cells) for cells in odd)):
        assert apply_letter_swaps(plain, among, fill) is fill
    assert not judge.asked


@pytest.mark.parametrize(("rows", "letter"), [(("LIPN", "OXON", "STSM", "TETT"), "L"), (ROWS, "P")])
def test_no_answer_is_written_twice(rows, letter):
    """POST is in 3D of the first grid."""
    puzzle = tiny.puzzle(rows, CLUED)
    lists = {slot: tiny.listed(["".join(tiny.cells(rows)[cell] for cell in slot.cells)]) for slot in puzzle.grid.slots}
    among = tiny.knowing(tiny.candidates(lists), score_strings=Judge({"POST": 50.0}))
    assert apply_letter_swaps(puzzle, among, stood({CORNER: {"P": 0.3}}, rows)).cells[CORNER] == letter


def test_the_chances_of_both_entries_are_exchanged():
    puzzle = tiny.puzzle(ROWS, CLUED)
    down = next(slot for slot in puzzle.grid.slots if str(slot) == "1D")
    before = replace(stood({CORNER: {"P": 0.3}}), ranked_answers={down: (("LOST", 0.7), ("POST", 0.2), ("MAST", 0.1))})
    solution = apply_letter_swaps(puzzle, known(puzzle, Judge({"POST": 5.0}), **BOTH), before)
    assert solution.ranked_answers[down] == (("POST", 0.7), ("LOST", 0.2), ("MAST", 0.1))


def test_of_two_letters_in_one_entry_only_the_better_is_written():
    puzzle = tiny.puzzle(ROWS, CLUED)
    judge = Judge({"POST": 5.0, "LIEN": 3.0})
    more = {"s1A": ["PION", "LIEN"], "s1D": ["POST"], "s3D": ["EEEN"]}
    before = stood({CORNER: {"P": 0.3}, (0, 2): {"E": 0.3}})
    solution = apply_letter_swaps(puzzle, known(puzzle, judge, **more), before)
    assert solution.cells == {**tiny.cells(ROWS), CORNER: "P"}
    alone = stood({(0, 2): {"E": 0.3}})
    assert apply_letter_swaps(puzzle, known(puzzle, judge, **more), alone).cells == {**tiny.cells(ROWS), (0, 2): "E"}
