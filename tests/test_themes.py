"""Themes: one edit found in several answers, nothing found where there is none, and all of it told."""

import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tiny

from regis.candidates.candidate_list import CandidateList, unlisted
from regis.models.strings.string_model import StringModel
from regis.puzzle import Direction, Grid, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, codes_to_word, letter_codes
from regis.render import RENDERERS
from regis.render import json as as_json
from regis.render.reasons import render_explanation
from regis.solving import belief
from regis.solving.explanation import explain
from regis.solving.filler import Fill, SolverInput
from regis.solving.inference.evidence import GridEvidence
from regis.solving.marks import Marks, find_marks
from regis.solving.pipeline import fill_grid
from regis.solving.report import report_answers
from regis.solving.solved_puzzle import SolvedPuzzle, Theme
from regis.solving.state import State
from regis.solving.themes import edit_scoring, search
from regis.solving.themes.edit_kinds import KIND_DESCRIPTIONS, Change, Edit, EditKind
from regis.solving.themes.edit_scoring import apply_edit, score_edits
from regis.solving.themes.edited_list import EditedList, edit_lists
from regis.solving.themes.search import ThemeSearch
from regis.solving.themes.sounds import can_sound_alike
from regis.system.deadline import FOREVER
from regis.system.terminal import Screen

ADDED = {"ORCHALARD": "ORCHARD", "BUALTTERY": "BUTTERY", "SNOWBALOY": "SNOWBOY"}
DROPPED = {"ORHARDIST": "ORCHARDIST", "BUTERSOTH": "BUTCERSOTH", "SNOWBOXES": "SNOWBOCXES"}
CHANGED = {"OSPHARDSA": "ORCHARDSA", "BUTTESPYS": "BUTTERCYS", "SNSPBOYSS": "SNRCBOYSS"}
TURNED = {"DRAHCROSA": "ASORCHARD", "SYRETTUBE": "EBUTTERYS", "SSYOBWONS": "SNOWBOYSS"}
SINGLE = {"ORCHPARDS": "ORCHARDS", "BUTKTERYS": "BUTTERYS", "SNOMWBOYS": "SNOWBOYS"}
SHORTER = {"ORCHADSUN": "ORCHARDSUN", "BUTERSOTH": "BUTCERSOTH", "SNWBOXEST": "SNOWBOXEST"}
BEHEADED = {"RCHARDSUN": "ORCHARDSUN", "UTTERYSEA": "BUTTERYSEA", "NOWBOYSSE": "SNOWBOYSSE"}
CUT = {"ORCHARDSU": "ORCHARDSUN", "BUTTERYSE": "BUTTERYSEA", "SNOWBOYSS": "SNOWBOYSSE"}
STROLLS = {"RCHARODSA": "ORCHARDSA", "BUTERYSTE": "BUTTERYSE", "NSOWBOYSS": "SNOWBOYSS"}
MIXED = {"OHRCARDSA": "ORCHARDSA", "BUTRTEYSE": "BUTTERYSE", "SNYOBOWSS": "SNYOWBOSS"}
PUNS = {"VISESQUAD": "VICESQUAD", "DAZEAHEAD": "DAYSAHEAD", "MALECARDS": "MAILCARDS"}
VOWELS = {"BITTERPAT": "BUTTERPAT", "PINHOLDER": "PENHOLDER", "CATFISHES": "COTFISHES"}
TWICE = {"ORCHCHARD": "ORCHARD", "BUTTTTERY": "BUTTERY", "SNOWBOWBO": "SNOWBO"}
SWAPS = {"OCRHARDSA": "ORCHARDSA", "BUTETRYSE": "BUTTERYSE", "SNOWOBYSS": "SNOWBOYSS"}
PLAIN = {"QUIZSHOWX": "", "VEXJUMPFX": "", "ZEPHYRBLX": ""}


def listed(words: Mapping[str, float], missing: float) -> CandidateList:
    return tiny.listed({word: p * (1 - missing) for word, p in words.items()}, missing)


