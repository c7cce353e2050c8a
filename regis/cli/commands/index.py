"""`regis add`, `remove`, `index`, and `doctor`: layers on an index, its contents, and the state of this copy."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from regis.cli.command import Command, IndexFolder, Option, OwnIndexFolder, Positional, Report, open_index
from regis.cli.printing import EXIT_FAILED, EXIT_FINE, print_note, print_result, print_warnings
from regis.cli.progress import show_progress
from regis.errors import IndexMissing
from regis.system import paths, process

if TYPE_CHECKING:
    from regis.index.storage.manifest import LayerRecord


class Add(Command):
    help = "Add your own puzzles, words, and clues to the index."
    interrupted_message = "the index is unchanged, unless this was just finished; `regis index` shows what's in it"
    examples = """examples:
  regis add today.puz puzzles/2014
  regis add mywords.txt
  regis add --layer family names.txt more-names.txt
  regis add --index index-2013 xd-clues=clues-2014.zip

A puzzle must have a solution. All puzzles go into the layer `puzzles`; one that's already in the index changes nothing.
A list (.txt, .dict, .lst, .csv: one word per line, or WORD;score) or a clue table (.tsv: pubid year answer clue)
becomes a layer named after the file and replaces any layer of that name. For other corpora, or if the name doesn't make
it clear, add the reader, as in word-list=words. If you have no index of your own, Regis starts one on top of the
starter. `regis index` lists the layers, `regis remove` removes one. If you built the index, run `regis learn` to make
the most of what you added.
"""

    paths: Annotated[tuple[str, ...], Positional("a puzzle file, folder, or zip; a list; or READER=FILE", "PATH")]
    layer: Annotated[str | None, Option("the layer to add it as (default: `puzzles`, or the file's name)", "NAME")] = (
        None
    )
    index: OwnIndexFolder = None

    def run(self) -> int:
        process.use_one_thread()
        from regis.cli import files
        from regis.corpora.entry import PUZZLE_READER
        from regis.corpora.sources import is_unclear_source, parse_added_source

        folder = paths.own_index_folder(self.index)
        begin = paths.has_only_starter(self.index)
        sources = [parse_added_source(word) for word in self.paths]
        places = [source.path for source in sources if source.reader == PUZZLE_READER]
        files.report_skipped_lists(places)
        from regis.building.personal_layers import add_layers

        done = add_layers(sources, folder, layer_name=self.layer, begin_with_starter=begin, progress=show_progress)
        print_warnings(f"{why}; left out" for why in done.useless_files)
        files.report_skipped_archives(places)
        if done.useless_files and any(is_unclear_source(source) for source in sources):
            print_note("note: if this is a list of words, write word-list=FILE")
        if done.is_first_index:
            print_note(f"note: started your own index on top of the starter, at {folder}; Regis uses it from now on")
        _print_notes(done.on_new_starter, done.was_mended)
        for layer in done.changed_layers:
            left = sum((Counter(record.rejected) for record in layer.sources), Counter[str]())
            print_result(f"{layer.name}: {_describe_layer(layer)}\n")
            for reason, many in left.most_common():
                print_note(f"note: {layer.name}: {count_noun(many, 'row')} left out: {reason}")
        for name in done.unchanged_layers:
            print_result(f"{name}: nothing new\n")
        if places:
            n_known = len(done.known_puzzles)
            known = f"; {count_noun(n_known, 'puzzle')} already in the index" if n_known else ""
            print_result(f"puzzles added: {done.new_puzzles:,}, with {count_noun(done.new_clues, 'clue')}{known}\n")
        print_result(f"{'new' if done.new_answers >= 0 else 'fewer'} answers: {abs(done.new_answers):,}\n")
        has_any = done.new_puzzles or done.changed_layers or done.known_puzzles or done.unchanged_layers
        return EXIT_FINE if has_any else EXIT_FAILED


def _describe_layer(layer: LayerRecord) -> str:
    """Describe a layer: '2 words and 1 clue'."""
    parts = ((layer.words, "word"), (layer.clues, "clue"))
    return " and ".join(count_noun(many, what) for many, what in parts if many)


def count_noun(count: int, noun: str) -> str:
    """Write a number with its noun: '1 word', '2,000 words'."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


class Remove(Command):
    help = "Remove from the index what you added."
    interrupted_message = Add.interrupted_message
    examples = """examples:
  regis remove mywords
  regis remove --index index-2013 puzzles clues-2014

The index is then what it would be without it. `regis index` lists the layers.
"""

    names: Annotated[tuple[str, ...], Positional("a layer to remove", "NAME")]
    index: OwnIndexFolder = None

    def run(self) -> int:
        process.use_one_thread()
        folder = paths.own_index_folder(self.index)
        if paths.has_only_starter(self.index):
            raise IndexMissing(
                "there's no layer to remove, because you haven't added anything; `regis add` creates layers"
            )
        from regis.building.personal_layers import remove_layers

        is_default = paths.choose_index(self.index).reason == paths.DEFAULT_REASON
        done = remove_layers(self.names, folder, end_with_starter=is_default, progress=show_progress)
        if not paths.index_exists(folder):
            print_note("note: nothing that you added is left, so Regis uses the starter again")
        else:
            _print_notes(done.on_new_starter, done.was_mended)
        return print_result(f"removed: {', '.join(dict.fromkeys(self.names))}\n")


def _print_notes(renewed: bool, mended: bool) -> None:
    if renewed:
        print_note("note: the index was on top of another version's starter; it's now on top of this version's")
    if mended:
        print_note("note: the index couldn't be read; it was rebuilt with everything you had added")


class Index(Report):
    help = "Show what an index contains and where it came from."
    examples = """examples:
  regis index
  regis index --all --index index-2013
  regis index --format json

Sources of the same kind are added up. --all shows each one, why rows were left out, and the answers by length.
"""

    index: IndexFolder = None
    all: Annotated[bool, Option("show every source and the number of answers of each length")] = False

    def run(self) -> int:
        from regis.render import json, tables

        index = open_index(self.index)
        self.check_output(index_folder=index.folder)
        if self.is_json:
            return self.write(json.encode_index(index))
        return self.write(tables.render_index(index, self.choose_screen(), self.all))


class Doctor(Report):
    help = "Check the index in use and show what's installed."
    interrupted_message = "nothing was changed"
    examples = """examples:
  regis doctor
  regis doctor --index index-2013
  regis doctor --clear
  regis doctor --format json -o report.json

Reads every table of the index in use, says why it's that one, and ends with a verdict. Include the output when you
report a problem; it names folders but nothing from your puzzles. The exit code is 1 if Regis can't solve puzzles.

The tables of a packed index, such as the starter, are unpacked once and cached; --clear deletes the cache.
"""

    index: IndexFolder = None
    clear: Annotated[bool, Option("first delete the cache")] = False

    def run(self) -> int:
        process.use_one_thread()
        from regis.cli import doctor
        from regis.index.storage import index_files
        from regis.render.json import json_line
        from regis.render.tables import headed_paragraphs

        self.check_output()
        if self.clear and (folder := paths.cache_folder()) is not None:
            index_files.delete_unpacked_indexes(folder)
        report = doctor.examine_installation(self.index, show_progress)
        if self.is_json:
            self.write(json_line(report.to_json()))
        else:
            self.write(headed_paragraphs(report.rows, self.choose_screen()))
        return EXIT_FINE if report.can_solve else EXIT_FAILED
