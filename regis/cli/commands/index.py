"""`regis fetch`, `build`, `learn`, `distil`, `index` and `doctor`: from corpora to an index, and how it is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from regis.cli.grammar.command import Command, Option, Positional
from regis.cli.grammar.options import (
    ClusterAddress,
    IndexFolder,
    JobCount,
    OwnIndexFolder,
    choose_workers,
    open_index,
    own_index_folder,
    own_index_option,
)
from regis.cli.output.printing import EXIT_FAILED, EXIT_FINE, print_error, print_note, print_result, print_warnings
from regis.cli.output.progress_bar import show_progress
from regis.errors import FetchError, IndexError_, UsageError, unknown_name
from regis.system import paths, threads
from regis.system.terminal import Screen


class Fetch(Command):
    help = "Lists public corpora, and downloads those that are named."
    interrupted_message = "what came so far is kept, the same command goes on"
    examples = """examples:
  regis fetch
  regis fetch xd-clues wordnet
  regis fetch --again xd-clues

Without a NAME it lists what there is, under which licence, and what was fetched. What is cut off goes on with the same
command. Then `regis build` reads all that lies there. This is the only command that uses the network.
"""

    names: Annotated[tuple[str, ...], Positional("which corpus; as many as you like", "NAME")] = ()
    again: Annotated[bool, Option("download also what is there already")] = False

    def run(self) -> int:
        """Download each; one that does not come does not stop the others."""
        from regis.corpora import catalogue
        from regis.corpora.download import fetch_corpus
        from regis.render.reports import sources

        known, screen = catalogue.read_catalogue(), Screen.for_stream(sys.stdout)
        for name in self.names:
            if name not in known:
                raise unknown_name("source", name, known)
        if self.again and not self.names:
            raise UsageError(f"--again says nothing of what to download; name it: {', '.join(known)}")
        if not self.names:
            print_result(sources.render_corpora(known.values(), paths.downloads_folder(), screen))
        code = EXIT_FINE
        for one in (known[name] for name in dict.fromkeys(self.names)):
            try:
                print_note(f"{one.name}: {sources.licence_line(one)}")
                done = fetch_corpus(one, paths.downloads_folder(), fetch_again=self.again, progress=show_progress)
                print_result(sources.render_download(one, done, screen))
            except FetchError as error:
                code = print_error(error)
        return code


class Build(Command):
    help = "Builds the index from corpora."
    interrupted_message = "no index was built, an older one is as it was, unless all was done already"
    examples = """examples:
  regis build
  regis build --source xd-clues=xd-clues.zip --source wikipedia-titles=enwiki-all-titles-in-ns0.gz
  regis build --source clues.tsv --source word-list=words.dict --until 2013 --out index-2013
  regis build --source xd-clues=xd-clues.zip --hold-out puzzles/2014

Without --source it reads all that `regis fetch` brought. The reader may be left out where the file's name tells it; a
folder is taken for puzzles, or for WordNet's where index.noun is in it. The old index stays in place until the new one
is complete; what `regis add` added to it lies on the new one again, but not with --until or --hold-out.

Word lists and titles are weighed by which of their strings became answers in the newest years of the clues, the last
eight or half of all; strings that hardly ever do stay out. With fewer than 200 such answers lists are taken as they
are.

The new index begins with what the starter knows of answers, words and meanings, unless that is later than --until, or
as late as the puzzles of --hold-out.

