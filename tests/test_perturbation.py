"""Ways out of a wrong corner: what is tried, what is kept, and where the search ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
import tiny

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import letter_codes
from regis.solving.filler import Beliefs, Fill, Filler, SolverInput
from regis.solving.inference.evidence import GridEvidence
from regis.solving.inference.reader_evidence import ReaderEvidence
from regis.solving.moves import move
from regis.solving.moves.move import improve
from regis.solving.moves.perturbation import ForcedEntries, PerturbationSettings, force_entries, restart
from regis.solving.moves.reader_pass import ReaderPassSettings
from regis.solving.state import State
from regis.system.deadline import FOREVER

PUZZLE = tiny.puzzle()
GOOD, BAD = tiny.cells(), tiny.cells(("PLAN", "ROSE", "OVEN", "DEED"))


def listed(*words: str) -> CandidateList:
    """The words, each half as likely as the one before; one in ten answers is in no list."""
    p = 0.5 ** np.arange(len(words))
    return CandidateList(
        np.array([letter_codes(word) for word in words]), np.log(0.9 * p / p.sum()), 0.1, np.ones(len(words), bool),
        lambda i: (),
    )  # fmt: skip


def answer(slot: Slot, cells: dict[tuple[int, int], str]) -> str:
    return "".join(cells[cell] for cell in slot.cells)


def known() -> SolverInput:
    """Each slot's own list has the good answer first; only what stands across is known besides."""
    lists = {}
    for slot in PUZZLE.grid.slots:
        bad = [answer(slot, BAD)] if str(slot).endswith("A") else []
        lists[slot] = listed(answer(slot, GOOD), *bad, "QUIZ", "JAZZ")
    return tiny.candidates(lists)


def solution(cells: dict[tuple[int, int], str], sure: float = 0.0) -> Fill:
    """Filled so, by beliefs that leave everything open, or are so `sure` of one letter."""
    p = np.full(26, (1 - sure) / 26)
    p[0] += sure
    slots = PUZZLE.grid.slots
    open_ = {slot: np.full((len(slot), 26), 1 / 26) for slot in slots}
    beliefs = Beliefs(
        dict.fromkeys(cells, p), open_, dict.fromkeys(slots, ()), dict.fromkeys(slots, 0.5), {}, 20, "all rounds done"
    )
    return Fill(cells, dict.fromkeys(cells, 0.5), {}, beliefs=beliefs)


class ToyFiller:
    """Finds the good grid where one of its entries is taken for right; `keeps` it once it is let go again."""

    def __init__(self, keeps: bool = True, helps: Callable[[str], bool] = lambda word: True) -> None:
        self.keeps = keeps
        self.helps = helps
        self.bad, self.good = solution(BAD), solution(GOOD)
        self.anew: Fill | None = None  # the grid that is found where it is begun anew; None for the bad one
        self.begun = 0
        self.tried: list[tuple[Slot, str]] = []

    def __call__(self, puzzle: Puzzle, among: SolverInput, *_: object) -> Fill:
        if among.warm_start is None:
            self.begun += 1
            return self.anew or self.bad
        forced = [(slot, its.answer(0)) for slot, its in among.lists.items() if len(its) == 1]
        if not forced:
            return self.good if self.keeps and among.warm_start is self.good.beliefs else self.bad
        ((slot, word),) = forced
        assert among.lists[slot].missing == 0
        self.tried.append((slot, word))
        return self.good if word == answer(slot, GOOD) and self.helps(word) else self.bad


class Ways:
    """The perturbations of a puzzle by one filler."""

    def __init__(self, fill: Filler, puzzle: Puzzle = PUZZLE, deadline: float = FOREVER, **settings: float) -> None:
        self.fill, self.puzzle, self.deadline = fill, puzzle, deadline
        self.forced_entries = ForcedEntries(PerturbationSettings(**{"tries_per_share": 1e3, **settings}))

    def escape(self, among: SolverInput, solution: Fill) -> Fill:
        state = State(self.puzzle, among, solution).with_score(among)
        return improve(state, self.forced_entries.propose(state), self.fill, self.deadline).fill


