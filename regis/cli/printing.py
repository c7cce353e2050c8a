"""Print results on standard output and sentences on standard error, and return exit codes.

Each function returns an exit code, so that a command can end with what it prints last.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TextIO

from regis.errors import IndexError_, OutputError, RegisError, UsageError
from regis.system import paths
from regis.system.os_errors import describe_shortage
from regis.system.terminal import Screen, plain_text, wrap_text

EXIT_FINE = 0
EXIT_FAILED = 1
EXIT_MISUSED = 2
EXIT_UNSURE = 3
EXIT_INTERRUPTED = 130

EXIT_CODES_HELP = """exit codes:
  0    success; a solved puzzle is filled, and every square is at least 90% sure
  1    bad input or a failure; one sentence on standard error says what
  2    wrong usage
  3    done, but unsure of a square, your letters (--check), a hint (--hint), or a page
  130  interrupted with Ctrl-C (`regis bench`: or SIGTERM)
"""

COMMON_EXIT_CODES_HELP = """exit codes:
  0    success
  1    bad input or a failure; one sentence on standard error says what
  2    wrong usage
  130  interrupted with Ctrl-C
"""


STDOUT_PATH = Path("-")
"""Standard output instead of a file."""

_IS_QUIET = ContextVar("is_quiet", default=False)  # whether only results and errors are printed


@contextmanager
def silence_notes(is_quiet: bool) -> Iterator[None]:
    """Print no notes, warnings, or progress in this context, if `is_quiet`."""
    token = _IS_QUIET.set(is_quiet)
    try:
        yield
    finally:
        _IS_QUIET.reset(token)


def shows_progress(stream: TextIO | None) -> bool:
    """Return whether progress may be shown on `stream`: a terminal, without --quiet."""
    return stream is not None and stream.isatty() and not _IS_QUIET.get()


def write_result(result: str | bytes, place: Path | None) -> int:
    """Write a result to a file, or print it if `place` is None. Raises what `print_result` raises."""
    if place is None or place == STDOUT_PATH:
        return print_result(result)
    from regis.system.files import atomic

    atomic.write_file(place, result)
    return print_written(place)


def print_result(result: str | bytes) -> int:
    """Print a result on standard output.

    Raises BrokenPipeError if nobody reads it, OutputError if it can't be written.
    """
    try:
        if isinstance(result, bytes):
            sys.stdout.buffer.write(result)
            sys.stdout.buffer.flush()
        else:
            print(result, end="", flush=True)
    except BrokenPipeError:
        raise
    except OSError as cause:
        mute_stream(EXIT_FAILED)
        raise OutputError(f"the output can't be written ({cause.strerror})") from cause
    return EXIT_FINE


def print_index(folder: Path) -> int:
    from regis.index import Index
    from regis.render import tables

    return print_result(tables.render_index(Index.open(folder), Screen.for_stream(sys.stdout)))


def print_note(sentence: str, code: int = EXIT_FINE) -> int:
    """Print a sentence on standard error, wrapped on a terminal; return `code`, even if nobody reads it.

    --quiet leaves out sentences that don't come with a failure.
    """
    if sys.stderr is not None and not (_IS_QUIET.get() and code == EXIT_FINE):
        lines = [f"regis: {plain_text(sentence)}"]
        if sys.stderr.isatty():
            lines = wrap_text(lines[0], Screen.for_stream(sys.stderr).width, keep_words=True)
        try:
            print("\n".join(lines), file=sys.stderr, flush=True)
        except OSError:
            mute_stream(code, sys.stderr)
    return code


def print_written(place: Path, file_count: int = 1) -> int:
    """Say on a terminal where the result is."""
    if sys.stderr is None or not sys.stderr.isatty():
        return EXIT_FINE
    counted = f"{file_count:,} file{'s' * (file_count != 1)} in " if place.is_dir() else ""
    return print_note(f"wrote {counted}{place}")


def print_error(error: Exception) -> int:
    """Print what went wrong on standard error; return EXIT_MISUSED or EXIT_FAILED."""
    sentence = str(error)
    if isinstance(error, RegisError):
        named = os.environ.get(paths.INDEX_VARIABLE)
        if isinstance(error, IndexError_) and named and named in sentence:
            sentence += f"; ${paths.INDEX_VARIABLE} names that folder"
    elif shortage := describe_shortage(error):
        sentence = shortage
    elif isinstance(error, ImportError):
        sentence = f"a library can't be loaded ({sentence.strip().splitlines()[-1]}); install Regis again"
    elif isinstance(error, OSError) and error.strerror:
        sentence = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return print_note(f"error: {sentence}", EXIT_MISUSED if isinstance(error, UsageError) else EXIT_FAILED)


def print_warnings(sentences: Iterable[str]) -> int:
    for sentence in sentences:
        print_note(f"warning: {sentence}")
    return EXIT_FINE


def mute_stream(code: int, stream: TextIO | None = None) -> int:
    """Send nothing more to a broken stream (None: standard output), even when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())
    return code
