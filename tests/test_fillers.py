"""One contract for every filler, on grids drawn as text; and `belief` compared with all possible fills."""

import functools
import itertools
import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import tiny
from hypothesis import given, settings
from hypothesis import strategies as st

from regis.ancestors import FILLERS
from regis.candidates.candidate_list import CandidateList, unlisted
from regis.models.strings import letter_model
from regis.models.strings.letter_model import LetterModel
from regis.models.strings.string_model import StringModel
from regis.puzzle import Cell, Grid, Puzzle, Slot, alphabet
from regis.solving import belief
from regis.solving.filler import Fill, SolverInput, StopReason
from regis.solving.inference import propagation
from regis.solving.settings import PROPAGATION
from regis.system.progress import FOREVER, deadline_in

EACH = pytest.mark.parametrize("name", FILLERS)
MODEL = LetterModel.from_trigrams(
    letter_model.count_trigrams(
        np.array([alphabet.letter_codes("STARE"), alphabet.letter_codes("TREES")]), np.full(2, 9.0)
    )
)
Words = Mapping[str, float]


def listed(words: Words, length: int, missing: float) -> CandidateList:
    """Return a list of `words` with these probabilities and the rest `missing`; an empty list without words."""
    return tiny.listed(words, missing) if words else unlisted(length)


def task(
    rows: tuple[str, ...], words: Mapping[str, Words], missing: float = 0.05, known: Mapping[Cell, str] | None = None
):
    """A puzzle and its candidates; `words` by the slot's name."""
    puzzle = Puzzle(Grid(rows), {}, given=known or {})
    lists = {slot: listed(words.get(str(slot), {}), len(slot), missing) for slot in puzzle.grid.slots}

    return puzzle, SolverInput(lists, StringModel(MODEL))


def check(puzzle: Puzzle, solution: Fill, whole: bool = True) -> None:
    """Check what holds for every solution of every filler."""
    in_slots = {cell for slot in puzzle.grid.slots for cell in slot.cells}
    assert set(solution.cells) <= set(puzzle.grid.cells) | set(puzzle.given)
    assert not whole or in_slots <= set(solution.cells), "every white cell in a slot is filled"
    assert set(solution.confidence) == set(solution.cells)
    assert all(np.isfinite(p) and 0 <= p <= 1 + 1e-9 for p in solution.confidence.values())
    assert all(solution.cells[cell] == letter for cell, letter in puzzle.given.items())
    assert all(x in alphabet.ALPHABET for cell, x in solution.cells.items() if cell not in puzzle.given)
    assert set(solution.ranked_answers) == set(puzzle.grid.slots) and solution.unlisted_slots <= set(puzzle.grid.slots)
    for slot, ranked in solution.ranked_answers.items():
        assert all(np.isfinite(p) and 0 <= p <= 1 + 1e-9 for _, p in ranked) and sum(p for _, p in ranked) <= 1 + 1e-6
        assert len({answer for answer, _ in ranked}) == len(ranked)
        others = [p for answer, p in ranked if answer != solution.answer(slot)]
        assert others == sorted(others, reverse=True)


def same(one: Fill, other: Fill) -> None:
    assert one.cells == other.cells and one.confidence == other.confidence
    assert one.ranked_answers == other.ranked_answers and one.unlisted_slots == other.unlisted_slots


SQUARE = ("...", "...", "...")
WORDS = {"1A": {"BAD": 0.6, "BID": 0.3}, "4A": {"ICE": 0.5, "ACE": 0.4}, "5A": {"TEN": 0.9},
         "1D": {"BIT": 0.5, "BAT": 0.4}, "2D": {"ACE": 0.6, "ICE": 0.3}, "3D": {"DEN": 0.8, "DEE": 0.1}}  # fmt: skip


DECIDED: dict[str, tuple[tuple[str, ...], Mapping[str, Words], list[str]]] = {
    "the likelier word of 1A fits nothing that crosses it": (
        ("...", ".#.", ".#."), {"1A": {"CAT": 0.6, "DOG": 0.3}, "1D": {"DIM": 0.95}, "2D": {"GEL": 0.95}},
        ["DOG", "DIM", "GEL"],
    ),
    "a square that holds together": (SQUARE, WORDS, ["BAD", "BIT", "ACE", "DEN", "ICE", "TEN"]),
    "the surest answer is wrong, and its crossings know it": (
        SQUARE,
        {"1A": {"CAT": 0.6, "BIT": 0.3}, "4A": {"ICE": 0.8}, "5A": {"TEN": 0.8},
         "1D": {"BIT": 0.55}, "2D": {"ICE": 0.55}, "3D": {"TEN": 0.55}},
        ["BIT", "BIT", "ICE", "TEN", "ICE", "TEN"],
    ),
}  # fmt: skip


