"""What every program here imports first: say in one sentence if this Python has no Regis, or Regis refuses."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import TracebackType

for name in ("numpy", "regis"):
    if importlib.util.find_spec(name) is None:
        raise SystemExit(f"{name} is not installed for this Python; take .venv/bin/python (`make example` makes it)")


def print_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print what ended the program: a sentence for a class of regis.errors, a traceback for everything else."""
    from regis.errors import RegisError

    if isinstance(error, RegisError):
        print(f"{Path(sys.argv[0]).name}: {error}", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = print_exception
