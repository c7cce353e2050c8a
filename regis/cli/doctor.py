"""How this copy of Regis is: which index it uses and why, whether that is whole, what else is installed and where."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata, util
from pathlib import Path
from typing import NamedTuple

import numpy as np

from regis.building.training.network import NEEDED
from regis.candidates import similar
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.corpora import catalogue
from regis.errors import RegisError, UsageError
from regis.index import Index, Manifest, extent, schema
from regis.index.opening import reading
from regis.models.transformer import REDUCED
from regis.solving import asking
from regis.system import extras, kept, paths
from regis.system.progress import Progress, silent
from regis.system.version import __version__

EXTRAS = {"cluster": ("distributed",), "pictures": ("PIL",), "transformer-learning": NEEDED}
"""What more there is to install, and the modules that it brings."""

CLUE = "Capital of a cold country, say"  # a clue that every finder has something to look up for


class Report(NamedTuple):
    """What was found, line by line with a heading each, and whether a puzzle can be solved."""

    found: list[tuple[str, str]]
    able: bool


def examine(given: Path | None = None, progress: Progress = silent) -> Report:
    """Looks at everything; `given` is the index that was named, if one was."""
    place, able = paths.place(given), True
    try:
        index = Index.open(place.folder)
        index.home.kept = None  # every table itself is read
        state, said = _state(index, progress), [*extent.outdated(index), *extent.warnings(index)]
    except RegisError as error:
        state, said, able = str(error), [], False
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count() or 1} cores"
    versions = ", ".join(f"{name} {_version(name)}" for name in libraries())
    found = [
        ("index", f"{place.folder}; {place.why}"),
        ("", state),
        *(("", sentence) for sentence in said),
        (f"${paths.VARIABLE}", os.environ.get(paths.VARIABLE) or "not set"),
        ("built", _built()),
        ("starter", str(paths.starter() or "none comes with this copy")),
        *_downloads(),
        ("kept", _kept()),
        *((f"extra {name}", _extra(name)) for name in EXTRAS),
        ("Regis", f"{__version__} in {paths.PACKAGE}"),
        ("Python", f"{platform.python_version()} at {sys.executable}; {system}"),
        ("libraries", versions or "not known, since this copy is neither installed nor a repository"),
    ]
    return Report(found, able)


def _state(index: Index, progress: Progress) -> str:
    """What the index is, once every file and table of it was read. Raises IndexDamaged or IndexUnreadable."""
    verify(index, progress)
    with progress("reading the index", len(index.lengths)) as bar:
        for part in index.parts():
            asking.candidates(CLUE, "?" * part.length, index)
            if index.transformer is not None:
                part.vectors(schema.TRANSFORMER)
                if index.embeds:
                    similar.similar(part, np.arange(len(part.names), dtype=np.int32), np.zeros(REDUCED, np.float32))
            bar.update(1)
    index.derived(UnlistedPrior).about([CLUE])
    learned = [name for name in ("encoder", "transformer", "reader") if getattr(index, name) is not None]
    held = index.manifest
    whole = "whole" if held.checksums else "whole, as far as can be told without checksums (an older Regis built it)"
    holds = "distilled; it knows clues" if held.distilled else f"{held.clues:,} clues"
    taught = ", ".join(learned) or "no encoder, `regis learn` does"
    return (
        f"{whole}; {held.fingerprint}, format {held.format_version}, of {held.created[:10]}, {holds} to "
        f"{held.latest_year or 'an unknown year'}{_layers(held)}; learned: {taught}"
    )


def _layers(held: Manifest) -> str:
    """The layers of an index by name, and what they lie on."""
    if not held.layers:
        return ""
    on = "the starter" if held.starter else "it"
    return f"; on top of {on} the layers {', '.join(layer.name for layer in held.layers)}"


def verify(index: Index, progress: Progress = silent) -> None:
    """Compares every file of `index` with its checksum. Raises IndexDamaged or IndexUnreadable."""
    with progress("comparing checksums", len(index.home.listed)) as bar:
        for name in index.home.listed:
            with reading(index.home, name):
                (index.home / name).open("rb").close()
            bar.update(1)


def _out_of_sight(folder: Path, cause: OSError) -> str:
    return f"{folder}, which cannot be looked at ({cause.strerror})"


def _built() -> str:
    """Where the person's own index is, or would be."""
    try:
        built = paths.built()
        there = paths.is_there(built)
    except UsageError as error:
        return str(error)
    except OSError as cause:
        return _out_of_sight(built, cause)
    return f"{built}, {'there' if there else 'not there'}"


def _downloads() -> Iterator[tuple[str, str]]:
    try:
        folder = paths.downloads()
        files = [source.path.name for source in catalogue.fetched(folder)]
    except UsageError as error:
        yield "downloads", str(error)
        return
    except OSError as cause:
        yield "downloads", _out_of_sight(folder, cause)
        return
    yield "downloads", f"{folder}: {', '.join(files) or 'nothing yet, `regis fetch` lists what there is'}"
    there = _there(folder)
    free = shutil.disk_usage(there).free
    yield "free disk", f"{free / 1e9:,.1f} GB in {there}" + ("" if os.access(there, os.W_OK) else ", not to be written")


def _there(folder: Path) -> Path:
    """`folder`, or what of the way to it is there."""
    way = folder.absolute()
    return next(one for one in (way, *way.parents) if os.path.exists(one))  # noqa: PTH110 (raises over a long name)


def _kept() -> str:
    """What was unpacked before, and how much it takes."""
    nothing = "nothing, since {}; an index that lies packed is unpacked in each run"
    if (folder := paths.cache()) is None:
        why = "is empty" if paths.CACHE_VARIABLE in os.environ else "is not set, and you have no home"
        return nothing.format(f"${paths.CACHE_VARIABLE} {why}")
    there, size = kept.folders(folder), 0
    writable = _there(folder).is_dir() and os.access(_there(folder), os.W_OK)
    for one in there:
        with suppress(OSError):  # others clear it meanwhile
            size += sum(file.stat().st_size for file in one.iterdir())
    if not there:
        return f"{folder}: nothing yet" if writable else nothing.format(f"{folder} cannot be written")
    many = "1 packed index" if len(there) == 1 else f"{len(there)} packed indexes"
    then = "`regis doctor --clear` deletes that" if writable else "not to be written or deleted"
    return f"{folder}: {size / 1e6:,.0f} MB, unpacked of {many}; {then}"


def _extra(name: str) -> str:
    missing = [module for module in EXTRAS[name] if util.find_spec(module) is None]
    return f"not installed; {extras.install(name)}" if missing else "installed"


def libraries() -> list[str]:
    """What Regis always needs, by the names of the packages: as it was installed, else by the repository's own file."""
    needed = extras.needed()
    if not needed:
        project = paths.PACKAGE.parent / "pyproject.toml"
        needed = tomllib.loads(project.read_text())["project"]["dependencies"] if project.is_file() else []
    return re.findall(r"^[\w.-]+", "\n".join(line for line in needed if "extra ==" not in line), re.MULTILINE)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "(not installed)"
