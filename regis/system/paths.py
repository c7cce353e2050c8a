"""Where things are: the default index, downloads, and the files that ship with Regis.

Every command and the library choose the first of these indexes: the folder given (--index, --out, or the library's
`index`); the one in $REGIS_INDEX; `index` in the data folder, made by `regis build`; the starter, which no command
changes. A named folder counts even if it is missing. The data folder is $REGIS_DATA or the system's usual place (on
Linux $XDG_DATA_HOME/regis, else ~/.local/share/regis). Caches are in $REGIS_CACHE/regis or the system's usual place; an
empty $REGIS_CACHE turns them off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import platformdirs

from regis.errors import UsageError

INDEX_VARIABLE = "REGIS_INDEX"
DATA_VARIABLE = "REGIS_DATA"
CACHE_VARIABLE = "REGIS_CACHE"
STARTER_NAME = "starter"
MANIFEST_NAME = "manifest.json"  # of an index, in the folder with its files
POINTER_NAME = "current"  # names the neighboring folder with the files of the index
STATE_NAME = re.compile(r"[0-9a-f]{12}(-\d+)?")  # of that folder: the index's fingerprint, and a number if needed
PACKAGE_FOLDER = Path(__file__).resolve().parent.parent

DEFAULT_REASON = "the default"  # why an index was chosen if nobody named one

EMPTY_NAME = "the name is empty; write a file or folder, or . for the current one"
"""Advice about an empty name, usually a slip in a script; as a path it would mean the current folder."""

STDIN_PATH = Path("-")
"""Standard input instead of a file."""


class ChosenIndex(NamedTuple):
    folder: Path
    reason: str


def choose_index(given: Path | None = None) -> ChosenIndex:
    """Choose the index to use, which may not exist yet; raises UsageError if no index can be there."""
    if (chosen := _named_index(given)) is not None:
        return _check_name(chosen)
    starter, lack = starter_folder(), ""
    if starter is not None and _find_data_folder() is None:
        lack = "no home folder"
    elif starter is not None and not index_exists(built_index_folder()):
        lack = f"none at {built_index_folder()}"
    if starter is not None and lack:
        return _check_name(ChosenIndex(starter, f"{DEFAULT_REASON}, because there is {lack}"))
    return _check_name(ChosenIndex(built_index_folder(), DEFAULT_REASON))


def index_folder(given: Path | None = None) -> Path:
    return choose_index(given).folder


def own_index_folder(given: Path | None = None) -> Path:
    """Choose the index to make or change, never the starter; raises UsageError."""
    folder = _check_name(_named_index(given) or ChosenIndex(built_index_folder(), DEFAULT_REASON)).folder
    if (shipped := starter_folder()) is not None and is_within(folder, shipped):
        raise UsageError(
            f"{printable_path(folder)} is the starter that ships with Regis, which can't be changed; choose another"
        )
    here = is_within(Path(), folder)  # if it is, relative names mean nothing once another folder takes its place
    return Path(os.path.normpath(folder.absolute())) if here else folder


def has_only_starter(given: Path | None) -> bool:
    """Return whether no index was named or built; raises UsageError."""
    return index_folder(given) == starter_folder()


def data_folder() -> Path:
    """Return the folder for a person's data, which may not exist yet; raises UsageError if there is no home."""
    if (folder := _find_data_folder()) is None:
        raise UsageError(f"there's no home folder; set a folder in ${DATA_VARIABLE}")
    return folder


def _find_data_folder() -> Path | None:
    if named := os.environ.get(DATA_VARIABLE):
        return Path(named)
    return _find_user_folder(platformdirs.user_data_path)


def _find_user_folder(user_path: Callable[..., Path]) -> Path | None:
    try:
        folder = user_path("regis", appauthor=False)
    except RuntimeError:  # the process's user is unknown, as in many containers
        return None
    return folder if folder.is_absolute() else None


def built_index_folder() -> Path:
    return data_folder() / "index"


def cache_folder() -> Path | None:
    """Return the folder for caches; None if disabled, or without a home."""
    if (named := os.environ.get(CACHE_VARIABLE)) is not None:
        return Path(named) / "regis" if named else None
    return _find_user_folder(platformdirs.user_cache_path)


def downloads_folder() -> Path:
    return data_folder() / "downloads"


def starter_folder() -> Path | None:
    """Return the index that ships with Regis, if any."""
    return shipped_path(STARTER_NAME)


def example_puzzles() -> list[Path]:
    """Return the puzzles that come with Regis, the smallest first."""
    folder = (
        PACKAGE_FOLDER.parent / "examples"
        if (PACKAGE_FOLDER.parent / "pyproject.toml").is_file()
        else shipped_path("examples")
    )
    return [] if folder is None else sorted(folder.rglob("*.puz"), key=lambda path: (path.stat().st_size, path.name))


def shipped_path(name: str) -> Path | None:
    """Find a file or folder of the repository's `data`, which an installed Regis includes; None if missing."""
    homes = [PACKAGE_FOLDER / "data"]
    if (PACKAGE_FOLDER.parent / "pyproject.toml").is_file():
        homes.append(PACKAGE_FOLDER.parent / "data")
    return next((home / name for home in homes if (home / name).exists()), None)


def _named_index(given: Path | None) -> ChosenIndex | None:
    if given is not None:
        return ChosenIndex(given, "named on the command line")
    if os.environ.get(INDEX_VARIABLE):
        return ChosenIndex(Path(os.environ[INDEX_VARIABLE]), f"${INDEX_VARIABLE} names it")
    return None


def printable_path(path: Path | str) -> str:
    """Make a path printable on one line of any terminal."""
    return "".join(c if c.isprintable() else "?" for c in str(path))


def _check_name(chosen: ChosenIndex) -> ChosenIndex:
    """Return the index if its name is UTF-8, which libraries need; raises UsageError."""
    try:
        os.path.abspath(chosen.folder).encode()  # noqa: PTH100 (Path.absolute keeps `..`)
    except UnicodeEncodeError:
        raise UsageError(
            f"{printable_path(chosen.folder)} can't hold an index (its name isn't UTF-8); choose another"
        ) from None
    return chosen


def sibling_path(folder: Path, purpose: str) -> Path:
    """Return a hidden path next to `folder`, even if that is `.` or a link."""
    whole = Path(os.path.realpath(folder))
    return whole.parent / f".{whole.name}.regis-{purpose}"


def is_within(path: Path, folder: Path) -> bool:
    """Return whether `path`, by any name, is `folder` or would be in it."""
    real_path = Path(os.path.realpath(path))
    try:
        return folder.exists() and any(
            place.exists() and place.samefile(folder) for place in (real_path, *real_path.parents)
        )
    except OSError:  # the name is invalid on this disk
        return False


def input_path(path: Path) -> Path:
    """Return where the input at `path` is: for standard input, its file or pipe."""
    return Path("/dev/stdin") if path == STDIN_PATH else path


def index_home(folder: Path) -> Path:
    """Return the folder with an index's files: the one that `folder`'s pointer names, or `folder`; raises OSError."""
    try:
        name = (folder / POINTER_NAME).read_text(encoding="ascii", errors="replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return folder
    return folder / name if STATE_NAME.fullmatch(name) else folder


def index_exists(folder: Path) -> bool:
    return any((folder / name).exists() for name in (POINTER_NAME, MANIFEST_NAME))
