"""`regis learn`: the clue encoders of an index, and the weights that go with them.

The base encoder is trained on the index without its newest year, and its weight is fitted on that year. Then it is
trained again in full. If it doesn't make that year's clues likelier, the index stays as it was. An index that began
with the starter continues from it, if it has clues of a year that the starter doesn't know. The transformer takes hours
and is trained once, without the newest year. All changes are made to a copy, which replaces the index at the end.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from regis.building.settings import ENCODERS, READER
from regis.building.training import checkpoints, phrase_pieces, ranking_weights, reader_scale
from regis.building.training.base_encoder import BaseEncoderTrainer
from regis.building.training.cross_encoder_trainer import CrossEncoderTrainer, build_segmenter
from regis.building.training.minilm import pretrained_folder
from regis.building.training.transformer import TransformerTrainer, embed_clues
from regis.candidates.ranking.weights import DEFAULT_WEIGHTS, Weights
from regis.errors import UsageError
from regis.index import Index, Manifest
from regis.index.layers import stacking
from regis.index.storage import publish
from regis.index.tables import learned_models, schema, writer
from regis.models.neural.cross_encoder import DEFAULT_TRUST
from regis.system import paths
from regis.system.parallel.workers import Workers
from regis.system.progress import Progress


class LearningResult(NamedTuple):
    manifest: Manifest  # of the index now
    hidden_year: int | None  # the newest year, which was hidden
    loss_before: float | None  # log loss of its clues, in nats, before learning; None if unknown
    loss_after: float | None  # the same after learning; None if there are too few clues
    is_kept: bool  # whether the index has what was learned


def fit_index(
    index: Index, index_folder: Path, workers: Workers | None = None, unlisted_settings: Mapping[str, Any] | None = None
) -> None:
    """Fit weights and pieces of new answers, in seconds, and write them into `index_folder`.

    For several workers, `index` must be finished, with its manifest. With `unlisted_settings`, pieces stay as they are.
    """
    if unlisted_settings is None:
        unlisted_settings = {"share": {}, "lean": 0.0}
        if fitted := phrase_pieces.fit_phrases(index):
            unlisted_settings = {"share": fitted.phrase_shares, "lean": fitted.clue_lean}
            model = fitted.phrase_model
            writer.write_pieces(index_folder, model.pieces.astype(str).tolist(), model.piece_probabilities)
    weights = ranking_weights.fit_weights(index, workers=workers).to_json()
    writer.write_fitted_values(index_folder, {schema.WEIGHTS_KEY: weights, schema.UNLISTED_KEY: unlisted_settings})


def learn_encoder(
    index_folder: Path,
    *,
    epochs: int | None = None,
    transformer_epochs: int | None = None,
    workers: Workers | None = None,
    keeps_encoder: bool = False,
    progress: Progress,
) -> LearningResult:
    """Train an encoder for the index at `index_folder`, which replaces the present one unless it is no better.

    With `transformer_epochs` the transformer is trained too, about an hour per epoch; the next call resumes it after an
    interruption. With `keeps_encoder` the next call reuses the encoder without the newest year. Layers stay layers.
    Raises IndexMissing, IndexOutdated, IndexDamaged, UsageError, OutputError, or WorkersLost; the index stays usable.
    """
    index = Index.open_with_clues(index_folder)  # before anything is written next to it
    starter = _find_starter(index) if transformer_epochs is None else _open_older_starter(index)
    epochs = epochs or (ENCODERS.epochs if starter is None else ENCODERS.continued_epochs)
    if transformer_epochs is not None:
        pretrained_folder()  # before anything that takes minutes
    waiting_folder = checkpoints.checkpoint_folder(index_folder)
    with publish.open_workshop(index_folder) as workshop:
        index = Index.open_with_clues(index_folder)
        keeps_encoder |= transformer_epochs is not None
        checkpoint = waiting_folder / f"{index.fingerprint}.npz" if keeps_encoder else None
        transformer_checkpoint = None if transformer_epochs is None else waiting_folder / f"{index.fingerprint}.pt"
        checkpoints.refuse_other_checkpoints(waiting_folder, index, transformer_checkpoint)
        built_folder = workshop / "index"
        starter_knows_more = starter is not None and starter.manifest.clue_use_count > index.manifest.clue_use_count
        replaced_files = [*schema.encoder_files(schema.ENCODER), schema.LEARNED_FILE]
        if not starter_knows_more:
            replaced_files.append(schema.part_path(Path(), schema.PHRASES).name)
        if transformer_epochs is not None:
            replaced_files += schema.encoder_files(schema.TRANSFORMER)
        index.files.copy_to(built_folder, replaced_files)
        trainer, old_weights = BaseEncoderTrainer(index.before_newest_year(), starter), Weights.read_weights(index)
        if starter is not None:
            with progress("measuring the old index", None):
                known = _index_with_encoder(trainer, index, workshop / "before")
                old_weights = ranking_weights.fit_weights(known, workers=workers, with_reranker=False)
            if old_weights is DEFAULT_WEIGHTS:
                return LearningResult(index.manifest, index.manifest.newest_year, None, None, False)
        _train_without_newest_year(trainer, epochs, progress, checkpoint)
        trainer.write_encoder(built_folder)
        if transformer_epochs is not None and transformer_checkpoint is not None:
            past_index = index.before_newest_year()
            transformer = TransformerTrainer(past_index, trainer.answer_table, transformer_epochs, starter)
            transformer.finish_training(transformer_checkpoint, "training the transformer", progress)
            with progress("writing the transformer", None):
                transformer.write_transformer(built_folder)
            del transformer
            with progress("reading all clues", index.manifest.clue_count) as bar:
                for done in embed_clues(index, built_folder, workers):
                    bar.update(done)
        del trainer  # a gigabyte or more, which weighing needs
        with progress("weighing", None):
            unlisted_settings = index.fitted_values[schema.UNLISTED_KEY] if starter_knows_more else None
            fit_index(Index.open_finished(built_folder, index.manifest), built_folder, workers, unlisted_settings)
        learned_index = Index.open_finished(built_folder, index.manifest)
        result = _measure_gain(old_weights, learned_index, had_encoder=index.encoder is not None)
        if result.is_kept:
            trainer = BaseEncoderTrainer(index, starter)
            train_encoder(trainer, epochs, "learning again with the newest year", progress)
            trainer.write_encoder(built_folder)
            record, base_folder = stacking.write_base_tables(index, built_folder, workshop)
            record = publish.publish_index(built_folder, index_folder, record, base_folder)
            result = result._replace(manifest=record)
        index.files.close()  # otherwise it would be kept for a reader
        if result.is_kept or keeps_encoder:
            checkpoints.delete_checkpoints(waiting_folder, index.fingerprint)
    return result


def _find_starter(index: Index) -> Index | None:
    """Open the starter that `index` began with, if any.

    Raises UsageError if the starter is gone, or knows the newest year, so that no gain can be measured.
    """
    if not index.manifest.begun:
        return None
    starter = _open_starter(index)
    if starter is None:
        raise UsageError(
            f"the index at {index.folder} was built on a starter that's gone; run `regis build` again, then "
            "`regis learn`"
        )
    if not knows_later_year(index, starter):
        starter_year = starter.manifest.latest_year or 0
        raise UsageError(
            f"the sources of the index at {index.folder} have too few clues later than {starter_year}, and it already "
            "knows what the starter learned from the others; build with later clues or with --without-starter"
        )
    return starter


def _open_starter(index: Index) -> Index | None:
    """Open the starter that `index` began with; None if it differs from the one here."""
    folder = paths.starter_folder()
    starter = None if folder is None or not index.manifest.begun else Index.open(folder)
    return starter if starter is not None and starter.fingerprint == index.manifest.begun else None


def _open_older_starter(index: Index) -> Index | None:
    """Open the starter that `index` began with, unless it knows the newest year."""
    starter = _open_starter(index)
    return starter if starter is not None and knows_later_year(index, starter) else None


def knows_later_year(index: Index, starter: Index) -> bool:
    return (index.manifest.newest_year or 0) > (starter.manifest.latest_year or 0)


def _measure_gain(old_weights: Weights, new_index: Index, *, had_encoder: bool) -> LearningResult:
    """Compare the log losses of the newest year's clues, if they were queried against the same lists."""
    old_fit, new_fit = old_weights.fit_record, Weights.read_weights(new_index).fit_record
    comparable = all(old_fit.get(key) == new_fit.get(key) for key in ("year", "clues"))
    loss_before, loss_after = old_fit.get("log loss") if comparable else None, new_fit.get("log loss")
    is_kept = is_worth_keeping(loss_before, loss_after, had_encoder=had_encoder)
    return LearningResult(new_index.manifest, new_index.manifest.newest_year, loss_before, loss_after, is_kept)


