"""What the machine lacks is reported as such, however deep it is in a library's errors; how to install extras."""

import errno
import os
import re
import tomllib
from importlib import metadata
from pathlib import Path
from unittest.mock import Mock

import pytest

from regis.cli import dispatch
from regis.system import os_errors, paths
from regis.system.os_errors import describe_shortage, describe_unreadable

NUMPY = "IMPORTANT: PLEASE READ THIS\n\nOriginal error was: libblas.so: failed to map segment from shared object\n"


@pytest.mark.parametrize("error, word", [
    (MemoryError(), "memory"), (OSError(errno.ENOMEM, "x"), "memory"), (ImportError(NUMPY), "memory"),
    (RuntimeError("can't start new thread"), "memory"), (OSError(errno.EMFILE, "x"), "ulimit"),
    (ImportError("x.so: cannot open shared object file: Too many open files"), "ulimit"),
])  # fmt: skip
def test_it_is_found_behind_other_errors(error: Exception, word: str):
    assert word in str(describe_shortage(error))
    outer = ValueError("no table")
    outer.__context__ = error
    assert describe_shortage(outer) == describe_unreadable(outer) == describe_shortage(error)


@pytest.mark.parametrize("error", [
    ValueError("x"), FileNotFoundError(errno.ENOENT, "x"), OSError("Corrupt data"), ImportError("No module named 'x'"),
    OSError(errno.EINVAL, "x"), NotADirectoryError(errno.ENOTDIR, "x"),
])  # fmt: skip
def test_what_is_wrong_is_no_lack(error: Exception):
    assert describe_shortage(error) is describe_unreadable(error) is None


@pytest.mark.parametrize("error, word", [
    (ImportError(NUMPY), "not enough memory"), (MemoryError(), "not enough memory"),
    (OSError(errno.EMFILE, "x"), "too many files"),
    (ModuleNotFoundError("No module named 'scipy'"), "No module named 'scipy'"),
])  # fmt: skip
def test_a_library_that_cannot_be_loaded_is_one_sentence(
    error: Exception, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
):
    def ends(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(dispatch, "parse_command", Mock(side_effect=error))
    monkeypatch.setattr(os, "_exit", ends)
    with pytest.raises(SystemExit) as ended:
        dispatch.run()
    said = capsys.readouterr().err
    assert ended.value.code == 1 and word in said and said.count("\n") == 1


NEEDED = ["numpy>=1.26", "pillow>=10.1; extra == 'pictures'", 'torch; python_version < "4" and extra == "learning"',
          "pillow>=10.1; extra == 'pictures-too'"]  # fmt: skip


def test_in_the_repository_the_extra_is_named():
    assert os_errors.describe_install("pictures") == "in Regis's folder, .venv/bin/pip install --editable '.[pictures]'"


def test_elsewhere_what_the_extra_needs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The folder doesn't exist, and Regis isn't in a package index."""
    monkeypatch.setattr(paths, "PACKAGE_FOLDER", tmp_path / "site-packages" / "regis")
    monkeypatch.setattr(metadata, "requires", lambda name: NEEDED)
    assert os_errors.describe_install("pictures") == "pip install 'pillow>=10.1'"
    assert os_errors.describe_install("learning") == "pip install 'torch'"
    monkeypatch.setattr("sys.prefix", str(tmp_path / "pipx" / "venvs" / "regis"))
    assert os_errors.describe_install("learning") == "pipx inject regis 'torch'"

    def unknown(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", unknown)
    assert os_errors.describe_install("pictures") == "install Regis again, with its extra pictures"
    assert os_errors.installed_requirements() == []


def test_messages_name_the_extras_that_there_are():
    root = Path(__file__).parent.parent
    texts = "".join(path.read_text(encoding="utf-8") for path in (root / "regis").rglob("*.py"))
    offered = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = set(re.findall(r"""(?:describe_install\(|_EXTRA = )['"]([a-z-]+)['"]""", texts))
    assert named == set(offered) - {"test"}
