"""The command line: `arguments` says what may be asked, `main` does it and prints."""

from regis.cli.main import main, run

__all__ = ["main", "run"]
