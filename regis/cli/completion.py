"""Completion for shells: shtab reads the grammar and writes the script."""

from __future__ import annotations

import argparse
from pathlib import Path

import shtab

FOLDERS = ("--index", "--out")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for `shell` that completes what `parser` takes: commands, options, choices, files and folders."""
    _name_files(parser)
    text: str = shtab.complete(parser, shell)
    return text.rstrip("\n") + "\n"


def _name_files(parser: argparse.ArgumentParser) -> None:
    """Tells shtab which arguments are files, and which are folders."""
    for action in parser._actions:  # argparse has no other way to ask
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _name_files(command)
        elif action.type is Path or action.dest == "source":
            folder = not set(FOLDERS).isdisjoint(action.option_strings)
            setattr(action, "complete", shtab.DIRECTORY if folder else shtab.FILE)  # noqa: B010  shtab looks for it
