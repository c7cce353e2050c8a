"""Errors about an index that can't be read: what is wrong, where, and what to do.

For damaged bytes, numpy, pyarrow, and json raise many kinds of errors; all mean that the index is damaged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from regis.errors import IndexDamaged, IndexMissing, IndexOutdated, IndexUnreadable
from regis.index.storage.manifest import (
    FORMAT_VERSION,
    LAYERS_FOLDER,
    MANIFEST_NAME,
    LayerRecord,
    Manifest,
)
from regis.system import paths
from regis.system.os_errors import describe_unreadable, is_disk_full

CLEAR_ADVICE = "`regis doctor --clear` deletes the cache, and Regis unpacks the index again"


def damaged_error(index_folder: Path, file_name: str) -> IndexDamaged:
    """Return the error for a damaged index; `file_name` names the damaged part."""
    layer = re.match(rf"{LAYERS_FOLDER}/([\w-]+)", file_name)
    again = f"`regis remove {layer[1]}`, then add it again" if layer else repair_advice(index_folder)
    return IndexDamaged(f"the index at {index_folder} is damaged ({file_name}); {again}")


def repair_advice(index_folder: Path) -> str:
    cache = paths.cache_folder()
    if cache is not None and paths.is_within(index_folder, cache):
        return CLEAR_ADVICE
    raw = try_read_json(paths.index_home(index_folder) / MANIFEST_NAME)
    if is_on_starter(index_folder):
        return "the next `regis add` rebuilds it with everything you had added"
    if raw.get("starter"):
        return "delete the folder, and `regis add` again what you had added"
    if raw.get("without_clues"):
        return "install Regis again, or make the index again with `regis distil`"
    return "build it again with `regis build`"


@contextmanager
def guard_opening(index_folder: Path) -> Iterator[None]:
    """Turn disk errors in this context into IndexMissing or IndexUnreadable."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise IndexMissing(
            f"there's no index at {index_folder}; name another, or make "
            "one: `regis fetch xd-clues wordnet`, then `regis build`"
        ) from None
    except (OSError, MemoryError) as cause:
        why = describe_unreadable(cause) or f"{cause.args[-1]}; name another"
        raise IndexUnreadable(f"the index at {index_folder} can't be read: {why}") from cause


def find_home(index_folder: Path) -> Path:
    """Return the folder with the files of the index; raises OSError, or IndexDamaged if its pointer leads nowhere."""
    home = paths.index_home(index_folder)
    if not (home / MANIFEST_NAME).exists() and (index_folder / paths.POINTER_NAME).exists():
        raise IndexDamaged(
            f"the index at {index_folder} is damaged ({paths.POINTER_NAME} leads nowhere); restore it "
            "from a backup, or delete the folder and start over with `regis add` or `regis build`"
        )
    return home


def require(condition: Any) -> None:
    """Raise ValueError if a build can't have written what was read."""
    if not condition:
        raise ValueError("not what was written")


@contextmanager
def guard_reading(index_folder: Path, file_name: str) -> Iterator[None]:
    """Turn any error in this context into an error about `file_name`: IndexUnreadable if the machine lacks something,
    else IndexDamaged.

    If the disk is full, it stays an OSError.
    """
    try:
        yield
    except Exception as cause:
        if is_disk_full(cause):
            raise
        if why := describe_unreadable(cause):
            raise IndexUnreadable(f"the index at {index_folder} can't be read ({file_name}): {why}") from cause
        raise damaged_error(index_folder, file_name) from cause


def read_manifest(index_folder: Path) -> Manifest:
    """Read the manifest of the index whose files are in `index_folder`.

    Raises IndexMissing, IndexOutdated, IndexDamaged, or IndexUnreadable, each with advice.
    """
    with guard_opening(index_folder):
        text = (index_folder / MANIFEST_NAME).read_bytes()
    with guard_manifest(index_folder):
        raw = json.loads(text)
    version = raw.get("format_version") if isinstance(raw, dict) else None
    if version != FORMAT_VERSION:
        raise IndexOutdated(
            f"the index at {index_folder} has format {version!r:.20}, "
            f"but this version of Regis reads format {FORMAT_VERSION}; {repair_advice(index_folder)}"
        )
    with guard_manifest(index_folder):
        return Manifest.from_json(raw, text)


def is_on_starter(index_folder: Path) -> bool:
    """Return whether the index is on the starter, and its manifest, of any version, has readable layers."""
    raw = try_read_json(paths.index_home(index_folder) / MANIFEST_NAME)
    try:
        return bool(raw.get("starter")) and all(map(LayerRecord.from_json, raw.get("layers", ())))
    except (ValueError, AttributeError, TypeError, KeyError):
        return False


def try_read_json(path: Path) -> dict[str, Any]:
    """Read the object in a JSON file; return an empty one if that fails."""
    try:
        raw = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, dict) else {}


@contextmanager
def guard_manifest(index_folder: Path) -> Iterator[None]:
    """Turn errors from reading a changed manifest into IndexDamaged."""
    try:
        yield
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError, RecursionError) as cause:
        raise damaged_error(index_folder, f"{MANIFEST_NAME} lacks something, or was changed") from cause


def check_files(index_folder: Path, manifest: Manifest) -> None:
    """Raise IndexDamaged or IndexUnreadable if a file in `manifest` is missing or has another size.

    Layers don't count: solving doesn't need them, and other errors name them.
    """
    for name, size in manifest.files.items():
        if name.startswith(f"{LAYERS_FOLDER}/"):
            continue
        try:
            found_size = (index_folder / name).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            raise IndexDamaged(
                f"the index at {index_folder} is incomplete ({name} is missing); {repair_advice(index_folder)}"
            ) from None
        except OSError as cause:
            raise IndexUnreadable(
                f"the index at {index_folder} can't be read ({name}): {describe_unreadable(cause)}"
            ) from cause
        if found_size != size:
            raise damaged_error(index_folder, f"{name} has {found_size} bytes, not {size}")
