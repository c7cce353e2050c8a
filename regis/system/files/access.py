"""Who may do what with a file or folder: what takes the place of one is open to the same people, and no others."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE, S_IRWXG, S_ISGID, S_ISUID

ACCESS_LISTS = ("system.posix_acl_access", "system.posix_acl_default")  # what names further people, on Linux


def inherit_access(old_path: Path, new_path: Path) -> None:
    """Give `new_path` the mode, group, owner and access lists of `old_path`, whose place it takes.

    The owner stays another where only root could give it away. Where the group cannot be had, no other group may do
    what that one might. Raises OSError.
    """
    old_status, new_status = old_path.stat(), new_path.stat()
    mode = S_IMODE(old_status.st_mode) & ~(0 if old_path.is_dir() else S_ISUID | S_ISGID)
    if sys.platform != "win32" and (old_status.st_uid, old_status.st_gid) != (new_status.st_uid, new_status.st_gid):
        try:
            os.chown(new_path, old_status.st_uid, old_status.st_gid)
        except OSError:
            with suppress(OSError):
                os.chown(new_path, -1, old_status.st_gid)
        if new_path.stat().st_gid != old_status.st_gid:
            mode &= ~(S_ISGID | S_IRWXG)
    if sys.platform == "linux":
        for name in ACCESS_LISTS:
            _inherit_attribute(old_path, new_path, name)
    if S_IMODE(new_path.stat().st_mode) != mode:
        new_path.chmod(mode)


def inherit_access_in_folder(old_folder: Path, new_folder: Path) -> None:
    """Give `new_folder`, and all in it, the access of `old_folder` and of what lies in that under the same name.

    What has no counterpart there is no more open than the folder is, and of its group. Raises OSError.
    """
    for new_path in new_folder.rglob("*"):
        old_path = old_folder / new_path.relative_to(new_folder)
        if os.path.lexists(old_path) and not old_path.is_symlink() and old_path.is_dir() == new_path.is_dir():
            inherit_access(old_path, new_path)
            continue
        usual_mode = S_IMODE(new_path.stat().st_mode)
        inherit_access(old_folder, new_path)
        folder_mode = S_IMODE(new_path.stat().st_mode)
        new_path.chmod(usual_mode & folder_mode | (folder_mode & S_ISGID if new_path.is_dir() else 0))
    inherit_access(old_folder, new_folder)


def _inherit_attribute(old_path: Path, new_path: Path, name: str) -> None:
    """Give `new_path` the extended attribute of `old_path`, and none where that has none."""
    assert sys.platform == "linux"
    try:
        os.setxattr(new_path, name, os.getxattr(old_path, name))
    except OSError:
        with suppress(OSError):
            os.removexattr(new_path, name)