def is_worth_keeping(loss_before: float | None, loss_after: float | None, *, had_encoder: bool) -> bool:
    """Return whether log losses, in nats, None if unknown, favor what was learned.

    On a tie an existing encoder stays, but a first encoder is kept.
    """
    if loss_before is None or loss_after is None:
        return True
    gain = loss_before - loss_after
    return gain >= ENCODERS.min_gain if had_encoder else gain > -ENCODERS.min_gain


def learn_cross_encoder(
    index_folder: Path, *, clue_count: int = READER.training_clues, epochs: int = ENCODERS.epochs, progress: Progress
) -> Manifest:
    """Train the reader of an index that has an encoder, and return the new manifest; raises what `learn_encoder`
    raises.

    `clue_count` clues take hours; the next call resumes. `epochs` are for the encoder that draws the wrong answers.
    """
    index = Index.open_with_clues(index_folder)  # before anything is written next to it
    if index.encoder is None:
        raise UsageError(
            f"the index at {index_folder} has no clue encoder, which training the reader needs; run `regis learn` first"
        )
    pretrained_folder()
    waiting_folder = checkpoints.checkpoint_folder(index_folder)
    with publish.open_workshop(index_folder) as workshop:
        index = Index.open_with_clues(index_folder)
        checkpoint = waiting_folder / f"{index.fingerprint}{checkpoints.READER_SUFFIX}"
        checkpoints.refuse_other_checkpoints(waiting_folder, index, checkpoint)
        encoder_checkpoint = waiting_folder / f"{index.fingerprint}.npz"
        past_index = hide_newest_year(index, workshop / "before", epochs, progress, encoder_checkpoint)
        built_folder = workshop / "index"
        index.files.copy_to(built_folder, schema.encoder_files(schema.CROSS_ENCODER))
        with progress("reading words", None):
            starter = _open_older_starter(index)
            known_segmenter = (
                None if starter is None or starter.cross_encoder is None else starter.cross_encoder.segmenter
            )
            segmenter = build_segmenter(past_index, known_segmenter)
            trainer = CrossEncoderTrainer(past_index, segmenter, clue_count, starter)
        if not trainer.total_steps or not len(trainer.word_segmenter.words):
            raise UsageError(f"the index at {index_folder} has too few clues before its newest year to train a reader")
        trainer.finish_training(checkpoint, "training the reader", progress)
        with progress("measuring the reader", None):
            trainer.write_reader(built_folder, {"trust": DEFAULT_TRUST})
            cross_encoder = learned_models.read_cross_encoder(Index.open_finished(built_folder, index.manifest).files)
            trainer.write_reader(built_folder, reader_scale.fit_reader_scale(index, past_index, cross_encoder))
        record, base_folder = stacking.write_base_tables(index, built_folder, workshop)
        record = publish.publish_index(built_folder, index_folder, record, base_folder)
        index.files.close()  # otherwise it would be kept for a reader
        checkpoints.delete_checkpoints(waiting_folder, index.fingerprint)
    return record


