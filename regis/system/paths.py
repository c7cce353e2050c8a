"""Where things lie: the index to use by default, downloads, what ships with Regis.

The index is the first of these, for every command and for the library:

1. the folder that is given: --index, --output, or the library's `index`;
2. the folder in $REGIS_INDEX;
3. `index` in the data folder, where `regis build` makes it;
4. the starter that ships with Regis, which no command changes.

A folder that is named counts even if nothing is there: a slip is reported. The data folder, with downloads too, is
$REGIS_DATA or the system's usual place (on Linux $XDG_DATA_HOME/regis, else ~/.local/share/regis). What can be made
again lies in $REGIS_CACHE/regis or the system's usual place (on Linux $XDG_CACHE_HOME/regis, else ~/.cache/regis); an
empty $REGIS_CACHE keeps nothing.
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
MANIFEST_NAME = "manifest.json"  # of an index, in the folder that has its files
POINTER_NAME = "current"  # names the folder, beside it, that has the files of the index
STATE_NAME = re.compile(r"[0-9a-f]{12}(-\d+)?")  # of such a folder: the index's fingerprint, and a number if need be
PACKAGE_FOLDER = Path(__file__).resolve().parent.parent

STDIN_PATH = Path("-")
"""Instead of a path: whatever comes in by standard input. A file of this name has to be named by its whole path."""


class ChosenIndex(NamedTuple):
    """The folder of an index, and why it is that one."""

    folder: Path
    reason: str


def choose_index(given: Path | None = None) -> ChosenIndex:
    """Choose the index to use; its folder need not exist. Raises UsageError for one that no index can lie in."""
    if (chosen := _named_index(given)) is not None:
        return _check_name(chosen)
    starter, lack = starter_folder(), ""
    try:
        if starter is not None and _find_data_folder() is None:
            lack = "no home folder"
        elif starter is not None and not index_exists(built_index_folder()):
            lack = f"none at {built_index_folder()}"
    except OSError as cause:
        raise UsageError(
            f"{built_index_folder()}, where your index would be, can't be read ({cause.strerror}); choose one "
            f"with --index, or set another data folder in ${DATA_VARIABLE}"
        ) from cause
    if starter is not None and lack:
        return _check_name(ChosenIndex(starter, f"the default, because there is {lack}"))
    return _check_name(ChosenIndex(built_index_folder(), "the default"))


def index_folder(given: Path | None = None) -> Path:
    """Choose the folder of the index to use; it need not exist."""
    return choose_index(given).folder


def own_index_folder(given: Path | None = None) -> Path:
    """Choose the folder of the index to make or change, which is never the starter. Raises UsageError."""
    folder = _check_name(_named_index(given) or ChosenIndex(built_index_folder(), "the default")).folder
    if (shipped := starter_folder()) is not None and is_within(folder, shipped):
        raise UsageError(
            f"{printable_path(folder)} is the starter that ships with Regis, which can't be changed; choose another"
        )
    here = is_within(Path(), folder)  # so its names would mean nothing any more once another folder is in its place
    return Path(os.path.normpath(folder.absolute())) if here else folder


def has_only_starter(given: Path | None) -> bool:
    """Return whether the starter is all there is: nobody named an index, or built one. Raises UsageError."""
    return index_folder(given) == starter_folder()


def data_folder() -> Path:
    """Return the folder for what Regis keeps of a person's. It need not exist. Raises UsageError if it has no home."""
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
    except RuntimeError:  # nobody's process, as in many containers
        return None
    return folder if folder.is_absolute() else None


def built_index_folder() -> Path:
    """Return the default folder of the index that `regis build` makes."""
    return data_folder() / "index"


def cache_folder() -> Path | None:
    """Return the folder for what can be made again; None if there is to be none, or no home for it."""
    if (named := os.environ.get(CACHE_VARIABLE)) is not None:
        return Path(named) / "regis" if named else None
    return _find_user_folder(platformdirs.user_cache_path)


def downloads_folder() -> Path:
    """Return the folder of what `regis fetch` brought."""
    return data_folder() / "downloads"


def starter_folder() -> Path | None:
    """Return the index that ships with Regis, None if this copy has none."""
    return shipped_path(STARTER_NAME)


def example_puzzles() -> list[Path]:
    """List the puzzles that come with Regis, the smallest first; none if this copy has none."""
    folder = (
        PACKAGE_FOLDER.parent / "examples"
        if (PACKAGE_FOLDER.parent / "pyproject.toml").is_file()
        else shipped_path("examples")
    )
    return [] if folder is None else sorted(folder.rglob("*.puz"), key=lambda path: (path.stat().st_size, path.name))


def shipped_path(name: str) -> Path | None:
    """Find a file or folder of the repository's `data`, which an installed Regis has inside; None if it has none."""
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
    """Write a path so that it can be printed on one line of any terminal, whatever bytes it is made of."""
    return "".join(c if c.isprintable() else "?" for c in str(path))


def _check_name(chosen: ChosenIndex) -> ChosenIndex:
    """Return the index, if its tables can be opened: the libraries that do it want names in UTF-8."""
    try:
        os.path.abspath(chosen.folder).encode()  # noqa: PTH100 (Path.absolute keeps `..`)
    except UnicodeEncodeError:
        raise UsageError(
            f"{printable_path(chosen.folder)} can't hold an index (its name isn't UTF-8); choose another"
        ) from None
    return chosen


def sibling_path(folder: Path, purpose: str) -> Path:
    """Return a path beside `folder`, also where that is named `.`, or by a link; nobody else gives that name."""
    whole = Path(os.path.realpath(folder))
    return whole.parent / f".{whole.name}.regis-{purpose}"


def is_within(path: Path, folder: Path) -> bool:
    """Return whether `path`, under whatever name, is `folder` or lies in it, or would."""
    real_path = Path(os.path.realpath(path))
    try:
        return folder.exists() and any(
            place.exists() and place.samefile(folder) for place in (real_path, *real_path.parents)
        )
    except OSError:  # a name that no disk takes
        return False


def input_path(path: Path) -> Path:
    """Return where what is read at `path` lies: for standard input, the file or pipe that it comes from."""
    return Path("/dev/stdin") if path == STDIN_PATH else path


def index_home(folder: Path) -> Path:
    """Return the folder that has the files of the index at `folder`: the one that its pointer names, else itself.

    Raises OSError where the pointer cannot be read.
    """
    try:
        name = (folder / POINTER_NAME).read_text(encoding="ascii", errors="replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return folder
    return folder / name if STATE_NAME.fullmatch(name) else folder


def index_exists(folder: Path) -> bool:
    """Return whether there is an index at `folder`. Raises OSError where that cannot be looked at."""
    return any((folder / name).exists() for name in (POINTER_NAME, MANIFEST_NAME))
