"""How to install extras, wherever Regis is installed."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from regis.system import os_errors, paths

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
