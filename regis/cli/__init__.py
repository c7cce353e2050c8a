"""The command line: `commands` is the table of what there is, `parser` reads the words, `dispatch` runs one command.

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
