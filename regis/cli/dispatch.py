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

from regis.cli.grammar.command import Command
from regis.cli.grammar.parser import parse_command
from regis.cli.output.printing import EXIT_FAILED, EXIT_FINE, EXIT_INTERRUPTED, mute_stream, print_error, print_note
from regis.cli.table import COMMANDS
from regis.errors import RegisError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if sys.stdout is None:  # closed by who called; a stream that cannot be written to says so when something is
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    interrupted_message = Command.interrupted_message
    try:
        command = parse_command(argv, COMMANDS)
        interrupted_message = command.interrupted_message
        return command.run()
    except SystemExit:  # after --help, --version or the short help
        return EXIT_FINE
    except KeyboardInterrupt:
        return print_note(f"interrupted; {interrupted_message}", EXIT_INTERRUPTED)
    except BrokenPipeError:
        return mute_stream(EXIT_FINE)
    except (RegisError, OSError, MemoryError) as error:
        return print_error(error)


def run() -> NoReturn:
    """Run the command line, and exit."""
    try:
        sys.exit(main())
    except ImportError as error:  # half of a library is loaded, which may not survive that Python takes it apart
        print_error(error)
        os._exit(EXIT_FAILED)
