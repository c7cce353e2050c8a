"""Who may do what with a file or folder: what takes the place of one is open to the same people, and no others."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_IRWXG, S_ISGID, S_ISUID

ACCESS_LISTS = "system.posix_acl_access", "system.posix_acl_default"  # what names further people, on Linux


def inherit_access(old: Path, new: Path) -> None:
    """Give `new` the mode, group, owner and access lists of `old`, a file or folder whose place it takes.

    The owner stays another where only root could give it away. Where the group cannot be had, no other group may do
    what that one might. Raises OSError.
    """
    status = old.stat()
    mode = S_IMODE(status.st_mode) & ~(0 if old.is_dir() else S_ISUID | S_ISGID)
    if sys.platform != "win32" and (status.st_uid, status.st_gid) != (new.stat().st_uid, new.stat().st_gid):
        try:
            os.chown(new, status.st_uid, status.st_gid)
        except OSError:
            with suppress(OSError):
                os.chown(new, -1, status.st_gid)
        if new.stat().st_gid != status.st_gid:
            mode &= ~(S_ISGID | S_IRWXG)
    if sys.platform == "linux":
        for name in ACCESS_LISTS:
            _inherit_attribute(old, new, name)
    if S_IMODE(new.stat().st_mode) != mode:
        new.chmod(mode)


def inherit_access_in_folder(old_folder: Path, new_folder: Path) -> None:
    """Give `new_folder`, and all in it, the access of `old_folder` and of what lies in that under the same name.

    What has no counterpart there is no more open than the folder is, and of its group. Raises OSError.
    """
    for new in new_folder.rglob("*"):
        old = old_folder / new.relative_to(new_folder)
        if os.path.lexists(old) and not old.is_symlink() and old.is_dir() == new.is_dir():
            inherit_access(old, new)
            continue
        mode = S_IMODE(new.stat().st_mode)
        inherit_access(old_folder, new)
        shared_mode = S_IMODE(new.stat().st_mode)
        new.chmod(mode & shared_mode | (shared_mode & S_ISGID if new.is_dir() else 0))
    inherit_access(old_folder, new_folder)


def _inherit_attribute(old: Path, new: Path, name: str) -> None:
    """Give `new` the extended attribute of `old`, and none where that has none."""
    assert sys.platform == "linux"
    try:
        os.setxattr(new, name, os.getxattr(old, name))
    except OSError:
        with suppress(OSError):
            os.removexattr(new, name)
