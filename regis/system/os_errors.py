"""What the machine lacks: memory, file handles, permission, disk space, or an extra of Regis.

Libraries wrap system errors, so the causes of an error are searched, too.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from regis.system import paths

MEMORY_ADVICE = "not enough memory; close other programs or do less at a time"
HANDLES_ADVICE = "too many files are open; close other programs or allow more (`ulimit -n 1024`)"
ADVICE_BY_ERRNO = {errno.ENOMEM: MEMORY_ADVICE, errno.EMFILE: HANDLES_ADVICE, errno.ENFILE: HANDLES_ADVICE}
ADVICE_BY_WORDS = {
    os.strerror(errno.ENOMEM): MEMORY_ADVICE,
    "failed to map": MEMORY_ADVICE,
    "new thread": MEMORY_ADVICE,
    os.strerror(errno.EMFILE): HANDLES_ADVICE,
    os.strerror(errno.ENFILE): HANDLES_ADVICE,
}
"""What libraries express only in words -> advice."""

DISK_FULL_ERRNOS = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS))  # these count only for files being written

DAMAGED_FILE_ERRNOS = frozenset(
    (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EINVAL, errno.ENAMETOOLONG, None)
)
"""Errors that mean a file isn't what it should be; all others mean that it can't be read now."""


def describe_shortage(error: BaseException) -> str | None:
    """Return one sentence on what is short and what to do; None for other errors."""
    for cause in _iterate_causes(error):
        if isinstance(cause, MemoryError):
            return MEMORY_ADVICE
        if isinstance(cause, OSError) and cause.errno in ADVICE_BY_ERRNO:
            return ADVICE_BY_ERRNO[cause.errno]
        for words, sentence in ADVICE_BY_WORDS.items():
            if words in str(cause):
                return sentence
    return None


def describe_unreadable(error: BaseException) -> str | None:
    """Return why a file can't be read now and what to do; None if it may be damaged."""
    if sentence := describe_shortage(error):
        return sentence
    for cause in _iterate_causes(error):
        if isinstance(cause, PermissionError):
            return "you don't have permission to read it; change its permissions, or choose another"
        if isinstance(cause, OSError) and cause.errno == errno.ESTALE:
            return "it was deleted or replaced; try again"
        if isinstance(cause, OSError) and cause.errno not in DAMAGED_FILE_ERRNOS:
            return f"{cause.strerror}; try again, and check the disk"
    return None


def is_disk_full(error: BaseException) -> bool:
    """Return whether a file can't be written because the disk is full or read-only.

    numpy reports only that it wrote less than it should.
    """
    return isinstance(error, OSError) and (error.errno in DISK_FULL_ERRNOS or " requested and " in str(error))


def _iterate_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


DISTRIBUTION_NAME = "regis-crossword"  # the name under which Regis is installed


def installed_requirements() -> list[str]:
    """Return the requirements of the installed Regis, with extras; none if it was only copied."""
    from importlib import metadata  # slow to load, because it loads `email`

    try:
        return metadata.requires(DISTRIBUTION_NAME) or []
    except metadata.PackageNotFoundError:
        return []


def describe_install(extra: str) -> str:
    """Return how to install an extra, as part of a sentence."""
    if (paths.PACKAGE_FOLDER.parent / "pyproject.toml").is_file():
        return f"in Regis's folder, .venv/bin/pip install --editable '.[{extra}]'"
    pattern = re.compile(rf"""extra == (['"]){extra}\1""")
    packages = [line.partition(";")[0].strip() for line in installed_requirements() if pattern.search(line)]
    tool = "pipx inject regis" if "pipx" in Path(sys.prefix).parts else "pip install"
    return f"{tool} {' '.join(map(repr, packages))}" if packages else f"install Regis again, with its extra {extra}"