@EACH
@pytest.mark.parametrize("why", DECIDED)
def test_crossings_decide(name: str, why: str):
    """The result is the same each time; statistics give the number of states and the reason for stopping."""
    rows, words, answers = DECIDED[why]
    puzzle, candidates = task(rows, words)
    solution = FILLERS[name](puzzle, candidates, FOREVER)
    check(puzzle, solution)
    assert [solution.answer(slot) for slot in puzzle.grid.slots] == answers
    same(solution, FILLERS[name](puzzle, candidates, FOREVER))
    assert solution.stop_reason is StopReason.DONE and (solution.n_states >= 1 or words is not WORDS)


def test_singletons_writes_the_surest_square_first_until_nothing_is_certain():
    """Two lists agree on the A, and then the T takes SUN from 1D; the letter model fills the uncertain squares."""
    words = {"1A": {"TEA": 0.9, "SEA": 0.05}, "1D": {"SUN": 0.5, "TEN": 0.3}, "2D": {"APE": 0.25, "ARK": 0.25}}
    puzzle, candidates = task(("...", ".#.", ".#."), words, missing=0.1)
    seen: list[str] = []
    solution = FILLERS["singletons"](puzzle, candidates, FOREVER, lambda done, letters: seen.append(done))
    assert [solution.answer(slot) for slot in puzzle.grid.slots[:2]] == ["TEA", "TEN"]
    assert seen[0] == "1A ??A" and len(seen) == solution.n_states
    certainties = [solution.confidence[cell] for cell in ((0, 2), (0, 1), (0, 0), (1, 0))]
    assert certainties[0] > 0.95 and min(certainties) > 0.3


GIVEN: list[Mapping[Cell, str]] = [
    {(0, 1): "A"}, {(0, 0): "Z", (2, 2): "Q"}, {(1, 1): "HEART"}, {(0, 0): "7"}, {(0, 0): "É", (1, 0): "ß"},
]  # fmt: skip


@EACH
def test_given_letters_stay_and_speak_for_the_words_that_have_them(name: str):
    for known, missing in itertools.product(GIVEN, (0.0, 0.05, 0.9)):
        puzzle, candidates = task(SQUARE, WORDS, missing, known)
        check(puzzle, FILLERS[name](puzzle, candidates, FOREVER))
    puzzle, candidates = task(("...",), {"1A": {"CAT": 0.9, "DOG": 0.05}}, known={(0, 1): "O"})
    assert FILLERS[name](puzzle, candidates, FOREVER).answer(puzzle.grid.slots[0]) == "DOG"


@EACH
def test_the_order_of_equals_does_not_matter(name: str):
    """Shuffled candidates of equal probability give the same letters and confidence."""
    words = ["STAR", "STIR", "SLIT", "SPAT", "TREE", "ARTS", "REST"]
    results = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(words))
        puzzle, _ = task(("....", ".##.", ".##.", "...."), {})
        lists = {slot: listed({words[i]: 0.1 for i in order} | {"SEAT": 0.2}, 4, 0.1) for slot in puzzle.grid.slots}
        results.append(FILLERS[name](puzzle, SolverInput(lists, StringModel(MODEL)), FOREVER))
    for result in results:
        check(puzzle, result)
        assert result.cells == results[0].cells and result.unlisted_slots == results[0].unlisted_slots
        assert result.confidence == pytest.approx(results[0].confidence)
        for slot, ranked in result.ranked_answers.items():
            assert [answer for answer, _ in ranked] == [answer for answer, _ in results[0].ranked_answers[slot]]


def drawn(height: int, width: int, block: float, seed: int) -> tuple[str, ...]:
    lot = np.random.default_rng(seed)
    return tuple("".join("#" if x else "." for x in row) for row in lot.random((height, width)) < block)


SHAPES = {
    "no rows": (), "one cell": (".",), "one block": ("#",), "all blocks": ("###", "###"), "no slots": (".#.", "#.#"),
    "two cells": ("..",), "two by two": ("..", ".."), "thirty": ("." * 30,), "thirty down": (".",) * 30,
    "unchecked": (".....", ".#.#.", ".....", ".#.#.", "....."), "sunday": drawn(21, 21, 0.18, 1),
    "large": drawn(40, 9, 0.3, 2), "one hole": ("...", ".#.", "..."),
}  # fmt: skip


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("full", [False, True])
def test_any_shape_with_and_without_lists(name: str, shape: str, full: bool):
    rows = SHAPES[shape]
    lot = np.random.default_rng(7)
    slots = Grid(rows).slots
    words = {
        str(s): {alphabet.codes_to_word(lot.integers(0, 26, len(s))): 0.9 / 20 for _ in range(20)}
        for s in slots
        if full and len(s) < 26
    }
    puzzle, candidates = task(rows, words)
    check(puzzle, FILLERS[name](puzzle, candidates, FOREVER))