readers: xd-clues, wikipedia-titles, word-list, wordnet, thesaurus, definitions, records, puzzle-archive; data/README.md
in the repository says what each one reads and where to get it.
"""

    source: Annotated[tuple[str, ...], Option(
        "a corpus and its reader (see below); may be repeated (default: what `regis fetch` brought)", "READER=FILE"
    )] = ()  # fmt: skip
    out: Annotated[
        Path | None, Option(f"where to (default: ${paths.INDEX_VARIABLE}, else your data folder)", "DIR")
    ] = None
    until: Annotated[int | None, Option("leave out clues later than YEAR or undated", "YEAR")] = None
    hold_out: Annotated[tuple[Path, ...], Option(
        "leave out the clues of these puzzles; may be repeated", "ARCHIVE"
    )] = ()  # fmt: skip
    without_layers: Annotated[bool, Option("leave out what `regis add` added to the old index")] = False
    without_starter: Annotated[bool, Option("begin with nothing, not with what the starter knows")] = False
    max_listed: Annotated[int | None, Option(
        "take at most N strings that only lists have, the likeliest answers (default: 300000)", "N"
    )] = None  # fmt: skip

    def run(self) -> int:
        from regis.building.build import build_index
        from regis.building.list_prior import MAX_LISTED
        from regis.cli.grammar.sources import parse_source
        from regis.corpora import catalogue
        from regis.index import starter_comparison

        sources = [parse_source(word) for word in self.source]
        if not sources and (sources := catalogue.list_fetched(paths.downloads_folder())):
            print_note(f"note: building from what was fetched: {', '.join(s.path.name for s in sources)}")
        out = paths.own_index_folder(self.out)
        lost = _layers_lost(out, self.without_layers or self.until is not None or bool(self.hold_out))
        starter = None if self.without_starter else paths.starter_folder()
        held = build_index(
            sources,
            out,
            last_year=self.until,
            held_out_archives=self.hold_out,
            without_layers=self.without_layers,
            starter_folder=starter,
            max_listed=MAX_LISTED if self.max_listed is None else self.max_listed,
            progress=show_progress,
        )
        if starter is not None and not held.begun:
            print_note("note: it begins with nothing, since the starter knows clues of the years that are left out")
        _show_index(out)
        made = open_index(out)
        print_warnings(starter_comparison.starter_warnings(made))
        if lost:
            print_note(
                f"note: this was added to the old index, and is not in the new one; add it again: {', '.join(lost)}"
            )
        return EXIT_FINE


class Learn(Command):
    help = "Teaches an index what clues mean (the clue encoders), and to read answers with them."
    interrupted_message = (
        "the index is as it was, unless all was done already; lessons that take hours go on where they stopped "
        "with the same command"
    )
    examples = """examples:
  regis learn
  regis learn --index index-2013 --epochs 3
  regis learn --transformer
  regis learn --reader

Some minutes on two cores for a million clues. The index grows by at least 68 MB, however small it was. Ctrl-C leaves
it as it was. An index that is built again has to learn again. --jobs or --cluster shares out the clues that are asked
to weigh what was learned. It tells how much likelier that makes the clues of the newest year, which are hidden first;
what is no better is not kept. An index that began with the starter goes on from there, in half the time, if it has
clues of a year that the starter does not know.

--transformer teaches a small sentence transformer too; that takes an hour or two, can be interrupted, and goes on where
it stopped with the same command. In the end it reads every clue, which is shared out, too.

--reader teaches what reads a clue and an answer together, which looks again at squares that are in doubt. That takes
hours, and goes on in the same way. The index must have learned before; all else of it stays as it is.

