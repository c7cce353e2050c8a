"""What more there is to install, and how: Regis comes as a repository, so that is where its extras are named."""

from __future__ import annotations


def install(extra: str) -> str:
    """The command that installs an extra (`pyproject.toml` lists them), to be run in the folder of the repository."""
    return f".venv/bin/pip install --editable '.[{extra}]'"
