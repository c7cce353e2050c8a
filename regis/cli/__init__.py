"""The command line: `commands` has a class per command, `parser` reads the words, `dispatch` has the table and runs one
command.

Only this folder prints and exits. A command imports the modules that do its work when it runs. They load number
libraries, for which the number of threads must be set first, and `regis --help` shouldn't wait for them.
"""

try:
    from regis.cli.dispatch import main, run
except ModuleNotFoundError as lacking:
    raise SystemExit(
        f"regis: error: {lacking.name} isn't installed for this Python; use .venv/bin/python (README.md)"
    ) from None

__all__ = ["main", "run"]
