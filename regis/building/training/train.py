"""`regis learn`: the clue encoders for an index that is there, and the weights that go with them.

The base encoder is learned on the index as it was before its newest year; how far to trust it is then fitted on that
year, as for every finder; then it is learned again in full, in the same way, so that what was fitted still holds. The
transformer takes hours and is taught once, without the newest year. The index is changed whole or not at all: a copy
is made beside it (of links where the file system has them), and takes its place when it is finished.
"""

from __future__ import annotations

import zipfile
from contextlib import closing, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from regis.building.training import reader, segmentation, spelling, trust, weights
from regis.building.training.embedding import Trainer
from regis.building.training.fresh import check_disk
from regis.building.training.network import pretrained
from regis.building.training.reading import embed_clues
from regis.building.training.transformer import Course
from regis.errors import UsageError
from regis.index import Index, Manifest, manifest, models, publish, schema, wide, writer
from regis.models.reader import TRUST
from regis.system import paths
from regis.system.crew import Crew
from regis.system.progress import Progress

EPOCHS = 4  # how often each clue is seen
TRANSFORMER_EPOCHS = 2  # how often the transformer reads each clue; an hour each on two cores
LEARNING = "learning"  # names the folder beside an index that keeps a transformer's unfinished lessons


def learn(index: Index, folder: Path, workers: Crew | None = None) -> None:
    """Learns all that takes seconds: the weights, and what new answers are made of; writes it into `folder`.

    Of that `workers` ask the clues, this process if None; others need `index` finished, with its manifest.
    """
    fitted = segmentation.fit(index)
    made_of = {"share": {}, "lean": 0.0} if fitted is None else {"share": fitted.share, "lean": fitted.lean}
    if fitted is not None:
        names = ("first", "middle", "last")
        columns = {name: pa.array(row, pa.float32()) for name, row in zip(names, fitted.model.chances, strict=True)}
        table = pa.table({"piece": pa.array(fitted.model.pieces, pa.string()), **columns})
        pq.write_table(table, folder / schema.PHRASES, compression="lz4", write_page_checksum=True)
    writer.write_learned(
        folder, {schema.WEIGHTS: weights.fit(index, workers=workers).to_json(), schema.UNLISTED: made_of}
    )


def learn_encoder(
    folder: Path,
    *,
    epochs: int = EPOCHS,
    transformer_epochs: int | None = None,
    workers: Crew | None = None,
    progress: Progress,
) -> Manifest:
    """Learns an encoder for the index at `folder`, replacing any that it has; returns the new manifest.

    With `transformer_epochs` the transformer is taught too, which takes about an hour for each; what is interrupted
    goes on with the next call. A transformer that the index has stays. Layers stay layers. `workers` read all clues and
    ask those of the newest year, this process if None. Raises IndexMissing, IndexOutdated, IndexDamaged, UsageError,
    OutputError or CrewLost; whatever happens, the index stays usable.
    """
    Index.with_clues(folder)  # before anything is made beside it
    if transformer_epochs is not None:
        pretrained()  # before anything that takes minutes
    halfway = paths.beside(folder, LEARNING)
    with publish.workshop(folder) as place:
        check_disk(place, workers or Crew())
        index = Index.with_clues(folder)
        kept = halfway / f"{index.fingerprint}.npz"
        _refuse(halfway / f"{index.fingerprint}.reader.pt", "--reader")
        built = place / "index"
        anew = {schema.ENCODER, schema.PHRASES, schema.LEARNED, schema.BASE, manifest.NAME}
        publish.copy(index.home, built, anew | ({schema.TRANSFORMER} if transformer_epochs is not None else set()))
        trainer = _without_newest_year(index, epochs, None if transformer_epochs is None else kept, progress)
        trainer.save(built)
        if transformer_epochs is not None:
            course = Course(index.as_it_was(), trainer.answers, transformer_epochs)
            _teach_transformer(index, course, kept.with_suffix(".pt"), built, workers, progress)
        with progress("weighing", None):
            learn(Index.finished(built, index.manifest), built, workers)
        trainer = Trainer(index)
        teach(trainer, epochs, "learning again with the newest year", progress)
        trainer.save(built)
        record = publish.publish(built, folder, wide.under(index, built, place))
        index.home.close()  # or it would be kept for a reader
    if transformer_epochs is not None:
        _forget(halfway, index.fingerprint)
    return record


