"""`regis update`: all or nothing, whatever interrupts it, and never for the worse.

test_list_prior.py has the effect of other lists on an index: junk, another script, an endless item, two names.
"""

import io
import math
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import corpus
import pytest
import test_download
import test_stack
import tiny
from test_download import Server, public
from test_personal_layers import digests

from regis import cli
from regis.building import update
from regis.building.build import build_index
from regis.building.personal_layers import add_layers
from regis.building.settings import ENCODERS
from regis.building.training import ranking_weights, train
from regis.corpora import catalogue
from regis.corpora.entry import Entry, Source
from regis.errors import OutputError
from regis.index import Index
from regis.index.tables import schema
from regis.system import paths

small, made, starter, server = test_stack.small, test_stack.made, test_stack.starter, test_download.server
HEADING = "pubid\tyear\tanswer\tclue\n"


def packed(table: str) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        archive.writestr("xd/clues.tsv", table)
    return found.getvalue()


def clue_rows(years: Sequence[int | str]) -> str:
    """Return the clues of `tiny` once a year."""
    answers = {str(slot): "".join(tiny.cells()[cell] for cell in slot.cells) for slot in tiny.grid().slots}
    return "".join(f"tst\t{year}\t{answers[name]}\t{clue}\n" for name, clue in tiny.CLUES.items() for year in years)


@pytest.fixture
def listed(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a catalogue of one clue table, which the server has; return the index's future folder."""
    server.content = packed(HEADING + clue_rows((2001, 2002, 2003)))
    one = public(server.url + "file", usual=True)
    monkeypatch.setattr(catalogue, "read_catalogue", lambda: {one.name: one})
    monkeypatch.setenv(paths.DATA_VARIABLE, str(tmp_path / "data"))
    return tmp_path / "data" / "index"


@pytest.fixture
def old(listed: Path, tmp_path: Path) -> Path:
    """Return an index in use, with a layer."""
    build_index([Source("xd-clues", tiny.corpus(tmp_path / "old.tsv"))], listed)
    add_layers([test_stack.words(tmp_path)], listed)
    return listed


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.parent.iterdir()}


DONE = {"index", ".index.regis-lock", "downloads"}


def test_todays_clues_in_one_command(starter: Path, listed: Path, server: Server, monkeypatch, capsys):
    monkeypatch.setattr(ranking_weights, "MIN_CLUES", 50)
    settings = replace(ENCODERS, continued_epochs=6, min_gain=-math.inf)  # these clues are known almost surely before
    monkeypatch.setattr(train, "ENCODERS", settings)
    rows = [row for row in corpus.rows((2004, 2005, 2006, 2007)) if isinstance(row, Entry) and row.clue]
    told = "".join(f"tst\t{row.year}\t{row.answer}\t{row.clue}\n" for row in rows)
    server.content = packed(f"{HEADING}{told}tst\t2099\tZEBU\tOf tomorrow\n")
    assert cli.main(["update"]) == 0
    out, err = capsys.readouterr()
    assert "minutes" in err and f"{len(server.content) / 1e3:.1f} kB to download (some-clues)" in err
    assert err.count("\n") == 1
    assert f"from now on, Regis uses {listed}" in out and "newest year: 2007, 2005 before" in out
    assert "clues of 2007, hidden: " in out and "times as likely" in out and "answers: " in out and "clues: " in out
    index = Index.open(listed)
    assert "features" in index.files.read_arrays(schema.ENCODER) and left(listed) == DONE
    index.files.close()
    before = digests(listed)
    assert cli.main(["update"]) == 0
    out, err = capsys.readouterr()
    assert (
        not out and "nothing to download" in err and f"{listed} is unchanged: the index already has everything" in err
    )
    assert digests(listed) == before and left(listed) == DONE


def test_layers_lie_on_the_new_index(old: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["update"]) == 0
    record = Index.open(old).manifest
    assert record.latest_year == 2003 and [layer.name for layer in record.layers] == ["mywords"]
    assert cli.main(["update"]) == 0 and "the index already has everything" in capsys.readouterr().err


