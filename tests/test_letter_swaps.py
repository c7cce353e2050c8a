"""Close calls: which letters are tried, what it takes to write one, and what stays."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
import tiny

from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, letter_codes
from regis.solving.filler import Beliefs, Fill, ReaderScore, SolverInput, StopReason
from regis.solving.moves.letter_swaps import LetterSwapSettings, apply_letter_swaps
from regis.solving.settings import LanguageModelSettings

ROWS = ("LION", "OXEN", "STEM", "TENT")
CLUES = {name: f"Clue of {name}" for name in tiny.CLUES}
CORNER = (0, 0)  # of 1A and 1D


class FakeReader:
    """Gives each string its odds, and records the strings."""

    def __init__(self, odds: Mapping[str, float]) -> None:
        self.odds = odds
        self.strings_read: dict[Slot, Sequence[str]] = {}

    def __call__(self, strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
        self.strings_read |= strings
        return {
            slot: [ReaderScore(0.0, "", self.odds.get(word, 0.0)) for word in words] for slot, words in strings.items()
        }


def make_fill(other_letters: Mapping[Cell, Mapping[str, float]], rows: tuple[str, ...] = ROWS) -> Fill:
    """Return the grid filled with `rows`, certain of its letters unless `other_letters` has probabilities of others."""
    cells = tiny.cells(rows)
    letters = {}
    for cell, letter in cells.items():
        letters[cell] = np.zeros(26)
        others = other_letters.get(cell, {})
        letters[cell][ALPHABET.index(letter)] = 1 - sum(others.values())
        for other, p in others.items():
            letters[cell][ALPHABET.index(other)] = p
    beliefs = Beliefs(letters, {}, {}, {}, {}, 1, StopReason.DONE)
    return Fill(cells, dict.fromkeys(cells, 0.9), {}, beliefs=beliefs)


def make_inputs(puzzle: Puzzle, reader: FakeReader | None, **answers: Sequence[str]) -> SolverInput:
    """Give each slot a list of its entry and further answers, all equally likely."""
    lists = {}
    for slot in puzzle.grid.slots:
        answer = "".join(tiny.cells(ROWS)[cell] for cell in slot.cells)
        lists[slot] = tiny.listed([answer, *answers.get(f"s{slot}", ())])
    return tiny.knowing(tiny.candidates(lists), score_strings=reader)


def swap_corner(reader: FakeReader | None, p: Mapping[str, float], **answers: Sequence[str]) -> Fill:
    puzzle = tiny.puzzle(ROWS, CLUES)
    return apply_letter_swaps(puzzle, make_inputs(puzzle, reader, **answers), make_fill({CORNER: p}))


NEEDED = LetterSwapSettings.min_gain + np.log(0.7 / 0.3)  # nats for P, where the messages give it 0.3 and L the rest
BOTH = {"s1A": ["PION"], "s1D": ["POST"]}  # LION and LOST, or PION and POST


@pytest.mark.parametrize(
    ("odds", "letter"),
    [(NEEDED + 0.1, "P"), (NEEDED - 0.1, "L"), (-5.0, "L")],
)
def test_a_letter_is_swapped_if_the_gain_is_large_enough(odds, letter):
    solution = swap_corner(FakeReader({"POST": odds}), {"P": 0.3}, **BOTH)
    assert solution.cells == {**tiny.cells(ROWS), CORNER: letter}
    assert set(solution.confidence.values()) == {0.9}


def test_lists_count_as_much_as_the_reader():
    lists = {"s1A": ["PION"], "s1D": ["POST", "COST", "MOST"]}
    skewed_list = replace(tiny.listed(["LOST", "POST"]), logp=np.log([0.9, 0.9 * np.exp(-3)]) - np.log(1 + np.exp(-3)))
    puzzle = tiny.puzzle(ROWS, CLUES)
    for odds, letter in ((3.0 + NEEDED + 0.1, "P"), (3.0 + NEEDED - 0.1, "L")):
        inputs = make_inputs(puzzle, FakeReader({"POST": odds}), **lists)
        down = next(slot for slot in puzzle.grid.slots if str(slot) == "1D")
        inputs = replace(inputs, lists={**inputs.lists, down: skewed_list})
        assert apply_letter_swaps(puzzle, inputs, make_fill({CORNER: {"P": 0.3}})).cells[CORNER] == letter


def test_the_reader_counts_twice_if_one_entry_is_unlisted():
    def find_least_odds(**answers: Sequence[str]) -> float:
        """Return the odds at which POST is written, if PION is as good as LION."""
        all_odds = np.arange(0.0, 40.0, 0.25)
        fills = ((odds, swap_corner(FakeReader({"POST": odds}), {"P": 0.3}, **answers)) for odds in all_odds)
        return next(odds for odds, fill in fills if fill.cells[CORNER] == "P")

    puzzle = tiny.puzzle(ROWS, CLUES)
    inputs = make_inputs(puzzle, None, s1A=["PION"])
    down = next(slot for slot in puzzle.grid.slots if str(slot) == "1D")
    lists = inputs.lists[down]
    string = lists.log_missing + inputs.string_model_for(down).string_loglik(letter_codes("POST"))
    shortfall = float(lists.logp[0]) - string
    assert find_least_odds(s1A=["PION"]) == pytest.approx((shortfall + NEEDED) / 2, abs=0.25)
    assert find_least_odds(**BOTH) == pytest.approx(NEEDED, abs=0.25)


def test_the_language_model_counts_by_its_weight_if_the_letter_is_likely():
    puzzle = tiny.puzzle(ROWS, CLUES)

    def swap_by_language_model(p: float, nats: float) -> str:
        """Return the corner's letter if POST is likelier than LOST by `nats`."""

        def language_logps(strings: Mapping[Slot, Sequence[str]], _: float) -> Mapping[Slot, Mapping[str, float]]:
            return {slot: {word: nats * (word == "POST") - 20 for word in words} for slot, words in strings.items()}

        inputs = tiny.knowing(make_inputs(puzzle, FakeReader({}), **BOTH), language_logps=language_logps)
        return apply_letter_swaps(puzzle, inputs, make_fill({CORNER: {"P": p}})).cells[CORNER]

    nats = NEEDED / LanguageModelSettings.swap_weight
    assert [swap_by_language_model(0.3, nats * share) for share in (0.9, 1.1)] == ["L", "P"]
    assert swap_by_language_model(LanguageModelSettings.min_p * 0.9, 1000) == "L"