def learn_reader(folder: Path, *, lessons: int = reader.LESSONS, epochs: int = EPOCHS, progress: Progress) -> Manifest:
    """Teaches what reads clue and answer together, for the index at `folder`, which has learned an encoder.

    It learns on so many clues, for hours; what is interrupted goes on with the next call. Returns the new manifest, and
    raises as `learn_encoder`.
    """
    index = Index.with_clues(folder)  # before anything is made beside it
    if index.encoder is None:
        raise UsageError(
            f"the index at {folder} has no clue encoder, which the reader's lessons need; `regis learn` first"
        )
    pretrained()
    halfway = paths.beside(folder, LEARNING)
    with publish.workshop(folder) as place:
        index = Index.with_clues(folder)
        _refuse(halfway / f"{index.fingerprint}.pt", "--transformer")
        checkpoint = halfway / f"{index.fingerprint}.reader.pt"
        before = hidden(index, place / "before", epochs, progress, halfway / f"{index.fingerprint}.npz")
        built = place / "index"
        publish.copy(index.home, built, {schema.READER, schema.BASE, manifest.NAME})
        with progress("reading words", None):
            course = reader.Course(before, spelling.speller(before), lessons)
        if not course.steps or not course.speller.used:
            raise UsageError(f"the index at {folder} has too few clues before its newest year for a reader to learn on")
        if checkpoint.exists():
            course.resume(checkpoint)
        with progress("teaching the reader", course.steps) as bar, closing(course.run(checkpoint)) as steps:
            bar.update(course.done)
            for _ in steps:
                bar.update(1)
        with progress("weighing the reader", None):
            course.export(built, {"trust": TRUST})
            taught = models.reader(Index.finished(built, index.manifest).home)
            course.export(built, trust.fit(index, before, taught))
        record = publish.publish(built, folder, wide.under(index, built, place))
        index.home.close()  # or it would be kept for a reader
    _forget(halfway, index.fingerprint)
    return record


def _refuse(checkpoint: Path, option: str) -> None:
    """Raises UsageError where other lessons of the index were interrupted, which a changed index cannot go on with."""
    if checkpoint.exists():
        raise UsageError(f"`regis learn {option}` was interrupted; finish it first, or delete {checkpoint}")


def _forget(halfway: Path, fingerprint: str) -> None:
    """Deletes the checkpoints of an index that has learned, and their folder if nothing else is in it."""
    with suppress(OSError):
        for checkpoint in halfway.glob(f"{fingerprint}.*"):
            checkpoint.unlink()
        halfway.rmdir()


def hidden(index: Index, folder: Path, epochs: int, progress: Progress, kept: Path | None = None) -> Index:
    """`index` as it was before its newest year, with an encoder that does not know that year; written into `folder`.

    The encoder is `kept`, and taken from there where it is.
    """
    trainer = _without_newest_year(index, epochs, kept, progress)
    publish.copy(index.home, folder, {schema.ENCODER, manifest.NAME})
    trainer.save(folder)
    return Index.finished(folder, index.manifest).as_it_was()


def _without_newest_year(index: Index, epochs: int, kept: Path | None, progress: Progress) -> Trainer:
    """What learned `index` as it was before its newest year; `kept` for the next call, or taken from the last one."""
    trainer = Trainer(index.as_it_was())
    if kept is None or not _restored(trainer, kept):
        teach(trainer, epochs, "learning without the newest year", progress)
        if kept is not None:
            kept.parent.mkdir(exist_ok=True)
            trainer.keep(kept)
    return trainer


def teach(trainer: Trainer, epochs: int, label: str, progress: Progress) -> None:
    """Takes `trainer` through so many epochs."""
    with progress(label, trainer.steps(epochs)) as bar:
        for _ in trainer.epochs(epochs):
            bar.update(1)


def _restored(trainer: Trainer, kept: Path) -> bool:
    """Whether `trainer` now knows what an earlier call learned and `kept`; a damaged file is learned anew."""
    with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        trainer.restore(kept)
        return True
    return False


def _teach_transformer(
    index: Index, course: Course, checkpoint: Path, built: Path, workers: Crew | None, progress: Progress
) -> None:
    """So many parameters, since it makes `built` what `index` was, by a course that goes on from a checkpoint."""
    if checkpoint.exists():
        course.resume(checkpoint)
    with progress("teaching the transformer", len(course.plan)) as bar, closing(course.run(checkpoint)) as steps:
        bar.update(course.done)
        for _ in steps:
            bar.update(1)
    with progress("writing the transformer", None):
        course.export(built)
    with progress("reading all clues", sum(size["clues"] for size in index.manifest.lengths.values())) as bar:
        for done in embed_clues(index, built, workers):
            bar.update(done)
