"""Formats of websites and setters' programs: their spellings, and one sentence for each incomplete file."""

import json
import re
from collections.abc import Callable
from typing import Any

import papers
import pytest
from papers import clues, read

from regis.errors import PuzzleError
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile


def changed(name: str, change: Callable[[Any], object]) -> bytes:
    """Return a sampler in JSON after a change of its fields."""
    file = json.loads(papers.FILES[name])
    change(file)
    return json.dumps(file).encode()


EXOLVE = """A page around it
exolve-begin
  exolve-title: T # a remark
  exolve-width: 3
  exolve-height: 2
  exolve-grid:
    A! B|C@_
    D  E F+
  exolve-across:
    1, 3 Both of ~{{x}these}~ (2,3) DEF Anno with ABC.
    A filler line
    3. See 1
  exolve-down:
    1 Down (they) go (2) [AD] for (3) reasons
    2 A <i>Title</i> here (2)* BE
exolve-end
"""

VARIANTS = {
    "crosshare, page": ("1A", "sampler-crosshare.json", lambda file: file.update(
        props={"pageProps": {"puzzle": dict(file)}}), papers.CLUES["1A"]),
    "crosshare, elements": ("1A", "sampler-crosshare.json", lambda file: file.update(clueHasts=[
        {"type": "element", "tagName": "p", "children": [{"type": "text", "value": "10"}, {
            "type": "element", "tagName": "sup", "children": [{"type": "text", "value": "9"}]}]},
        *[{"type": "text", "value": "x < y"}] * 9]), "10⁹"),
    "crosshare, meta clue": ("1A", "sampler-crosshare.json", lambda file: file["clues"][0].update(clue="!@ So"), "So"),
    "nyt-v6, italics": ("1A", "sampler-nyt-v6.json", lambda file: file["body"][0]["clues"][0].update(
        text=[{"formatted": "<i>Emma</i> author", "plain": "Emma author"}]), '"Emma" author'),
    "puzzleme, lengths": ("2D", "sampler-puzzleme.json", lambda file: (file.update(wordLengthsEnabled=True), file[
        "placedWords"][2].update(wordLens=[2, 3])), "Cream of the crop (2,3)"),
    "puzzleme, lengths not shown": ("2D", "sampler-puzzleme.json", lambda file: file["placedWords"][2].update(
        wordLens=[2, 3]), "Cream of the crop"),
    "puzzleme, boxes": ("1A", "sampler-puzzleme.json", lambda file: file["placedWords"][0].update(
        nBoxes=0, boxesForWord=[{"x": x, "y": 0} for x in (1, 2, 3, 4)]), papers.CLUES["1A"]),
    "guardian, group": ("1A", "sampler-guardian.json", lambda file: file["entries"][0].update(
        group=["1-across", "5-down"]), f"With 5-Down: {papers.CLUES['1A']}"),
    "guardian, nested": ("1A", "sampler-guardian.json", lambda file: file.update(crossword=dict(file)),
        papers.CLUES["1A"]),
    "wsj, nested": ("1A", "sampler-wsj.json", lambda file: file.update(data=dict(file)), papers.CLUES["1A"]),
    "uclick, newer": ("1A", "sampler-uclick.json", lambda file: file.update(data={"gameData": {
        "width": 5, "height": 5, "solution": [row.replace("#", " ").rstrip() for row in papers.ROWS],
        "acrossClue": file["AcrossClue"], "downClue": file["DownClue"]}}), papers.CLUES["1A"]),
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_thing_is_said_in_many_ways(variant: str):
    entry, name, change, clue = VARIANTS[variant]
    data = changed(name, change)
    assert clues(data)[entry] == clue and read(data)[1] == ()
    assert read(data)[0].grid == formats.read_puzzle(papers.file(name))[0].grid


def test_crosshare_draws_bars_right_of_squares_and_below_them():
    file = {"title": "T", "authorName": "A", "guestConstructor": "G", "publishTime": 1389000000000,
            "size": {"rows": 2, "cols": 3}, "grid": [*"ABCDEF"], "vBars": [1], "hBars": [2], "highlight": "shade",
            "highlighted": [4], "clues": [{"num": n, "dir": d, "clue": f"{n} {d}"} for n, d in (
                (1, 0), (1, 1), (2, 1), (3, 0))]}  # fmt: skip
    puzzle, told = read(json.dumps(file).encode())
    assert {str(slot): len(slot) for slot in puzzle.grid.slots} == {"1A": 2, "1D": 2, "2D": 2, "3A": 3} and told == ()
    assert (puzzle.author, str(puzzle.date), puzzle.shaded) == ("G", "2014-01-06", {(1, 1)})


def test_puzzleme_has_walls_voids_and_letters_that_are_shown():
    def change(file: Any) -> None:
        file["preRevealIdxs"] = [[(c, r) == (0, 1) for r in range(5)] for c in range(5)]
        file["cellInfos"] = [{"x": 0, "y": 0, "isVoid": True}, {"x": 4, "y": 4, "bgColor": "#FF0000"},
                             {"x": 1, "y": 1, "rightWall": True}]  # fmt: skip
        file["backgroundShapeBoxes"] = [[4, 1]]

    document = papers.document(changed("sampler-puzzleme.json", change))[1]
    assert document.given == {(1, 0): "B"} and document.voids == {(0, 0)} and document.circles == {(1, 4)}
    assert document.grid.bars == {((1, 1), (1, 2))} and "the colors of its blocks" in document.unportable


def test_a_square_of_the_times_may_hold_one_of_its_alternative_answers():
    def change(file: Any) -> None:
        file["body"][0]["cells"][1] = {"type": 1, "label": "1", "moreAnswers": {"valid": ["D/T", "T"]}}

    data = changed("sampler-nyt-v6.json", change)
    assert formats.read_solution(PuzzleFile("x", data))[0, 1] == "D/T"


def test_the_guardian_keeps_its_solution_back_or_part_of_it():
    data = changed("sampler-guardian.json", lambda file: [entry.pop("solution") for entry in file["entries"]])
    assert read(data) == formats.read_puzzle(papers.file("sampler-guardian.json"))
    assert formats.read_solution(PuzzleFile("x", data)) is None


def test_what_explains_an_answer_in_exolve_is_not_read():
    puzzle, told = read(EXOLVE.encode())
    assert clues(EXOLVE.encode()) == {
        "1A": "With 3-Across: Both of these (2,3)", "1D": "Down (they) go (2)", "2D": 'A "Title" here', "3A": "See 1"
    }  # fmt: skip
    assert puzzle.title == "T" and puzzle.given == {(0, 0): "A"} and puzzle.circles == {(0, 2)}
    assert puzzle.grid.bars == {((0, 1), (0, 2)), ((0, 2), (1, 2))} and told == ()
    assert formats.read_solution(PuzzleFile("x", EXOLVE.encode()))[1, 2] == "F"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("Clue (?)* [] [t]WITTER", "Clue"), ("This (13) ends (1 word) here (4) Anno", "This (13) ends (1 word) here (4)"),
     ("Ends (two words) Anno", "Ends (two words)"), ("No lengths", "No lengths"), ("Ends [] Anno", "Ends"),
     ("(with love) sung (2) X", "(with love) sung (2)")],
)  # fmt: skip
def test_where_a_clue_of_exolve_ends(typed: str, shown: str):
    assert clues(EXOLVE.replace("See 1", typed).encode())["3A"] == shown


