"""`regis build`, `learn`, and `distil`: make an index from corpora, teach it, and make it small enough to ship."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from regis.cli.command import (
    ClusterAddress,
    Command,
    JobCount,
    Option,
    OwnIndexFolder,
    choose_workers,
    open_index,
    own_index_folder,
    own_index_option,
)
from regis.cli.printing import (
    COMMON_EXIT_CODES_HELP,
    EXIT_FINE,
    print_index,
    print_note,
    print_result,
    print_warnings,
)
from regis.cli.progress import show_progress
from regis.errors import IndexError_, UsageError
from regis.system import paths, process


class Build(Command):
    help = "Build an index from corpora."
    interrupted_message = "no index was built, unless it was just finished; an older one is unchanged"
    examples = """examples:
  regis build
  regis build --source xd-clues=xd-clues.zip --source wikipedia-titles=enwiki-all-titles-in-ns0.gz
  regis build --source clues.tsv --source word-list=words.dict --until 2013 --output index-2013
  regis build --source xd-clues=xd-clues.zip --hold-out puzzles/2014

Without --source, it reads everything that `regis fetch` downloaded. You can leave out the reader if the file's name
makes it clear. A folder is read as puzzles, or as WordNet if it contains index.noun. The old index stays in place until
the new one is complete. What you added with `regis add` is kept, except with --until or --hold-out.

List words and titles are weighed by which of them became answers in the last eight years of the clues, or the newer
half. Those that hardly ever do are left out. With fewer than 200 such answers, lists are used as they are.

The new index builds on the starter, unless the starter is newer than --until or as new as the puzzles of --hold-out.

readers: xd-clues, wikipedia-titles, word-list, wordnet, thesaurus, definitions, records, puzzle-archive; data/README.md
in the repository describes them.
"""

    source: Annotated[tuple[str, ...], Option(
        "a corpus and its reader (see below); can be repeated (default: what `regis fetch` downloaded)", "READER=FILE"
    )] = ()  # fmt: skip
    output: Annotated[Path | None, Option(
        f"where to put the index (default: ${paths.INDEX_VARIABLE}, else your data folder)", "DIR", short="o"
    )] = None  # fmt: skip
    until: Annotated[int | None, Option("leave out clues after YEAR or without a year", "YEAR")] = None
    hold_out: Annotated[tuple[Path, ...], Option(
        "leave out the clues of these puzzles; can be repeated", "ARCHIVE"
    )] = ()  # fmt: skip
    without_layers: Annotated[bool, Option("leave out what you added to the old index")] = False
    without_starter: Annotated[bool, Option("start from nothing instead of the starter")] = False
    max_listed: Annotated[int | None, Option(
        "keep the N likeliest answers of those only on lists (default: 300000)", "N"
    )] = None  # fmt: skip

    def run(self) -> int:
        from regis.building.build import build_index
        from regis.building.settings import LISTS
        from regis.corpora import catalogue
        from regis.corpora.sources import parse_source
        from regis.index.index import starter_warnings

        sources = [parse_source(word) for word in self.source]
        if not sources and (sources := catalogue.list_fetched(paths.downloads_folder())):
            print_note(f"note: building from downloads: {', '.join(s.path.name for s in sources)}")
        out = paths.own_index_folder(self.output)
        lost = _layers_lost(out, self.without_layers or self.until is not None or bool(self.hold_out))
        starter = None if self.without_starter else paths.starter_folder()
        held = build_index(
            sources,
            out,
            last_year=self.until,
            held_out_archives=self.hold_out,
            without_layers=self.without_layers,
            starter_folder=starter,
            max_listed=LISTS.max_listed if self.max_listed is None else self.max_listed,
            progress=show_progress,
        )
        if starter is not None and not held.begun:
            print_note("note: starting from nothing, because the starter knows clues of the excluded years")
        print_index(out)
        made = open_index(out)
        print_warnings(starter_warnings(made))
        if lost:
            print_note(
                f"note: these were added to the old index but aren't in the new one; add them again: {', '.join(lost)}"
            )
        return EXIT_FINE


def _layers_lost(folder: Path, without_layers: bool) -> list[str]:
    """List the additions to the index at `folder`, if any, that a new index there would lack."""
    from regis.index.storage.manifest import LAYERS_FOLDER

    try:
        held = open_index(folder).manifest
    except IndexError_:
        return sorted(path.stem for path in (paths.index_home(folder) / LAYERS_FOLDER).glob("*") if without_layers)
    return [record.file for record in held.added] + [layer.name for layer in held.layers if without_layers]


class Learn(Command):
    help = "Teach an index what clues mean, so that it can answer new ones."
    interrupted_message = (
        "the index is unchanged, unless this was just finished; long lessons resume with the same command"
    )
    examples = """examples:
  regis learn
  regis learn --index index-2013 --epochs 3
  regis learn --transformer
  regis learn --reader