def test_unlikely_letters_are_not_read():
    reader = FakeReader({"POST": 20.0})
    assert swap_corner(reader, {"P": LetterSwapSettings.min_letter_p / 2}, **BOTH).cells == tiny.cells(ROWS)
    assert not reader.strings_read
    assert swap_corner(reader, {"P": LetterSwapSettings.min_letter_p * 2}, **BOTH).cells[CORNER] == "P"
    found = {str(slot): list(words) for slot, words in reader.strings_read.items()}
    assert found == {"1A": ["LION", "PION"], "1D": ["LOST", "POST"]}


def test_nothing_changes_without_a_reader_a_clue_or_time_or_in_a_given_square():
    """Nor in an entry with a square that doesn't hold one letter."""
    assert swap_corner(None, {"P": 0.4}, **BOTH).cells == tiny.cells(ROWS)
    plain, reader, before = tiny.puzzle(ROWS, CLUES), FakeReader({"POST": 20.0}), make_fill({CORNER: {"P": 0.4}})
    given, silent = replace(plain, given={CORNER: "L"}), tiny.puzzle(ROWS, {**CLUES, "1D": ""})
    for puzzle in (given, silent):
        assert apply_letter_swaps(puzzle, make_inputs(puzzle, reader, **BOTH), before).cells == tiny.cells(ROWS)
    inputs = make_inputs(plain, reader, **BOTH)
    assert apply_letter_swaps(plain, inputs, before, deadline=0.0) is before
    unusual_cells = [{cell: x for cell, x in before.cells.items() if cell != (1, 0)}]  # (1, 0) is also in 1D
    unusual_cells += [{**before.cells, (1, 0): content} for content in ("AB", "?", "7")]
    for fill in (replace(before, beliefs=None), *(replace(before, cells=cells) for cells in unusual_cells)):
        assert apply_letter_swaps(plain, inputs, fill) is fill
    assert not reader.strings_read


@pytest.mark.parametrize(("rows", "letter"), [(("LIPN", "OXON", "STSM", "TETT"), "L"), (ROWS, "P")])
def test_a_swap_never_repeats_an_answer(rows, letter):
    """POST is in 3D of the first grid."""
    puzzle = tiny.puzzle(rows, CLUES)
    lists = {slot: tiny.listed(["".join(tiny.cells(rows)[cell] for cell in slot.cells)]) for slot in puzzle.grid.slots}
    inputs = tiny.knowing(tiny.candidates(lists), score_strings=FakeReader({"POST": 50.0}))
    assert apply_letter_swaps(puzzle, inputs, make_fill({CORNER: {"P": 0.3}}, rows)).cells[CORNER] == letter
