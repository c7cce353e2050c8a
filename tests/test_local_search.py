"""Lists weighed together give the same results as answer by answer; the local search only makes a grid likelier, keeps
given letters, and tries no impossible change."""

import time
from collections.abc import Mapping

import numpy as np
import pytest
import tiny

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.models.strings.string_model import StringModel
from regis.puzzle import Cell, Grid, Puzzle, alphabet
from regis.solving.belief import MIN_LETTER_P, LocalSearch
from regis.solving.filler import Beliefs, Fill, SolverInput
from regis.solving.inference.evidence import REPEAT_PENALTY
from regis.solving.inference.list_factors import ListFactors
from regis.system.progress import FOREVER

WORDS = {
    "1A": {"BAD": 0.5, "BID": 0.3, "BED": 0.1}, "4A": {"ICE": 0.6, "ACE": 0.2}, "5A": {"TEN": 0.5, "TED": 0.2},
    "1D": {"BIT": 0.5, "BAT": 0.2}, "2D": {"ACE": 0.4, "ICE": 0.3}, "3D": {"DEN": 0.7},
}  # fmt: skip
BEST = ("BAD", "ICE", "TEN")


def task(given: Mapping[Cell, str] | None = None) -> LocalSearch:
    puzzle = Puzzle(Grid(("...",) * 3), {}, given or {})
    lists = {slot: tiny.listed(WORDS[str(slot)], 0.05) for slot in puzzle.grid.slots}
    return LocalSearch(puzzle, SolverInput(lists, StringModel(tiny.letters())))


def written(rows: tuple[str, ...]) -> dict[Cell, str]:
    return {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}


def unsure(cells: Mapping[Cell, str]) -> dict[Cell, np.ndarray]:
    """Return probabilities that slightly favor each cell's letter; all letters are possible."""
    even = {cell: np.full(26, (1 - 0.1) / 25 + MIN_LETTER_P) for cell in cells}
    for cell, letter in cells.items():
        even[cell][alphabet.letter_codes(letter)] += 0.1
        even[cell] /= even[cell].sum() / 2
    return even


def believed(search: LocalSearch, letters: Mapping[Cell, np.ndarray]) -> Beliefs:
    """Return beliefs with these letters, and every word of each list."""
    ranked = {slot: tuple(WORDS[str(slot)].items()) for slot in search.puzzle.grid.slots}
    return Beliefs(letters, {}, ranked, {}, {}, 0, "")


def weight(search: LocalSearch, cells: Mapping[Cell, str]) -> float:
    entries = {slot: "".join(cells[c] for c in slot.cells) for slot in search.puzzle.grid.slots}
    twice = len(entries) - len(set(entries.values()))
    return (
        sum(search.evidence.entry_logp(search.slots.index(slot), entry) for slot, entry in entries.items())
        - REPEAT_PENALTY * twice
    )


@pytest.mark.parametrize("rows", [("BXD", "ICE", "TEN"), ("BAD", "ACE", "TEN"), ("QAD", "ICE", "TEN"), BEST])
def test_a_spoilt_letter_is_mended(rows: tuple[str, ...]):
    search = task()
    cells = written(rows)
    found = search.improve(cells, believed(search, unsure(cells)), FOREVER)
    assert found == written(BEST)


@pytest.mark.parametrize("seed", range(10))
def test_the_grid_only_gets_likelier_and_is_then_at_rest(seed: int):
    lot = np.random.default_rng(seed)
    search = task()
    cells = {cell: alphabet.ALPHABET[lot.integers(26)] for cell in search.puzzle.grid.cells}
    before, chances = dict(cells), unsure(cells)
    found = search.improve(cells, believed(search, chances), FOREVER)
    assert cells == before, "what was given stays as it was"
    assert set(found) == set(cells) and weight(search, found) >= weight(search, cells)
    assert search.improve(found, believed(search, chances), FOREVER) == found


