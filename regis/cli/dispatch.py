"""From the command line to one command and its exit code.

Everything that can go wrong is reported in one sentence on standard error, and the exit code says of what kind it was
(see `regis --help`).
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from regis.cli.command import Command
from regis.cli.parser import parse
from regis.cli.printing import FAILED, FINE, INTERRUPTED, mute, report, report_error
from regis.cli.table import COMMANDS
from regis.errors import RegisError


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if sys.stdout is None:  # closed by who called; a stream that cannot be written to says so when something is
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    interrupted = Command.interrupted
    try:
        command = parse(argv, COMMANDS)
        interrupted = command.interrupted
        return command.run()
    except SystemExit:  # by argparse, after --help or --version
        return FINE
    except KeyboardInterrupt:
        return report(f"interrupted; {interrupted}", INTERRUPTED)
    except BrokenPipeError:
        return mute(FINE)
    except (RegisError, OSError, MemoryError) as error:
        return report_error(error)


def run() -> NoReturn:
    """The `regis` script."""
    try:
        sys.exit(main())
    except ImportError as error:  # half of a library is loaded, which may not survive that Python takes it apart
        report_error(error)
        os._exit(FAILED)