def test_an_entry_taken_for_right_leads_to_the_likelier_grid():
    fill = ToyFiller()
    search = GridEvidence(PUZZLE, known())
    assert search.log_evidence(fill.good) > search.log_evidence(fill.bad) + PerturbationSettings.min_gain
    assert Ways(fill).escape(known(), fill.bad) is fill.good
    ((slot, _),) = fill.tried
    assert str(slot).endswith("D"), "what stands there is the least likely"


class Reading(ReaderEvidence):
    """Something was read, and there is nothing more to read."""

    def __init__(self, among: SolverInput) -> None:
        super().__init__(replace(among, score_strings=lambda strings: {}), FOREVER, False)
        self.lists = dict(among.lists)
        self.n_asked = 0

    def read_strings(self, strings: Mapping[Slot, Sequence[str]]) -> bool:
        self.n_asked += 1
        return False


@pytest.mark.parametrize("take", [restart, force_entries])
@pytest.mark.parametrize(
    ("min_share", "max_share", "clued", "read", "wanted"),
    [
        (0.0, 1.0, 1.0, True, True), (1.0, 1.0, 1.0, True, False), (0.0, 0.0, 1.0, True, False),
        (0.0, 1.0, 1.1, True, False), (0.0, 1.0, 1.0, False, False),
    ],
    ids=["in doubt", "settled", "hopeless", "without clues", "nothing read"],
)  # fmt: skip
def test_a_grid_in_doubt_goes_on_to_likelier_ones_and_each_is_read(
    take: Callable[..., State], min_share: float, max_share: float, clued: float, read: bool, wanted: bool
):
    fill = ToyFiller()
    fill.anew = fill.good
    reading = Reading(known())
    state = State(replace(PUZZLE, clues=dict.fromkeys(PUZZLE.grid.slots, "Clue")), known(), fill.bad)
    shares = {"unsettled_share": min_share, "stuck_share": min_share, "min_clued_share": clued}
    settings = PerturbationSettings(reader_pass=ReaderPassSettings(hopeless_share=max_share), **shares)
    after = take(replace(state, reading=reading if read else None), fill, FOREVER, settings)
    assert (after.fill is fill.good) is wanted and reading.n_asked == wanted
    n_steps = 2 * wanted  # the second is in vain
    assert fill.begun == n_steps * (take is restart) and bool(fill.tried) is (wanted and take is force_entries)


def test_a_grid_that_falls_back_once_the_entry_is_let_go_is_not_kept():
    fill = ToyFiller(keeps=False)
    assert Ways(fill).escape(known(), fill.bad) is fill.bad and len(fill.tried) == PerturbationSettings.max_failed_tries


def test_a_grid_that_is_less_likely_is_not_even_let_go():
    stands, worse, freed = solution(GOOD), solution(BAD), list[SolverInput]()

    def fill(puzzle: Puzzle, among: SolverInput, *_: object) -> Fill:
        if among.warm_start is not None and all(len(its) > 1 for its in among.lists.values()):
            freed.append(among)
        return worse

    assert Ways(fill).escape(known(), stands) is stands and not freed


def test_what_crosses_there_decides_between_answers_that_are_as_likely():
    across = next(slot for slot in PUZZLE.grid.slots if str(slot) == "1A")
    as_likely = replace(listed("JAZZ", "QUIZ", "LACK"), logp=np.log(np.full(3, 0.3)))
    among = replace(known(), lists={**known().lists, across: as_likely})
    for word in ("JAZZ", "QUIZ", "LACK"):
        fill = ToyFiller(helps=lambda word: False)
        said = np.full((4, 26), 0.01)
        said[np.arange(4), letter_codes(word)] = 0.75
        beliefs = replace(fill.bad.beliefs, messages={**fill.bad.beliefs.messages, across: said})
        fill.bad = replace(fill.bad, beliefs=beliefs)
        Ways(fill).escape(among, fill.bad)
        assert next(tried for slot, tried in fill.tried if slot == across) == word


