"""What a command says: results on standard output, sentences on standard error, and the exit code.

Each function returns an exit code, so that a command can end with what it says last.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from regis.errors import IndexError_, OutputError, RegisError, UsageError
from regis.system.lack import lack
from regis.system.paths import VARIABLE
from regis.system.terminal import Screen, plain, wrapped

FINE, FAILED, MISUSED, UNSURE, INTERRUPTED = 0, 1, 2, 3, 130

CODES = """exit codes:
  0    all went well; the entries of a solved puzzle are filled, and every square at least 90% sure
  1    bad input, or something failed; one sentence on standard error says what
  2    the command line makes no sense
  3    done, but unsure: a square that was asked for is less sure; --check found a wrong letter; --hint found no hint
  130  interrupted with Ctrl-C; `regis bench` also by a SIGTERM
"""


def show(result: str | bytes) -> int:
    """Puts a result on standard output.

    Raises BrokenPipeError where nobody reads on, OutputError where it cannot be written.
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
        mute(FAILED)
        raise OutputError(f"the output cannot be written ({cause.strerror})") from cause
    return FINE


def report(sentence: str, code: int = FINE) -> int:
    """One line on standard error; on a terminal as many as it takes, broken between words.

    Where nobody reads that, or it cannot be written, the work goes on, and ends with the code that is its own.
    """
    if sys.stderr is not None:
        said = f"regis: {plain(sentence)}"
        lines = wrapped(said, Screen.of(sys.stderr).width, whole=True) if sys.stderr.isatty() else [said]
        try:
            print("\n".join(lines), file=sys.stderr, flush=True)
        except OSError:
            mute(code, sys.stderr)
    return code


def report_error(error: Exception) -> int:
    """One line on standard error that says what went wrong; MISUSED or FAILED."""
    sentence = str(error)
    if not isinstance(error, RegisError) and (lacking := lack(error)):
        sentence = lacking
    elif isinstance(error, ImportError):
        sentence = f"a library cannot be loaded ({sentence.strip().splitlines()[-1]}); install Regis again"
    elif isinstance(error, IndexError_) and (named := os.environ.get(VARIABLE)) and named in sentence:
        sentence += f"; ${VARIABLE} names that folder"
    elif isinstance(error, FileNotFoundError) and error.filename is None:
        sentence = "the folder that you are in is gone; change into another"
    elif isinstance(error, OSError) and error.strerror:
        sentence = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return report(f"error: {sentence}", MISUSED if isinstance(error, UsageError) else FAILED)


def warn(sentences: Iterable[str]) -> int:
    """One line on standard error for each."""
    for sentence in sentences:
        report(f"warning: {sentence}")
    return FINE


def mute(code: int, stream: TextIO | None = None) -> int:
    """Lets nothing more go to a stream (None: standard output) that takes no more, not even when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())
    return code
