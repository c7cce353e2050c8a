"""Adding and removing layers: puzzles, words, and clues, on top of an index, without reading its corpora again.

Puzzles share one layer. A puzzle is known if each of its clues, with its answer, is in the layer, undated or in the
same year, or below, undated or not earlier. So adding a puzzle twice, in any format, changes nothing. A dated copy
replaces an undated one, in any order. A list or clue table is a layer of its own, and replaces any layer with its name.
Only the answer lengths in a layer are rewritten (`index.layers.stacking`). The index is replaced as a whole or not at
all. A first index begins as the starter.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pyarrow.compute as pc

from regis.building import additions, dedupe_uses, list_scores
from regis.building.additions import AddOutcome, PuzzleLayerBuilder
from regis.corpora.entry import PUZZLE_READER, Source
from regis.corpora.readers import text_files
from regis.errors import IndexDamaged, IndexOutdated, UsageError
from regis.index import Index, Manifest
from regis.index.layers import layer_files, stacking
from regis.index.layers.layer_files import Layer, LayersByName
from regis.index.storage import publish, validation
from regis.system import paths
from regis.system.progress import Progress, show_nothing

PUZZLE_LAYER = "puzzles"  # the layer of puzzles, unless another is named
UNNAMED_LAYER = "list"  # the layer of a list whose file name has no letters


def add_layers(
    sources: Sequence[Source],
    index_folder: Path,
    *,
    layer_name: str | None = None,
    begin_with_starter: bool = False,
    progress: Progress = show_nothing,
) -> AddOutcome:
    """Add `sources` to the index at `index_folder`, and return the outcome.

    `layer_name` takes them all; by default puzzles go into `puzzles`, and each list into its own layer. With
    `begin_with_starter`, a missing index begins as the starter. If nothing is new, the index stays as it was. Raises
    IndexMissing, IndexOutdated, IndexDamaged, SourceError, UsageError, or OutputError; the index stays usable.
    """
    if layer_name is not None and not layer_files.make_layer_name(layer_name):
        raise UsageError(f"{layer_name!r:.70} is not a layer name; choose one with a letter in it")
    layer_sources = _sources_by_layer(sources, layer_name)
    outcome = AddOutcome()

    def change_layers(base_index: Index) -> LayersByName:
        saved_layers = layer_files.recover_layers(index_folder)
        for one, its_sources in layer_sources.items():
            new_layer = _grow_layer(one, its_sources, saved_layers.get(one), base_index, outcome, progress)
            if new_layer is not None:
                saved_layers[one] = new_layer
        return saved_layers

    change = _restack(index_folder, change_layers, progress, begin_with_starter=begin_with_starter)
    return replace(outcome, **change._asdict())


def _sources_by_layer(sources: Sequence[Source], layer_name: str | None) -> dict[str, list[Source]]:
    """Group `sources` by layer: all in `layer_name`, or each list in its own; raises UsageError."""
    layer_sources: dict[str, list[Source]] = {}
    for source in sources:
        default_name = PUZZLE_LAYER if source.reader == PUZZLE_READER else text_files.list_name(source.path)
        name = layer_files.make_layer_name(layer_name or default_name) or UNNAMED_LAYER
        if name == PUZZLE_LAYER and source.reader != PUZZLE_READER:
            raise UsageError(
                f"{source.path} is a list, but the layer {PUZZLE_LAYER!r} is for puzzles; choose another layer"
            )
        layer_sources.setdefault(name, []).append(source)
    return {one: list(dict.fromkeys(its)) for one, its in layer_sources.items()}


def _grow_layer(
    layer_name: str,
    sources: Sequence[Source],
    old_layer: Layer | None,
    base_index: Index,
    outcome: AddOutcome,
    progress: Progress,
) -> Layer | None:
    """Read `sources` into a layer; return None if there was none and nothing is new.

    Raises UsageError if a layer would mix puzzles and lists, or SourceError.
    """
    kinds = {source.reader == PUZZLE_READER for source in sources}  # True for puzzles
    if old_layer:
        kinds.add(old_layer.record.holds_puzzles)
    if len(kinds) > 1:
        raise UsageError(f"the layer {layer_name!r} can't have both puzzles and lists; choose another layer")
    if kinds == {True}:
        builder = PuzzleLayerBuilder(layer_name, old_layer, base_index, outcome)
        for source in sources:
            builder.read_puzzles(source.path, progress)
        return builder.merged_layer
    new_layer = additions.read_lists(layer_name, sources, progress)
    new_count = int(pc.sum(dedupe_uses.find_new_entries(new_layer.entries, base_index)).as_py() or 0)
    if new_layer.entries.equals(old_layer.entries) if old_layer else not new_count:
        outcome.unchanged_layers.append(layer_name)
        return old_layer
    outcome.changed_layers.append(new_layer.record)
    return new_layer


def stack_words(words: Iterable[str], index: Index, folder: Path) -> Index:
    """Open `index` with more words on top, built in an empty folder. Raises SourceError if none of them is a word."""
    words_file = folder / f"{UNNAMED_LAYER}.txt"
    words_file.write_text("".join(f"{word}\n" for word in words), encoding="utf-8", errors="replace")
    layer = additions.read_lists(UNNAMED_LAYER, [Source("word-list", words_file)], show_nothing)
    layers = {UNNAMED_LAYER: layer}
    entries = list_scores.score_layers(layers, index)
    record = stacking.stack_layers(index, layers, entries, folder / "index", show_nothing, on_starter=False)
    return Index.open_finished(folder / "index", record)


def remove_layers(
    layer_names: Sequence[str],
    index_folder: Path,
    *,
    end_with_starter: bool = False,
    progress: Progress = show_nothing,
) -> IndexChange:
    """Remove layers from the index at `index_folder`; raises UsageError for an unknown name, or what `add_layers`
    raises.

    With `end_with_starter`, removing the last layer deletes an index on the starter, so that the starter is used again.
    """

    def change_layers(base_index: Index) -> LayersByName:
        names_there = [layer.name for layer in layer_files.recover_layer_records(index_folder)]
        for one in layer_names:
            if one not in names_there:
                there = f"it has {', '.join(names_there)}" if names_there else "it has none; `regis add` creates them"
                raise UsageError(f"the index at {index_folder} has no layer {one!r:.70}; {there}")
        return layer_files.recover_layers(index_folder, skipped_names=layer_names)

    return _restack(index_folder, change_layers, progress, end_with_starter=end_with_starter)


def publish_under_layers(
    saved_layers: LayersByName, built_folder: Path, out_folder: Path, record: Manifest, progress: Progress
) -> Manifest:
    """Publish a new index from `built_folder` with the saved layers at `out_folder`, and return its manifest.

    `record` is its manifest without layers. Raises what `publish.publish_index` raises.
    """
    if not saved_layers:
        return publish.publish_index(built_folder, out_folder, record)
    base_index, stacked_folder = Index.open_finished(built_folder, record), built_folder.parent / "stacked"
    entries = list_scores.score_layers(saved_layers, base_index)
    record = stacking.stack_layers(base_index, saved_layers, entries, stacked_folder, progress, on_starter=False)
    return publish.publish_index(stacked_folder, out_folder, record, built_folder)


class IndexChange(NamedTuple):
    new_answers: int  # how many more answers there are
    is_first_index: bool  # whether the person had no index before
    on_new_starter: bool  # whether it was on another starter before
    was_mended: bool  # whether it couldn't be read before


def _restack(
    index_folder: Path,
    change_layers: Callable[[Index], LayersByName],
    progress: Progress,
    *,
    begin_with_starter: bool = False,
    end_with_starter: bool = False,
) -> IndexChange:
    """Stack the layers from `change_layers` on the index below them, and publish the index."""
    index_folder = Path(os.path.realpath(index_folder))  # a link stays a link; its target is replaced
    starter = paths.starter_folder()
    if not (begin_with_starter and starter):
        _open_unless_mendable(index_folder, starter)  # before anything is written next to it
    with publish.open_workshop(index_folder) as workshop:
        began = begin_with_starter and starter is not None and not paths.index_exists(index_folder)
        index = None if began else _open_unless_mendable(index_folder, starter)
        mended = index is None and not began
        if index is None:
            assert starter is not None, "or there would be an index"
            base_index = Index.open(starter)
        else:
            base_index = stacking.open_base(index, starter)
        on_starter = index is None or bool(index.manifest.starter)
        renewed = index is not None and on_starter and base_index.fingerprint != index.manifest.starter
        old_layers = () if began else layer_files.recover_layer_records(index_folder)
        if index is None:  # they can't be counted
            old_answers = base_index.manifest.answer_count + sum(layer.answers for layer in old_layers)
        else:
            old_answers = index.manifest.answer_count
        new_layers = change_layers(base_index)
        unchanged = {one: layer.record for one, layer in new_layers.items()} == {one.name: one for one in old_layers}
        if unchanged and not (renewed or mended):
            return IndexChange(0, False, False, False)
        base_name, base_folder = "", None
        if index is not None and not on_starter:
            base_name = index.manifest.base or paths.index_home(index_folder).name
            if not paths.STATE_NAME.fullmatch(base_name):  # its files are in the folder itself
                base_folder = workshop / "base"
                base_index.files.copy_to(base_folder, [])
                base_index = Index.open_finished(base_folder, base_index.manifest)
        pointer = index_folder / paths.POINTER_NAME
        if on_starter and end_with_starter and not new_layers and pointer.exists():
            record = base_index.manifest
            pointer.unlink()
        elif new_layers or on_starter:
            built_folder, entries = workshop / "index", list_scores.score_layers(new_layers, base_index)
            record = stacking.stack_layers(
                base_index, new_layers, entries, built_folder, progress, on_starter=on_starter
            )
            publish.publish_index(built_folder, index_folder, replace(record, base=base_name), base_folder)
        else:
            record = base_index.manifest
            publish.use_state(index_folder, base_name)
        for one in (index, base_index):
            if one is not None:
                one.files.close()  # otherwise it would be kept for a reader
        return IndexChange(record.answer_count - old_answers, began, renewed, mended)


def _open_unless_mendable(index_folder: Path, starter_folder: Path | None) -> Index | None:
    """Open the index; return None if it is damaged or outdated but was on the starter, so that it can be rebuilt."""
    try:
        return Index.open(index_folder)
    except (IndexDamaged, IndexOutdated):
        if starter_folder is None or not validation.is_on_starter(index_folder):
            raise
        return None