def test_exolve_skips_numbers_and_hides_blocks():
    skipped = EXOLVE.replace("B|", "B~|").replace("    3. ", "    2. ").replace("1, 3", "1")
    assert list(clues(re.sub("    2 A .*\n", "", skipped).encode())) == ["1A", "1D", "2A"]
    shown = EXOLVE.replace("D  E", "D  .*").replace("2 A <i>", "9 A <i>")
    assert any("diagramless" in sentence for sentence in read(shown.encode())[1])


BROKEN = [
    *((name, key, "isn't complete JSON of this format") for name, key in (
        ("sampler-crosshare.json", '"rows"'), ("sampler-crosshare.json", '"num"'), ("sampler-nyt-v6.json", '"body"'),
        ("sampler-nyt-v6.json", '"width"'), ("sampler-puzzleme.json", '"acrossNotDown"'),
        ("sampler-guardian.json", '"length"'), ("sampler-guardian.json", '"rows"'), ("sampler-wsj.json", '"title"'),
        ("sampler-uclick.json", '"Width"'), ("sampler-uclick.json", '"DownClue"'))),
    ("sampler-uclick.xml", "<Width", "has no grid"), ("sampler-uclick.xml", "</crossword>", "isn't complete XML"),
    ("sampler.cfp", "<GRID", "isn't complete XML"),    ("sampler.exolve", "exolve-grid", "isn't a puzzle file"),
    ("sampler.exolve", "  W@", "different lengths"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "part", "said"), BROKEN)
def test_what_is_incomplete_is_refused_in_one_sentence(name: str, part: str, said: str):
    whole = papers.FILES[name].decode()
    assert part in whole
    with pytest.raises(PuzzleError, match=said) as raised:
        read(whole.replace(part, "").encode())
    assert str(raised.value).startswith("x ") and len(str(raised.value)) < 200


@pytest.mark.parametrize(
    ("typed", "said"),
    [(EXOLVE.replace("exolve-width", "exolve-3d: 2\n  exolve-width"), "three-dimensional"),
     (EXOLVE.replace("A! B", "0* B"), "doesn't include its diagram")],
)  # fmt: skip
def test_what_exolve_has_and_regis_cannot_solve_is_said(typed: str, said: str):
    with pytest.raises(PuzzleError, match=said):
        read(typed.encode())


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"<script>window.rawc = 'eyJ0aXRs';</script>", "packed by PuzzleMe"),
     (b'{"rawc": "eyJ0aXRs", "clues": 1}', "packed by PuzzleMe"),
     (b"\n<!DOCTYPE html>\n<html><body>A crossword</body></html>", "is a web page"),
     (b"<html><p>no</p>", "is a web page"),
     (b'{"copy": {}, "celldata": "AAB", "cluedata": "ABA"}', "is an acrostic"), (b"GIF89a", "is a kind of picture"),
     (b"II*\0", "is a kind of picture"), (b"{\\rtf1 ACROSS}", "word processor"),
     (papers.zipped("word/document.xml", b"<w/>"), "word processor"), (b"\1\2CC", "export it there as .jpz"),
     (b'{"a": 1}', "export it there as .jpz")],
)  # fmt: skip
def test_a_known_kind_that_cannot_be_read_is_named(data: bytes, said: str):
    with pytest.raises(PuzzleError, match=re.escape(said)) as raised:
        formats.read_puzzle(PuzzleFile("x.ccw", data))
    assert len(str(raised.value)) < 200
    with pytest.raises(PuzzleError, match="isn't a puzzle file Regis knows|" + re.escape(said)):
        formats.read_puzzle(PuzzleFile("x", data))
