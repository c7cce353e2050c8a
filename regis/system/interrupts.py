"""Ctrl-C that is not lost: an exception that a signal raises within a finalizer is dropped by Python."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def keep_interrupts() -> Iterator[Callable[[], None]]:
    """Have SIGTERM interrupt as Ctrl-C does, and give what raises the interrupt again, to be called between tasks.

    Ctrl-C that is ignored, as in the background, stays so; outside the main thread, which alone has signals, nothing
    changes.
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
        before[signal.SIGTERM] = signal.signal(signal.SIGTERM, interrupt)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            before[signal.SIGINT] = signal.signal(signal.SIGINT, interrupt)
    try:
        yield raise_again
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