Both need the extra transformer-learning, and say how to install it. To solve with what was learned nothing more is
needed.
"""

    index: OwnIndexFolder = None
    transformer: Annotated[bool, Option("teach the transformer, too")] = False
    reader: Annotated[bool, Option("teach the reader, and nothing else")] = False
    epochs: Annotated[
        int | None,
        Option("how often each clue is seen (default: 4; 2 on top of the starter, and by the transformer)", "N"),
    ] = None
    lessons: Annotated[int | None, Option("how many clues the reader learns on (default: 400000)", "N")] = None
    jobs: JobCount = 1
    cluster: ClusterAddress = None

    def run(self) -> int:
        """Teach the index; the number of epochs is for the transformer where it is taught."""
        from regis.building.training.cross_encoder.trainer import TRAINING_CLUES
        from regis.building.training.train import TRANSFORMER_EPOCHS, learn_cross_encoder, learn_encoder

        folder, workers = own_index_folder(self.index), choose_workers(self.jobs, self.cluster)
        if self.reader and (self.transformer or self.epochs or self.jobs > 1 or self.cluster):
            raise UsageError("--reader is taught alone: leave out --transformer, --epochs, --jobs and --cluster")
        if self.lessons and not self.reader:
            raise UsageError("--lessons says on how many clues --reader learns; add --reader")
        if self.reader:
            learn_cross_encoder(folder, clue_count=self.lessons or TRAINING_CLUES, progress=show_progress)
            return _show_index(folder)
        if self.transformer:
            epochs, transformer_epochs = None, self.epochs or TRANSFORMER_EPOCHS
        else:
            epochs, transformer_epochs = self.epochs, None
        done = learn_encoder(
            folder, epochs=epochs, transformer_epochs=transformer_epochs, workers=workers, progress=show_progress
        )
        if done.loss_before is not None and done.loss_after is not None:
            print_result(
                f"clues of {done.hidden_year}, hidden: log loss {done.loss_before:.3f} before, {done.loss_after:.3f} "
                "with what was learned\n"
            )
        if not done.is_kept:
            why = "what was learned is no better than what the index knew"
            if done.loss_after is None:
                why = (
                    f"of {done.hidden_year} there are too few clues to tell whether anything is better that they teach"
                )
            print_note(f"note: {why}; it stays as it was")
        return _show_index(folder)


class Distil(Command):
    help = "Makes an index small enough to ship: without clues, with what was learned from them."
    interrupted_message = "nothing was written, an older distilled index is as it was"
    examples = """examples:
  regis distil --index index-2013 --out starter

Takes ten minutes for a million clues, since the encoder is learned once more, without the newest year, to find out how
far it can be trusted alone. --jobs or --cluster shares out the clues that are asked for that. What `regis add`
added to an older one at --out lies on the new one again. The starter that ships with Regis was made so.
"""

    index: Annotated[Path | None, own_index_option("the index to distil")] = None
    out: Annotated[Path, Option("where to", "DIR")]
    jobs: JobCount = 1
    cluster: ClusterAddress = None

    def run(self) -> int:
        threads.use_one_thread()
        from regis.building.distil import distil

        distil(
            own_index_folder(self.index),
            self.out,
            workers=choose_workers(self.jobs, self.cluster),
            progress=show_progress,
        )
        return _show_index(self.out)


class Index(Command):
    help = "Tells what an index holds and where it came from."
    examples = """examples:
  regis index
  regis index --index index-2013
"""

    index: IndexFolder = None

    def run(self) -> int:
        return _show_index(paths.index_folder(self.index))


class Doctor(Command):
    help = "Tells which index is used and why, whether it is whole, and what is installed."
    interrupted_message = "nothing was changed"
    examples = """examples:
  regis doctor
  regis doctor --index index-2013
  regis doctor --clear

Reads every table of the index that would be used. Send what it prints along when you report a mistake; it holds names
of folders and nothing of your puzzles. The exit code is 1 where no puzzle can be solved.

The tables of an index that lies packed, as the starter does, are unpacked once and kept for the next time; --clear
deletes those.
"""

    index: IndexFolder = None
    clear: Annotated[bool, Option("delete first what was unpacked before")] = False

    def run(self) -> int:
        threads.use_one_thread()
        from regis.cli import doctor
        from regis.render.reports.table import headed_paragraphs
        from regis.system.files import array_cache

        if self.clear and (folder := paths.cache_folder()) is not None:
            array_cache.delete_cache_folders(folder)
        report = doctor.examine_installation(self.index, show_progress)
        print_result(headed_paragraphs(report.rows, Screen.for_stream(sys.stdout)))
        return EXIT_FINE if report.can_solve else EXIT_FAILED


def _show_index(folder: Path) -> int:
    """Print what the index there holds."""
    from regis.render.reports import manifest

    return print_result(manifest.render_index(open_index(folder), Screen.for_stream(sys.stdout)))


def _layers_lost(folder: Path, without_layers: bool) -> list[str]:
    """List what was added to the index at `folder`, if one is there, that one built in its place does not have."""
    from regis.index.storage.manifest import LAYERS_FOLDER

    try:
        held = open_index(folder).manifest
    except IndexError_:
        return sorted(
            path.stem for path in (paths.existing_index_folder(folder) / LAYERS_FOLDER).glob("*") if without_layers
        )
    return [record.file for record in held.added] + [layer.name for layer in held.layers if without_layers]
