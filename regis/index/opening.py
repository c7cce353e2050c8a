"""Opening an index: its manifest, held against the files that are there, and the one way in which all of them are read.

What is wrong is told with what mends it. Over bytes that are not what was written, numpy, pyarrow and json raise
whatever they happen to stumble over, as far as tokenize.TokenError; to a person it is all the same: the index is
damaged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from regis.errors import IndexDamaged, IndexMissing, IndexOutdated, IndexUnreadable
from regis.index.manifest import FORMAT_VERSION, LAYERS, NAME, REPEATS, Layer, Manifest
from regis.system.held import Changed, Place
from regis.system.lack import no_room, unreadable

REBUILD = "build it again with `regis build`"
RENEW = "install Regis again, or make it again with `regis distil`"
RESTACK = "the next `regis add` makes it anew, with all that you had added"
ADD_AGAIN = "`regis add` again what you had added"


def damaged(folder: Place, name: str) -> IndexDamaged:
    """What to raise where the index at `folder` is not what was written; `name` says what of it."""
    layer = re.match(rf"{LAYERS}/([\w-]+)", name)
    again = f"`regis remove {layer[1]}`, then add it again" if layer else mend(folder)
    return IndexDamaged(f"the index at {folder} is damaged ({name}); {again}")


def mend(folder: Place) -> str:
    """What makes the index at `folder` anew; a distilled one, such as the starter, nobody can build from sources."""
    if not (folder / REPEATS).is_dir():
        return REBUILD
    if not (folder / LAYERS).is_dir():
        return RENEW
    return RESTACK if on_starter(folder) else f"delete the folder, and {ADD_AGAIN}"


@contextmanager
def readable(folder: Place) -> Iterator[None]:
    """Whatever the disk refuses inside is an IndexMissing or IndexUnreadable."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise IndexMissing(
            f"there is no index at {folder}; name one with --index, or make one: `regis fetch xd-clues wordnet`, then "
            "`regis build`"
        ) from None
    except (OSError, MemoryError) as cause:
        why = unreadable(cause) or f"{cause.args[-1]}; name another"
        raise IndexUnreadable(f"the index at {folder} cannot be read: {why}") from cause


def must(holds: Any) -> None:
    """Raises ValueError where something read is not what any build writes."""
    if not holds:
        raise ValueError("not what was written")


@contextmanager
def reading(folder: Place, name: str) -> Iterator[None]:
    """Whatever goes wrong inside is told of `name`, a file or folder of the index at `folder`.

    It is an IndexUnreadable where the machine lacks something, else an IndexDamaged; where what was read could not be
    written to a full disk, it stays an OSError.
    """
    try:
        yield
    except Exception as cause:
        if no_room(cause):
            raise
        if why := unreadable(cause):
            raise IndexUnreadable(f"the index at {folder} cannot be read ({name}): {why}") from cause
        raise damaged(folder, str(cause) if isinstance(cause, Changed) else name) from cause


def read(folder: Place) -> Manifest:
    """The manifest of the index in `folder`, once every file it lists is there in its full size.

    Raises IndexMissing, IndexOutdated, IndexDamaged or IndexUnreadable, each with what mends it.
    """
    with readable(folder):
        if not (folder / NAME).is_file() and any(Path(str(folder)).iterdir()):
            anew = mend(folder) if (folder / REPEATS).is_dir() else "`regis build` one into a new folder"
            raise IndexDamaged(
                f"the folder {folder} holds no complete index ({NAME} is not there); name another with --index, "
                f"or {anew}"
            )
        text = (folder / NAME).read_bytes()
    found = parsed(text, folder)
    with _written(folder):
        _check_files(folder, found)
    return found


def parsed(text: bytes, folder: Place) -> Manifest:
    """The manifest `text` of the index at `folder`. Raises IndexOutdated or IndexDamaged."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as cause:
        again = ADD_AGAIN if (folder / LAYERS).is_dir() else mend(folder)
        raise IndexDamaged(f"the index at {folder} is damaged ({NAME} is not JSON); delete it and {again}") from cause
    version = raw.get("format_version") if isinstance(raw, dict) else None
    if version != FORMAT_VERSION:
        raise IndexOutdated(
            f"the index at {folder} has format {version!r:.20}, this version of Regis reads format {FORMAT_VERSION}; "
            f"{mend(folder)}"
        )
    with _written(folder):
        return Manifest.of(raw, text)


def layers(folder: Place) -> tuple[Layer, ...]:
    """What the manifest in `folder` says of layers, whatever became of all else there, of whichever version it is.

    Raises IndexMissing, IndexDamaged or IndexUnreadable.
    """
    with readable(folder):
        text = (folder / NAME).read_bytes()
    with _written(folder):
        return tuple(map(Layer.of, json.loads(text).get("layers", ())))


def on_starter(folder: Place) -> bool:
    """Whether the index at `folder` lies on the starter, and its manifest tells of its layers, of whichever version."""
    with suppress(OSError, ValueError, RecursionError, AttributeError, TypeError, KeyError):
        raw = json.loads((folder / NAME).read_bytes())
        return bool(raw.get("starter")) and all(map(Layer.of, raw.get("layers", ())))
    return False


@contextmanager
def _written(folder: Place) -> Iterator[None]:
    """What a manifest that was written stumbles over nowhere inside is an IndexDamaged."""
    try:
        yield
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError) as cause:
        raise damaged(folder, f"{NAME} lacks something, or was changed") from cause


def _check_files(folder: Place, read: Manifest) -> None:
    if read.distilled != (folder / REPEATS).is_dir():
        raise ValueError("distilled, or not, and the folder says otherwise")
    if read.checksums and read.checksums.keys() != read.files.keys():
        raise ValueError("checksums of other files")
    for name, size in read.files.items():
        if name.startswith(f"{LAYERS}/"):
            continue  # which nobody needs for solving; whoever does is told which layer it is
        try:
            found = (folder / name).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            raise IndexDamaged(f"the index at {folder} is incomplete ({name} is not there); {mend(folder)}") from None
        except OSError as cause:
            raise IndexUnreadable(f"the index at {folder} cannot be read ({name}): {unreadable(cause)}") from cause
        if found != size:
            raise damaged(folder, f"{name} has {found} bytes, not {size}")