def test_what_the_person_wrote_stays():
    given = {(0, 0): "Q", (2, 2): "7", (1, 1): "HEART"}
    search = task(given)
    cells = written(BEST) | given
    chances = {cell: np.full(26, 0.5) for cell in cells}
    found = search.improve(cells, believed(search, chances), FOREVER)
    assert {cell: found[cell] for cell in given} == given
    search, cells = task(), written(("BXD", "ICE", "TEN"))
    assert search.improve(cells, believed(search, unsure(cells)), time.monotonic() - 1) == cells, "no time, no change"


@pytest.mark.parametrize("rows", [BEST, ("ACE", "CAT", "ETA")])
def test_the_evidence_of_a_grid_is_the_sum_of_its_entries_less_repeats(rows: tuple[str, ...]):
    search, cells = task(), written(rows)
    assert search.evidence.log_evidence(Fill(cells, {}, {})) == pytest.approx(weight(search, cells))


def test_an_entry_is_scored_by_its_list_or_the_string_model():
    search = task()
    slot = search.puzzle.grid.slots[0]
    for word, p in WORDS[str(slot)].items():
        assert search.evidence.entry_logp(0, word) == pytest.approx(np.log(p))
    assert search.evidence.entry_logp(0, "XYZ") == pytest.approx(np.log(0.05) - 3 * np.log(26), abs=0.3)
    assert np.isfinite(search.evidence.entry_logp(0, "X7Z"))
    assert search.evidence.entry_logp(0, "X7Z") < search.evidence.entry_logp(0, "XYZ")


def test_an_answer_does_not_stand_twice():
    """ICE is in 2D and in 4A."""
    search = task()
    cells = written(("BID", "ICE", "TEN"))
    assert len({"".join(cells[c] for c in slot.cells) for slot in search.puzzle.grid.slots}) < 6
    found = search.improve(cells, believed(search, unsure(cells)), FOREVER)
    entries = ["".join(found[c] for c in slot.cells) for slot in search.puzzle.grid.slots]
    assert len(set(entries)) == len(entries)


def some_lists(length: int, sizes: tuple[int, ...]) -> tuple[list[CandidateList], np.ndarray, np.ndarray]:
    """Make lists of these sizes, messages to their slots, and the weight of unlisted answers."""
    generator = np.random.default_rng(length)
    lists = []
    for size in sizes:
        logp = np.sort(generator.normal(-6, 3, size))[::-1]
        letters = generator.integers(0, 26, (size, length)).astype(np.uint8)
        listed = CandidateList(letters, logp, 0.1, lambda i: ())
        lists.append(listed if size else unlisted(length))
    shape = len(sizes), length, 26
    return lists, -generator.exponential(3, shape), -generator.exponential(10, len(sizes))


def weigh_alone(among: CandidateList, incoming: np.ndarray, unlisted: float) -> tuple[float, np.ndarray]:
    """Weigh one slot, answer by answer."""
    score = [
        p + sum(incoming[i, x] for i, x in enumerate(row)) for row, p in zip(among.letters, among.logp, strict=True)
    ]
    letters = np.zeros(incoming.shape)
    if not score:
        return 0.0, letters
    likely = np.exp(score)
    for row, p in zip(among.letters, likely / likely.sum(), strict=True):
        letters[np.arange(len(row)), row] += p
    return likely.sum() / (likely.sum() + np.exp(among.log_missing + unlisted)), letters


@pytest.mark.parametrize("length", [2, 3, 5, 6])
@pytest.mark.parametrize("sizes", [(40,), (3, 0, 200), (0, 0), (0, 7, 1, 0)])
def test_lists_are_weighed_as_answer_by_answer(length: int, sizes: tuple[int, ...]):
    lists, incoming, unlisted = some_lists(length, sizes)
    weighing = ListFactors(lists)
    for narrowed in (False, True):
        if narrowed:
            weighing.prune(incoming, range(len(lists)))
        listed, letters = weighing.marginals(incoming, unlisted, np.arange(len(lists)))
        for i, among in enumerate(lists):
            chance, counts = weigh_alone(among, incoming[i], unlisted[i])
            assert listed[i] == pytest.approx(chance, rel=1e-4) and letters[i] == pytest.approx(counts, abs=1e-4)
