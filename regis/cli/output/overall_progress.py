"""One bar over all steps of a long work, which moves as far at each as that was expected to take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from regis.cli.output.tqdm_bar import TqdmBar
from regis.system.progress import ProgressBar


class OverallBar(AbstractContextManager["OverallBar"]):
    """The bar; called as a Progress, it shows the step of that label. Left, it is gone."""

    def __init__(self, step_seconds: Mapping[str, float]) -> None:
        """Show nothing yet done of steps that take so many seconds each, in this order."""
        self._step_seconds, self._total = step_seconds, sum(step_seconds.values())
        self._bar = TqdmBar(total=self._total, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}")

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    @contextmanager
    def __call__(self, label: str, total: int | None) -> Iterator[ProgressBar]:
        labels, seconds = [*self._step_seconds], self._step_seconds.get(label, 0.0)
        self._bar.set_description_str(label)
        if label in labels:  # what an earlier call did is done
            self._move_to(sum(self._step_seconds[one] for one in labels[: labels.index(label)]))
        end = self._bar.n + seconds
        yield _StepBar(self._bar, seconds / total if total else 0.0)
        self._move_to(end)

    def _move_to(self, seconds: float) -> None:
        self._bar.update(max(0.0, min(seconds, self._total) - self._bar.n))


class _StepBar(NamedTuple):
    """A step's own bar, which moves the one over all."""

    overall_bar: TqdmBar
    seconds_per_unit: float

    def update(self, n: int) -> None:
        self.overall_bar.update(n * self.seconds_per_unit)
