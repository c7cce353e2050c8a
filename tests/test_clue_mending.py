"""Clues of pictures are mended by the words of past clues where letters look alike, and what was mended is told."""

import dataclasses
from pathlib import Path
from typing import Any

import corpus
import papers
import pytest
from test_paper import mini

from regis import api
from regis.cli.dispatch import main
from regis.index import Index
from regis.index.clue_mending import look_up_clue, look_up_clue_by_folder, spell_near_clue
from regis.index.tables import schema
from regis.models.text.lookalike_words import list_lookalikes
from regis.play.open_puzzles import OpenPuzzles
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile
from regis.puzzle.formats.files import KnownClue
from regis.puzzle.formats.paper import printed_puzzle
from regis.puzzle.formats.shared.document import Document
from regis.system import paths

PAST_CLUES = (
    *["Des Moines's state", "Iowa college town", "Iowa neighbor", "Iowa crop"] * 4,
    *["World War II battle", "World War II admiral", "Rocky II actress"] * 4,
    *["Il Trovatore piece", "Part of Il Trovatore", "No man's land", "Land of the free", "It's over", "A.I. worry"] * 4,
)


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Index:
    answers = [a + b + c for a in "ABCD" for b in "EIO" for c in "LNRST"]
    rows = [corpus.entry(answer, clue, 2001) for answer, clue in zip(answers, PAST_CLUES, strict=False)]
    return corpus.index(tmp_path_factory.mktemp("past"), rows)


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ("College town of lowa", "College town of Iowa"),
        ('"lowa": Abbr.', '"Iowa": Abbr.'),
        ("World War Il sub", "World War II sub"),
        ("Il Trovatore, for one", "Il Trovatore, for one"),
        ('Meaning "Iand"', 'Meaning "land"'),
        ("lowa's Iand", "Iowa's land"),
        ("lt's done", "It's done"),
        ("A.I., for one", "A.I., for one"),
        ("lolo, unheard of", "lolo, unheard of"),
        ("Iowa", "Iowa"),
        ("", ""),
    ],
)
def test_a_word_is_spelled_as_past_clues_spell_it(past: Index, read: str, meant: str):
    assert look_up_clue(past, read, 3).spelling == meant


def test_the_starter_mends_without_a_clue_in_it():
    folder = paths.shipped_path("starter")
    assert folder is not None
    index = Index.open(folder)
    assert index.manifest.is_distilled
    assert look_up_clue(index, "Cedar Rapids's state, lowa", 4).spelling == "Cedar Rapids's state, Iowa"
    assert look_up_clue(index, "Leave it in one's wil for Ila", 4).spelling == "Leave it in one's will for Ila"
    for right in ("Iams rival", "Tel or so"):  # likelier otherwise, but by less than that costs
        assert look_up_clue(index, right, 4).spelling == right


def test_lookalikes_have_capitals_where_words_have_them():
    def others(word: str) -> list[str]:
        return [other for other, _ in list_lookalikes(word)]

    assert others("lis") == ["Iis"]
    assert others("Il") == ["II", "ll", "Ill"]
    assert others("I") == []
    assert others("it'lI") == ["it'll", "it'II", "it'Il"]
    assert others('wil"?') == ['will"?']
    assert len(others("l" * 40)) < 20


def test_a_folder_is_opened_once(past: Index, monkeypatch: pytest.MonkeyPatch):
    assert look_up_clue_by_folder("College town of lowa", 3, past.folder).spelling == "College town of Iowa"
    monkeypatch.setattr(Index, "open", None)
    assert look_up_clue_by_folder("Corn of lowa", 3, past.folder).spelling == "Corn of Iowa"


@pytest.mark.parametrize(
    ("clue", "length", "is_past"),
    [("IOWA crop!", 3, True), ("lowa crop", 3, True), ("Iowa crop", 4, False), ("Iowa crops", 3, False),
     ("?", 3, False), ("", 3, False), ("Iowa crop", 40, False)],
)  # fmt: skip
def test_a_past_clue_is_known_with_answers_so_long(past: Index, clue: str, length: int, is_past: bool):
    assert look_up_clue(past, clue, length).is_past == is_past


@pytest.mark.parametrize(
    ("read", "meant"),
    [("Wil Rogers's home", "Will Rogers's home"), ("WIll Rodgers's home", "WIll Rogers's home"),
     ("WlII Rogers's home", None), ('"Willl" Rogers\'s home', '"Will" Rogers\'s home'),
     ("ill Rogers's home", "Will Rogers's home"), ("WillRogers's home", "Will Rogers's home"),
     ("WIL ROGERS'S HOME", "WILL ROGERS'S HOME"), ("I984", "1984"),
     ("Will Rogers's home", None), ("Cat or dog", None), ("Corn of Iow", None), ("Actor Iams", None), ("", None)],
)  # fmt: skip
def test_a_clue_that_its_answer_had_is_near(tmp_path: Path, read: str, meant: str | None):
    """The mark is nothing that a clue is known by; two that are near leave open which it is."""
    rows = [corpus.entry("RANCH", "Will Rogers's home"), corpus.entry("RANCH", "Cats or dog")]
    rows += [corpus.entry("RANCH", "Cat or dogs"), corpus.entry("RANCH", "1984"), corpus.entry("MAIZE", "Corn of Iowa")]
    assert spell_near_clue(corpus.index(tmp_path, rows), read, "RANCH") == meant
    assert spell_near_clue(corpus.index(tmp_path, rows), read, "OTHER") is None


