"""Ctrl-C that is not lost: an exception that a signal raises within a finalizer is dropped by Python."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def keep_interrupts() -> Iterator[Callable[[], None]]:
    """Have SIGTERM interrupt as Ctrl-C does, and give what raises the interrupt again, to be called between tasks.

    Signals that are ignored stay so; outside the main thread, which alone has them, nothing changes.
    """
    interrupts: list[int] = []

    def interrupt(number: int, _: object) -> None:
        interrupts.append(number)
        raise KeyboardInterrupt

    def raise_again() -> None:
        if interrupts:
            raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        known = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        before = {number: handler for number, handler in known.items() if handler not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, interrupt)
    try:
        yield raise_again
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
