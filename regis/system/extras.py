"""What more there is to install, and how: from the repository, or beside a Regis that was installed out of it.

Regis is on no package index, so an extra cannot be named to pip where the repository is not.
"""

from __future__ import annotations

import re

from regis.system import paths

DISTRIBUTION_NAME = "regis-crossword"  # what Regis is called where it is installed


def installed_requirements() -> list[str]:
    """List what Regis needs, and its extras, as it was installed; nothing where it was only copied."""
    from importlib import metadata  # takes a while to load, mail formats and all

    try:
        return metadata.requires(DISTRIBUTION_NAME) or []
    except metadata.PackageNotFoundError:
        return []


def describe_install(extra: str) -> str:
    """Say how to install an extra (`pyproject.toml` lists them), as a part of a sentence."""
    if (paths.PACKAGE_FOLDER.parent / "pyproject.toml").is_file():
        return f"in Regis's folder, .venv/bin/pip install --editable '.[{extra}]'"
    pattern = re.compile(rf"""extra == (['"]){extra}\1""")
    packages = [line.partition(";")[0].strip() for line in installed_requirements() if pattern.search(line)]
    return (
        f"pip install {' '.join(map(repr, packages))}" if packages else f"install Regis again, with its extra {extra}"
    )
