"""`regis update`: today's clues in the index in use, by `fetch`, `build`, and `learn`.

Each step leaves something that the next call resumes: downloads, or a built and then taught index next to the one in
use. At the end that index replaces the one in use, with the same layers, unless it is no better: its newest clues are
older, it has fewer clues, or the clues of its hidden newest year are less likely than by the index in use.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from regis.building import personal_layers
from regis.building.build import build_index
from regis.building.training import ranking_weights
from regis.building.training.train import knows_later_year, learn_encoder
from regis.candidates.ranking.weights import Weights
from regis.corpora import catalogue
from regis.corpora.catalogue import Corpus
from regis.corpora.download import count_new_bytes, fetch_corpus
from regis.corpora.entry import Source, hash_file
from regis.errors import FetchError, IndexError_, OutputError, SourceError
from regis.index import Index, Manifest
from regis.index.layers import layer_files
from regis.index.storage import publish
from regis.index.tables import schema
from regis.system import paths
from regis.system.progress import Progress

DISK_FIXED_BYTES = 300_000_000  # most bytes that the starter and the encoder add to an index


class UpdatePlan(NamedTuple):
    """What an update will do and need."""

    corpora: tuple[Corpus, ...]  # to fetch
    download_bytes: int | None  # None if a server doesn't say
    disk_bytes: int  # during the work
    seconds: float  # a guess


class UpdateOutcome(NamedTuple):
    fault: str  # why the index in use stays; '' if the new one replaced it
    manifest: Manifest  # of the new index, or of the one in use if nothing is new
    manifest_before: Manifest | None  # of the index in use before
    loss_before: float | None  # log loss of the clues of the new index's hidden year, in nats, by the index before
    loss_after: float | None  # the same by the new index


def waiting_folder(index_folder: Path) -> Path:
    """Return the folder of an unfinished update of the index at `index_folder`; raises OutputError for a link."""
    folder = paths.sibling_path(index_folder, "update")
    if folder.is_symlink():
        raise OutputError(f"{folder} is a link, but an unfinished update needs a folder; delete the link")
    return folder


def plan_update(index_folder: Path, downloads: Path) -> UpdatePlan:
    """Ask the servers for news, and estimate the update; an unfinished update comes first.

    Raises FetchError, or OutputError if there is too little space.
    """
    waiting = (waiting_folder(index_folder) / "index").is_dir()
    new_bytes: dict[Corpus, int | None] = {}
    sizes = {source.path.name: source.path.stat().st_size for source in catalogue.list_fetched(downloads)}
    for corpus in () if waiting else catalogue.read_catalogue().values():
        if corpus.usual or corpus.file in sizes:
            try:
                coming = count_new_bytes(corpus, downloads)
            except FetchError:
                if corpus.usual:
                    raise
                continue  # the old file must do
            if coming != 0:
                new_bytes[corpus] = coming
                sizes[corpus.file] = coming or sizes.get(corpus.file, 0)
    known_bytes = [coming for coming in new_bytes.values() if coming is not None]
    source_bytes = sum(sizes.values())
    disk_bytes = 2 * (DISK_FIXED_BYTES + 16 * source_bytes)  # two indexes; 354 MB for 22 MB of sources
    room = next(folder for folder in (index_folder.absolute(), *index_folder.absolute().parents) if folder.is_dir())
    if (needed := sum(known_bytes) + disk_bytes) > (free := shutil.disk_usage(room).free):
        raise OutputError(f"the update needs about {needed:,} bytes, but only {free:,} are free in {room}; make room")
    # measured with 1.54 million clues, 22 MB, on two cores
    seconds = (0.5 * sum(known_bytes) + 43 * source_bytes) / 1e6
    download_bytes = sum(known_bytes) if len(known_bytes) == len(new_bytes) else None
    return UpdatePlan(tuple(new_bytes), download_bytes, disk_bytes, seconds)


def fetch_sources(plan: UpdatePlan, downloads: Path, progress: Progress) -> list[Source]:
    """Download what is new, and return all sources; raises SourceError, or what `plan_update` raises."""
    for corpus in plan.corpora:
        fetch_corpus(corpus, downloads, fetch_again=True, progress=progress)
    sources = catalogue.list_fetched(downloads)
    if not sources:
        raise SourceError(f"nothing to build from in {downloads}; download corpora with `regis fetch`")
    return sources


def update_index(
    sources: Sequence[Source], index_folder: Path, in_use_folder: Path, starter_folder: Path | None, progress: Progress
) -> UpdateOutcome:
    """Build an index of `sources` on the starter, teach it, and put it at `index_folder`, unless it is no better.

    `in_use_folder` has the index in use so far, maybe the starter. Raises SourceError, IndexError_, or OutputError; the
    index in use stays, and the next call resumes after the last finished step.
    """
    with publish.open_workshop(index_folder) as workshop:
        saved_layers = layer_files.recover_layers(index_folder)
        folder = waiting_folder(index_folder)
        starter = None if starter_folder is None else Index.open(starter_folder)
        before = _open_usable(in_use_folder)
        manifest_before = None if before is None else before.manifest
        if before is not None and _is_made_of(before, sources, starter) and not _should_learn(before, starter):
            shutil.rmtree(folder, ignore_errors=True)
            return UpdateOutcome("the index already has everything", before.manifest, before.manifest, None, None)
        made = _open_usable(folder / "index")
        if made is None or not _is_made_of(made, sources, starter):
            build_index(sources, folder / "index", starter_folder=starter_folder, progress=progress)
            made = Index.open(folder / "index")
        if _should_learn(made, starter):
            learn_encoder(folder / "index", keeps_encoder=True, progress=progress)
            made = Index.open(folder / "index")
        with progress("comparing", None):
            losses = (None, None) if before is None else _measure_losses(before, made)
            fault = "" if before is None else _find_fault(before.manifest, made.manifest, *losses)
        record = made.manifest
        if not fault:
            made.files.copy_to(workshop / "index", [])
            built_folder = workshop / "index"
            record = personal_layers.publish_under_layers(saved_layers, built_folder, index_folder, record, progress)
        for index in (made, before):
            if index is not None:
                index.files.close()  # otherwise it would be kept for a reader
        shutil.rmtree(folder, ignore_errors=True)
        return UpdateOutcome(fault, record, manifest_before, *losses)


def _open_usable(index_folder: Path) -> Index | None:
    with suppress(IndexError_):
        return Index.open(index_folder)
    return None


def _is_made_of(index: Index, sources: Sequence[Source], starter: Index | None) -> bool:
    """Return whether `index` was built from these files, on this starter."""
    files = {(source.reader, hash_file(source.path)) for source in sources if source.path.is_file()}
    has_files = {(record.reader, record.sha256) for record in index.manifest.sources} == files
    return has_files and index.manifest.begun == ("" if starter is None else starter.fingerprint)


def _should_learn(index: Index, starter: Index | None) -> bool:
    """Return whether `index` hasn't learned, and has clues of a year that the starter doesn't know."""
    has_learned = "features" in index.files.read_arrays(schema.ENCODER)  # the starter's are packed
    return not has_learned and (starter is None or knows_later_year(index, starter))


def _measure_losses(before: Index, made: Index) -> tuple[float | None, float | None]:
    """Measure how unlikely the newest clues of `made` are by both indexes, in nats; None if unknown."""
    year, year_before = made.manifest.newest_year or 0, before.manifest.newest_year or 0
    if year < year_before or (year == year_before and before.manifest.without_clues):
        return None, None
    return _measure_loss(before, made if year > year_before else before), _measure_loss(made, made)


def _measure_loss(index: Index, asked: Index) -> float | None:
    """Measure how unlikely the newest clues of `asked` are by `index` without their year; None if there are too few."""
    fit_record = Weights.read_weights(index).fit_record if index is asked else {}
    if fit_record.get("year") != asked.manifest.newest_year:
        past_index = index.before_newest_year() if index is asked else index
        fit_record = ranking_weights.fit_weights(asked, past_index, with_reranker=False).fit_record
    if "log loss" not in fit_record:
        return None
    asked_count = min(ranking_weights.SAMPLE_CLUES, len(ranking_weights.newest_year_clues(asked)))
    listed_share = fit_record["clues"] / asked_count
    return float(listed_share * fit_record["log loss"] + (1 - listed_share) * 20.0)  # unlisted: six letters by chance


def _find_fault(before: Manifest, made: Manifest, loss_before: float | None, loss_after: float | None) -> str:
    """Return why an index is no better than the one before; '' if it is better."""
    if (made.newest_year or 0) < (before.newest_year or 0):
        newest = made.newest_year or "no known year"
        return f"its newest clues are from {newest}, not {before.newest_year}"
    own_uses, uses_before = (one.clue_use_count - sum(layer.clues for layer in one.layers) for one in (made, before))
    if own_uses < uses_before:
        return f"it has {own_uses:,} clues instead of {uses_before:,}"
    if loss_before is not None and loss_after is not None and loss_after > loss_before + 0.02:  # a guess
        return (
            f"it makes clues of {made.newest_year} less likely (log loss {loss_after:.3f} instead of {loss_before:.3f})"
        )
    return ""
