import json
import os
import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from unittest.mock import Mock

import puz as puzpy
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from make_puzzles import HEADER, MAGIC, puz_bytes, shape, with_section, with_solution

from regis.errors import PuzzleError
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile, puz
from regis.puzzle.formats.files import MAX_FILE_BYTES

ROWS = ["HELLO", "A#A#V", "SITAR", "#TEN#", "STAGE"]
VALID = [
    puz_bytes(ROWS, title="Try", author="A. Tester", notes="Some notes"),
    puz_bytes(ROWS, rebus={(0, 0): "HOT"}, written={(0, 4): "OVER"}, version="2.0", title="Caf\u00e9 \u2014 two"),
    puz_bytes(ROWS, diagramless=True),
]

cells = st.sampled_from("ABCDEFG#")
grids = st.integers(1, 7).flatmap(
    lambda width: st.lists(st.text(cells, min_size=width, max_size=width), min_size=1, max_size=7)
)


def read(data: bytes):
    return formats.read_puzzle(PuzzleFile("x.puz", data))


def solution(data: bytes):
    return formats.read_solution(PuzzleFile("x.puz", data))


# laws


@given(grids)
def test_slots_are_numbered_as_across_lite_does(rows):
    data = puz_bytes(rows)
    numbering = puzpy.load(data).clue_numbering()
    assert [str(slot) for slot in read(data)[0].grid.slots] == [
        f"{entry.number}{entry.direction[0].upper()}"
        for entry in sorted([*numbering.across, *numbering.down], key=lambda entry: entry["clue_index"])
    ]


@given(st.binary(min_size=1, max_size=30), st.sampled_from(VALID))
def test_no_peeking_at_an_overwritten_solution(junk, data):
    """Any bytes in place of the solution, even with other blocks, change nothing except for a checksum warning."""
    puzzle, warnings = read(data)
    assert read(with_solution(data, junk))[0] == puzzle
    assert [w for w in read(with_solution(data, junk))[1] if "checksum" not in w] == list(warnings)


@given(grids, grids, st.randoms())
def test_no_peeking_where_checksums_match(rows, other, rng):
    """The same with a solution whose checksums are right: the reader can't tell the two files apart."""
    letters = "".join(other) + "X"
    fill = ["".join("#" if x == "#" else "-" for x in row) for row in rows]
    assume(any("#" in row for row in rows))
    clues = [f"Clue {slot}" for slot in shape(rows).slots]
    changed = ["".join(rng.choice(letters) for _ in row) for row in rows]
    assert read(puz_bytes(changed, clues, fill=fill)) == read(puz_bytes(rows, clues))


# details


@pytest.mark.parametrize(
    "left_out",
    ["X", "-", "?", " ", "\0", "\x01", "A", puzpy.SolutionState.Locked, puzpy.SolutionState.NotProvided],
)  # fmt: skip
def test_a_solution_that_was_left_out(left_out):
    if isinstance(left_out, str):
        data = puz_bytes(["".join(x if x == "#" else left_out for x in row) for row in ROWS])
    else:
        data = puz_bytes(ROWS, state=left_out)
    assert solution(data) is None and read(data) == read(puz_bytes(ROWS))


