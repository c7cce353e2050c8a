"""What the machine lacks where something could not be done: memory, file handles, permission, a disk that gives.

Libraries wrap such an error in their own, when they are loaded too, so what caused it is looked through as well.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

MEMORY = "there is not enough memory; close other programs, or do less at a time"
HANDLES = "too many files are open; close other programs, or allow more (`ulimit -n 1024`)"
LACKS = {errno.ENOMEM: MEMORY, errno.EMFILE: HANDLES, errno.ENFILE: HANDLES}
SAID = {os.strerror(errno.ENOMEM): MEMORY, "failed to map": MEMORY, "new thread": MEMORY,
        os.strerror(errno.EMFILE): HANDLES, os.strerror(errno.ENFILE): HANDLES}  # fmt: skip
"""What libraries say of it in words alone."""

NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS))
"""What is only said of files that are written."""

WRONG = frozenset((errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EINVAL, errno.ENAMETOOLONG, None))
"""What says that a file is not what it should be; every other number says that it cannot be read now."""


def lack(error: BaseException) -> str | None:
    """Of what there is too little, and what to do, in one sentence; None if `error` is of another kind."""
    for one in _causes(error):
        if isinstance(one, MemoryError):
            return MEMORY
        if isinstance(one, OSError) and one.errno in LACKS:
            return LACKS[one.errno]
        for words, sentence in SAID.items():
            if words in str(one):
                return sentence
    return None


def unreadable(error: BaseException) -> str | None:
    """Why a file cannot be read now although nothing says that it is damaged, and what to do; else None."""
    if sentence := lack(error):
        return sentence
    for one in _causes(error):
        if isinstance(one, PermissionError):
            return "you may not read it; change its permissions, or name another"
        if isinstance(one, OSError) and one.errno == errno.ESTALE:
            return "it was deleted or replaced meanwhile; do this again"
        if isinstance(one, OSError) and one.errno not in WRONG:
            return f"{one.strerror}; try again, and look after the disk"
    return None


def no_room(error: BaseException) -> bool:
    """Whether a file could not be written since the disk is full, or nobody may write on it.

    numpy says only that it wrote less than it was asked to.
    """
    return isinstance(error, OSError) and (error.errno in NO_ROOM or " requested and " in str(error))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