def test_one_answer_of_each_slot_comes_before_the_second_of_any():
    fill = ToyFiller(keeps=False)
    Ways(fill, max_failed_tries=100).escape(known(), fill.bad)
    slots = [slot for slot, _ in fill.tried]
    assert len(slots) == 16 and set(slots[:8]) == set(slots[8:]) == set(PUZZLE.grid.slots)
    assert all(word == answer(slot, GOOD) for slot, word in fill.tried[:8])
    assert all(word != answer(slot, BAD) for slot, word in fill.tried), "that stands there already"


def test_nothing_is_tried_twice_and_only_so_much():
    fill = ToyFiller(helps=lambda word: False)
    search = Ways(fill, max_failed_tries=5, max_tries=12)
    for many in (5, 10, 12, 12):
        assert search.escape(known(), fill.bad) is fill.bad
        assert len(fill.tried) == len(set(fill.tried)) == many


def test_where_one_led_anywhere_more_are_tried():
    fill = ToyFiller(helps=lambda word: False)
    search = Ways(fill, max_failed_tries=5, tries_per_share=2.0)  # all squares are in doubt
    for many in (2, 7, 12):
        search.escape(known(), fill.bad)
        assert len(fill.tried) == many


def test_what_the_person_wrote_stays():
    fill = ToyFiller(helps=lambda word: False)
    Ways(fill, replace(PUZZLE, given={(0, 0): "J"}), max_failed_tries=100).escape(known(), fill.bad)
    first = [word for slot, word in fill.tried if (0, 0) in slot.cells]
    assert first == ["JAZZ", "JAZZ"]


def test_a_square_with_several_letters_or_a_digit_of_the_person_s_breaks_nothing():
    fill = ToyFiller(helps=lambda word: False)
    written = replace(PUZZLE, given={(0, 0): "LA", (3, 3): "2"})
    cells = {**BAD, (0, 0): "LA", (3, 3): "2"}
    fill.bad = stuck = replace(solution(BAD), cells=cells)
    assert Ways(fill, written).escape(known(), stuck) is stuck
    tried = {str(slot) for slot, _ in fill.tried}
    assert "1A" in tried and not tried & {"4D", "7A"}, "no answer has a digit"


def test_slots_of_sure_letters_are_left_alone():
    fill = ToyFiller()
    sure = solution(BAD, sure=0.999)
    assert Ways(fill).escape(known(), sure) is sure and not fill.tried
    fill.good = solution(GOOD)
    fill.bad = replace(
        sure, beliefs=replace(sure.beliefs, letter_probs={**sure.beliefs.letter_probs, (1, 1): np.ones(26) / 26})
    )
    assert Ways(fill).escape(known(), fill.bad) is fill.good
    assert all((1, 1) in slot.cells for slot, _ in fill.tried)


def test_where_the_time_is_up_nothing_is_kept(monkeypatch: pytest.MonkeyPatch):
    fill = ToyFiller()
    assert Ways(fill, deadline=0.0).escape(known(), fill.bad) is fill.bad
    assert not fill.tried
    times = iter([False, False])  # before the entry and after it; not once it is let go
    monkeypatch.setattr(move, "is_past", lambda deadline: next(times, True))
    assert Ways(fill).escape(known(), fill.bad) is fill.bad and len(fill.tried) == 1


def test_slots_without_a_list_are_passed_over():
    fill = ToyFiller(helps=lambda word: False)
    empty = replace(known(), lists={slot: its.keep_rows([]) for slot, its in known().lists.items()})
    assert Ways(fill).escape(empty, fill.bad) is fill.bad and not fill.tried
