"""Where things lie: the index to use when nobody names one, what was downloaded, what ships with Regis.

The index is the first of these, the same for every command and for the library:

1. the folder that is given: --index, --out, or the library's `index`;
2. the folder in $REGIS_INDEX;
3. `index` in the data folder, where `regis build` makes it;
4. the starter that ships with Regis.

A place that is named counts, also where nothing is: a slip is reported, not passed over. What makes or changes an index
(`regis build`, `learn`, `add`) never touches the starter. The data folder is $REGIS_DATA, or what the system has for
such things (on Linux $XDG_DATA_HOME/regis, else ~/.local/share/regis); downloads lie there too. What can be made again
lies in $REGIS_CACHE/regis, or in what the system has for such things (on Linux $XDG_CACHE_HOME/regis, else
~/.cache/regis); an empty $REGIS_CACHE keeps nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import platformdirs

from regis.errors import UsageError

VARIABLE = "REGIS_INDEX"
DATA_VARIABLE = "REGIS_DATA"
CACHE_VARIABLE = "REGIS_CACHE"
STARTER = "starter"
MANIFEST = "manifest.json"  # of an index, in its folder
PACKAGE = Path(__file__).resolve().parent.parent

STDIN = Path("-")
"""Instead of a path: whatever comes in by standard input. A file of this name has to be named by its whole path."""


class Chosen(NamedTuple):
    """The folder of an index, and why it is that one."""

    folder: Path
    why: str


def place(given: Path | None = None) -> Chosen:
    """The index to use; the folder need not exist. Raises UsageError for one that no index can lie in."""
    if (named := _named(given)) is not None:
        return _usable(named)
    packed, usual = starter(), _data()
    if packed is not None and usual is None:
        return _usable(Chosen(packed, "it ships with Regis, nobody named another, and there is no home folder for one"))
    try:
        if packed is not None and not is_there(built()):
            return _usable(Chosen(packed, f"it ships with Regis, nobody named another, and there is none at {built()}"))
    except OSError as cause:
        raise UsageError(
            f"{built()}, where your index would be, cannot be looked at ({cause.strerror}); name one with --index, or "
            f"another data folder in ${DATA_VARIABLE}"
        ) from cause
    return _usable(Chosen(built(), "nobody named another"))


def index(given: Path | None = None) -> Path:
    """The folder of the index to use; it need not exist."""
    return place(given).folder


def own(given: Path | None = None) -> Path:
    """The folder of the index to make or change: as `index`, but never the starter. Raises UsageError."""
    folder = _usable(_named(given) or Chosen(built(), "nobody named another")).folder
    if (shipped := starter()) is not None and within(folder, shipped):
        raise UsageError(f"{shown(folder)} is the starter that ships with Regis, which stays as it is; name another")
    here = within(Path(), folder)  # so its names would mean nothing any more once another folder is in its place
    return Path(os.path.normpath(folder.absolute())) if here else folder


def only_starter(given: Path | None) -> bool:
    """Whether the starter is all there is: nobody named an index, or built one. Raises UsageError."""
    return index(given) == starter()


def data() -> Path:
    """The folder for what Regis keeps of a person's. It need not exist. Raises UsageError if it has no home."""
    if (found := _data()) is None:
        raise UsageError(f"there is no home folder here to keep anything in; name a folder in ${DATA_VARIABLE}")
    return found


def _data() -> Path | None:
    if named := os.environ.get(DATA_VARIABLE):
        return Path(named)
    try:
        found = platformdirs.user_data_path("regis", appauthor=False)
    except RuntimeError:  # nobody's process, as in many containers
        return None
    return found if found.is_absolute() else None


def built() -> Path:
    """The folder of the index that `regis build` makes where nobody says otherwise."""
    return data() / "index"


def cache() -> Path | None:
    """The folder for what can be made again; None if there is to be none, or no home for it. It need not exist."""
    if (named := os.environ.get(CACHE_VARIABLE)) is not None:
        return Path(named) / "regis" if named else None
    try:
        found = platformdirs.user_cache_path("regis", appauthor=False)
    except RuntimeError:  # as in `_data`
        return None
    return found if found.is_absolute() else None


def downloads() -> Path:
    """The folder of what `regis fetch` brought."""
    return data() / "downloads"


def starter() -> Path | None:
    """The index that ships with Regis, None if this copy has none."""
    return shipped(STARTER)


def examples() -> list[Path]:
    """The puzzles that come with Regis, the smallest first; none if this copy has none."""
    folder = PACKAGE.parent / "examples" if (PACKAGE.parent / "pyproject.toml").is_file() else shipped("examples")
    return [] if folder is None else sorted(folder.rglob("*.puz"), key=lambda path: (path.stat().st_size, path.name))


def shipped(name: str) -> Path | None:
    """A file or folder of the repository's `data`, which an installed Regis has inside its package; None if neither."""
    homes = [PACKAGE / "data"]
    if (PACKAGE.parent / "pyproject.toml").is_file():
        homes.append(PACKAGE.parent / "data")
    return next((home / name for home in homes if (home / name).exists()), None)


def _named(given: Path | None) -> Chosen | None:
    if given is not None:
        return Chosen(given, "it was named on the command line")
    if os.environ.get(VARIABLE):
        return Chosen(Path(os.environ[VARIABLE]), f"${VARIABLE} names it")
    return None


def shown(path: Path | str) -> str:
    """A path that can be printed on one line of any terminal, and kept in a file, whatever bytes it is made of."""
    return "".join(c if c.isprintable() else "?" for c in str(path))


def _usable(place: Chosen) -> Chosen:
    """`place`, if its tables can be opened: the libraries that do it want names in UTF-8."""
    try:
        os.path.abspath(place.folder).encode()  # noqa: PTH100 (Path.absolute keeps `..`)
    except UnicodeEncodeError:
        raise UsageError(
            f"{shown(place.folder)} is no place for an index (its name is not UTF-8); name another"
        ) from None
    return place


def beside(folder: Path, what: str) -> Path:
    """A path beside `folder`, also where that is named `.`, by a link, or not at all; nobody else gives that name."""
    whole = Path(os.path.realpath(folder))
    return whole.parent / f".{whole.name}.regis-{what}"


def within(path: Path, folder: Path) -> bool:
    """Whether `path`, under whatever name, is `folder` or lies in it, or would."""
    place = Path(os.path.realpath(path))
    try:
        return folder.exists() and any(one.exists() and one.samefile(folder) for one in (place, *place.parents))
    except OSError:  # a name that no disk takes
        return False


def read_from(path: Path) -> Path:
    """Where what is read at `path` lies: of standard input, the file it comes from, where the system has a name for it.

    Of a pipe it is the pipe.
    """
    return Path("/dev/stdin") if path == STDIN else path


def previous(folder: Path) -> Path:
    """Where the old index of `folder` stands while the new one takes its place (regis.index.publish)."""
    return beside(folder, "previous")


def standing(folder: Path) -> Path:
    """Where the index of `folder` lies: there, or where a build that was killed at that moment left the old one."""
    return previous(folder) if not folder.exists() and previous(folder).is_dir() else folder


def is_there(folder: Path) -> bool:
    """Whether there is an index of `folder`, wherever it stands."""
    return standing(folder).exists()