def test_a_solution_with_many_unknown_letters_or_a_hole_cannot_be_used():
    """Some programs write X for unknown letters; in a full solution one square in thirty has that letter."""
    cells = [(r, c) for r, row in enumerate(ROWS) for c, x in enumerate(row) if x != "#"]
    fill = ["-----", "-#-#-", "-----", "#---#", "-----"]
    clues = [f"Clue {slot}" for slot in shape(ROWS).slots]
    for many, known in ((0, True), (len(cells) // 2 - 1, True), (len(cells) // 2 + 1, False)):
        rows = ["".join("X" if (r, c) in cells[:many] else x for c, x in enumerate(row)) for r, row in enumerate(ROWS)]
        assert (solution(puz_bytes(rows, clues, fill=fill)) is not None) is known
    for first in ("-ELLO", "#ELLO", "?ELLO"):
        assert solution(puz_bytes([first, *ROWS[1:]], clues, fill=fill)) is None


def test_garbage_in_rebus_tables_spoils_only_the_squares_that_need_them():
    data = puz_bytes(ROWS, rebus={(0, 0): "HOT"})
    for old, new in ((b" 0:HOT", b" a:HOT"), (b"RTBL", b"XXXX"), (b"0:HOT", b"7:HOT")):
        broken = data.replace(old, new)
        assert solution(broken) is None
        assert read(broken)[0] == read(data)[0]
        kept = json.loads(formats.convert_file(PuzzleFile("x.puz", broken), "ipuz")[0])["solution"]
        assert "".join(x or "-" for row in kept for x in row) == "-" + "".join(ROWS)[1:]


def test_letters_that_the_person_wrote():
    fill = ["h--\xe9-", "-#7#-", "-?- -", "#---#", "----!"]
    given = read(puz_bytes(ROWS, fill=fill, written={(0, 0): "hot", (4, 0): "St", (4, 1): "&"}))[0].given
    assert given == {(0, 0): "HOT", (0, 3): "E", (1, 2): "7", (4, 0): "ST"}


def test_text_is_read_in_the_encoding_of_its_version():
    clues = ["Caf\u00e9 \u2014 \u201cquoted\u201d"] + [""] * (len(shape(ROWS).slots) - 1)
    slot = shape(ROWS).slots[0]
    assert read(puz_bytes(ROWS, clues, version="2.0"))[0].clues[slot] == clues[0]
    windows = [clues[0].encode("cp1252").decode("latin-1"), *clues[1:]]
    assert read(puz_bytes(ROWS, windows))[0].clues[slot] == clues[0]
    puzzle, _ = read(puz_bytes(ROWS, version="2.0", title="Cafe").replace(b"Cafe", b"Caf\xe9"))
    assert puzzle.title == "Café", "or as it can be read"


@pytest.mark.parametrize("version", ["1.2", "1.3", "1.4"])
def test_an_old_version_may_hold_utf_8_anyway(version):
    clues = ["“Café” — オリーブ 🫒", "Оливка"] + [""] * (len(shape(ROWS).slots) - 2)
    raw = [clue.encode().decode("latin-1") for clue in clues]
    data = puz_bytes(ROWS, raw, version=version, title=raw[1])
    puzzle = read(data)[0]
    assert list(puzzle.clues.values())[:2] == clues[:2] and puzzle.title == clues[1]
    made = formats.convert_file(PuzzleFile("x", data), "xd")[0].decode()
    assert clues[0] in made and f"Title: {clues[1]}" in made
    mixed = puz_bytes(ROWS, [raw[0], "caf\xe9", *raw[2:]], version=version)
    assert list(read(mixed)[0].clues.values())[1] == "café", "one text that is no UTF-8, and none is"


def test_a_utf_8_version_may_have_older_bytes_anyway():
    clues = ["Café — “au lait”"] + [""] * (len(shape(ROWS).slots) - 1)
    data = puz_bytes(ROWS, [clues[0].encode("cp1252").decode("latin-1"), *clues[1:]], version="1.4", title="T")
    version = data.index(MAGIC) - 2 + puz.VERSION_BYTES.start
    labelled = data[:version] + b"2.0\0" + data[version + 4 :]
    puzzle = read(labelled)[0]
    assert list(puzzle.clues.values()) == clues and solution(labelled) == solution(data)
    filled = puz.fill(labelled, "x", {(0, 0): "Q"})
    assert filled[version : version + 4] == b"2.0\0"
    assert puz.fill(data, "x", {(0, 0): "Q"}).endswith(filled[filled.index(b"Q---") :])
    again = read(filled)[0]
    assert dict(again.given) == {(0, 0): "Q"} and again.clues == puzzle.clues


# what is wrong, and what is said of it


@pytest.mark.parametrize("at", [0, 14, 16, HEADER, 2 * HEADER])
def test_wrong_checksum_is_a_warning(at):
    data = bytearray(puz_bytes(ROWS))
    data[at] ^= 1
    puzzle, warnings = read(bytes(data))
    assert puzzle.grid == shape(ROWS)
    assert "x.puz has wrong checksums" in warnings[0]
    assert read(puz_bytes(ROWS, checksums_ok=False)) == (read(puz_bytes(ROWS))[0], warnings[:1])


@pytest.mark.parametrize(
    ("number", "said"), [(3, "has no clue for 3D, 4A, 5D, 6D, 7A and 1 more"), (12, "has 12 clues for 9")]
)
def test_clues_that_do_not_match_the_grid(number, said):
    puzzle, warnings = read(puz_bytes(ROWS, [f"Clue {i}" for i in range(number)]))
    assert len(warnings) == 1 and said in warnings[0]
    slots = puzzle.grid.slots
    assert [puzzle.clues[s] for s in slots] == [f"Clue {i}" if i < number else "" for i in range(len(slots))]


@pytest.mark.parametrize("rows", [["A"], ["#"], ["###", "###"], ["A#", "#A"]])
@pytest.mark.parametrize("clues", [[], ["One"]])
def test_a_grid_with_nothing_to_solve(rows, clues):
    puzzle, warnings = read(puz_bytes(rows, clues))
    assert (puzzle.grid, puzzle.clues) == (shape(rows), {})
    assert len(warnings) == 1 and "nothing to solve" in warnings[0]
    assert solution(puz_bytes(rows, clues)) is None


@pytest.mark.parametrize(
    ("more", "said"),
    [({"diagramless": True}, "diagramless"), ({"fill": ["-----"] * 5}, "only the solution shows the blocks")],
)
def test_a_diagram_that_only_the_solution_shows(more, said):
    puzzle, (warning,) = read(puz_bytes(ROWS, **more))
    assert puzzle == read(puz_bytes(ROWS))[0] and said in warning


BEGUN = with_section(
    with_section(puz_bytes(ROWS, rebus={(0, 0): "HOT"}, fill=("he---", "-#-#-", "-----", "#---#", "----A")),
                 b"RUSR", b"".join({0: b"HOT", 24: b"EGG"}.get(i, b"") + b"\0" for i in range(25))),
    b"LTIM", b"12,1",
)  # fmt: skip


def test_timer_and_rebus_entries_stay_in_a_puz():
    """With the same letters or others."""
    assert read(BEGUN)[0].given == {(0, 0): "HOT", (0, 1): "E", (4, 4): "EGG"}
    for letters in (None, {(0, 0): "HEN", (2, 0): "A"}):
        made, lost = formats.convert_file(PuzzleFile("x.puz", BEGUN), "puz", letters)
        assert lost == () and puzpy.load(made).extensions[b"LTIM"] == b"12,1"
        assert read(made)[0].given == (letters or read(BEGUN)[0].given)


@pytest.mark.parametrize("target", ["ipuz", "xd"])
def test_contents_that_only_a_puz_holds_are_reported(target):
    _, (said,) = formats.convert_file(PuzzleFile("x.puz", BEGUN), target)
    assert said.startswith(f"x.puz: a .{target} can't hold the timer")
    marked = with_section(puz_bytes(ROWS), b"GEXT", b"\x40" + b"\0" * 24)
    found = formats.convert_file(PuzzleFile("x.puz", marked), target)[1]
    assert found == (f"x.puz: a .{target} can't hold what was revealed or found wrong; left out",)


@pytest.mark.parametrize("version", ["1.3", "2.0"])
def test_a_diagramless_puzzle_comes_back_as_one(version):
    """Through an .ipuz; an .xd can't hold it, and the warning says so."""
    title = "Diagramless, naïve, オリーブ" if version == "2.0" else "Diagramless"
    data = puz_bytes(ROWS, version=version, diagramless=True, title=title)
    made = formats.convert_file(PuzzleFile("x", data), "ipuz")[0]
    assert "diagramless" in read(made)[1][0]
    back = formats.convert_file(PuzzleFile("x", made), "puz")[0]
    assert back == data
    found = formats.convert_file(PuzzleFile("x", data), "xd")[1]
    assert found == ("x: a .xd can't hold the mark for diagramless; left out",)


def test_every_cut_before_the_last_clue_is_an_error():
    data = puz_bytes(ROWS, notes="Some notes")
    end = data.index(b"Some notes")
    for size in range(1, end):
        with pytest.raises(PuzzleError, match=r"is incomplete|isn't a puzzle file"):
            read(data[:size])
    assert read(data[: end + 4])[0].clues == read(data)[0].clues


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0), (0, 0), (255, 5), (5, 101)])
def test_sizes_that_no_puzzle_has(width, height):
    data = bytearray(puz_bytes(ROWS) + b"-" * 70_000)
    data[44:46] = width, height
    with pytest.raises(PuzzleError, match=f"{width} by {height}"):
        read(bytes(data))


