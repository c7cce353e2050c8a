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
from regis.index import Index
from regis.index.storage import validation
from regis.system import paths

LEARNING_FOLDER = "learning"  # names the folder
READER_SUFFIX = ".reader.pt"  # ends the name of the reader's; the transformer's has `.pt` alone


def checkpoint_folder(index_folder: Path) -> Path:
    """Return where the checkpoints of the index at `index_folder` wait; it need not be there.

    Raises UsageError for a link: what is deleted there once all is learned may be somebody else's.
    """
    folder = paths.sibling_path(index_folder, LEARNING_FOLDER)
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link, and unfinished lessons wait in a folder; delete the link")
    return folder


def adopt_checkpoints(waiting_folder: Path, index: Index) -> None:
    """Take over checkpoints of `index` from beside the name that it had before, in the same folder.

    If another index has that name by now, which could go on with them once it is as it was, they stay there, too.
    """
    for other_folder in waiting_folder.parent.glob(f".*.regis-{LEARNING_FOLDER}"):
        other_index = other_folder.with_name(other_folder.name[1:].removesuffix(f".regis-{LEARNING_FOLDER}"))
        found = other_folder.glob(f"{index.fingerprint}.*")
        waiting = [checkpoint for checkpoint in found if not (waiting_folder / checkpoint.name).exists()]
        if not waiting or other_folder.is_symlink() or _is_same_index(other_index, index):
            continue
        waiting_folder.mkdir(exist_ok=True)
        for checkpoint in waiting:
            if paths.index_exists(other_index):
                _link_or_copy(checkpoint, waiting_folder / checkpoint.name)
            else:
                checkpoint.rename(waiting_folder / checkpoint.name)
        with suppress(OSError):
            other_folder.rmdir()


def _link_or_copy(checkpoint: Path, target: Path) -> None:
    """Put a checkpoint there, too: a link, or on a disk without links a copy. Raises UsageError."""
    with suppress(OSError):
        target.hardlink_to(checkpoint)
        return
    half_written = target.with_name(f".{target.name}")
    try:
        shutil.copyfile(checkpoint, half_written)
        half_written.replace(target)
    except OSError as cause:
        half_written.unlink(missing_ok=True)
        raise UsageError(
            f"the unfinished lessons {checkpoint} cannot be copied to {target.parent} ({cause.strerror}); make room, "
            "or move them there"
        ) from cause


def _is_same_index(index_folder: Path, index: Index) -> bool:
    with suppress(IndexError_):
        return validation.read_manifest(paths.existing_index_folder(index_folder)).fingerprint == index.fingerprint
    return False


def refuse_other_checkpoints(waiting_folder: Path, index: Index, own_checkpoint: Path | None) -> None:
    """Raise UsageError where lessons were interrupted other than those that go on with `own_checkpoint`.

    They could not go on with an index that has changed, and where it has already, hours would be lost without a word.
    """
    for checkpoint in sorted(waiting_folder.glob("*.pt")):
        option = "--reader" if checkpoint.name.endswith(READER_SUFFIX) else "--transformer"
        if not checkpoint.name.startswith(index.fingerprint):
            raise UsageError(
                f"`regis learn {option}` was interrupted, and cannot go on, since the index at {index.folder} is not "
                "as it was then; `regis remove` what was added since, or `regis add` again what was removed; or delete "
                f"{checkpoint} to begin anew"
            )
        if checkpoint != own_checkpoint:
            raise UsageError(f"`regis learn {option}` was interrupted; finish it first, or delete {checkpoint}")


def delete_checkpoints(waiting_folder: Path, fingerprint: str) -> None:
    """Delete the checkpoints of an index that has learned, and their folder if nothing else is in it.

    So it does encoders that were kept for lessons of the index as it was even before: none can go on with those.
    """
    with suppress(OSError):
        for name in (f"{fingerprint}.*", f"{'[0-9a-f]' * len(fingerprint)}*.npz"):
            for checkpoint in waiting_folder.glob(name):
                checkpoint.unlink()
        waiting_folder.rmdir()
