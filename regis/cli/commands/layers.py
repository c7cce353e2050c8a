"""`regis add` and `remove`: what a person adds lies on top of the index, under a name, and can be taken off again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from regis.cli.command import Command, Option, Positional
from regis.cli.options import OwnIndex
from regis.cli.printing import FAILED, FINE, report, show, warn
from regis.cli.progress import bar
from regis.errors import IndexMissing
from regis.system import paths, threads

if TYPE_CHECKING:
    from regis.index.manifest import Layer

REASONS = 3  # why lines were left out, so many at most; `regis index` has all
RENEWED = "note: the index lay on the starter of another Regis; it lies on the one that comes with this Regis now"
MENDED = "note: the index could not be read; it was made anew, with all that had been added to it"


class Add(Command):
    help = "Adds puzzles, words and clues of your own to the index."
    interrupted = "the index is as it was, unless all was done already; `regis index` says what is in it"
    examples = """examples:
  regis add today.puz puzzles/2014
  regis add mywords.txt
  regis add --layer family names.txt more-names.txt
  regis add --index index-2013 xd-clues=clues-2014.zip

Puzzles are what `regis solve` reads; the solution in a file is what is added. All of them make the layer `puzzles`,
which grows; one that the index has already changes nothing. A list (.txt, .dict, .lst, .csv: a word a line, or
WORD;score) or a clue table (.tsv: pubid year answer clue) makes a layer of its own, named after the file, in the place
of any of that name. Of other corpora, or where the name tells nothing, write the reader too, as word-list=words.
Without an index of your own, one begins on top of the starter. `regis index` lists the layers, `regis remove` takes one
off. `regis learn` makes most of what was added, in an index that was built.
"""

    paths: Annotated[tuple[str, ...], Positional("a puzzle file, folder or zip; a list; READER=FILE", "PATH")]
    layer: Annotated[str | None, Option("the layer to add it as (default: `puzzles`, or the file's name)", "NAME")] = (
        None
    )
    index: OwnIndex = None

    def run(self) -> int:
        threads.one()
        from regis.building.add import add
        from regis.cli import passed_over
        from regis.cli.sources import added, unclear
        from regis.corpora.entry import PUZZLES

        folder = paths.own(self.index)
        begin = paths.only_starter(self.index)
        sources = [added(word) for word in self.paths]
        places = [source.path for source in sources if source.reader == PUZZLES]
        passed_over.tell_lists(places)
        done = add(sources, folder, name=self.layer, begin=begin, progress=bar)
        warn(f"{why}; left out" for why in done.useless)
        passed_over.tell_archives(places)
        if done.useless and any(unclear(source) for source in sources):
            report("note: a list of words whose name does not say so is added as word-list=FILE")
        if done.began:
            report(f"note: an index of your own begins on top of the starter, at {folder}; it is used from now on")
        _tell(done.renewed, done.mended)
        for layer in done.layers:
            left = sum((Counter(record.rejected) for record in layer.sources), Counter[str]())
            before = f", in the place of {_held(done.before[layer.name])}" if layer.name in done.before else ""
            show(f"{layer.name}: {_held(layer)}{before}\n")
            if again := done.again[layer.name]:
                report(f"{layer.name}: {counted(again, 'clue')} in the index already, not counted twice")
            named = left.most_common(REASONS)
            for reason, many in named:
                report(f"{layer.name}: {counted(many, 'line')} left out: {reason}")
            if more := left.total() - sum(many for _, many in named):
                report(f"{layer.name}: {counted(more, 'more line')} left out; `regis index` tells why")
        for name in done.same:
            show(f"{name}: nothing new\n")
        if places:
            known = f"; {counted(len(done.known), 'puzzle')} in the index already" if done.known else ""
            show(f"puzzles added: {done.puzzles:,}, with {counted(done.clues, 'clue')}{known}\n")
        show(f"new answers: {done.answers:,}\n" if done.answers >= 0 else f"fewer answers: {-done.answers:,}\n")
        return FINE if done.puzzles or done.layers or done.known or done.same else FAILED


def _held(layer: Layer) -> str:
    """What is in a layer: '2 words and 1 clue'."""
    parts = ((layer.words, "word"), (layer.clues, "clue"))
    return " and ".join(counted(many, what) for many, what in parts if many)


def counted(many: int, what: str) -> str:
    """'1 word', '2,000 words'."""
    return f"{many:,} {what}{'s' * (many != 1)}"


class Remove(Command):
    help = "Takes off the index what was added under a name."
    interrupted = Add.interrupted
    examples = """examples:
  regis remove mywords
  regis remove --index index-2013 puzzles clues-2014

The index is then what it would be if that had never been added. `regis index` lists the layers.
"""

    names: Annotated[tuple[str, ...], Positional("the layer to remove; as many as you like", "NAME")]
    index: OwnIndex = None

    def run(self) -> int:
        threads.one()
        from regis.building.add import remove

        folder = paths.own(self.index)
        if paths.only_starter(self.index):
            raise IndexMissing("there is no layer to remove, since nothing was added yet; `regis add` makes them")
        done = remove(self.names, folder, progress=bar)
        _tell(done.renewed, done.mended)
        return show(f"removed: {', '.join(dict.fromkeys(self.names))}\n")


def _tell(renewed: bool, mended: bool) -> None:
    """What became of an index beside what was wanted."""
    if renewed:
        report(RENEWED)
    if mended:
        report(MENDED)
