"""`regis learn`: the clue encoder for an index that is there, and the weights that go with it.

The encoder is learned on the index as it was before its newest year; how far to trust it is then fitted on that year,
as for every finder; at last it sees the newest year too. The index is changed whole or not at all: a copy is made
beside it (of links where the file system has them), and takes its place when it is finished.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from regis.index import Index, Manifest, manifest, tables, writing
from regis.learn import weights
from regis.learn.encoder import LAST_RATE, RATE, Trainer

EPOCHS = 5
"""How often each clue is seen. On 780,000 clues the sixth epoch finds no more than the fifth."""


class Bar(Protocol):
    def update(self, n: int) -> object: ...


Progress = Callable[[str, int | None], AbstractContextManager[Bar]]


def learn_encoder(folder: Path, *, epochs: int = EPOCHS, progress: Progress) -> Manifest:
    """Learns an encoder for the index at `folder`, replacing any that it has; returns the new manifest.

    Raises IndexMissing, IndexOutdated, IndexDamaged or OutputError; whatever happens, the index stays usable.
    """
    index = Index.open(folder)
    with writing.workshop(folder) as place:
        built = place / "index"
        _copy(index.folder, built)
        trainer = Trainer(index.as_it_was())
        _teach(trainer, epochs, "learning the encoder", progress, (RATE, LAST_RATE))
        trainer.save(built)
        with progress("weighing", None):
            weights.learn(Index(built, index.manifest), built / tables.LEARNED)
        trainer = trainer.with_newest(index)
        _teach(trainer, 1, "learning the newest year", progress, (2 * LAST_RATE, LAST_RATE))
        trainer.save(built)
        record = manifest.with_files(index.manifest, built)
        (built / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
        writing.publish(built, folder)
    return record


def _teach(trainer: Trainer, epochs: int, label: str, progress: Progress, rates: tuple[float, float]) -> None:
    with progress(label, trainer.steps(epochs)) as bar:
        for _ in trainer.epochs(epochs, *rates):
            bar.update(1)


def _copy(index: Path, to: Path) -> None:
    """The tables of `index` under another name; what will be learned again is left out."""
    for path in index.rglob("*"):
        inside = path.relative_to(index)
        if path.is_dir() or inside.parts[0] in (tables.ENCODER, tables.LEARNED, manifest.NAME):
            continue
        (to / inside).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, to / inside)
        except OSError:
            shutil.copyfile(path, to / inside)