@pytest.fixture(params=["damaged", "missing"])
def unusable(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An index that opens, but what its clues' words are cannot be read; or none."""
    if request.param == "missing":
        return tmp_path / "none"
    folder = corpus.index(tmp_path, [corpus.entry("ABC", "Iowa")]).folder
    words = folder / schema.postings_file(3, "features")
    words.write_bytes(b"x" * words.stat().st_size)
    return folder


def test_an_index_without_clues_mends_nothing(tmp_path: Path):
    index = corpus.index(tmp_path, [corpus.entry("ABC")])
    assert look_up_clue(index, "lowa", 3) == KnownClue("lowa", "lowa", False)


# the page


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> PuzzleFile:
    """A page whose clues are read as from a picture, two of them with an l for an I."""
    read_page = printed_puzzle.read_page

    def read_unsurely(*page: Any) -> Document:
        document = read_page(*page)
        assert document.confidence is not None
        first, second, *others = document.grid.slots
        rows = page[2:]
        clues = {first: '"lowa"?', second: "lowa Iand", **dict.fromkeys(others, "lowa too" if any(rows) else "Iowa")}
        confidence = dataclasses.replace(document.confidence, clues=dict.fromkeys(clues, 0.97), is_picture=True)
        return dataclasses.replace(document, clues=clues, confidence=confidence)

    monkeypatch.setattr(printed_puzzle, "read_page", read_unsurely)
    return PuzzleFile("page.pdf", mini())


def look_up(clue: str, _: int) -> KnownClue:
    return KnownClue(clue, clue.replace("lowa", "Iowa").replace("Iand", "land"), False)


def test_what_was_mended_is_told_and_doubtful(page: PuzzleFile):
    mended = formats.look_up_clues(page, look_up)
    puzzle, warnings = formats.read_puzzle(mended)
    first, second, *others = puzzle.grid.slots
    assert [puzzle.clues[slot] for slot in (first, second)] == ['"Iowa"?', "Iowa land"]
    told = f"'Iowa' for 'lowa' in the clue of {first}, 'Iowa' for 'lowa' and 'land' for 'Iand' in the clue of {second}"
    assert warnings[-1] == f"page.pdf has, by the words of past clues, {told}; compare with the page"
    confidence = formats.read_confidence(mended)
    assert confidence is not None and confidence.doubtful_clues == (first, second)
    assert all(confidence.clues[slot] == 0.97 for slot in others)
    assert formats.look_up_clues(mended, look_up) == mended


def test_a_doubtful_clue_gets_no_surer_and_of_many_the_first_are_named(page: PuzzleFile):
    document = printed_puzzle.read_page(page.data, page.name)
    assert document.confidence is not None
    unsure = dataclasses.replace(document.confidence, clues=dict.fromkeys(document.clues, 0.2))
    document = dataclasses.replace(document, confidence=unsure)
    known = [KnownClue("Iowa", "Ohio", False), KnownClue("lowa Iand", "Iowa land", False)]
    mended = printed_puzzle.mend_clues(document, known, "x")
    assert mended.confidence is not None and set(mended.confidence.clues.values()) == {0.2}
    assert mended.warnings[-1].count("clue of") == 5 and f"and {len(document.clues) - 6} more" in mended.warnings[-1]


def test_a_past_clue_is_sure_also_where_it_was_mended(page: PuzzleFile):
    document = printed_puzzle.read_page(page.data, page.name)
    assert document.confidence is not None
    first, second, third, *others = document.grid.slots
    clues = {first: "lowa", second: "Ohio", third: "Maine", **dict.fromkeys(others, "Utah")}
    unsure = dataclasses.replace(document.confidence, clues=dict.fromkeys(clues, 0.5))
    sure = f"25 of 25 squares and {len(clues) - 1} of {len(clues)} clues were read for sure"
    document = dataclasses.replace(document, clues=clues, confidence=unsure, warnings=("odd",))
    known = [KnownClue("lowa", "Iowa", True), KnownClue("Ohio", "Ohio", True), KnownClue("Utah", "Utah", True)]
    mended = printed_puzzle.mend_clues(document, known, "x")
    assert mended.confidence is not None and mended.confidence.doubtful_clues == (third,)
    assert (
        mended.warnings[:2] == ("odd", f"x: {sure}; compare the clue of {third} with the page")
        and "'Iowa' for 'lowa'" in mended.warnings[2]
    )


def test_what_is_sure_or_no_page_is_not_mended():
    """A PDF with text says each letter itself."""
    for file in (PuzzleFile("page.pdf", mini()), papers.file("sampler.puz")):
        assert formats.look_up_clues(file, lambda clue, _: KnownClue(clue, clue.swapcase(), True)) == file


def test_a_converted_page_has_its_clues_mended(
    page: PuzzleFile, past: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("REGIS_INDEX", str(past.folder))
    (tmp_path / "page.pdf").write_bytes(page.data)
    assert main(["convert", str(tmp_path / "page.pdf"), str(tmp_path / "page.ipuz")]) == 3
    assert "'Iowa' for 'lowa'" in capsys.readouterr().err
    puzzle = api.read_puzzle(tmp_path / "page.ipuz")
    assert [*puzzle.clues.values()][:2] == ['"Iowa"?', "Iowa land"]
    assert api.read_puzzle(tmp_path / "page.pdf").clues == puzzle.clues


def test_an_index_that_cannot_be_used_mends_nothing_and_that_is_told(
    page: PuzzleFile,
    unusable: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("REGIS_INDEX", str(unusable))
    (tmp_path / "page.pdf").write_bytes(page.data)
    assert main(["convert", str(tmp_path / "page.pdf"), str(tmp_path / "page.ipuz")]) == 0
    (told,) = (line for line in capsys.readouterr().err.splitlines() if "stay as they were read" in line)
    assert "damaged" in told or "there is no index" in told
    assert "lowa Iand" in api.read_puzzle(tmp_path / "page.ipuz").clues.values()
    assert "lowa Iand" in api.read_puzzle(tmp_path / "page.pdf").clues.values()


def test_a_solved_page_has_its_clues_mended(
    page: PuzzleFile, past: Index, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "page.pdf").write_bytes(page.data)
    main(["solve", str(tmp_path / "page.pdf"), "--index", str(past.folder), "--format", "json"])
    printed = capsys.readouterr()
    assert "'Iowa' for 'lowa'" in printed.err and "Iowa land" in printed.out and "lowa" not in printed.out
    main(["explain", str(tmp_path / "page.pdf"), "1A", "--index", str(past.folder)])
    assert "'Iowa' for 'lowa'" in capsys.readouterr().err
    solved = api.solve(tmp_path / "page.pdf", index=past)
    assert "Iowa land" in [answer.clue for answer in solved.answers]


def test_a_played_page_has_its_clues_mended_and_stays_so_when_its_blocks_are(page: PuzzleFile):
    puzzles = OpenPuzzles(look_up_clue=look_up)
    opened = puzzles.open_file(page)
    first, second, *_ = opened.puzzle.grid.slots
    assert opened.paper is not None and opened.paper.confidence.doubtful_clues == (first, second)
    third = str(opened.puzzle.grid.slots[2])
    typed = puzzles.mend_puzzle(opened.puzzle_id, opened.puzzle.grid.rows, {str(first): "lowa"})
    clues = {str(slot): clue for slot, clue in typed.puzzle.clues.items()}
    assert [clues[x] for x in (str(first), str(second), third)] == ["lowa", "Iowa land", "Iowa too"]
    assert typed.paper is not None and typed.paper.confidence.doubtful_clues == opened.puzzle.grid.slots[1:]


@pytest.mark.parametrize("read", ["Those who give on to five stars", "Those who give one to five stars"])
def test_the_answer_in_the_grid_speaks_for_a_doubtful_clue(
    read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Not for one that is sure (5A), and not where the answer is not (8A)."""
    read_page = printed_puzzle.read_page
    misread = {"7A": read, "5A": "On a lower dock", "8A": "Nothing at all that helps"}

    def read_unsurely(*page: Any) -> Document:
        document = read_page(*page)
        assert document.confidence is not None
        slots = {str(slot): slot for slot in document.grid.slots}
        unsure = {slots["7A"]: 0.5, slots["8A"]: 0.5}
        confidence = dataclasses.replace(document.confidence, clues={**document.confidence.clues, **unsure})
        clues = {**document.clues, **{slots[name]: clue for name, clue in misread.items()}}
        return dataclasses.replace(document, clues=clues, confidence=confidence)

    document = read_page(mini(), "x")
    answers = {slot: "".join(papers.ROWS[r][c] for r, c in slot.cells) for slot in document.clues}
    rows = [corpus.entry(answers[slot], clue) for slot, clue in document.clues.items() if str(slot) not in ("3D", "8A")]
    rows += [corpus.entry(answer, "Nothing at all that help") for answer in ("EYED", "EYES")]
    index = corpus.index(tmp_path, rows * 3)
    monkeypatch.setattr(printed_puzzle, "read_page", read_unsurely)
    (tmp_path / "page.pdf").write_bytes(mini())
    solve = ["solve", str(tmp_path / "page.pdf"), "--index", str(index.folder)]
    main(solve)
    told = [line for line in capsys.readouterr().err.splitlines() if "had before" in line]
    sentence = f"the clue of 7A, '{read}', may be '{papers.CLUES['7A']}', by one that its answer had before"
    assert [line.partition("page.pdf: ")[2] for line in told] == [f"{sentence}; compare with the page"] * (
        read != papers.CLUES["7A"]
    )
    main([*solve, "--hint"])
    assert "had before" not in capsys.readouterr().err
