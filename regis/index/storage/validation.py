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
from regis.index.storage.manifest import (
    FORMAT_VERSION,
    LAYERS_FOLDER,
    MANIFEST_NAME,
    REPEATS_FOLDER,
    LayerRecord,
    Manifest,
)
from regis.system.files.locked_folder import FileChanged, ReadablePath, list_steps
from regis.system.os_errors import describe_unreadable, is_disk_full

ADD_AGAIN_ADVICE = "`regis add` again what you had added"


def damaged_error(index_folder: ReadablePath, file_name: str) -> IndexDamaged:
    """Return what to raise where the index at `index_folder` is not what was written; `file_name` says what of it."""
    layer = re.match(rf"{LAYERS_FOLDER}/([\w-]+)", file_name)
    again = f"`regis remove {layer[1]}`, then add it again" if layer else repair_advice(index_folder)
    return IndexDamaged(f"the index at {index_folder} is damaged ({file_name}); {again}")


def repair_advice(index_folder: ReadablePath) -> str:
    """Return what makes the index at `index_folder` anew; nobody can build a distilled one, such as the starter."""
    if not (index_folder / REPEATS_FOLDER).is_dir():
        return "build it again with `regis build`"
    if not (index_folder / LAYERS_FOLDER).is_dir():
        return "install Regis again, or make it again with `regis distil`"
    if is_on_starter(index_folder):
        return "the next `regis add` makes it anew, with all that you had added"
    return f"delete the folder, and {ADD_AGAIN_ADVICE}"


@contextmanager
def guard_opening(index_folder: ReadablePath) -> Iterator[None]:
    """Turn whatever the disk refuses inside into an IndexMissing or IndexUnreadable, a link into an IndexDamaged."""
    try:
        yield
    except FileChanged as cause:
        raise damaged_error(index_folder, str(cause)) from cause
    except (FileNotFoundError, NotADirectoryError):
        raise IndexMissing(
            f"there is no index at {index_folder}; name one with --index, or make one: "
            "`regis fetch xd-clues wordnet`, then `regis build`"
        ) from None
    except (OSError, MemoryError) as cause:
        why = describe_unreadable(cause) or f"{cause.args[-1]}; name another"
        raise IndexUnreadable(f"the index at {index_folder} cannot be read: {why}") from cause


def require(condition: Any) -> None:
    """Raise ValueError where something read is not what any build writes."""
    if not condition:
        raise ValueError("not what was written")


@contextmanager
def guard_reading(index_folder: ReadablePath, file_name: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into an error about `file_name`, a file or folder of the index.

    It is an IndexUnreadable where the machine lacks something, else an IndexDamaged; where what was read could not be
    written to a full disk, it stays an OSError.
    """
    try:
        yield
    except Exception as cause:
        if is_disk_full(cause):
            raise
        if why := describe_unreadable(cause):
            raise IndexUnreadable(f"the index at {index_folder} cannot be read ({file_name}): {why}") from cause
        raise damaged_error(index_folder, str(cause) if isinstance(cause, FileChanged) else file_name) from cause


def read_manifest(index_folder: ReadablePath) -> Manifest:
    """Read the manifest of the index in `index_folder`, once every file it lists is there in its full size.

    Raises
    ------
    IndexMissing, IndexOutdated, IndexDamaged, IndexUnreadable
        Each with what mends it.
    """
    with guard_opening(index_folder):
        if not (index_folder / MANIFEST_NAME).is_file() and any(Path(str(index_folder)).iterdir()):
            is_distilled = (index_folder / REPEATS_FOLDER).is_dir()
            anew = repair_advice(index_folder) if is_distilled else "`regis build` one into a new folder"
            raise IndexDamaged(
                f"the folder {index_folder} holds no complete index ({MANIFEST_NAME} is not there); "
                f"name another with --index, or {anew}"
            )
        text = (index_folder / MANIFEST_NAME).read_bytes()
    manifest = parse_manifest(text, index_folder)
    with guard_manifest(index_folder):
        _check_files(index_folder, manifest)
    return manifest


def parse_manifest(text: bytes, index_folder: ReadablePath) -> Manifest:
    """Parse the manifest `text` of the index at `index_folder`. Raise IndexOutdated or IndexDamaged."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as cause:
        again = ADD_AGAIN_ADVICE if (index_folder / LAYERS_FOLDER).is_dir() else repair_advice(index_folder)
        raise IndexDamaged(
            f"the index at {index_folder} is damaged ({MANIFEST_NAME} is not JSON); delete it and {again}"
        ) from cause
    version = raw.get("format_version") if isinstance(raw, dict) else None
    if version != FORMAT_VERSION:
        raise IndexOutdated(
            f"the index at {index_folder} has format {version!r:.20}, "
            f"this version of Regis reads format {FORMAT_VERSION}; {repair_advice(index_folder)}"
        )
    with guard_manifest(index_folder):
        return Manifest.from_json(raw, text)


def is_on_starter(index_folder: ReadablePath) -> bool:
    """Return whether the index lies on the starter, and its manifest tells of its layers, of whichever version."""
    with suppress(OSError, ValueError, RecursionError, AttributeError, TypeError, KeyError):
        raw = json.loads((index_folder / MANIFEST_NAME).read_bytes())
        return bool(raw.get("starter")) and all(map(LayerRecord.from_json, raw.get("layers", ())))
    return False


@contextmanager
def guard_manifest(index_folder: ReadablePath) -> Iterator[None]:
    """Turn what a manifest that was written stumbles over nowhere into an IndexDamaged."""
    try:
        yield
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError, RecursionError) as cause:
        raise damaged_error(index_folder, f"{MANIFEST_NAME} lacks something, or was changed") from cause


def _check_files(index_folder: ReadablePath, manifest: Manifest) -> None:
    """Raise where the files of the folder are not those that its `manifest` lists."""
    if manifest.is_distilled != (index_folder / REPEATS_FOLDER).is_dir():
        raise ValueError("distilled, or not, and the folder says otherwise")
    if manifest.checksums and manifest.checksums.keys() != manifest.files.keys():
        raise ValueError("checksums of other files")
    for path in sorted({path for name in manifest.files for path in list_steps(name)}):
        if (index_folder / path).is_symlink():
            raise damaged_error(index_folder, f"{path} is a link")
    for name, size in manifest.files.items():
        if name.startswith(f"{LAYERS_FOLDER}/"):
            continue  # which nobody needs for solving; whoever does is told which layer it is
        try:
            found_size = (index_folder / name).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            raise IndexDamaged(
                f"the index at {index_folder} is incomplete ({name} is not there); {repair_advice(index_folder)}"
            ) from None
        except OSError as cause:
            raise IndexUnreadable(
                f"the index at {index_folder} cannot be read ({name}): {describe_unreadable(cause)}"
            ) from cause
        if found_size != size:
            raise damaged_error(index_folder, f"{name} has {found_size} bytes, not {size}")
