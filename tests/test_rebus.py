"""Rebus squares: treated as one cell, found where they are, and nowhere else."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import corpus
import numpy as np
import pytest
import tiny

from regis.ancestors import find_filler
from regis.candidates.candidate_list import CandidateList, unlisted
from regis.evaluation.score import score_fill
from regis.index import Index
from regis.models.strings.letter_model import LetterModel
from regis.models.strings.string_model import StringModel
from regis.puzzle import Cell, Grid, Puzzle, Slot
from regis.puzzle.alphabet import letter_codes
from regis.render import RENDERERS
from regis.solving import belief
from regis.solving import given as given_review
from regis.solving.explanation import explain
from regis.solving.filler import Fill, ReaderScore, SlotLength, SolverInput
from regis.solving.given import review_given
from regis.solving.moves.reader_pass import read_doubtful_entries
from regis.solving.pipeline import solve, solve_from_lists
from regis.solving.rebus import search
from regis.solving.rebus.collapsed import CollapsedLists
from regis.solving.rebus.prices import (
    RebusSettings,
    SimilarityRank,
    SquareProposal,
    select_proposals,
)
from regis.solving.rebus.squares import (
    CONTENT_SEPARATOR,
    TWO_WAY_SIGN_CONTENTS,
    RebusSquares,
    cell_contents,
    cell_offsets,
    content_along,
    expand_answer,
    expand_fill,
    find_signs,
    swap_directions,
    two_way_readings,
    with_tokens,
)
from regis.solving.report import remaining_doubts
from regis.solving.state import State, seems_to_hide_squares
from regis.system.progress import FOREVER
from regis.system.terminal import Screen

GRID = Grid(("....", "....", "....", "...."))
TRUE: dict[Cell, str] = {(0, 0): "PAN", (2, 3): "PAN"}
ROWS = ("PSYS", "OPAL", "LEGP", "ATEE")
"""With `TRUE` PANSYS, OPAL, LEGPAN, ATEE across; PANOLA, SPET, YAGE, SLPANE down: words for the lists, if for none."""


def truth(rows: tuple[str, ...] = ROWS, squares: Mapping[Cell, str] = TRUE) -> dict[Cell, str]:
    return {(r, c): squares.get((r, c), x) for r, row in enumerate(rows) for c, x in enumerate(row)}


def listed(words: Mapping[str, float], length: int, missing: float = 0.01) -> CandidateList:
    fitting = {word: p for word, p in words.items() if len(word) == length}
    return tiny.listed(fitting, missing) if fitting else unlisted(length)


def task(cells: Mapping[Cell, str], given: Mapping[Cell, str] | None = None) -> tuple[Puzzle, SolverInput]:
    """Return a puzzle whose lists have the answers that `cells` make, and others one letter longer, shorter, or
    different."""
    puzzle = Puzzle(GRID, {}, given or {})
    words: dict[Slot, dict[str, float]] = {}
    for slot in GRID.slots:
        answer = "".join(content_along(cells[cell], slot.direction) for cell in slot.cells)
        words[slot] = {answer: 0.9, "QUIZ": 0.05, "JUMPY": 0.05, "ZEPHYR": 0.05, "FJORDS": 0.01}

    def longer(slot: Slot, length: int) -> CandidateList:
        return listed(words[slot], length)

    def several(
        wanted: Collection[SlotLength], depth: int | None, deadline: float
    ) -> Mapping[SlotLength, CandidateList]:
        return {(slot, length): longer(slot, length) for slot, length in wanted}

    lists = {slot: longer(slot, len(slot)) for slot in GRID.slots}
    return puzzle, tiny.knowing(SolverInput(lists, StringModel(tiny.letters())), lists_of_length=several)


prices = RebusSettings()


def no_similarity(content: str, others: Collection[str]) -> None:
    """Say that similarity is unknown."""


def price_squares(squares: RebusSquares, kin: SimilarityRank = no_similarity) -> float:
    return prices.price_squares(squares, kin)


def found(puzzle: Puzzle, among: SolverInput, deadline: float = FOREVER, **settings: Any) -> tuple[RebusSquares, Fill]:
    state = State(puzzle, among, among, belief.fill(puzzle, among, FOREVER))
    if seems_to_hide_squares(state):
        state = search.RebusSearch(puzzle, among, deadline, RebusSettings(**settings)).find_squares(state)
    return state.squares, state.fill


TWOFOLD: dict[Cell, str] = {(0, 0): "PAN/TEX", (1, 2): "TEX/PAN", (2, 3): "PAN/TEX"}


@pytest.mark.parametrize(
    "true",
    [TRUE, {(0, 0): "PAN", (2, 3): "OWLET"}, {(0, 0): "PAN", (0, 2): "PAN", (2, 3): "PAN"}, TWOFOLD],
    ids=["two", "two contents", "two in one entry", "other letters across than down"],
)
def test_squares_are_found_and_the_grid_is_whole(true: dict[Cell, str]):
    cells = truth(squares=true)
    puzzle, among = task(cells)
    plain = belief.fill(puzzle, among, FOREVER)
    squares, solution = found(puzzle, among)
    assert squares == true
    assert not score_fill(plain, puzzle, cells).is_whole
    assert expand_fill(solution, squares).cells == cells
    assert {cell: solution.cells[cell] for cell in squares} == {cell: content[0] for cell, content in true.items()}
    across, down = (expand_answer(slot, squares, solution.answer(slot)) for slot in GRID.slots[:2])
    assert (across[:3], down[:3]) == ("PAN", "TEX" if true is TWOFOLD else "PAN"), "each direction has its own"
    assert all(0.5 < solution.confidence[cell] <= 1 for cell in squares)
    assert found(puzzle, among) == (squares, solution), "the same each time"


@pytest.mark.parametrize(
    "true",
    [{(0, 0): "P", (2, 3): "P"}, {(0, 0): "P/T", (1, 2): "P/T", (2, 3): "P/T"}, None],
    ids=["plain", "a letter for another", "nothing known"],
)
def test_what_nothing_explains_is_left_alone(true: dict[Cell, str] | None):
    puzzle, among = task(truth(squares=true or {}))
    if true is None:
        among = SolverInput({slot: unlisted(4) for slot in GRID.slots}, StringModel(tiny.letters()))
    assert found(puzzle, among) == ({}, belief.fill(puzzle, among, FOREVER))
    common = truth(squares=dict(list(TWOFOLD.items())[:2]))  # two crossings without a good answer, where anything fits
    assert not any("/" in content for content in found(*task(common))[0].values())


def test_what_the_person_wrote_is_left_alone():
    puzzle, among = task(truth(), {(0, 0): "P"})
    assert (0, 0) not in found(puzzle, among)[0]


def test_one_content_again_is_cheaper_than_another():
    once, again, other = {(0, 0): "PAN"}, {(0, 0): "PAN", (1, 1): "PAN"}, {(0, 0): "PAN", (1, 1): "OWL"}
    assert price_squares({}) == 0 < price_squares(once) < price_squares(again) < price_squares(other)
    added = [price_squares(dict.fromkeys([(0, i) for i in range(n)], "PAN")) for n in range(1, 20)]
    steps = np.diff(added)
    assert (np.diff(steps) <= 1e-9).all() and steps[-1] >= 1


def test_a_letter_for_another_is_a_rebus_if_many_squares_have_both():
    both: dict[Cell, str] = {(0, 0): "P/T", (1, 1): "T/P", (2, 2): "P/T", (3, 3): "P/T"}
    cells = truth(squares=both)
    assert len(both) < prices.min_single_letter_squares and found(*task(cells))[0] == {}
    squares, solution = found(*task(cells), min_single_letter_squares=len(both))
    assert squares == both and expand_fill(solution, squares).cells == cells


def test_a_digit_is_read_as_words():
    """2 is TOO across and TWO down; one such square is enough, and either spelling is right."""
    true: dict[Cell, str] = {(0, 0): "TOO/TWO", (2, 3): "FOR/FOUR"}
    cells = truth(squares=true)
    puzzle, among = task(cells)
    squares, solution = found(puzzle, among)
    assert squares == true
    written = {**cells, (0, 0): "2", (2, 3): "4"}
    for right in (cells, written, {**cells, (0, 0): "TOOTWO"}):
        assert score_fill(expand_fill(solution, squares), puzzle, right).is_whole
    assert not score_fill(expand_fill(solution, squares), puzzle, {**written, (0, 0): "3"}).is_whole


def test_a_sign_costs_as_much_as_one_content_and_another_sign_little():
    one = {(0, 0): "ATE/EIGHT"}
    assert price_squares(one) == price_squares({(0, 0): "PAN"}) < price_squares({(0, 0): "ATE/EIGHTH"})
    more = price_squares({**one, (2, 3): "FOR/FOUR"}) - price_squares(one)
    assert more == prices.min_square + prices.square
    assert find_signs("TWO") == find_signs("TO/TOO") == {"2"} and find_signs("AND") == {"&", "+"}
    assert not find_signs("ONE/TWO") and not find_signs("PAN")
    assert all(
        find_signs(content) and swap_directions(content) in TWO_WAY_SIGN_CONTENTS for content in TWO_WAY_SIGN_CONTENTS
    )


def test_contents_that_go_together_are_cheaper():
    """AMY and BETH next to MEG, after two are paid: the fewer answers are as similar, the cheaper."""
    place = {"AMY": 2, "BETH": 40, "OWL": 5000}

    def kin(answer: str, others: Collection[str]) -> int | None:
        assert answer not in others
        return place.get(answer)

    def more(content: str, *paid: str) -> float:
        squares = {(0, i): one for i, one in enumerate(paid)}
        return price_squares({**squares, (1, 1): content}, kin) - price_squares(squares, kin)

    strange = prices.content + prices.square
    assert more("AMY", "MEG") == more("AMY", "MEG", "JO", "JO") == strange, "too few, and not all different"
    assert more("AMY", "MEG", "JO") < more("BETH", "MEG", "JO") < more("OWL", "MEG", "JO") == more("PAN", "MEG", "JO")
    assert more("PAN", "MEG", "JO", "AMY") < more("PAN", "MEG", "JO") < strange, "where all are, others are likelier"
    assert more("AMY", *"ABCDEFGHIJ") == prices.square, "at least the square's"
    puzzle, _ = task(truth())
    new = [SquareProposal((1, 1), "AMY", prices.min_square + prices.square + 1.0)]
    squares = {(0, 0): "MEG", (2, 3): "JO"}
    assert select_proposals(new, squares, puzzle, prices, kin) == new
    assert not select_proposals(new, squares, puzzle, prices, no_similarity)


SQUARES = [
    ("MEG", "JO", "STAR", "STAR", "STAR"), ("TO", "ATE/EIGHT"), ("MEG", "JO", "TO/TOO"), ("MEG", "JO", "MEG", "AMY"),
]  # fmt: skip


@pytest.mark.parametrize("contents", SQUARES, ids=" ".join)
def test_squares_cost_the_same_in_any_order(contents: tuple[str, ...]):
    """If similarity is known for none or all of them."""

    def price(order: Sequence[str]) -> float:
        return price_squares(dict(enumerate(order)), lambda answer, others: 1)  # type: ignore[arg-type]

    assert len({round(price(order), 9) for order in permutations(contents)}) == 1


def test_what_is_chosen_is_worth_what_it_costs():
    """A repeated content cancels the discount of the others."""
    puzzle, _ = task(truth())
    squares = {(0, 0): "MEG", (0, 1): "JO", (0, 2): "AMY"}
    kin = {"AMY": 2, "BETH": 5, "MEG": 1}
    for gain, again in ((9.0, 4.0), (3.6, 3.6), (9.0, 30.0)):
        new = [SquareProposal((1, 1), "BETH", gain), SquareProposal((3, 3), "MEG", again)]
        best = select_proposals(new, squares, puzzle, prices, lambda answer, others: kin.get(answer))
        after = {**squares, **{one.cell: one.content for one in best}}
        rise = [price_squares(one, lambda answer, others: kin.get(answer)) for one in (squares, after)]
        assert sum(one.log_odds for one in best) >= rise[1] - rise[0]
        assert [one.content for one in best] == {9.0: ["BETH"], 3.6: []}[gain] if again < 10 else "MEG" in str(best)


def test_the_search_knows_what_goes_together():
    """Three squares that all differ: the third is found only if it is similar to the others."""
    true: dict[Cell, str] = {(0, 0): "PAN", (2, 3): "TIN", (1, 1): "CUP"}
    puzzle, among = task(truth(squares=true))
    asked: list[str] = []

    def kin(answer: str, others: Collection[str]) -> int | None:
        asked.append(answer)
        return 1

    assert found(puzzle, tiny.knowing(among, similarity_rank=kin))[0] == true and {*true.values()} & {*asked}


def test_one_cell_stands_for_the_content():
    puzzle, among = task(truth())
    short = CollapsedLists(among).collapse_inputs(TRUE)
    for slot in GRID.slots:
        answer = "".join(truth()[cell] for cell in slot.cells)
        letters = "".join(truth()[cell][0] for cell in slot.cells)
        assert expand_answer(slot, TRUE, letters) == answer
        assert cell_offsets(cell_contents(slot, TRUE))[-1] == len(answer)
        assert len(cell_contents(slot, TRUE)) == len(slot)
        place = short.lists[slot].find_answer(letters)
        assert place is not None and short.lists[slot].letters.shape[1] == len(slot)
        assert np.exp(short.lists[slot].logp[place]) == pytest.approx(0.9), "as likely as the whole answer"
    assert CollapsedLists(among).collapse_inputs({}) is among
    assert with_tokens(puzzle, TRUE).given == {(0, 0): "P", (2, 3): "P"}


def test_an_unlisted_answer_is_judged_by_all_its_letters():
    _, among = task(truth())
    lot = np.random.default_rng(1)
    strings = StringModel(LetterModel.from_trigrams(lot.random((27, 27, 27)) ** 8))
    short = CollapsedLists(replace(among, string_model=strings)).collapse_inputs(TRUE)
    slot = GRID.slots[0]
    got = short.string_model_for(slot).string_loglik(letter_codes("PABC"))
    assert got == pytest.approx(strings.string_loglik(letter_codes("PANABC")))
    _, letters = short.string_model_for(slot).mix_phrases(np.ones((4, 26)), 0.0, np.ones((4, 26)))
    assert letters.sum(axis=1) == pytest.approx(np.ones(4)) and letters[0, letter_codes("P")[0]] == pytest.approx(1)


def test_given_contents_of_several_letters_show_in_answers_next_to_a_rebus():
    def read(strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
        return {slot: [ReaderScore(0.0, word, 0.0) for word in its] for slot, its in strings.items()}

    puzzle, among = task(truth(squares={**TRUE, (0, 3): "ES"}), {(0, 3): "ES"})
    solved = solve_from_lists(puzzle, tiny.knowing(among, score_strings=read))
    assert solved.rebus_squares == {**TRUE, (0, 3): "ES"} and solved.answers[0].answer == "PANSYES"
    model = CollapsedLists(among).collapse_inputs({(0, 0): "PAN"}).string_model_for(GRID.slots[0])
    assert np.isfinite(model.string_loglik(letter_codes("PSYES"))), "one letter longer than the entry has squares"
    assert model.best_pieces(letter_codes("PSYES")) == ((), 0.0)


def test_squares_that_the_person_wrote_are_taken_at_their_word(menagerie: Index):
    """Nothing in entries through them is called wrong, and other squares are still found."""
    puzzle = Puzzle(GRID, {slot: f"Clue of {slot}" for slot in GRID.slots})
    letters = {cell: content for cell, content in truth().items() if len(content) == 1}
    for given in (truth(), TRUE, {(0, 0): "PAN"}, {(0, 0): "PAN", (0, 1): "S", (3, 3): "E"}, letters):
        solved = solve(replace(puzzle, given=given), menagerie)
        assert solved.doubted_letters == {} and solved.rebus_squares == TRUE and dict(solved.fill.cells) == truth()
    wrong = solve(replace(puzzle, given={**truth(), (0, 2): "Q"}), menagerie)
    assert list(wrong.doubted_letters) == [(0, 2)] and wrong.rebus_squares == TRUE
    long = solve(replace(puzzle, given={(0, 0): "SQUARED", (2, 3): "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}), menagerie)
    assert long.fill.cells[0, 0] == "SQUARED", "longer than any that is looked for"
    said = RENDERERS["text"](solve(replace(puzzle, given=truth()), menagerie), "a", Screen())
    assert "Regis believes this is a rebus" not in said, "the person knows it"


def test_given_squares_may_differ_across_and_down():
    """As in a .puz: C/I is CI. If one direction makes no sense, and there are enough of them."""
    several = {(0, 0): "PANTEX", (1, 2): "PANTEX", (2, 3): "PANTEX"}
    assert {"PAN/TEX", "TEX/PAN"} <= {one[0, 0] for one in two_way_readings(several)}
    assert not list(two_way_readings(dict.fromkeys(several, "PANTEXT"))), "too long"
    true: dict[Cell, str] = {(0, 0): "PAN/TEX", (1, 2): "PAN/TEX", (2, 3): "TEX/PAN"}
    puzzle, among = task(truth(squares=true))
    true = dict.fromkeys(true, "PAN/TEX")
    puzzle, among = task(truth(squares=true))
    solved = solve_from_lists(replace(puzzle, given=several), among)
    assert solved.rebus_squares == true and {solved.fill.cells[cell] for cell in several} == {"PANTEX"}
    said = " ".join(RENDERERS["text"](solved, "x", Screen()).split())
    assert "1 = PANTEX" in said and " PAN/TEXSYS " in said and " PAN/TEXOLA " in said and "this is a rebus" not in said
    assert f"content across comes before {CONTENT_SEPARATOR}" in said


@pytest.mark.parametrize("content", ["XQZ", "NAP"])
def test_a_content_in_whose_place_another_is_found_is_wrong(content: str, monkeypatch: pytest.MonkeyPatch):
    """A single letter would be equally wrong."""
    puzzle, among = task(truth())
    puzzle = replace(puzzle, given={(0, 0): content})
    solved = solve_from_lists(puzzle, among)
    assert solved.rebus_squares == TRUE and solved.doubted_letters.keys() == {(0, 0)}
    assert solved.doubted_letters[0, 0] < 0.01
    monkeypatch.setattr(given_review, "_p_replaced_correct", lambda *asked: {})
    assert review_given(puzzle, among, FOREVER).doubts == {}


def test_a_wrong_content_does_not_hide_the_right_one(menagerie: Index, monkeypatch: pytest.MonkeyPatch):
    # next to the undiscovered right one, a letter is also wrong
    monkeypatch.setattr(given_review, "CONTENTS", given_review.ContentSettings(5.0))
    puzzle = Puzzle(GRID, {slot: f"Clue of {slot}" for slot in GRID.slots}, {(0, 0): "XQZ", (2, 3): "PAN"})
    solved, revealed = (solve(puzzle, menagerie, reveal=reveal) for reveal in (False, True))
    assert list(solved.doubted_letters) == [(0, 0)] and solved.cell_content((0, 0)) == "XQZ"
    assert solved.rebus_squares == TRUE
    assert solved.answers[0].answer == "XQZSYS" and revealed.answers[0].answer == "PANSYS"
    assert revealed.cell_content((0, 0)) == revealed.fill.cells[0, 0] == "PAN"


def test_a_reader_reads_answers_whole():
    """A second look changes doubtful letters, but not the squares."""
    puzzle, among = task(truth())
    asked: dict[Slot, Sequence[str]] = {}

    def read(strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
        asked.update(strings)
        return {
            slot: [ReaderScore(5.0 if word == "OPAL" else 0.0, word, 0.0) for word in its]
            for slot, its in strings.items()
        }

    short = CollapsedLists(tiny.knowing(among, score_strings=read)).collapse_inputs(TRUE)
    assert short.has_reader and not CollapsedLists(among).collapse_inputs(TRUE).has_reader
    slots = {str(slot): slot for slot in GRID.slots}
    (odds,) = short.knowledge.score_strings({slots["5A"]: ["OPAL"]}).values()
    assert [one.log_odds for one in odds] == [5.0] and asked == {slots["5A"]: ["OPAL"]}
    short.knowledge.score_strings({slots["1A"]: ["PSYS", "PSIS"], slots["3D"]: ["YAGE"]})
    assert asked[slots["1A"]] == ["PANSYS", "PANSIS"] and asked[slots["3D"]] == ["YAGE"]
    start = with_tokens(replace(puzzle, clues=dict.fromkeys(GRID.slots, "A word")), TRUE)
    first = belief.fill(start, short, FOREVER)
    again = read_doubtful_entries(State(start, among, short, first, TRUE), belief.fill).fill
    assert {cell: again.cells[cell] for cell in TRUE} == dict.fromkeys(TRUE, "P")


@pytest.fixture(scope="module")
def menagerie(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Return an index that knows every whole answer of `ROWS` by its clue, and much else."""
    known = [
        corpus.entry("".join(truth()[c] for c in s.cells), f"Clue of {s}", year)
        for s in GRID.slots
        for year in corpus.YEARS
    ]
    return corpus.index(tmp_path_factory.mktemp("menagerie"), corpus.rows() + known)