def hide_newest_year(
    index: Index, folder: Path, epochs: int, progress: Progress, checkpoint: Path | None = None
) -> Index:
    """Write the index without its newest year into `folder`, with an encoder that doesn't know that year.

    The encoder continues from the starter, unless the starter knows the year. `checkpoint` keeps the encoder for the
    next call.
    """
    starter = _open_older_starter(index)
    trainer = BaseEncoderTrainer(index.before_newest_year(), starter)
    _train_without_newest_year(trainer, epochs if starter is None else ENCODERS.continued_epochs, progress, checkpoint)
    return _index_with_encoder(trainer, index, folder).before_newest_year()


def _index_with_encoder(trainer: BaseEncoderTrainer, index: Index, folder: Path) -> Index:
    index.files.copy_to(folder, schema.encoder_files(schema.ENCODER))
    trainer.write_encoder(folder)
    return Index.open_finished(folder, index.manifest)


def _train_without_newest_year(
    trainer: BaseEncoderTrainer, epochs: int, progress: Progress, checkpoint: Path | None
) -> None:
    """Train the encoder without the newest year and save it in `checkpoint`, or load it from there."""
    if checkpoint is None or not _try_restore(trainer, checkpoint):
        train_encoder(trainer, epochs, "learning without the newest year", progress)
        if checkpoint is not None:
            checkpoint.parent.mkdir(exist_ok=True)
            trainer.save_checkpoint(checkpoint)


def train_encoder(trainer: BaseEncoderTrainer, epochs: int, progress_label: str, progress: Progress) -> None:
    with progress(progress_label, trainer.count_steps(epochs)) as bar:
        for _ in trainer.train_epochs(epochs):
            bar.update(1)


def _try_restore(trainer: BaseEncoderTrainer, checkpoint: Path) -> bool:
    """Load an earlier call's result, if it exists and is undamaged."""
    with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile):
        trainer.load_checkpoint(checkpoint)
        return True
    return False
