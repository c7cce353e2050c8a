"""Lessons that take hours, and what of them waits beside an index to be gone on with.

In a folder there, each file is named by the fingerprint of the index that is taught: `.npz` is its encoder without the
newest year, `.pt` how far the transformer came, `.reader.pt` how far the reader. With an index that has changed, which
is another one, they cannot go on.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from regis.errors import IndexError_, UsageError
from regis.index import Index, opening
from regis.system import paths

LEARNING = "learning"  # names the folder
READER = ".reader.pt"  # ends the name of the reader's; the transformer's has `.pt` alone


def beside(folder: Path) -> Path:
    """Where the lessons of the index at `folder` wait; it need not be there."""
    return paths.beside(folder, LEARNING)


def follow(halfway: Path, index: Index) -> None:
    """Takes over unfinished lessons of `index` from beside the name that it had before, in the same folder.

    If another index has that name by now, which could go on with them once it is as it was, they stay there, too.
    """
    for other in halfway.parent.glob(f".*.regis-{LEARNING}"):
        named = other.with_name(other.name[1:].removesuffix(f".regis-{LEARNING}"))
        waiting = [one for one in other.glob(f"{index.fingerprint}.*") if not (halfway / one.name).exists()]
        if not waiting or _is(named, index):
            continue
        halfway.mkdir(exist_ok=True)
        for checkpoint in waiting:
            if paths.is_there(named):
                _doubled(checkpoint, halfway / checkpoint.name)
            else:
                checkpoint.rename(halfway / checkpoint.name)
        with suppress(OSError):
            other.rmdir()


def _doubled(checkpoint: Path, to: Path) -> None:
    """Puts it there, too: a link, or on a disk without links a copy. Raises UsageError."""
    with suppress(OSError):
        to.hardlink_to(checkpoint)
        return
    half = to.with_name(f".{to.name}")
    try:
        shutil.copyfile(checkpoint, half)
        half.replace(to)
    except OSError as cause:
        half.unlink(missing_ok=True)
        raise UsageError(
            f"the unfinished lessons {checkpoint} cannot be copied to {to.parent} ({cause.strerror}); make room, or "
            "move them there"
        ) from cause


def _is(folder: Path, index: Index) -> bool:
    """Whether the index at `folder` is as `index` is."""
    with suppress(IndexError_):
        return opening.read(paths.standing(folder)).fingerprint == index.fingerprint
    return False


def check(halfway: Path, index: Index, mine: Path | None) -> None:
    """Raises UsageError where lessons were interrupted other than those that go on with the checkpoint `mine`.

    They could not go on with an index that has changed, and where it has already, hours would be lost without a word.
    """
    for checkpoint in sorted(halfway.glob("*.pt")):
        option = "--reader" if checkpoint.name.endswith(READER) else "--transformer"
        if not checkpoint.name.startswith(index.fingerprint):
            raise UsageError(
                f"`regis learn {option}` was interrupted, and cannot go on, since the index at {index.folder} is not "
                "as it was then; `regis remove` what was added since, or `regis add` again what was removed; or delete "
                f"{checkpoint} to begin anew"
            )
        if checkpoint != mine:
            raise UsageError(f"`regis learn {option}` was interrupted; finish it first, or delete {checkpoint}")


def forget(halfway: Path, fingerprint: str) -> None:
    """Deletes the checkpoints of an index that has learned, and their folder if nothing else is in it.

    So it does encoders that were kept for lessons of the index as it was even before: none can go on with those.
    """
    with suppress(OSError):
        for name in (f"{fingerprint}.*", f"{'[0-9a-f]' * len(fingerprint)}*.npz"):
            for checkpoint in halfway.glob(name):
                checkpoint.unlink()
        halfway.rmdir()