def broken(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


STOPS: dict[str, tuple[object, str]] = {
    "building": (update, "build_index"), "learning": (train, "train_encoder"),
    "writing": (train.BaseEncoderTrainer, "write_encoder"), "comparing": (update, "_measure_losses"),
}  # fmt: skip


@pytest.mark.parametrize("step", STOPS)
def test_a_full_disk_stops_it_and_the_next_call_goes_on(step: str, old: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    before = digests(old)
    with monkeypatch.context() as patch:
        patch.setattr(*STOPS[step], broken)
        assert cli.main(["update"]) == 1
    err = capsys.readouterr().err
    assert "No space left on device" in err and f"{old} is unchanged" in err and "Traceback" not in err
    assert digests(old) == before
    if step != "building":
        monkeypatch.setattr(update, "build_index", broken)  # the index exists
    labels, train_encoder = [], train.train_encoder
    monkeypatch.setattr(train, "train_encoder", lambda *given: labels.append(given[2]) or train_encoder(*given))
    assert cli.main(["update"]) == 0 and Index.open(old).manifest.latest_year == 2003 and left(old) == DONE
    lessons = ["learning without the newest year", "learning again with the newest year"]
    assert labels == {"writing": lessons[1:], "comparing": []}.get(step, lessons), "half of the learning is kept, too"


def test_too_little_room_is_reported_before_the_work(old: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(update, "DISK_FIXED_BYTES", 10**15)
    assert cli.main(["update"]) == 1
    assert "make room" in capsys.readouterr().err and left(old) == {"index", ".index.regis-lock"}


WORSE: dict[str, tuple[Callable[[], str], str]] = {
    "all years are wrong": (lambda: clue_rows((1931, 1932, 1933)), "its newest clues are from 1933, not 2002"),
    "no years": (lambda: clue_rows(("",)) + clue_rows(("",)), "from no known year, not 2002"),
    "fewer clues": (lambda: clue_rows((2003,)), "it has 8 clues instead of 22"),
    "less likely clues": (
        lambda: clue_rows((2001, 2002, 2003)), "it makes clues of 2003 less likely (log loss 2.500 instead of 2.000)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WORSE)
def test_what_is_no_better_is_not_used(what: str, old: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(update, "_measure_losses", lambda *_: (2.0, 2.5))
    rows, fault = WORSE[what]
    server.content, before = packed(HEADING + rows()), digests(old)
    assert cli.main(["update"]) == 0
    out, err = capsys.readouterr()
    assert not out and f"{old} is unchanged: " in err and fault in err
    assert digests(old) == before and left(old) == DONE


@pytest.mark.parametrize("years", [(2097, 2098), (1700,)], ids=["of the future", "of none that can be"])
def test_a_table_without_a_year_that_can_be(years: Sequence[int], old: Path, server: Server, capsys):
    server.content, before = packed(HEADING + clue_rows(years)), digests(old)
    assert cli.main(["update"]) == 1
    err = capsys.readouterr().err
    assert ("from a future year" if years[0] > 2000 else "impossible year") in err
    assert f"{old} is unchanged" in err and digests(old) == before


def test_a_list_that_does_not_come_is_used_as_it_lies(old: Path, server: Server, monkeypatch: pytest.MonkeyPatch):
    """Only the clue table is indispensable."""
    clues, words = public(server.url + "file", usual=True), public(server.url + "404", file="words.txt")
    known = {"clues": clues, "words": words._replace(name="words", reader="word-list")}
    monkeypatch.setattr(catalogue, "read_catalogue", lambda: known)
    assert [one.name for one in update.plan_update(old, paths.downloads_folder()).corpora] == ["some-clues"]
    paths.downloads_folder().mkdir(parents=True)
    (paths.downloads_folder() / "words.txt").write_text("OKAPI\n")
    assert cli.main(["update"]) == 0
    assert {record.file for record in Index.open(old).manifest.sources} == {"clues.zip", "words.txt"}


def test_a_person_may_say_no(old: Path, server: Server, monkeypatch: pytest.MonkeyPatch, capsys):
    for name, stream in (("stdin", io.StringIO("n\n")), ("stderr", io.StringIO())):
        monkeypatch.setattr(stream, "isatty", lambda: True)
        monkeypatch.setattr(sys, name, stream)
    assert cli.main(["update"]) == 0 and left(old) == {"index", ".index.regis-lock"}
    assert "continue? [Y/n]" in sys.stderr.getvalue() and "nothing was done" in sys.stderr.getvalue()


def test_nothing_is_done_through_a_link(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "mine").mkdir()
    update.waiting_folder(old).symlink_to(tmp_path / "mine")
    assert cli.main(["update"]) == 1 and "delete the link" in capsys.readouterr().err
    with pytest.raises(OutputError):
        update.waiting_folder(old)