def task(
    rows: Mapping[str, str], clues: Mapping[str, str] | None = None, rare: bool = False
) -> tuple[Puzzle, SolverInput]:
    """Three long answers, one below the other: no list has them, only the phrases they were made of, among others.

    The answers down are listed. `rare` phrases are not to be taken for the answers that were made of them.
    """
    grid = Grid(("." * 9,) * 3)
    puzzle = Puzzle(grid, {slot: (clues or {}).get(str(slot), "A clue") for slot in grid.slots}, title="Task")
    phrases = [phrase for phrase in rows.values() if phrase]
    others = ["QUIZSHOWS", "VEXJUMPFX", "ZEPHYRBLK", "WALTZES", "JUKEBOX", "FJORDQUIZZ", "VEXINGLYPH"]

    def longer(slot: Slot, length: int) -> CandidateList:
        fitting = [one for one in [*phrases, *others] if len(one) == length]
        weights = {one: 1e-7 if rare and one in phrases else 1 / len(fitting) for one in fitting}
        return listed(weights, 0.5) if fitting else unlisted(length)

    lists = {}
    for slot in grid.slots:
        if slot.direction is Direction.ACROSS:
            lists[slot] = longer(slot, 9)
        else:
            down = "".join(row[slot.cells[0][1]] for row in rows)
            lists[slot] = listed({down: 0.9, "QZX": 0.1}, 1e-9)
    strings = StringModel(tiny.letters())
    return puzzle, SolverInput(
        lists, strings, lists_of_length=lambda asked, depth, _: {(s, n): longer(s, n) for s, n in asked}
    )