def test_the_road_from_a_puzzle_to_what_is_shown(menagerie: Index):
    puzzle = Puzzle(GRID, {slot: f"Clue of {slot}" for slot in GRID.slots})
    solved = solve(puzzle, menagerie)
    assert solved.rebus_squares == TRUE and dict(solved.fill.cells) == truth()
    answers = {str(answer.slot): answer for answer in solved.answers}
    assert answers["1A"].answer == "PANSYS" and answers["4D"].answer == "SLPANE"
    assert any(reason.text == "Clue of 1A" for reason in answers["1A"].evidence)
    text = RENDERERS["text"](solved, "x", Screen(width=80, color=False, unicode=True))
    assert "1 = PAN" in text and "2 squares hold several letters" in text
    told = json.loads(RENDERERS["json"](solved, "x", Screen()))
    assert told["cells"][0][0] == "PAN" and told["entries"][0]["answer"] == "PANSYS"
    assert solve(puzzle, menagerie, find_filler("singletons")).rebus_squares == {}
    (explained,) = explain(solved, GRID.slots[:1], 3)
    assert explained.answer.answer == explained.candidates[0].answer == "PANSYS" and "PANSYS" in explained.why
    assert [square.letter for square in explained.squares] == ["PAN", "S", "Y", "S"]


