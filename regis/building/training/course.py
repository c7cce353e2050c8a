"""Lessons that take hours: step after step, saved every few minutes and when interrupted, so that they can go on."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

from regis.errors import UsageError
from regis.system import atomic
from regis.system.progress import Progress

SAVE_EVERY = 240.0  # seconds


class Course(ABC):
    """How far lessons of so many `steps` are, of which `done` are over."""

    steps: int
    done: int = 0

    @abstractmethod
    def step(self) -> None:
        """Teaches what comes next; the same whether it was interrupted before or not."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """All else that is needed to go on, for torch to save."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Takes over what `state` gave; raises whatever it stumbles over if that is of another course."""

    def finish(self, checkpoint: Path, label: str, progress: Progress) -> None:
        """Teaches what is left, from `checkpoint` on if it is there."""
        if checkpoint.exists():
            self.resume(checkpoint)
        with progress(label, self.steps) as bar, closing(self.run(checkpoint)) as steps:
            bar.update(self.done)
            for _ in steps:
                bar.update(1)

    def run(self, checkpoint: Path) -> Generator[None, None, None]:
        """Teaches what is left, yielding after each step; saved when interrupted, too."""
        saved = time.monotonic()
        try:
            while self.done < self.steps:
                self.step()
                self.done += 1
                if time.monotonic() - saved > SAVE_EVERY:
                    self.save(checkpoint)
                    saved = time.monotonic()
                yield
        finally:
            self.save(checkpoint)

    def save(self, checkpoint: Path) -> None:
        """Writes all that is needed to go on; whole or not at all. Raises OutputError."""
        import torch

        half, state = checkpoint.with_suffix(".half"), {"done": self.done, "steps": self.steps, **self.state()}
        with atomic.kept(half, checkpoint):
            torch.save(state, half)

    def resume(self, checkpoint: Path) -> None:
        """Goes on where `checkpoint` stands. Raises UsageError if it is of another course, or damaged."""
        import torch

        try:
            state: dict[str, Any] = torch.load(checkpoint, weights_only=True, map_location="cpu")
            if state["steps"] != self.steps:
                raise ValueError("another number of steps")
            self.restore(state)
            self.done = int(state["done"])
        except Exception as cause:  # torch raises whatever it stumbles over
            refusal = f"{checkpoint} does not go with this index and what was asked for; delete it to begin anew"
            raise UsageError(refusal) from cause
