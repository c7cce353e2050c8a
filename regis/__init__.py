"""Regis solves American-style crosswords offline, from an index of past clues, titles, and words.

    import regis

    result = regis.solve("monday.puz")
    print(result)                 # what `regis solve monday.puz` prints; a notebook shows a drawn grid
    result["17A"].answer          # and .confidence, .evidence, .alternatives
    result.explain("17A").why
    result.hint()

The names in `regis.__all__` and the errors in `regis.errors` are public. Anything else may change.

`regis.api` is loaded when it is first used, so that `import regis` takes no time.
"""

from __future__ import annotations

from regis.system.version import __version__

TYPE_CHECKING = False  # type checkers set this to True; importing `typing` here would delay the handling of Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from regis import errors
    from regis.api.functions import (
        Guess,
        Index,
        Puzzle,
        Result,
        add,
        convert,
        guess,
        open_index,
        puzzle_from_rows,
        read_puzzle,
        solve,
        solve_many,
    )  # fmt: skip

__all__ = [
    "Guess", "Index", "Puzzle", "Result", "__version__", "add", "convert", "errors", "guess", "open_index",
    "puzzle_from_rows", "read_puzzle", "solve", "solve_many",
]  # fmt: skip


if not TYPE_CHECKING:  # otherwise a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'regis' has no attribute {name!r}")
        import importlib

        if name == "errors":
            return importlib.import_module("regis.errors")
        return getattr(importlib.import_module("regis.api.functions"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