def test_a_given_letter_in_a_rebus_square_stays_unless_it_stands_for_the_content(menagerie: Index):
    cell = GRID.slots[0].cells[0]
    puzzle = Puzzle(GRID, {slot: f"Clue of {slot}" for slot in GRID.slots}, {cell: "Q"})
    solved = solve(puzzle, menagerie)
    assert solved.rebus_squares == TRUE and list(solved.doubted_letters) == [cell]
    assert solved.fill.cells[cell] == "Q" and solved.fill.confidence[cell] == solved.doubted_letters[cell] < 0.1
    assert solved.answers[0].answer == "QSYS" and solved.answers[0].alternatives[0][0] == "PANSYS"
    assert solve(puzzle, menagerie, reveal=True).answers[0].answer == "PANSYS"
    of, filled = replace(puzzle, given={cell: TRUE[cell][0]}), solved.letter_fill
    assert filled is not None and remaining_doubts({cell: 0.1}, of, filled, TRUE) == {}
    assert "1 square holds several letters" in RENDERERS["text"](solved, "a", Screen())
    assert "PANSYS" in dict(solved.fill.ranked_answers[GRID.slots[0]])
    assert "PSYS" not in dict(solved.fill.ranked_answers[GRID.slots[0]])
    begun_ = replace(puzzle, given={cell: "H"})
    contents = ("/HEART", "UP/HEART", "UP/ART")
    doubts = [remaining_doubts({cell: 0.1}, begun_, filled, {cell: content}) for content in contents]
    assert doubts == [{}, {}, {cell: 0.1}]