# files, folders, zips


def names(path: Path) -> list[str]:
    return [file.name for file in formats.open_files(path)]


def pack(path: Path, members: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def problem(path: Path) -> str:
    with pytest.raises(PuzzleError) as caught:
        for file in formats.open_files(path):
            formats.read_puzzle(file)
    return str(caught.value)


def test_a_named_file_is_known_by_what_it_holds(tmp_path):
    """Its name gives the date if nothing else does."""
    path = tmp_path / "puzzle.txt"
    path.write_bytes(puz_bytes(ROWS, title="A title, May 4, 2012"))
    (file,) = formats.open_files(path)
    assert file.name == str(path) and formats.read_puzzle(file)[0].date == date(2012, 5, 4)
    assert formats.read_solution(file)[0, 0] == "H"
    assert formats.read_puzzle(PuzzleFile("a/nyt2014-01-06.puz", VALID[0]))[0].date == date(2014, 1, 6)
    assert formats.read_puzzle(PuzzleFile("a/x.puz", VALID[0]))[0].date is None


def test_a_folder_is_searched_in_order(tmp_path):
    for name in ("b.puz", "a/z.PUZ", "a/.hidden.puz", ".git/c.puz", "readme.txt", "a.puz"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(VALID[0] if name != "readme.txt" else b"Read me")
    assert names(tmp_path) == [str(tmp_path / name) for name in ("a/z.PUZ", "a.puz", "b.puz")]


def test_a_zip_is_searched_in_order_whatever_its_name(tmp_path):
    members = ("b.puz", "a/z.PUZ", "__MACOSX/._b.puz", "../../up.puz", "/etc/root.puz", "a.puz")
    path = pack(tmp_path / "archive.bin", {**dict.fromkeys(members, VALID[0]), "a.txt": b"Read me"})
    before = sorted(tmp_path.rglob("*"))
    expected = ["../../up.puz", "/etc/root.puz", "a.puz", "a/z.PUZ", "b.puz"]
    assert names(path) == [f"{path}/{name}" for name in expected]
    assert all(formats.read_puzzle(file)[0].title == "Try" for file in formats.open_files(path))
    assert sorted(tmp_path.rglob("*")) == before


def test_a_member_that_blows_up_is_not_unpacked(tmp_path):
    bomb, good = formats.open_files(pack(tmp_path / "bomb.zip", {"a.puz": b"\0" * (200 << 20), "b.puz": VALID[0]}))
    assert bomb.data == b"" and good.data == VALID[0]
    with pytest.raises(PuzzleError, match="larger than 1 MiB"):
        formats.read_puzzle(bomb)


def test_missing_empty_and_invalid_files_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.puz").touch()
    (tmp_path / "text.puz").write_text("a puzzle, they said")
    (tmp_path / "bad.zip").write_bytes(b"PK\3\4 and no more")
    (tmp_path / "large.puz").write_bytes(VALID[0] + b"\0" * MAX_FILE_BYTES)
    pack(tmp_path / "empty.zip", {})
    for name, said in [
        ("missing.puz", "doesn't exist"), ("empty", "contains no puzzle files"), ("empty.puz", "is empty"),
        ("text.puz", "isn't a puzzle file"), ("bad.zip", "is a damaged zip"), ("empty.zip", "contains no puzzle files"),
        ("large.puz", "larger than 1 MiB"), ("empty.puz/x", "can't be read"), ("x" * 300, "can't be read"),
    ]:  # fmt: skip
        assert said in problem(tmp_path / name), name


@pytest.mark.parametrize("name", ["2014.zip", "2014.TAR", "2014.tgz", "2014.tar.gz"])
def test_if_a_folder_has_no_puzzles_the_archive_in_it_is_named(tmp_path, name):
    for other in ("a.pdf", "a.txt.gz", f"._{name}"):
        (tmp_path / other).touch()
    assert problem(tmp_path).endswith("; name one that does")
    (tmp_path / name).touch()
    assert problem(tmp_path).endswith(f", and Regis doesn't look into archives in a folder; unpack {tmp_path / name}")


def test_a_file_that_cannot_be_opened_does_not_hide_the_others(tmp_path):
    (tmp_path / "a.puz").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "b.puz")
    (tmp_path / "c.puz").write_bytes(VALID[0])
    dangling, pipe, good = formats.open_files(tmp_path)
    assert "isn't a regular file" in dangling.problem and "isn't a regular file" in pipe.problem
    assert formats.read_puzzle(good)[0].title == "Try"


def test_a_file_without_permission(tmp_path, monkeypatch):
    path = tmp_path / "a.puz"
    path.write_bytes(VALID[0])

    monkeypatch.setattr(Path, "open", Mock(side_effect=PermissionError(13, "Permission denied")))
    for place in (path, tmp_path):
        assert problem(place) == f"{path} can't be read (Permission denied); choose a file you're allowed to read"


def locked(rows, key):
    file = puzpy.load(puz_bytes(rows))
    file.lock_solution(key)
    return bytes(file.tobytes())


def test_a_locked_solution_is_unlocked_by_trying_every_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(formats, "KEY_COUNT", 1300)
    rows = ("LIONS", "IDEAS", "MANGO", "AGREE", "SEALS")
    file = PuzzleFile("a.puz", locked(rows, 1234))
    assert formats.read_solution(file) is None
    tried: list[None] = []
    opened = formats.unlock_solution(file, lambda: tried.append(None))
    assert len(tried) == 1300
    assert formats.read_solution(opened) == {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row)}
    with pytest.raises(PuzzleError, match="no locked solution"):
        formats.unlock_solution(opened)
    monkeypatch.setattr(formats, "KEY_COUNT", 3)
    with pytest.raises(PuzzleError, match="none of the 3 keys"):
        formats.unlock_solution(file)


def test_no_copy_has_control_characters():
    data = puz_bytes(("AB", "CD"), ["\x1b]0;", "a\x7f", "b", "c"], title="\x1b[2J", notes="a\r\nb\x07")
    copy, _ = formats.convert_file(PuzzleFile("a.puz", data), "puz", {(0, 0): "A"})
    assert copy.endswith(b" [2J\0\0\0 ]0;\0a \0b\0c\0a\r\nb \0")
    title = "\x9b2J \x93a\x94"
    for version, typed in (("1.3", title.encode().decode("latin-1")), ("2.0", title)):  # UTF-8, which puzpy misreads
        data = puz_bytes(("AB", "CD"), title=typed, version=version)
        copy, _ = formats.convert_file(PuzzleFile("a.puz", data), "puz", {(0, 0): "A"})
        assert "\u203a2J \u201ca\u201d".encode() in copy and b"\xc2" not in copy
