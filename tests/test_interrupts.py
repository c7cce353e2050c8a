"""Ctrl-C and SIGTERM interrupt, even if Python drops the exception, and signal handlers return to their old state."""

import signal
import threading
from collections.abc import Iterator

import pytest

from regis.system.process import keep_interrupts

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def heard_interrupts() -> Iterator[None]:
    """Let Ctrl-C interrupt, as at a terminal; a job in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Finalized:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_within_a_finalizer_is_not_lost():
    with keep_interrupts() as raise_again:
        raise_again()
        Finalized()
        with pytest.raises(KeyboardInterrupt):
            raise_again()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_interrupts_and_is_then_as_before(number: int):
    before = list(map(signal.getsignal, SIGNALS))
    with pytest.raises(KeyboardInterrupt), keep_interrupts():
        signal.raise_signal(number)
    assert list(map(signal.getsignal, SIGNALS)) == before


def test_what_is_ignored_stays_so_and_other_threads_have_no_signals():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with keep_interrupts() as raise_again:
            signal.raise_signal(signal.SIGINT)
            raise_again()
    finally:
        signal.signal(signal.SIGINT, before)

    def keep() -> None:
        with keep_interrupts() as raise_again:
            found.append((raise_again(), signal.getsignal(signal.SIGTERM)))

    found: list[object] = []
    thread = threading.Thread(target=keep)
    thread.start()
    thread.join()
    assert found == [(None, signal.getsignal(signal.SIGTERM))]
