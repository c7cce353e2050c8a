"""`regis learn`: the clue encoder for an index that is there, and the weights that go with it.

The encoder is learned on the index as it was before its newest year; how far to trust it is then fitted on that year,
as for every finder; then it is learned again in full, in the same way, so that what was fitted still holds. The index
is changed whole or not at all: a copy is made beside it (of links where the file system has them), and takes its place
when it is finished.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from regis.index import Index, Manifest, manifest, tables, writing
from regis.learn import phrases, weights
from regis.learn.encoder import Trainer
from regis.progress import Progress

EPOCHS = 4
"""How often each clue is seen. On 780,000 clues the fifth epoch finds no more than the fourth."""


def learn(index: Index, folder: Path) -> None:
    """Learns all that takes seconds: the weights, and what new answers are made of; writes it into `folder`."""
    fitted = phrases.fit(index)
    made_of = {"share": {}, "lean": 0.0} if fitted is None else {"share": fitted.share, "lean": fitted.lean}
    if fitted is not None:
        names = ("first", "middle", "last")
        columns = {name: pa.array(row, pa.float32()) for name, row in zip(names, fitted.model.chances, strict=True)}
        table = pa.table({"piece": pa.array(fitted.model.pieces, pa.string()), **columns})
        pq.write_table(table, folder / tables.PHRASES, compression="lz4", write_page_checksum=True)
    learned = {"weigh": weights.fit(index).to_json(), "phrases": made_of}
    (folder / tables.LEARNED).write_text(json.dumps(learned, indent=1) + "\n", encoding="utf-8")


def learn_encoder(folder: Path, *, epochs: int = EPOCHS, progress: Progress) -> Manifest:
    """Learns an encoder for the index at `folder`, replacing any that it has; returns the new manifest.

    Raises IndexMissing, IndexOutdated, IndexDamaged or OutputError; whatever happens, the index stays usable.
    """
    index = Index.open(folder)
    with writing.workshop(folder) as place:
        built = place / "index"
        _copy(index.folder, built)
        trainer = Trainer(index.as_it_was())
        _teach(trainer, epochs, "learning without the newest year", progress)
        trainer.save(built)
        with progress("weighing", None):
            learn(Index(built, index.manifest), built)
        trainer = Trainer(index)
        _teach(trainer, epochs, "learning again with the newest year", progress)
        trainer.save(built)
        record = manifest.with_files(index.manifest, built)
        (built / manifest.NAME).write_text(record.to_json(), encoding="utf-8")
        writing.publish(built, folder)
    return record


def _teach(trainer: Trainer, epochs: int, label: str, progress: Progress) -> None:
    with progress(label, trainer.steps(epochs)) as bar:
        for _ in trainer.epochs(epochs):
            bar.update(1)


def _copy(index: Path, to: Path) -> None:
    """The tables of `index` under another name; what will be learned again is left out."""
    for path in index.rglob("*"):
        inside = path.relative_to(index)
        if path.is_dir() or inside.parts[0] in (tables.ENCODER, tables.PHRASES, tables.LEARNED, manifest.NAME):
            continue
        (to / inside).parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, to / inside)
        except OSError:
            shutil.copyfile(path, to / inside)
