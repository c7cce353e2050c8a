"""The command line: `commands` has a class per command, `parser` reads the words, `dispatch` has the
table and runs one.

Only this folder prints and exits. A command imports the modules that do its work when it is run: they bring number
libraries with them, which must first be told how many threads to use, and `regis --help` should not wait for them.
"""

try:
    from regis.cli.dispatch import main, run
except ModuleNotFoundError as lacking:
    raise SystemExit(
        f"regis: error: {lacking.name} isn't installed for this Python; use .venv/bin/python (README.md)"
    ) from None

__all__ = ["main", "run"]