def searched(
    puzzle: Puzzle, among: SolverInput, deadline: float = FOREVER, marked: Marks | None = None
) -> tuple[Theme | None, SolverInput, Fill]:
    plain = State(puzzle, among, belief.fill(puzzle, among, FOREVER))
    found = ThemeSearch(plain, belief.fill, deadline, marked).find_theme()
    return found.theme, found.inputs, found.fill


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (ADDED, "AL added"), (DROPPED, "C left out"), (CHANGED, "SP for RC"),
        (TURNED, "all letters in reverse order"), (SWAPS, "two neighbouring letters swapped"),
        (SINGLE, KIND_DESCRIPTIONS[EditKind.ADDED]), (SHORTER, KIND_DESCRIPTIONS[EditKind.DROPPED]),
        (BEHEADED, KIND_DESCRIPTIONS[EditKind.FIRST]), (CUT, KIND_DESCRIPTIONS[EditKind.LAST]),
        (STROLLS, KIND_DESCRIPTIONS[EditKind.MOVED]), (MIXED, KIND_DESCRIPTIONS[EditKind.ANAGRAM]),
        (TWICE, KIND_DESCRIPTIONS[EditKind.REPEATED]), (PUNS, KIND_DESCRIPTIONS[EditKind.SOUND]),
        (VOWELS, KIND_DESCRIPTIONS[EditKind.OTHER]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_theme_is_found_and_the_grid_filled_with_it(rows: dict[str, str], said: str) -> None:
    puzzle, among = task(rows, rare=rows in (PUNS, VOWELS))
    theme, with_theme, solution = searched(puzzle, among)
    assert theme is not None and theme.description == said
    assert {solution.answer(slot): phrase for slot, phrase in theme.phrases.items()} == rows
    for slot in theme.phrases:
        one = with_theme.lists[slot]
        assert np.exp(one.logp).sum() + one.missing < 1 + 1e-9
        assert len({one.answer(i) for i in range(len(one))}) == len(one), "each answer once"
    assert searched(puzzle, among)[::2] == (theme, solution), "the same each time"


def test_an_edit_mends_what_no_list_could() -> None:
    """One crossing is wrong about a letter; the theme knows better."""
    puzzle, among = task(ADDED)
    slot = next(slot for slot in puzzle.grid.slots if str(slot) == "8D")
    right = among.lists[slot].answer(0)
    wrong = right[0] + "X" + right[2]
    among.lists[slot] = listed({wrong: 0.6, right: 0.4}, 0.001)  # type: ignore[index]
    plain = belief.fill(puzzle, among, FOREVER)
    theme, _, solution = searched(puzzle, among)
    assert plain.answer(slot) == wrong and solution.answer(slot) == right
    assert theme is not None and len(theme.phrases) == 3


def test_a_grid_that_comes_to_rest_elsewhere_is_filled_from_where_it_stood() -> None:
    puzzle, among = task(ADDED)

    def fill(puzzle: Puzzle, among: SolverInput, deadline: float) -> Fill:
        found = belief.fill(puzzle, among, deadline)
        return replace(found, cells=dict.fromkeys(found.cells, "Q")) if among.warm_start is None else found

    found = ThemeSearch(State(puzzle, among, belief.fill(puzzle, among, FOREVER)), fill, FOREVER).find_theme()
    assert found.theme is not None and {found.fill.answer(slot) for slot in found.theme.phrases} == ADDED.keys()


@pytest.mark.parametrize("rows", [PLAIN, {**dict(list(ADDED.items())[:2]), "ZEPHYRBLX": ""}], ids=["none", "two"])
def test_no_theme_is_made_up(rows: dict[str, str]) -> None:
    puzzle, among = task(rows)
    plain = belief.fill(puzzle, among, FOREVER)
    found = ThemeSearch(State(puzzle, among, plain), belief.fill, FOREVER).find_theme()
    assert found.theme is None and found.inputs is among and found.fill is plain and not found.ledger


def test_promises_alone_are_no_theme() -> None:
    """Stars, a title and notes over a grid of which no list knows anything."""
    grid = Grid(tuple("." * 13 if r % 2 == 0 else ".#" * 6 + "." for r in range(13)))
    clues = dict.fromkeys(grid.slots, "*What 1-, 8-, 9- and 10-Across share")
    puzzle = Puzzle(grid, clues, title="Letters Added", notes="See the circled squares.")
    among = SolverInput({slot: unlisted(len(slot)) for slot in grid.slots}, StringModel(tiny.letters()))
    found = fill_grid(puzzle, among)
    assert find_marks(puzzle).explicit_groups and found.theme is None and not found.rebus_squares
    assert not found.two_answer_entries


def test_two_are_a_theme_where_a_clue_names_them() -> None:
    rows = {**dict(list(ADDED.items())[:2]), "ZEPHYRBLX": ""}
    clues = {"11A": "What 1-, 10- and 11-Across share"}
    puzzle, among = task(rows, clues)
    theme, *_ = searched(puzzle, among, marked=find_marks(puzzle))
    assert theme is not None and [str(slot) for slot in theme.phrases] == ["1A", "10A"]


@pytest.mark.parametrize("marked", [("1A", "2D", "3D"), ("10A", "4D", "5D")], ids=", ".join)
def test_two_of_which_not_both_have_a_mark_are_none(marked: tuple[str, ...]) -> None:
    puzzle, among = task({**dict(list(ADDED.items())[:2]), "ZEPHYRBLX": ""})
    group = frozenset(slot for slot in puzzle.grid.slots if str(slot) in marked)
    assert searched(puzzle, among, marked=Marks(explicit_groups=(group,)))[0] is None


def test_the_marks_of_a_puzzle_are_looked_at() -> None:
    rows = {**dict(list(ADDED.items())[:2]), "ZEPHYRBLX": ""}
    assert fill_grid(*task(rows)).theme is None
    found = fill_grid(*task(rows, {"11A": "What 1-, 10- and 11-Across share"}))
    assert found.theme is not None and len(found.theme.phrases) == 2


def test_a_theme_that_a_clue_tells_of_is_cheaper() -> None:
    puzzle, among = task(ADDED)
    state = State(puzzle, among, belief.fill(puzzle, among, FOREVER))
    every = (frozenset(puzzle.grid.slots),)
    plain, told, alike = (
        ThemeSearch(state, belief.fill, FOREVER, marked)
        for marked in (None, Marks(explicit_groups=every), Marks(similar_groups=every))
    )
    slots = [slot for slot in puzzle.grid.slots if slot.direction is Direction.ACROSS]
    seen = told._theme_price(Edit(EditKind.REVERSED), slots[:2])
    assert seen == plain._theme_price(Edit(EditKind.REVERSED), slots[:2]), "two may be chance"
    added = Edit(EditKind.LETTERS, "", "AL")
    assert told._theme_price(added, slots) < alike._theme_price(added, slots) < plain._theme_price(added, slots)
    assert plain._theme_price(added, slots) < plain._theme_price(Edit(EditKind.LETTERS, "ED", "AL"), slots)


def test_no_theme_when_the_time_is_up() -> None:
    assert searched(*task(ADDED), deadline=0.0)[0] is None


def test_a_grid_is_not_filled_again_when_the_time_was_up_before(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, among = task(ADDED)
    plain, clock = belief.fill(puzzle, among, FOREVER), [0.0]

    def late(*known: Any) -> EditedList:
        clock[0] = 10.0
        return edit_lists(*known)

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(search, "edit_lists", late)
    themes = ThemeSearch(State(puzzle, among, plain), lambda *_: pytest.fail("the time is up"), 5.0)
    assert themes.find_theme().fill is plain and clock == [10.0]


def test_a_grid_that_does_not_get_better_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GridEvidence, "log_evidence", lambda *_: 0.0)
    assert searched(*task(ADDED))[0] is None


NOTHING = np.zeros((6, 26))  # what crossings say that say nothing
ALL = [
    Edit(EditKind.LETTERS, "", "AL"), Edit(EditKind.LETTERS, "C", ""), Edit(EditKind.LETTERS, "RC", "SP"),
    Edit(EditKind.REVERSED), Edit(EditKind.SWAPPED),
]  # fmt: skip


@pytest.mark.parametrize("edit", ALL, ids=str)
def test_what_an_edit_makes_is_what_it_is_found_by(edit: Edit) -> None:
    """`edits` says of the best phrase what the slow way over all that is `made` says."""
    draw = np.random.default_rng(20)
    phrases = draw.integers(0, 4, (40, 8)).astype(np.uint8)
    phrases[0] = letter_codes("ORCHARDS")
    logp = np.log(draw.dirichlet(np.ones(40)))
    letters, chances, which = apply_edit(edit, phrases, logp, np.zeros((8 - edit.letters_lost[0], 26)))
    assert np.logaddexp.reduce(chances) <= 1e-9, "an edit makes no more probable than there was"
    wanted = letters[which == 0][len(letters[which == 0]) // 2]
    messages = np.log(np.full((len(wanted), 26), 0.001) + 0.974 * np.eye(26)[wanted])
    slow = max(float(p + messages[range(len(wanted)), row].sum()) for row, p in zip(letters, chances, strict=True))
    assert score_edits(phrases, logp, messages)[edit] == pytest.approx(slow)


@pytest.mark.parametrize(
    ("phrase", "answer", "kind"),
    [
        ("COFFEEPOT", "COFFEESPOT", EditKind.ADDED), ("COFFEEPOT", "COFFEPOT", EditKind.DROPPED),
        ("COFFEEPOT", "COFFEEPIT", EditKind.OTHER), ("COFFEEPOT", "OFFEEPOT", EditKind.FIRST),
        ("COFFEEPOT", "COFFEEPO", EditKind.LAST), ("COFFEEPOT", "OFFEECPOT", EditKind.MOVED),
        ("COFFEEPOT", "PCOFFEEOT", EditKind.MOVED), ("COFFEEPOT", "COFPFOEET", EditKind.ANAGRAM),
        ("COFFEEPOT", "COFFEEPOTPOT", EditKind.REPEATED), ("COFFEEPOT", "COFCOFFEEPOT", EditKind.REPEATED),
        ("DAYSAHEAD", "DAZEAHEAD", EditKind.SOUND), ("VICESQUAD", "VISESQUAD", EditKind.SOUND),
        ("IDOLTHREAT", "IDYLLTHREAT", EditKind.SOUND), ("WHITEKNIGHT", "WHITENIGHT", EditKind.SOUND),
    ],
)  # fmt: skip
def test_what_kind_of_change_it_is(phrase: str, answer: str, kind: EditKind) -> None:
    messages = np.log(np.full((len(answer), 26), 0.001) + 0.974 * np.eye(26)[letter_codes(answer)])
    found = score_edits(letter_codes(phrase)[None], np.zeros(1), messages)
    letters, logp, which = apply_edit(Edit(kind), letter_codes(phrase)[None], np.zeros(1), messages)
    place = list(map(codes_to_word, letters)).index(answer)
    fit = float(messages[np.arange(len(answer)), letter_codes(answer)].sum())
    assert logp[place] + fit == pytest.approx(found[Edit(kind)]) and set(which) == {0}


@pytest.mark.parametrize("kind", [*KIND_DESCRIPTIONS, EditKind.LETTERS])
def test_what_it_does_is_said_in_words_that_follow_both_have_and_with(kind: EditKind) -> None:
    said = Edit(kind, "", "AL").description
    assert said.endswith(("added", "left out", "changed", "moved", "swapped", "order", "twice", "sounds the same"))
    assert not said.startswith(("their ", "its ")), "three have them, or one phrase comes with them"


@pytest.mark.parametrize("kind", [one for one in KIND_DESCRIPTIONS if one not in (EditKind.REVERSED, EditKind.SWAPPED)])
def test_no_kind_makes_more_probable_than_there_was(kind: EditKind, monkeypatch: pytest.MonkeyPatch) -> None:
    """All changes of a kind together, where the crossings allow every letter that may be put there."""
    monkeypatch.setattr(edit_scoring, "MAX_NEW_STRINGS", 26**3)
    word = "COFFEE" if kind == EditKind.SOUND else "TOFF"  # how many spellings sound the same is a mean of longer ones
    put = {EditKind.SOUND: "ACEFGHIKOPQSUWY", EditKind.REPEATED: word}.get(kind, ALPHABET)
    phrase, message = letter_codes(word)[None], np.where(np.isin(np.arange(26), letter_codes(put)), 0.0, -99.0)
    for shorter in Edit(kind).letters_lost:
        _, logp, _ = apply_edit(Edit(kind), phrase, np.zeros(1), np.tile(message, (len(word) - shorter, 1)))
        assert 0.01 < np.exp(logp).sum() <= 1 + 1e-9


def test_what_is_left_out_early_is_not_worth_it() -> None:
    """With a `least`, edits are those that are worth more without one."""
    draw = np.random.default_rng(7)
    for length in (7, 8, 9):
        phrases = draw.integers(0, 5, (30, length)).astype(np.uint8)
        logp = np.log(draw.dirichlet(np.ones(30)))
        messages = np.log(draw.dirichlet(np.full(26, 0.2), 8) + 1e-4)
        messages -= messages.max(axis=1, keepdims=True)
        every = score_edits(phrases, logp, messages)
        least = float(np.median(list(every.values())))
        assert score_edits(phrases, logp, messages, least) == {one: fit for one, fit in every.items() if fit > least}


def test_the_likeliest_letters_are_put_there() -> None:
    """Not those that come first in the alphabet."""
    messages = np.log(np.full((9, 26), 1e-4) + np.eye(26)[letter_codes("COFAAAFEE")])
    put = np.full((3, 26), 1e-4)
    for row, likely, others in zip(put, "ZYX", ("ABC", "ABC", "ABC"), strict=True):
        row[letter_codes(others)], row[letter_codes(likely)[0]] = 0.1, 0.69
    messages[3:6] = np.log(put)
    found = score_edits(letter_codes("COFFEE")[None], np.zeros(1), messages)
    assert max(found, key=lambda one: found[one]) == Edit(EditKind.LETTERS, "", "ZYX")


def test_more_letters_than_an_edit_may_name_only_change_places() -> None:
    messages = np.log(np.full((9, 26), 0.001) + 0.974 * np.eye(26)[letter_codes("COFFEEXYZ")])
    seen = Edit(EditKind.LETTERS, "POT", "XYZ")
    assert seen not in score_edits(letter_codes("COFFEEPOT")[None], np.zeros(1), messages)
    messages = np.log(np.full((9, 26), 0.001) + 0.974 * np.eye(26)[letter_codes("OFFEECPOT")])
    found = score_edits(letter_codes("COFFEEPOT")[None], np.zeros(1), messages)
    assert Edit(EditKind.MOVED) in found and Edit(EditKind.LETTERS, "COFFEE", "OFFEEC") not in found


def test_an_edit_that_no_phrase_is_long_enough_for_makes_nothing() -> None:
    for edit in (Edit(EditKind.LETTERS, "ABC", ""), Edit(EditKind.SWAPPED)):
        letters, logp, which = apply_edit(edit, letter_codes("A")[None], np.zeros(1), NOTHING[:1])
        assert not len(letters) and not len(logp) and not len(which)


def test_an_answer_made_in_two_ways_is_as_likely_as_both() -> None:
    slot = listed({"QUIZ": 1.0}, 0.5)
    one, messages = listed({"BALLOT": 1.0}, 1e-9), np.log(np.full((5, 26), 1 / 26))
    new = edit_lists(Edit(EditKind.LETTERS, "L", ""), slot, [one], messages, 0.0)
    assert list(map(codes_to_word, new.letters)) == ["BALOT"] and np.exp(new.logp[0]) == pytest.approx(1.0)
    assert new.original_phrase("BALOT") == "BALLOT" and new.original_phrase("BALLO") is None


def test_only_the_kinds_that_it_is() -> None:
    def of(phrase: str, at: int, old: str, new: str) -> set[EditKind]:
        return {edit.kind for edit, _ in Change(phrase, at, old, new).possible_edits()} - {EditKind.LETTERS}

    assert of("COFFEEPOT", 2, "F", "") >= {EditKind.DROPPED} and EditKind.FIRST not in of("COFFEEPOT", 2, "F", "")
    assert of("COFFEEPOT", 6, "PO", "OP") == {EditKind.SWAPPED, EditKind.MOVED, EditKind.ANAGRAM}
    assert of("COFFEEPOT", 6, "POT", "XYZ") == set()
    assert of("COFFEEPOT", 3, "", "BR") == set(), "letters that stand nowhere beside it"


@pytest.mark.parametrize(("one", "other"), [("AYS", "AZE"), ("ICE", "ISE"), ("OL", "YLL"), ("PH", "FF"), ("LE", "AL")])
def test_spellings_that_sound_the_same(one: str, other: str) -> None:
    assert can_sound_alike(one, other) and can_sound_alike(other, one) and can_sound_alike(one, one)


NO_PUNS = "B/P ICE/ACE CAT/CATS BIT/BUT BIT/BET CAT/COT ROD/RAD STAR/SAR HAT/AT THIN/TIN CITY/TITY HOPE/HOPPY COPE/COPY"


@pytest.mark.parametrize("two", NO_PUNS.split())
def test_spellings_that_do_not(two: str) -> None:
    one, other = two.split("/")
    assert not can_sound_alike(one, other) and not can_sound_alike(other, one)


def test_letters_in_the_title_are_cheaper() -> None:
    puzzle, among = task(ADDED)
    slots, fill = puzzle.grid.slots[:3], belief.fill(puzzle, among, FOREVER)
    for title, notes, named in (("What ails you", "", 0), ("Salad days!", "", 1), ("", "The salad course", 1)):
        told = replace(puzzle, title=title, notes=notes)
        prices = [
            ThemeSearch(State(one, among, fill), belief.fill, FOREVER)._theme_price(
                Edit(EditKind.LETTERS, "", "ALA"), slots
            )
            for one in (told, puzzle)
        ]
        assert (prices[0] < prices[1]) == bool(named)


def test_an_edit_changes_one_place() -> None:
    letters, *_ = apply_edit(Edit(EditKind.LETTERS, "A", "O"), letter_codes("BANANA")[None], np.zeros(1), NOTHING)
    assert sorted(map(codes_to_word, letters)) == ["BANANO", "BANONA", "BONANA"]


def test_endings_are_no_theme() -> None:
    """Letters at an end are an ending, or another word, more often than a theme."""
    phrases = np.array([letter_codes("CASTLE")])
    inside, end = (apply_edit(Edit(EditKind.LETTERS, "", "S"), phrases, np.zeros(1), NOTHING)[1][at] for at in (3, 6))
    assert end < inside - 3


def solved() -> SolvedPuzzle:
    puzzle, among = task(ADDED)
    return report_answers(fill_grid(puzzle, among), reveal=False)


def test_it_is_told_in_text_and_on_the_page() -> None:
    one = solved()
    wanted = "Regis believes that this puzzle has a theme: 3 answers have AL added (1A, 10A and 11A)."
    assert wanted in " ".join(RENDERERS["text"](one, "x.puz", Screen()).split())
    assert wanted in RENDERERS["html"](one, "x.puz", Screen())


def test_it_is_told_in_json() -> None:
    found = json.loads(RENDERERS["json"](solved(), "x.puz", Screen()))["theme"]
    (assumption,) = solved().assumptions
    assert assumption.move == "theme" and assumption.gain > assumption.price > 10
    assert found == {"edit": "AL added", "phrases": {"1A": "ORCHARD", "10A": "BUTTERY", "11A": "SNOWBOY"}}
    puzzle, among = task(PLAIN)
    assert json.loads(RENDERERS["json"](fill_grid(puzzle, among), "x.puz", Screen()))["theme"] is None


def test_it_is_told_in_explanations() -> None:
    one = solved()
    first, down = explain(one, [one.puzzle.grid.slots[0], one.puzzle.grid.slots[1]], 3)
    assert first.why.endswith("It is ORCHARD with AL added, as in 10A and 11A.") and "It is" not in down.why
    assert "theme: ORCHARD with AL added" in render_explanation(first, Screen())
    assert json.loads(as_json.encode_explanation(first, "x"))["candidates"][0]["evidence"][0]["kind"] == "edit"


def test_what_a_second_look_changes_is_no_theme_any_more() -> None:
    one = solved()
    assert one.theme is not None and one.letter_fill is not None
    slots = list(one.theme.phrases)
    gone = Fill({**one.letter_fill.cells, slots[0].cells[4]: "X"}, {}, {})
    left = one.theme.restrict_to_unchanged(one.letter_fill, gone)
    assert left is not None and list(left.phrases) == slots[1:]
    assert left.restrict_to_unchanged(one.letter_fill, Fill({}, {}, {})) is None
