"""Lessons that take hours: step after step, saved every few minutes and when interrupted, so that they can go on."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

from regis.errors import UsageError
from regis.system.files import atomic
from regis.system.progress import Progress

SAVE_INTERVAL = 240.0  # seconds


class CheckpointedTrainer(ABC):
    """A training of `total_steps` steps, of which `steps_done` are over."""

    total_steps: int
    steps_done: int = 0

    @abstractmethod
    def train_step(self) -> None:
        """Train on what comes next; the same whether it was interrupted before or not."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return all else that is needed to go on, for torch to save."""

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take over what `state_dict` returned; raise whatever torch raises if that is of another training."""

    def finish_training(self, checkpoint: Path, progress_label: str, progress: Progress) -> None:
        """Train what is left, from `checkpoint` on if it is there. Raises UsageError or OutputError."""
        if checkpoint.exists():
            self.resume_checkpoint(checkpoint)
        with progress(progress_label, self.total_steps) as bar, closing(self.run_steps(checkpoint)) as steps:
            bar.update(self.steps_done)
            for _ in steps:
                bar.update(1)

    def run_steps(self, checkpoint: Path) -> Generator[None, None, None]:
        """Train what is left, yielding after each step; save when interrupted, too."""
        saved_at = time.monotonic()
        try:
            while self.steps_done < self.total_steps:
                self.train_step()
                self.steps_done += 1
                if time.monotonic() - saved_at > SAVE_INTERVAL:
                    self.save_checkpoint(checkpoint)
                    saved_at = time.monotonic()
                yield
        finally:
            self.save_checkpoint(checkpoint)

    def save_checkpoint(self, checkpoint: Path) -> None:
        """Write all that is needed to go on; whole or not at all. Raises OutputError."""
        import torch

        half_written = checkpoint.with_suffix(".half")
        state = {"done": self.steps_done, "steps": self.total_steps, **self.state_dict()}
        with atomic.replace_after_writing(half_written, checkpoint):
            torch.save(state, half_written)

    def resume_checkpoint(self, checkpoint: Path) -> None:
        """Go on where `checkpoint` stands. Raises UsageError if it is of another training, or damaged."""
        import torch

        try:
            state: dict[str, Any] = torch.load(checkpoint, weights_only=True, map_location="cpu")
            if state["steps"] != self.total_steps:
                raise ValueError("another number of steps")
            self.load_state_dict(state)
            self.steps_done = int(state["done"])
        except Exception as cause:  # torch raises whatever it stumbles over
            refusal = f"{checkpoint} does not go with this index and what was asked for; delete it to begin anew"
            raise UsageError(refusal) from cause
