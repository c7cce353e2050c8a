"""A person's puzzle on the command line: --check, --hint, --only, --reveal, `regis explain`, and the exit codes."""

import json
import re
from pathlib import Path

import corpus
import make_puzzles
import pytest
import tiny

from regis.index import Index
from regis.system import paths

GRID, CLUES = corpus.GRID, corpus.CLUES


@pytest.fixture
def regis(whole: Index, monkeypatch: pytest.MonkeyPatch, run):
    monkeypatch.setenv(paths.INDEX_VARIABLE, str(whole.folder))
    return run


def untimed(told: tuple[int, str, str]) -> tuple[int, str, str]:
    """Return the same without the seconds of solving."""
    code, out, err = told
    return code, re.sub(r"in \d+\.\d s", "in a moment", out), err


def puz(path: Path, *fill: str) -> Path:
    """Write the puzzle file with these letters; `-` is an empty square."""
    clues = [CLUES.get(str(slot), f"Clue {slot}") for slot in make_puzzles.shape(GRID).slots]
    path.write_bytes(make_puzzles.puz_bytes(GRID, clues, fill=fill or None))
    return path


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """Write it with one right letter and one wrong one, the Q for the L of LION and LIMA."""
    return puz(tmp_path / "begun.puz", "QI--#", "-###-", "-###-", "-###-", "#----")


WARNING = (
    "regis: warning: {}: the Q you wrote as letter 1 of 1A (letter 1 of 1D) is probably wrong; `--reveal` replaces it\n"
)


def test_a_plain_solve_keeps_the_letters_and_points_out_the_wrong_one(regis, begun: Path):
    """--reveal replaces it."""
    code, out, err = regis("solve", "--format", "json", begun)
    assert (code, err) == (3, WARNING.format(begun))
    value = json.loads(out)
    assert value["cells"][0][:4] == ["Q", "I", "O", "N"] and value["confidence"][0][0] < 0.5
    _, out, err = regis("solve", "--reveal", "--format", "json", begun)
    assert err == WARNING.format(begun).replace("; `--reveal` replaces it", "") and json.loads(out)["cells"][0][:4] == [
        "L",
        "I",
        "O",
        "N",
    ]


def test_check_tells_that_and_nothing_else(regis, begun: Path, tmp_path: Path):
    code, out, err = regis("solve", "--check", begun)
    assert (code, err) == (3, "") and "1 of your 2 letters" in out and "\n  Q, letter 1 of 1A (letter 1 of 1D)\n" in out
    assert "LION" not in out and "L in" not in out
    for letter, judged in (("Q", "wrong"), ("L", "right")):
        one = puz(tmp_path / "a.puz", f"{letter}---#", "-###-", "-###-", "-###-", "#----")
        assert f"your letter is probably {judged}." in regis("solve", "--check", one)[1]
    code, out, _ = regis("solve", "--check", "--format", "json", begun)
    assert code == 3 and json.loads(out)["wrong"][0]["letter"] == "Q"
    code, out, err = regis("solve", "--check", puz(tmp_path / "fine.puz", "LI--#", "-###-", "-###-", "-###-", "#----"))
    assert (code, err) == (0, "") and "none of your 2 letters" in out


@pytest.mark.parametrize(
    "words",
    [("PUZZLE", "--only", "1A", "1D"), ("--only", "1A,", "1D", "PUZZLE"), ("--only", "1", "across", "d1", "PUZZLE"),
     ("--only", "1A", "--only", "1D", "PUZZLE")],
)  # fmt: skip
def test_entries_after_only_may_be_separate_words(regis, begun: Path, words: tuple[str, ...]):
    found = regis("solve", *(begun if word == "PUZZLE" else word for word in words))
    assert untimed(found) == untimed(regis("solve", "--only", "1A,1D", begun)) and "LION" not in found[1]


def test_nothing_is_said_or_thought_of_letters_that_were_not_asked_for(regis, begun: Path):
    code, out, err = regis("solve", "--only", "3A", "--format", "json", begun)
    assert (code, err) == (0, "") and json.loads(out)["cells"][0][0] == "Q"
    assert json.loads(out)["confidence"][0][0] == 1.0
    assert "Q I" in regis("solve", "--only", "3A", begun)[1]
    code, out, err = regis("solve", "--hint", begun)
    assert (code, err) == (0, "") and "Q" not in out
    assert regis("solve", "--only", "1A", begun)[2] == WARNING.format(begun)


def test_hint_tells_one_letter_or_that_there_is_none(regis, tmp_path: Path):
    code, out, err = regis("solve", "--hint", puz(tmp_path / "a.puz"))
    assert (code, err) == (0, "") and out.count("\n") == 1 and "% sure" in out
    assert not any(word in out for word in ("LION", "LIMA", "SEAL"))
    _, out, _ = regis("solve", "--hint", "--only", "3A", "--format", "json", tmp_path / "a.puz")
    assert json.loads(out)["entry"] == "3A" and json.loads(out)["letter"] in "SEAL"
    code, out, _ = regis("solve", "--hint", puz(tmp_path / "full.puz", *GRID))
    assert code == 3 and "every square is filled" in out


def test_only_shows_the_entries_and_judges_by_them(regis, tmp_path: Path):
    puzzle = puz(tmp_path / "a.puz")
    assert regis("solve", puzzle)[0] == 3, "nothing is known of 2D"
    assert regis("solve", puzzle, tmp_path / "none.puz")[0] == 1, "failure counts more than doubt"
    code, out, _ = regis("solve", "--only", "1a,3-across", puzzle)
    assert code == 0 and "LION" in out and "SEAL" in out and "LIMA" not in out and "City with a bean" not in out
    code, out, _ = regis("solve", "--only", "2D", "--format", "json", puzzle)
    value = json.loads(out)
    assert code == 3 and [entry["number"] for entry in value["entries"]] == [2] and value["cells"][0][0] == ""


def test_an_entry_that_is_not_there_is_told_and_others_are_solved(regis, tmp_path: Path):
    small = tiny.puz(tmp_path / "small.puz")
    code, out, err = regis("solve", "--only", "3A", small, puz(tmp_path / "a.puz"))
    assert code == 1 and "SEAL" in out and f"{small} has no entry 3A; 3 goes down only" in err


def test_explain(regis, begun: Path, tmp_path: Path):
    code, out, _ = regis("explain", begun, "1A,1D")
    assert code == 0 and out.index("1A  Proud roarer  LION") < out.index("\n\n1D  City with a bean  LIMA")
    assert "you wrote Q" in out
    _, out, _ = regis("explain", "--format", "json", "--limit", 2, begun, "1D,1A")
    assert [json.loads(line)["direction"] for line in out.splitlines()] == ["down", "across"]
    assert regis("explain", begun, "1A,1D") == regis("explain", begun, "1A", "--limit", 5, "down", 1)
    code, _, err = regis("explain", begun, "1A", "9D")
    assert code == 1 and "no entry 9D" in err
    code, _, err = regis("explain", tiny.archive(tmp_path / "two", ["a", "b"]), "1A")
    assert code == 2 and "2 puzzles" in err
    code, _, err = regis("explain", tmp_path / "none.puz", "1A")
    assert code == 1 and "none.puz doesn't exist" in err
