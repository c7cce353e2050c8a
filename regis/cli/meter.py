"""The bar of `progress`, for whoever has something to show: the library behind it takes a while to load."""

from __future__ import annotations

from typing import Any

from tqdm import tqdm


class Bar(tqdm):  # type: ignore[type-arg]  # it takes an argument for type checkers only
    """One that does not pretend to know how long it takes where nobody does."""

    @staticmethod
    def format_meter(n: float, total: float | None, elapsed: float, *rest: Any, **more: Any) -> str:
        if total is not None:
            return tqdm.format_meter(n, total, elapsed, *rest, **more)
        return f"{more['prefix']} ..." + (f" {n:,.0f}" if n else "")