@pytest.mark.slow
@EACH
def test_an_empty_grid_of_fifty_by_fifty_ends(name: str):
    puzzle, candidates = task(("." * 50,) * 50, {})
    start = time.process_time()
    check(puzzle, FILLERS[name](puzzle, candidates, deadline_in(1.0)), whole=False)
    assert time.process_time() - start < 15


@EACH
@pytest.mark.parametrize("seconds", [0.0, -1.0, 1e-9])
def test_no_time_is_a_result_too(name: str, seconds: float):
    puzzle, candidates = task(SHAPES["sunday"], {})
    start = time.process_time()
    solution = FILLERS[name](puzzle, candidates, deadline_in(seconds))
    assert time.process_time() - start < 2
    check(puzzle, solution, whole=False)
    assert solution.stop_reason is StopReason.OUT_OF_TIME


@pytest.mark.slow
@EACH
def test_a_hundred_thousand_answers_a_slot(name: str):
    """All are equally likely, so that there is no good reason to cut a list."""
    lot = np.random.default_rng(3)
    puzzle, _ = task((".....",) * 5, {})
    table = np.unique(lot.integers(0, 26, (110_000, 5), np.uint8), axis=0)[:100_000]
    among = CandidateList(table, np.full(len(table), np.log(0.9 / len(table))), 0.1, lambda i: ())
    many = SolverInput(dict.fromkeys(puzzle.grid.slots, among), StringModel(MODEL))
    start = time.process_time()
    check(puzzle, FILLERS[name](puzzle, many, deadline_in(1.0)), whole=False)
    assert time.process_time() - start < 15
    start = time.process_time()
    check(puzzle, FILLERS[name](puzzle, many, deadline_in(0.0)), whole=False)
    assert time.process_time() - start < 10


@EACH
def test_watching_shows_steps_and_changes_nothing(name: str):
    puzzle, candidates = task(SQUARE, WORDS, known={(0, 0): "B"})
    seen: list[tuple[str, Mapping[Cell, str]]] = []
    watched = FILLERS[name](puzzle, candidates, FOREVER, lambda done, letters: seen.append((done, letters())))
    same(watched, FILLERS[name](puzzle, candidates, FOREVER))
    assert seen and all(done for done, _ in seen)
    assert all(set(cells) <= set(puzzle.grid.cells) and cells[0, 0] == "B" for _, cells in seen)
    assert any(len(cells) == 9 for _, cells in seen), "at some step the grid is full"


LETTER = st.sampled_from("ABEST")


@st.composite
def tasks(draw: st.DrawFn):
    width = draw(st.integers(1, 5))
    rows = tuple(draw(st.lists(st.text("..#", min_size=width, max_size=width), min_size=1, max_size=5)))
    words = {}
    for slot in Grid(rows).slots:
        found = draw(st.lists(st.text(LETTER, min_size=len(slot), max_size=len(slot)), max_size=5, unique=True))
        weights = [draw(st.floats(1e-12, 1.0)) for _ in found]
        words[str(slot)] = {word: w / (sum(weights) + 1e-9) for word, w in zip(found, weights, strict=True)}
    cells = Grid(rows).cells
    known = draw(st.dictionaries(st.sampled_from(cells), LETTER, max_size=3)) if cells else {}
    missing = draw(st.sampled_from([0.0, 1e-9, 0.1, 0.99, 1.0]))
    return task(rows, words, missing, known)


@pytest.mark.slow
@EACH
@settings(max_examples=50, deadline=None)
@given(one=tasks())
def test_nothing_drawn_by_lot_upsets_a_filler(name: str, one):
    puzzle, candidates = one
    solution = FILLERS[name](puzzle, candidates, FOREVER)
    check(puzzle, solution)
    same(solution, FILLERS[name](puzzle, candidates, FOREVER))


RESUMED = [("...", ".##", ".##"), ("...", "...", "...")]  # with squares that are not crossed, and with none


@pytest.mark.parametrize("given", [{}, {(0, 0): "S"}], ids=["", "given"])
@pytest.mark.parametrize("rows", RESUMED, ids=["unchecked", "checked"])
def test_beliefs_go_on_from_what_was_believed(rows: tuple[str, ...], given: Mapping[Cell, str]):
    """Settled beliefs are settled at once; if a list changed, they settle as they would from the start."""
    tea = {"1A": {"TEA": 0.5, "SEA": 0.3}, "1D": {"TEN": 0.6, "SUN": 0.1}}
    puzzle, candidates = task(rows, tea, known=given)
    found = propagation.propagate(puzzle, candidates, np.inf)
    again = propagation.propagate(puzzle, replace(candidates, warm_start=found), np.inf)
    assert again.rounds == 1 < found.rounds
    _, other = task(rows, {**tea, "1D": {"TEN": 0.02, "SUN": 0.9}}, known=given)
    changed = propagation.propagate(puzzle, replace(other, warm_start=found), np.inf)
    afresh = propagation.propagate(puzzle, other, np.inf)
    assert changed.rounds <= afresh.rounds
    for chances, beside in ((found.letter_probs, again.letter_probs), (afresh.letter_probs, changed.letter_probs)):
        for cell in chances:
            assert beside[cell] == pytest.approx(chances[cell], abs=2 * propagation.PROPAGATION.settled_change)
    assert alphabet.ALPHABET[int(changed.letter_probs[0, 0].argmax())] == "S"


