"""`regis learn`: the clue encoders for an index that is there, and the weights that go with them.

The base encoder is learned on the index as it was before its newest year; how far to trust it is then fitted on that
year, as for every finder; then it is learned again in full, in the same way, so that what was fitted still holds. Where
clues of that year are no likelier for it, the index stays as it was. In an index that began with the starter, learning
goes on from there, if it has clues of a year that the starter does not know; no other could tell what was gained. The
transformer takes hours and is taught once, without the newest year. The index is changed whole or not at all: a copy
is made beside it (of links where the file system has them), and takes its place when it is finished.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from regis.building.training import reader, segmentation, spelling, trust, unfinished, weights
from regis.building.training.embedding import Trainer
from regis.building.training.fresh import check_disk
from regis.building.training.network import pretrained
from regis.building.training.reading import embed_clues
from regis.building.training.transformer import Course
from regis.candidates.weights import DEFAULT, Weights
from regis.errors import UsageError
from regis.index import Index, Manifest, learned, manifest, publish, schema, tables, wide, writer
from regis.models.reader import TRUST
from regis.system import paths
from regis.system.crew import Crew
from regis.system.progress import Progress

EPOCHS = 4  # how often each clue is seen

GOING_ON = 2
"""How often is each clue seen where learning goes on from the starter? (Measured: docs/measured.md.)"""

TRANSFORMER_EPOCHS = 2  # how often the transformer reads each clue; an hour each on two cores


class Learned(NamedTuple):
    """What came of learning."""

    manifest: Manifest  # of the index as it is now
    year: int | None  # the newest, which was hidden
    before: float | None  # log loss of its clues, in nats, as they were ranked before; None if that is not known
    after: float | None  # and with what was learned; None with too few clues to measure
    kept: bool  # whether the index has it


def learn(index: Index, folder: Path, workers: Crew | None = None, made_of: Mapping[str, Any] | None = None) -> None:
    """Learns all that takes seconds: the weights, and what new answers are made of; writes it into `folder`.

    Of that `workers` ask the clues, this process if None; others need `index` finished, with its manifest. With
    `made_of` the pieces of new answers stay as they are.
    """
    fitted = segmentation.fit(index) if made_of is None else None
    if made_of is None:
        made_of = {"share": {}, "lean": 0.0} if fitted is None else {"share": fitted.share, "lean": fitted.lean}
    if fitted is not None:
        tables.write_packed(folder / schema.PHRASES, segmentation.table(fitted.model), ["piece"])
    writer.write_learned(
        folder, {schema.WEIGHTS: weights.fit(index, workers=workers).to_json(), schema.UNLISTED: made_of}
    )


def learn_encoder(
    folder: Path,
    *,
    epochs: int | None = None,
    transformer_epochs: int | None = None,
    workers: Crew | None = None,
    progress: Progress,
) -> Learned:
    """Learns an encoder for the index at `folder`, replacing any that it has, unless it is no better.

    With `transformer_epochs` the transformer is taught too, which takes about an hour for each; what is interrupted
    goes on with the next call. A transformer that the index has stays. Layers stay layers. `workers` read all clues and
    ask those of the newest year, this process if None. Raises IndexMissing, IndexOutdated, IndexDamaged, UsageError,
    OutputError or CrewLost; whatever happens, the index stays usable.
    """
    index = Index.with_clues(folder)  # before anything is made beside it
    starter = _start(index) if transformer_epochs is None else None
    epochs = epochs or (EPOCHS if starter is None else GOING_ON)
    if transformer_epochs is not None:
        pretrained()  # before anything that takes minutes
    halfway = unfinished.beside(folder)
    with publish.workshop(folder) as place:
        check_disk(place, workers or Crew())
        index = Index.with_clues(folder)
        kept = halfway / f"{index.fingerprint}.npz"
        unfinished.follow(halfway, index)
        unfinished.check(halfway, index, None if transformer_epochs is None else kept.with_suffix(".pt"))
        built = place / "index"
        stays = starter is not None and starter.manifest.clue_uses > index.manifest.clue_uses
        anew = {schema.ENCODER, schema.LEARNED, schema.BASE, manifest.NAME} | (set() if stays else {schema.PHRASES})
        publish.copy(index.home, built, anew | ({schema.TRANSFORMER} if transformer_epochs is not None else set()))
        trainer, before = Trainer(index.as_it_was(), starter), Weights.of(index)
        if starter is not None:
            with progress("weighing what is there", None):
                before = weights.fit(_with(trainer, index, place / "before"), workers=workers, rerank=False)
            if before is DEFAULT:
                return Learned(index.manifest, index.manifest.newest_year, None, None, False)
        _without_newest_year(trainer, epochs, progress, None if transformer_epochs is None else kept)
        trainer.save(built)
        if transformer_epochs is not None:
            course = Course(index.as_it_was(), trainer.answers, transformer_epochs)
            _teach_transformer(index, course, kept.with_suffix(".pt"), built, workers, progress)
        with progress("weighing", None):
            made_of = index.learned[schema.UNLISTED] if stays else None  # the starter knows more answers
            learn(Index.finished(built, index.manifest), built, workers, made_of)
        done = _gained(before, Index.finished(built, index.manifest))
        if done.kept:
            trainer = Trainer(index, starter)
            teach(trainer, epochs, "learning again with the newest year", progress)
            trainer.save(built)
            done = done._replace(manifest=publish.publish(built, folder, wide.under(index, built, place)))
        index.home.close()  # or it would be kept for a reader
        if done.kept or transformer_epochs is not None:
            unfinished.forget(halfway, index.fingerprint)
    return done


def _start(index: Index) -> Index | None:
    """The starter with which `index` began, to go on from; None if it began with nothing.

    Raises UsageError where that is not there, or knows the newest year too: nothing could tell what was gained.
    """
    if not index.manifest.begun:
        return None
    folder = paths.starter()
    starter = None if folder is None else Index.open(folder)
    if starter is None or starter.fingerprint != index.manifest.begun:
        raise UsageError(
            f"the index at {index.folder} began with a starter that is not here any more; `regis build` again, which "
            "takes minutes, then learn"
        )
    newest, known = index.manifest.newest_year or 0, starter.manifest.latest_year or 0
    if newest <= known:
        raise UsageError(
            f"the sources of the index at {index.folder} have too few clues later than {known}, and so far it knows "
            "what the starter had learned, with which it began; build with later clues, or with --without-starter, to "
            "learn from them"
        )
    return starter


def _gained(before: Weights, after: Index) -> Learned:
    """How much likelier clues of the newest year are, where they were asked of the same lists."""
    was, now = before.fitted, Weights.of(after).fitted
    same = all(was.get(key) == now.get(key) for key in ("year", "clues"))
    loss, less = was.get("log loss") if same else None, now.get("log loss")
    kept = loss is None or less is None or less < loss
    return Learned(after.manifest, after.manifest.newest_year, loss, less, kept)


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
    halfway = unfinished.beside(folder)
    with publish.workshop(folder) as place:
        index = Index.with_clues(folder)
        checkpoint = halfway / f"{index.fingerprint}{unfinished.READER}"
        unfinished.follow(halfway, index)
        unfinished.check(halfway, index, checkpoint)
        before = hidden(index, place / "before", epochs, progress, halfway / f"{index.fingerprint}.npz")
        built = place / "index"
        publish.copy(index.home, built, {schema.READER, schema.BASE, manifest.NAME})
        with progress("reading words", None):
            course = reader.Course(before, spelling.speller(before), lessons)
        if not course.steps or not len(course.speller.words):
            raise UsageError(f"the index at {folder} has too few clues before its newest year for a reader to learn on")
        course.finish(checkpoint, "teaching the reader", progress)
        with progress("weighing the reader", None):
            course.export(built, {"trust": TRUST})
            taught = learned.reader(Index.finished(built, index.manifest).home)
            course.export(built, trust.fit(index, before, taught))
        record = publish.publish(built, folder, wide.under(index, built, place))
        index.home.close()  # or it would be kept for a reader
        unfinished.forget(halfway, index.fingerprint)
    return record


def hidden(index: Index, folder: Path, epochs: int, progress: Progress, kept: Path | None = None) -> Index:
    """`index` as it was before its newest year, with an encoder that does not know that year; written into `folder`.

    The encoder is `kept`, and taken from there where it is.
    """
    trainer = Trainer(index.as_it_was())
    _without_newest_year(trainer, epochs, progress, kept)
    return _with(trainer, index, folder).as_it_was()


def _with(trainer: Trainer, index: Index, folder: Path) -> Index:
    """`index` with the encoder that `trainer` has learned so far, in `folder`."""
    publish.copy(index.home, folder, {schema.ENCODER, manifest.NAME})
    trainer.save(folder)
    return Index.finished(folder, index.manifest)


def _without_newest_year(trainer: Trainer, epochs: int, progress: Progress, kept: Path | None) -> None:
    """Teaches an index as it was before its newest year; `kept` for the next call, or taken from the last one."""
    if kept is None or not _restored(trainer, kept):
        teach(trainer, epochs, "learning without the newest year", progress)
        if kept is not None:
            kept.parent.mkdir(exist_ok=True)
            trainer.keep(kept)


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
    course.finish(checkpoint, "teaching the transformer", progress)
    with progress("writing the transformer", None):
        course.export(built)
    with progress("reading all clues", index.manifest.clues) as bar:
        for done in embed_clues(index, built, workers):
            bar.update(done)
