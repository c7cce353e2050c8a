"""Lessons that take hours, and what of them waits beside an index to be gone on with.

In a folder there, each file is named by the fingerprint of the index that is taught: `.npz` is its encoder without the
newest year, `.pt` how far the transformer came, `.reader.pt` how far the reader. With an index that has changed, which
is another one, they cannot go on.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from regis.errors import UsageError
from regis.index import Index
from regis.system import paths

LEARNING = "learning"  # names the folder
READER = ".reader.pt"  # ends the name of the reader's; the transformer's has `.pt` alone


def beside(folder: Path) -> Path:
    """Where the lessons of the index at `folder` wait; it need not be there."""
    return paths.beside(folder, LEARNING)


def follow(halfway: Path, index: Index) -> None:
    """Takes over unfinished lessons of `index` from beside the name that it had before, in the same folder."""
    for other in halfway.parent.glob(f".*.regis-{LEARNING}"):
        named = other.with_name(other.name[1:].removesuffix(f".regis-{LEARNING}"))
        if not paths.is_there(named) and any(other.glob(f"{index.fingerprint}.*")) and not halfway.exists():
            other.rename(halfway)


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