Takes a few minutes on two cores for a million clues. The index grows by at least 68 MB. Ctrl-C leaves it unchanged. Run
it again after each `regis build`. An index built on the starter continues from there in half the time, if it has clues
from a year that the starter doesn't know.

At the end, it says how much likelier this makes the clues of the newest year, which are hidden first. If they're no
likelier, nothing is kept. --jobs or --cluster shares the clues for that measurement.

--transformer also trains a small sentence transformer, for an hour or two. After an interruption, the same command
picks up where it left off. In an index built on the starter, it continues from the starter's, mostly on new clues. At
the end, it reads every clue, which is shared as well.

--reader trains only what reads a clue and an answer together, for squares in doubt. It takes hours and resumes in the
same way. The index must have learned before; the rest of it doesn't change.

Both need the extra transformer-learning and say how to install it. Solving doesn't need it.
"""

    exit_codes_help = COMMON_EXIT_CODES_HELP.replace("success", "success, even if nothing better was learned")
    index: OwnIndexFolder = None
    transformer: Annotated[bool, Option("also train the transformer")] = False
    reader: Annotated[bool, Option("train only the reader")] = False
    epochs: Annotated[
        int | None,
        Option("how often to see each clue (default: 4; 2 on top of the starter and for the transformer)", "N"),
    ] = None
    lessons: Annotated[int | None, Option("how many clues to train the reader on (default: 400000)", "N")] = None
    jobs: JobCount = 1
    cluster: ClusterAddress = None

    def run(self) -> int:
        """Teach the index; if the transformer is taught, the number of epochs is the transformer's."""
        from regis.building.settings import ENCODERS, READER
        from regis.building.training.train import learn_cross_encoder, learn_encoder

        folder, workers = own_index_folder(self.index), choose_workers(self.jobs, self.cluster)
        if self.reader and (self.transformer or self.epochs or self.jobs > 1 or self.cluster):
            raise UsageError("--reader can't be combined with --transformer, --epochs, --jobs, or --cluster")
        if self.lessons and not self.reader:
            raise UsageError("--lessons needs --reader")
        if self.reader:
            learn_cross_encoder(folder, clue_count=self.lessons or READER.training_clues, progress=show_progress)
            return print_index(folder)
        if self.transformer:
            epochs, transformer_epochs = None, self.epochs or ENCODERS.transformer_epochs
        else:
            epochs, transformer_epochs = self.epochs, None
        done = learn_encoder(
            folder, epochs=epochs, transformer_epochs=transformer_epochs, workers=workers, progress=show_progress
        )
        if done.loss_before is not None and done.loss_after is not None:
            print_result(
                f"clues of {done.hidden_year}, hidden: log loss {done.loss_before:.3f} before, {done.loss_after:.3f} "
                f"with what was learned: {'better, kept' if done.is_kept else 'not clearly better, left out'}\n"
            )
        if not done.is_kept:
            why = f"what was learned isn't better by {ENCODERS.min_gain} than what the index knew"
            if done.loss_after is None:
                why = f"there are too few clues of {done.hidden_year} to measure whether it's better"
            print_note(f"note: {why}; the index is unchanged")
        return print_index(folder)


class Distil(Command):
    help = "Make an index small enough to ship: what was learned from clues, without the clues."
    interrupted_message = "nothing was written; an older distilled index is unchanged"
    examples = """examples:
  regis distil --index index-2013 --output starter

Takes ten minutes for a million clues, because the encoder learns again without the newest year to find out how far it
can be trusted alone. --jobs or --cluster shares the clues for that measurement. What you added to an older index at
--output is kept. The starter that ships with Regis was made this way.
"""

    index: Annotated[Path | None, own_index_option("the index to distil")] = None
    output: Annotated[Path, Option("where to put the new index", "DIR", short="o")]
    jobs: JobCount = 1
    cluster: ClusterAddress = None

    def run(self) -> int:
        process.use_one_thread()
        from regis.building.distil import distil

        folder, workers = own_index_folder(self.index), choose_workers(self.jobs, self.cluster)
        distil(folder, self.output, workers=workers, progress=show_progress)
        return print_index(self.output)
