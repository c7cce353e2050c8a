"""The command line: `arguments` says what may be asked, `commands` does it and prints."""

from regis.cli.commands import main, run

__all__ = ["main", "run"]
