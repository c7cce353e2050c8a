"""Training that takes hours: saved every few minutes next to the index, and resumed by the same command.

Files are named by the index's fingerprint: `.npz` is its encoder without the newest year, `.pt` the transformer,
`.reader.pt` the reader. A changed index has another fingerprint, and can't resume from them.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from regis.errors import UsageError
from regis.index import Index
from regis.system import paths
from regis.system.files import atomic
from regis.system.progress import Progress

LEARNING_FOLDER = "learning"
READER_SUFFIX = ".reader.pt"  # the transformer's suffix is only `.pt`


class CheckpointedTrainer(ABC):
    """Training of a torch network in `total_steps` steps; `steps_done` are done."""

    network: Any
    total_steps: int
    steps_done: int = 0

    def make_optimizer(self, parameter_groups: Sequence[tuple[list[Any], float]]) -> None:
        """Make an optimizer of groups of parameters, each with an initial learning rate."""
        import torch

        groups = [{"params": parameters, "lr": rate} for parameters, rate in parameter_groups]
        self._optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
        self._first_rates = [rate for _, rate in parameter_groups]

    def move_network(self, rate_share: float, compute_gradients: Callable[[], object]) -> None:
        """Take one step at a share of the initial learning rates."""
        import torch

        for group, rate in zip(self._optimizer.param_groups, self._first_rates, strict=True):
            group["lr"] = rate * rate_share
        self._optimizer.zero_grad(set_to_none=True)
        compute_gradients()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._optimizer.step()

    @abstractmethod
    def train_step(self) -> None:
        """Train on the next batch, which doesn't depend on interruptions."""

    def state_dict(self) -> dict[str, Any]:
        """Return all other state, for torch to save."""
        return {"network": self.network.state_dict(), "optimizer": self._optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Load the result of `state_dict`; raises what torch raises if it is from another training."""
        self.network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])

    def finish_training(self, checkpoint: Path, progress_label: str, progress: Progress) -> None:
        """Train the remaining steps, from `checkpoint` if it exists; save them, even after an interruption.

        Raises UsageError or OutputError.
        """
        if checkpoint.exists():
            self.resume_checkpoint(checkpoint)
        saved_at = time.monotonic()
        with progress(progress_label, self.total_steps) as bar:
            bar.update(self.steps_done)
            try:
                while self.steps_done < self.total_steps:
                    self.train_step()
                    self.steps_done += 1
                    bar.update(1)
                    if time.monotonic() - saved_at > 240:
                        self.save_checkpoint(checkpoint)
                        saved_at = time.monotonic()
            finally:
                self.save_checkpoint(checkpoint)

    def save_checkpoint(self, checkpoint: Path) -> None:
        """Write all state, all or nothing; raises OutputError."""
        import torch

        half_written = checkpoint.with_suffix(".half")
        state = {"done": self.steps_done, "steps": self.total_steps, **self.state_dict()}
        with atomic.replace_after_writing(half_written, checkpoint):
            torch.save(state, half_written)

    def resume_checkpoint(self, checkpoint: Path) -> None:
        """Resume from `checkpoint`; raises UsageError if it is damaged or from another training."""
        import torch

        try:
            state: dict[str, Any] = torch.load(checkpoint, weights_only=True, map_location="cpu")
            if state["steps"] != self.total_steps:
                raise ValueError("another number of steps")
            self.load_state_dict(state)
            self.steps_done = int(state["done"])
        except Exception as cause:  # torch raises many kinds of errors
            refusal = f"{checkpoint} is for another index or other options; delete it to start over"
            raise UsageError(refusal) from cause


def checkpoint_folder(index_folder: Path) -> Path:
    """Return the folder for checkpoints of the index at `index_folder`.

    Raises UsageError for a link, because files behind it would be deleted.
    """
    folder = paths.sibling_path(index_folder, LEARNING_FOLDER)
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link, but unfinished lessons need a folder; delete the link")
    return folder


def refuse_other_checkpoints(waiting_folder: Path, index: Index, own_checkpoint: Path | None) -> None:
    """Raise UsageError if a training other than the one in `own_checkpoint` was interrupted.

    A changed index can't resume it, and hours would be lost silently.
    """
    for checkpoint in sorted(waiting_folder.glob("*.pt")):
        option = _option_of(checkpoint)
        if not checkpoint.name.startswith(index.fingerprint):
            raise UsageError(
                f"`regis learn {option}` was interrupted and can't continue, because the index at {index.folder} "
                f"has changed; undo that with `regis remove` or `regis add`, or delete {checkpoint} to start over"
            )
        if checkpoint != own_checkpoint:
            raise UsageError(f"`regis learn {option}` was interrupted; finish it first, or delete {checkpoint}")


def _option_of(checkpoint: Path) -> str:
    return "--reader" if checkpoint.name.endswith(READER_SUFFIX) else "--transformer"


def delete_checkpoints(waiting_folder: Path, fingerprint: str) -> None:
    """Delete the checkpoints of a trained index, older encoders too; delete the folder if it is empty."""
    with suppress(OSError):
        for name in (f"{fingerprint}.*", f"{'[0-9a-f]' * len(fingerprint)}*.npz"):
            for checkpoint in waiting_folder.glob(name):
                checkpoint.unlink()
        waiting_folder.rmdir()
