"""What a person adds: puzzles, words and clues, as layers on what is there, without reading its corpora again.

Puzzles grow together in one layer. A puzzle is there already when each of its clues, with its answer, is in the layer,
undated or of that year, or below, undated or no earlier; so adding one twice, in whatever format, changes nothing. One
without a year gives way to the same with one, so that puzzles may come in any order. A list or clue table is a layer of
its own, which takes the place of any of its name. Only the answer lengths that are in a layer are written anew
(`index.stacking`). The index is replaced whole or not at all; where a person has none yet, it begins as the starter.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pyarrow.compute as pc

from regis.building import gather, uses, worth
from regis.building.gather import Added, Puzzles
from regis.corpora.entry import PUZZLES, Source
from regis.corpora.readers import files
from regis.errors import IndexDamaged, IndexOutdated, UsageError
from regis.index import Index, Manifest, layers, opening, publish, stacking
from regis.index.layers import Layers, Stacked
from regis.system import paths
from regis.system.progress import Progress, silent

OF_PUZZLES = "puzzles"  # the layer of puzzles, if no other is named
UNNAMED = "list"  # the layer of a list whose file has no letter in its name


def add(
    sources: Sequence[Source],
    folder: Path,
    *,
    name: str | None = None,
    begin: bool = False,
    progress: Progress = silent,
) -> Added:
    """Adds what `sources` hold to the index at `folder`, all as the layer `name` if one is given.

    With `begin` an index that is not there yet begins as the starter. Raises IndexMissing, IndexOutdated, IndexDamaged,
    SourceError, UsageError or OutputError; whatever happens, the index stays usable, and without anything new it stays
    as it was.
    """
    if name is not None and not layers.name(name):
        raise UsageError(f"{name!r:.70} is no name for a layer; take one with a letter in it")
    dealt = _dealt(sources, name)
    added = Added()

    def changed(below: Index) -> Layers:
        stacked = layers.saved(folder)
        for one, its in dealt.items():
            new = _layer(one, its, stacked.get(one), below, added, progress)
            if new is not None:
                stacked[one] = new
        return stacked

    return replace(added, **_change(folder, changed, begin, progress)._asdict())


def _dealt(sources: Sequence[Source], name: str | None) -> dict[str, list[Source]]:
    """`sources` by the layers that they go into: `name`, or each its own. Raises UsageError."""
    dealt: dict[str, list[Source]] = {}
    for source in sources:
        usual = OF_PUZZLES if source.reader == PUZZLES else files.stem(source.path)
        named = layers.name(name or usual) or UNNAMED
        if named == OF_PUZZLES and source.reader != PUZZLES:
            raise UsageError(
                f"{source.path} is a list, and the layer {OF_PUZZLES!r} is that of puzzles; name another with --layer"
            )
        dealt.setdefault(named, []).append(source)
    return {one: gather.distinct(its) for one, its in dealt.items()}


def _layer(
    name: str, sources: Sequence[Source], old: Stacked | None, below: Index, added: Added, progress: Progress
) -> Stacked | None:
    """The layer `name` with what `sources` hold, over what it was; None where it was not there and says nothing new.

    Six parameters: what becomes of the sources is told in `added`. Raises UsageError where one layer would be of
    puzzles and of lists, and SourceError.
    """
    grows = sources[0].reader == PUZZLES
    if any((source.reader == PUZZLES) != grows for source in sources) or (old and old.about.grows != grows):
        raise UsageError(f"a layer is of puzzles or of lists, and {name!r} would be of both; name another with --layer")
    if grows:
        puzzles = Puzzles(name, old, below, added)
        for source in sources:
            puzzles.read(source.path, progress)
        return puzzles.layer
    new = gather.lists(name, sources, progress)
    says = _says(new, below)
    if new.entries.equals(old.entries) if old else not says:
        added.same.append(name)
        return old
    added.layers.append(new.about)
    added.again[name] = len(new.entries) - says
    if old:
        added.before[name] = old.about
    return new


def _says(layer: Stacked, below: Index) -> int:
    """How many entries of `layer` say something that `below` does not."""
    return int(pc.sum(uses.new(layer.entries, below)).as_py() or 0)


def remove(names: Sequence[str], folder: Path, *, progress: Progress = silent) -> Done:
    """Takes the layers `names` off the index at `folder`.

    Raises UsageError for a name that it does not have, else as `add`.
    """

    def changed(below: Index) -> Layers:
        known = [layer.name for layer in layers.abouts(folder)]
        for one in names:
            if one not in known:
                there = f"it has {', '.join(known)}" if known else "it has none; `regis add` makes them"
                raise UsageError(f"the index at {folder} has no layer {one!r:.70}; {there}")
        return layers.saved(folder, without=names)

    return _change(folder, changed, False, progress)


def publish_under(layered: Layers, built: Path, out: Path, record: Manifest, progress: Progress) -> Manifest:
    """Puts a new index in the place of the one at `out`, under its layers: finished in `built`, its manifest `record`.

    Returns its manifest as it is then. Raises as `publish.publish`.
    """
    if layered:
        base, built = Index.finished(built, record), built.parent / "stacked"
        record = stacking.stack(base, layered, worth.weigh(layered, base), built, progress, on_starter=False)
    return publish.publish(built, out, record)


class Done(NamedTuple):
    """What became of the index."""

    answers: int  # how many more there are
    began: bool  # whether this is the first that the person has
    renewed: bool  # whether it lay on another starter before
    mended: bool  # whether it could not be read before


def _change(folder: Path, change: Callable[[Index], Layers], begin: bool, progress: Progress) -> Done:
    """Puts the index under other layers in the place of the one at `folder`.

    Which ones, `change` says of what lies below its layers.
    """
    folder = Path(os.path.realpath(folder))  # a link stays a link; what it points to is replaced
    starter = paths.starter()
    if not (begin and starter):
        _opened(folder, starter)  # before anything is made beside it
    with publish.workshop(folder) as place:
        began = begin and starter is not None and not paths.is_there(folder)
        index = None if began else _opened(folder, starter)
        mended = index is None and not began
        if index is None:
            assert starter is not None, "or there would be an index"
            below = Index.open(starter)
        else:
            below = stacking.below(index, starter, place / "below")
        on_starter = index is None or bool(index.manifest.starter)
        renewed = index is not None and on_starter and below.fingerprint != index.manifest.starter
        before = () if began else layers.abouts(folder)
        known = below.manifest.answers + sum(layer.answers for layer in before)  # where nobody can count them
        was = known if index is None else index.manifest.answers
        stacked = change(below)
        same = {one: layer.about for one, layer in stacked.items()} == {one.name: one for one in before}
        if same and not (renewed or mended):
            return Done(0, False, False, False)
        built = place / "index"
        record = stacking.stack(below, stacked, worth.weigh(stacked, below), built, progress, on_starter=on_starter)
        publish.publish(built, folder, record)
        for one in (index, below):
            if one is not None:
                one.home.close()  # or it would be kept for a reader
        return Done(record.answers - was, began, renewed, mended)


def _opened(folder: Path, starter: Path | None) -> Index | None:
    """The index at `folder`; None where it lay on the starter and is damaged or outdated, so that it is made anew.

    Its layers are sound all the same, or whoever reads them is told.
    """
    try:
        return Index.open(folder)
    except (IndexDamaged, IndexOutdated):
        if starter is None or not opening.on_starter(paths.standing(folder)):
            raise
        return None
