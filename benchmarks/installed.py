"""What every program here imports first: one sentence where it is run by a Python that knows nothing of Regis."""

from __future__ import annotations

import importlib.util

for name in ("numpy", "regis"):
    if importlib.util.find_spec(name) is None:
        raise SystemExit(f"{name} is not installed for this Python; take .venv/bin/python (`make example` makes it)")
