"""Which index is used, and why; where downloads are; what ships with Regis."""

import tomllib
from pathlib import Path
from unittest.mock import Mock

import platformdirs
import pytest

import regis
from regis import cli
from regis.corpora import catalogue
from regis.errors import IndexMissing, UsageError
from regis.system import paths

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty data folder, and a starter that ships."""
    monkeypatch.setenv(paths.DATA_VARIABLE, str(tmp_path / "home"))
    monkeypatch.delenv(paths.INDEX_VARIABLE, raising=False)
    monkeypatch.setattr(paths, "PACKAGE_FOLDER", tmp_path / "package")
    monkeypatch.setattr(paths, "STARTER_NAME", "starter")
    (tmp_path / "package" / "data" / "starter").mkdir(parents=True)
    return tmp_path / "home"


def test_the_order(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """From the last to the first: each is chosen as soon as it exists or is named."""
    starter = tmp_path / "package" / "data" / "starter"
    assert paths.index_folder() == starter and str(home / "index") in paths.choose_index().reason
    (home / "index").mkdir(parents=True)
    assert paths.index_folder() == starter, "what another command has begun to build is no index yet"
    (home / "index" / paths.POINTER_NAME).touch()
    assert paths.choose_index() == (home / "index", "the default")
    monkeypatch.setenv(paths.INDEX_VARIABLE, "elsewhere")
    assert paths.index_folder() == Path("elsewhere") and paths.INDEX_VARIABLE in paths.choose_index().reason
    assert paths.index_folder(Path("given")) == Path("given")
    assert "command line" in paths.choose_index(Path("given")).reason


def test_what_changes_an_index_never_touches_the_starter(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """An empty variable doesn't count; a named place is never skipped."""
    assert paths.index_folder(home / "index") == home / "index" != paths.index_folder()
    for named in (None, ""):
        if named is not None:
            monkeypatch.setenv(paths.INDEX_VARIABLE, named)
        assert paths.own_index_folder() == home / "index" != paths.index_folder()
    monkeypatch.setenv(paths.INDEX_VARIABLE, "elsewhere")
    assert paths.own_index_folder() == Path("elsewhere") and paths.own_index_folder(Path("given")) == Path("given")


def test_without_a_starter_the_place_to_build_in_is_named(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """So is a named place without an index."""
    (tmp_path / "package" / "data" / "starter").rmdir()
    assert paths.starter_folder() is None and paths.index_folder() == home / "index"
    with pytest.raises(IndexMissing, match="regis build"):
        regis.open_index()
    monkeypatch.setenv(paths.INDEX_VARIABLE, "slip")
    with pytest.raises(IndexMissing, match="slip"):
        regis.open_index()


def test_the_data_folder_is_the_systems(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(paths.DATA_VARIABLE)
    assert paths.data_folder() == Path(platformdirs.user_data_dir("regis", appauthor=False))
    assert paths.downloads_folder().parent == paths.data_folder()


def test_what_ships_lies_in_the_repository_or_in_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert paths.shipped_path(catalogue.CATALOGUE_FILE) == ROOT / "data" / catalogue.CATALOGUE_FILE
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert packed["force-include"][f"data/{catalogue.CATALOGUE_FILE}"] == f"regis/data/{catalogue.CATALOGUE_FILE}"
    monkeypatch.setattr(paths, "PACKAGE_FOLDER", tmp_path / "site-packages" / "regis")
    (tmp_path / "site-packages" / "data").mkdir(parents=True)
    (tmp_path / "site-packages" / "data" / catalogue.CATALOGUE_FILE).write_text("[somebody.elses]")
    assert paths.shipped_path(catalogue.CATALOGUE_FILE) is None
    (tmp_path / "site-packages" / "regis" / "data").mkdir(parents=True)
    (tmp_path / "site-packages" / "regis" / "data" / catalogue.CATALOGUE_FILE).touch()
    found = paths.shipped_path(catalogue.CATALOGUE_FILE)
    assert found == tmp_path / "site-packages" / "regis" / "data" / catalogue.CATALOGUE_FILE


def test_a_copy_without_its_catalogue_says_so(home: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["fetch"]) == 1 and "install it again" in capsys.readouterr().err


def test_the_starter_is_never_changed_under_whatever_name(home: Path, tmp_path: Path):
    starter = tmp_path / "package" / "data" / "starter"
    (tmp_path / "link").symlink_to(starter)
    for folder in (starter, tmp_path / "link", starter / "x"):
        with pytest.raises(UsageError, match="can't be changed"):
            paths.own_index_folder(folder)
    assert paths.own_index_folder(tmp_path / "other") == tmp_path / "other"


def test_a_variable_that_names_a_folder_without_an_index_is_reported(home: Path, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setenv(paths.INDEX_VARIABLE, str(tmp_path / "none"))
    assert cli.main(["guess", "Clue", "4"]) == 1
    assert "; $REGIS_INDEX names that folder" in capsys.readouterr().err
    assert cli.main(["guess", "Clue", "4", "--index", str(tmp_path / "other")]) == 1
    assert "$REGIS_INDEX" not in capsys.readouterr().err


@pytest.fixture
def homeless(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the process's user and home, as in many containers."""

    monkeypatch.delenv(paths.DATA_VARIABLE)
    monkeypatch.setattr(
        "platformdirs.user_data_path", Mock(side_effect=RuntimeError("could not determine the home directory"))
    )


@pytest.mark.usefixtures("homeless")
def test_without_a_home_there_is_the_starter_and_nothing_to_write_to(capsys: pytest.CaptureFixture[str]):
    assert paths.index_folder() == paths.starter_folder() and "no home folder" in paths.choose_index().reason
    for needs_one in (paths.own_index_folder, paths.downloads_folder):
        with pytest.raises(UsageError, match=rf"\${paths.DATA_VARIABLE}"):
            needs_one()
    assert cli.main(["add", "words.txt"]) == 2 and paths.DATA_VARIABLE in capsys.readouterr().err