# belief against every fill of a grid without loops


def string_chances(slot: Slot, among: CandidateList, used: str) -> dict[str, float]:
    """P(string) of every string over the `used` letters: in the list, or of the letter model with P(missing)."""
    chances = {among.answer(i): float(np.exp(among.logp[i])) for i in range(len(among))}
    for string, p in model_chances(len(slot), used).items():
        chances[string] = chances.get(string, 0.0) + among.missing * p
    return chances


@functools.cache
def model_chances(n: int, used: str) -> dict[str, float]:
    """P(string) by the letter model of every string of that length over the `used` letters."""
    base = np.exp(MODEL.letter_posterior(np.ones((1, n, 26)))[0][0])
    chances = {}
    for string in map("".join, itertools.product(used, repeat=n)):
        path = [
            letter_model.EDGE_SYMBOL,
            letter_model.EDGE_SYMBOL,
            *alphabet.letter_codes(string),
            letter_model.EDGE_SYMBOL,
        ]
        chances[string] = float(np.prod([MODEL.transitions[tuple(path[i : i + 3])] for i in range(n + 1)]) / base)
    return chances


@pytest.mark.slow
@pytest.mark.parametrize("missing", [1e-6, 0.05, 0.4, 0.95])
@pytest.mark.parametrize("rows", [("...", ".##", ".##"), ("..#", "#.#", "#.#"), ("..",), ("...",), (".", ".", ".")])
def test_belief_is_exact_where_there_is_no_loop(rows: tuple[str, ...], missing: float, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(belief, "MAX_STEPS", 0)  # which prefers words to letters
    words = {
        "1A": {"TEA": 0.5, "SEA": 0.3, "TO": 0.4, "SO": 0.3},
        "1D": {"TEN": 0.6, "SUN": 0.1, "SEA": 0.1},
        "2D": {"OAR": 0.5, "EAR": 0.2},
    }
    slots = Grid(rows).slots
    fitting = {str(s): {w: p for w, p in words[str(s)].items() if len(w) == len(s)} for s in slots}
    fitting = {name: {w: p * (1 - missing) / sum(ws.values()) for w, p in ws.items()} for name, ws in fitting.items()}
    puzzle, candidates = task(rows, fitting, missing)
    chances = [string_chances(slot, candidates.lists[slot], alphabet.ALPHABET) for slot in slots]
    exact: dict[Cell, np.ndarray] = {cell: np.zeros(26) for slot in slots for cell in slot.cells}
    if len(slots) == 1:
        pairs = [((string,), p) for string, p in chances[0].items()]
    else:
        (a, b), (at,) = (
            slots,
            [(i, j) for i, x in enumerate(slots[0].cells) for j, y in enumerate(slots[1].cells) if x == y],
        )
        by_letter: dict[str, list[tuple[str, float]]] = {}
        for string, p in chances[1].items():
            by_letter.setdefault(string[at[1]], []).append((string, p))
        sums = {letter: sum(p for _, p in found) for letter, found in by_letter.items()}
        pairs = []
        for string, p in chances[0].items():
            for i, cell in enumerate(a.cells):
                exact[cell][alphabet.letter_codes(string[i])[0]] += p * sums[string[at[0]]]
        first = {letter: sum(p for s, p in chances[0].items() if s[at[0]] == letter) for letter in alphabet.ALPHABET}
        for string, p in chances[1].items():
            for i, cell in enumerate(b.cells):
                if i != at[1]:
                    exact[cell][alphabet.letter_codes(string[i])[0]] += p * first[string[at[1]]]
    for strings, p in pairs:
        for i, cell in enumerate(slots[0].cells):
            exact[cell][alphabet.letter_codes(strings[0][i])[0]] += p
    solution = FILLERS["belief"](puzzle, candidates, FOREVER)
    for cell, weight in exact.items():
        marginal = weight / weight.sum()
        assert solution.cells[cell] == alphabet.ALPHABET[int(marginal.argmax())]
        assert solution.confidence[cell] == pytest.approx(marginal.max(), abs=2e-3 + 100 * PROPAGATION.message_floor)
    for slot, own in zip(slots, chances, strict=True):
        assert (slot in solution.unlisted_slots) == (missing > 0.5), own
