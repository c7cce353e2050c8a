"""Every reader, asked to read what nobody should write: it reads it, or refuses it in one sentence, and soon.

    python benchmarks/fuzz.py --inputs 1000000
    python benchmarks/fuzz.py puzzles/2014 --only .puz .ipuz

Readers are those of puzzles, of corpora, of archives, of entries and patterns that a person types, of texts and of an
index's manifest. The seeds are examples/formats and a barred puzzle, the same in the formats that can be written, the
files named, and what stands below. Each is damaged and grown as damage.py says. What can be read is also asked for its
solution and, if it is small, one time in fifty written in every format and drawn in every way.

Bad is an input over which anything is raised but a class of regis.errors with one short sentence, one that takes
longer than `SLOW`, and one that grows memory by more than `GROWTH`. Children do the reading, so that one who hangs can
be ended. Bad ones are printed by reader and number; `--show READER NUMBER` writes that input to standard output. The
same seed number makes the same inputs.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import damage

from regis import text
from regis.candidates.quips import least_missing
from regis.corpora.readers import READERS
from regis.errors import RegisError
from regis.index import Manifest, listing, manifest, opening
from regis.models import clue_form, clue_references, clue_style, clue_typing
from regis.puzzle import Puzzle, entry_names, formats
from regis.puzzle.formats import WRITABLE, PuzzleFile, dates, document
from regis.render import RENDERERS
from regis.solving.solution import Solution
from regis.solving.solved import Answer, Solved
from regis.system.terminal import Screen, plain

SLOW = 2.0  # processor seconds for one input
ENDED = 10.0  # after so many its child is ended
GROWTH = 300 << 20  # bytes by which memory may grow over one input
ROUND = 2000  # inputs for one child
SEEDS_A_FORMAT = 40
SMALL = 1 << 16  # bytes of a file that is also written and drawn
EXAMPLES = Path(__file__).parents[1] / "examples" / "formats"
BARRED = EXAMPLES.parent / "barred.ipuz"

CORPORA = {
    "xd-clues": (".tsv", b"pubid\tyear\tanswer\tclue\nnyt\t2014\tOSLO\tNorwegian capital\nlat\t\tA/B\t___ side\n"),
    "wikipedia-titles": (".txt", b"page_title\nOslo_Accords\nTempo_(chess)\nParis,_Texas\nTalk:Oslo\nList_of_trees\n"),
    "word-list": (".dict", b"# a list\nOSLO;50\nEEL;30\nice age;7.5\nRIM;0\n"),
    "wordnet": (".tar.gz", b"index.noun\nworld n 1 0\nice_age n 1 0\n\fdata.noun\n00000001 03 n 02 world 0 domain 0 "
                b"002 @ 00000002 n 0000 ! 00000001 n 0101 | all that is; \"the world\"\n00000002 03 n 01 ice_age 0 000 "
                b"| a cold time\n\fnoun.exc\nworlds world\n\findex.verb\ngo_up v 1 0\n\fverb.exc\nwent go\n"),
    "thesaurus": (".txt", b"car,automobile,motor car,wheels\nold,aged,grey\nalone\n"),
    "definitions": (".tsv", b"oak\ta tall tree\nice age\ta cold time\nno tab\n"),
}  # fmt: skip
"""A small corpus for each reader, and the suffix that it takes; WordNet's files with form feeds between them."""

GRAMMAR = {
    ".ipuz": ('"%d":0,', '[%d,"a"],', "[1,1],", "[0],", "[],", "0,", '"",', '"#",', "ipuz(", ");", '{"cell":0},',
              '"clues":{', '{"number":%d,"cells":[[1,1],[2,%d]]},', '{"cell":0,"style":{"barred":"TL"}},',
              '"a%d":[[1,"a"]],'),
    ".json": ('"%d. a",', '"A",', ".", "1,", "[],", '"",'),
    ".jpz": ('<word id="%d" x="1-100" y="1"/>', '<word id="1"><cells x="1-100" y="1-2"/>', "<cell/>", "<clue>",
             "<clues>", '<cell x="%d" y="1"/>', '<clue word="%d" number="1">a</clue>', "<!--", "<a/>", ' xmlns:a%d="b"',
             ' a%d="b"', '<word id="%d"><cells x="1-5" y="1"/><cells x="%d" y="2"/></word>', ' top-bar="true"',
             "<![CDATA[", "<title>", "<a:b>", "&#x41;", "<!DOCTYPE", ' x="1-99"'),
    ".puz": ("\0", "GEXT", "GRBS", "RTBL", "RUSR", "LTIM", "ACROSS&DOWN", "%d\0", "\0\0\0\0", "1:A;"),
    ".txt": ("<GRID>", "<ACROSS>\n", "<A ", "1:HEART:H\n", "MARK;", "<REBUS>\n"),
    ".xd": ("A1. a ~ AB\n", "A%d. a ~ AB\n", "H%d: a\n", "{/", "/}", "{*", " ~ ", "\\", "## ", "## Grid\n", "1=AB ",
            "ABC\n"),
    "xd-clues": ("nyt\t2014\tOSLO\tClue\n", "OSLO/", "\t\t\t\n"),
    "wikipedia-titles": ("Oslo_(city)\n", "_(", "A%d\n", ",_", "Talk:"),
    "word-list": ("OSLO;%d\n", ";1\n", "a;1e%d\n", ",1"),
    "wordnet": ("a 0 ", "@ 00000001 n 0000 ", "0000000%d 03 n 01 a 0 000 | b\n", " | ", "\f", "a%d n\n", "255 ",
                "fff "),
    "thesaurus": ("a,", "a%d,", "a,b\n"),
    "definitions": ("a%d\tb\n", "\t"),
    "names": ("1A,", "1", "0", "across", " -"),
    "manifest": ('"%d":0,', '"added":', '"lengths":', "[]", "{}"),
}  # fmt: skip
"""What the grammar of each knows, to be put in and repeated."""


class Subject(NamedTuple):
    """One reader under test."""

    seeds: Sequence[bytes]
    read: Callable[[bytes, random.Random], object]  # raises a class of regis.errors for what it refuses
    packed: Callable[[bytes, random.Random], bytes] = lambda data, rng: data


class Tally(NamedTuple):
    """What happened to the inputs of one child, in memory that it shares with its parent, who may have to end it."""

    numbers: Any  # inputs begun, read, refused, bad
    most: Any  # processor seconds of the slowest, bytes of memory grown


def subjects(places: Iterable[Path]) -> dict[str, Subject]:
    puzzles = seeds([EXAMPLES, BARRED, *places])
    found = {kind: Subject([file.data for file in files], puzzle) for kind, files in puzzles.items()}
    some = [file.data for files in puzzles.values() for file in files]
    zipped = partial(packed, (".puz", ".jpz", ".txt", ".json"))
    found["zip"] = Subject(some, archive, zipped)
    found["puzzle-archive"] = Subject(some, partial(corpus, "puzzle-archive", ".zip"), zipped)
    for name, (suffix, seed) in CORPORA.items():
        found[name] = Subject(
            [seed], partial(corpus, name, suffix), taped if name == "wordnet" else partial(packed, ())
        )
    found["names"] = Subject([b"17A, 23-down", b"1 across,2D", b"P?I", b"er.e", b"4"], names)
    found["texts"] = Subject([b'With 3- and 23-Down, <i>Moli\xc3\xa8re</i> &amp; "___ in Italy", Jan. 6, 2014'], texts)
    empty = Manifest(
        manifest.FORMAT_VERSION, "1", "2026", (), ("nyt",), 2014, {}, {"4": {"clues": 1, "answers": 1}}, {}
    )
    record = manifest.SourceRecord("xd-clues", "a.zip", "0" * 64, 10, 3, 2, {"empty clue": 1}, 2000, 2014)
    whole = Manifest(**{**asdict(empty), "sources": (record,), "added": (record,)})
    found["manifest"] = Subject([empty.to_json().encode(), whole.to_json().encode()], index)
    return found


def seeds(places: Iterable[Path]) -> dict[str, list[PuzzleFile]]:
    """By suffix up to `SEEDS_A_FORMAT` files: those named first, then the same in the formats that can be written."""
    found: dict[str, list[PuzzleFile]] = {}
    for place in places:
        for file in formats.open_files(place):
            kind = Path(file.name).suffix
            found.setdefault(kind, []).append(file)
            for target in WRITABLE if len(found[kind]) <= SEEDS_A_FORMAT else ():
                with contextlib.suppress(RegisError):  # a format that has no place for it
                    data = formats.written(file, target)[0]
                    found.setdefault(f".{target}", []).append(PuzzleFile(f"{file.name}>{target}", data))
    return {kind: files[:SEEDS_A_FORMAT] for kind, files in sorted(found.items())}


def made(name: str, subject: Subject, number: int, seed: int) -> tuple[bytes, random.Random]:
    """An input, and what is drawn by lot from then on."""
    rng = random.Random(f"{seed} {name} {number}")
    pieces = (*damage.PIECES, *GRAMMAR.get(name, ()) * 8)
    data = subject.packed(damage.damaged(rng.choice(subject.seeds), rng.choice(subject.seeds), pieces, rng), rng)
    return damage.mutated(data, data, pieces, rng) if rng.random() < 0.02 else data, rng


def packed(suffixes: Sequence[str], data: bytes, rng: random.Random) -> bytes:
    """In a zip with members of these suffixes; without any, now and then in a zip or a gz."""
    kind = rng.random()
    if suffixes or kind < 0.1:
        return damage.zipped(data, data, rng.choice(suffixes or (".txt", ".tsv")), rng)
    return gzip.compress(data, 1) if kind < 0.2 else data


def taped(data: bytes, rng: random.Random) -> bytes:
    """Files with form feeds between them, their names on the first lines, as a tar.gz."""
    parts = [part.partition(b"\n") for part in data.split(b"\f")]
    return damage.taped({os.fsdecode(name[:90]): content for name, _, content in parts}, rng)


def puzzle(data: bytes, rng: random.Random) -> None:
    """A file named x."""
    look(PuzzleFile("x", data), rng)


def archive(data: bytes, rng: random.Random) -> None:
    """A file named x, opened as the command line does: if it is a zip, all that is in it."""
    Path("x").write_bytes(data)
    for file in formats.open_files(Path("x")):
        look(file, rng)


def look(file: PuzzleFile, rng: random.Random) -> None:
    read, told = formats.read(file)
    formats.solution(file)
    assert all(x.startswith("x") and x.isprintable() for x in told), told
    if len(file.data) < SMALL and rng.random() < 0.02:
        for target in WRITABLE:
            formats.written(file, target)
        drawn(read)


def drawn(read: Puzzle) -> None:
    """The puzzle with the letters that somebody wrote, in every way that can be printed."""
    solution = Solution(read.given, dict.fromkeys(read.given, 0.5), {})
    answers = tuple(Answer(slot, clue, solution.answer(slot), 0.5, (), ()) for slot, clue in read.clues.items())
    for render in RENDERERS.values():
        shown = render(Solved(read, solution, answers, "belief", 0.0, "0" * 12), "x", Screen())
        assert all(c.isprintable() or c == "\n" for c in shown), "a character that a terminal may obey"


def corpus(name: str, suffix: str, data: bytes, rng: random.Random) -> None:
    """A file that is named as a corpus is."""
    path = Path(f"x{suffix}")
    path.write_bytes(data)
    for _ in READERS[name](path):
        pass


def names(data: bytes, rng: random.Random) -> None:
    """What a person types for entries and patterns."""
    typed = data.decode("utf-8", "surrogateescape")
    (entry_names.names if rng.random() < 0.5 else entry_names.pattern)(typed)


def texts(data: bytes, rng: random.Random) -> None:
    """A text wherever one may stand."""
    typed = data.decode("utf-8", "replace")
    clue = text.clue(typed)
    document.from_html(typed), text.to_html(typed), text.answer(typed), text.clue_key(clue), plain(typed)
    dates.find(typed, clue, typed[:4096])
    clue_references.references(clue), clue_references.without_references(clue), clue_references.goes_with(clue)
    least_missing(clue_style.asked(clue_typing.with_blank(clue), rng.randrange(3, 22)), 9)
    clue_typing.unstarred(clue_typing.with_blank(typed))
    clue_form.kind(clue), clue_form.signs(clue[: text.LONGEST])


def index(data: bytes, rng: random.Random) -> None:
    """A folder with a manifest only."""
    Path("index").mkdir(exist_ok=True)
    Path("index", manifest.NAME).write_bytes(data)
    listing.strangers(Path("index"))
    opening.read(Path("index"))


def attend(name: str, subject: Subject, numbers: range, seed: int, tally: Tally) -> None:
    """Reads inputs in a child."""
    os.chdir(tempfile.mkdtemp(dir="."))
    resource.setrlimit(resource.RLIMIT_AS, (4 * GROWTH, 4 * GROWTH))
    peak = start = _peak()
    for number in numbers:
        tally.numbers[0] += 1
        data, rng = made(name, subject, number, seed)
        begun, peak = time.process_time(), max(peak, _peak())
        signal.setitimer(signal.ITIMER_PROF, ENDED)
        try:
            subject.read(data, rng)
            result = 1
        except RegisError as error:
            sentence = str(error)
            result = 2 if sentence.isprintable() and len(sentence) < 500 else 3
            what = f"says {sentence[:500]!r}"
        except Exception:
            result, what = 3, traceback.format_exc(limit=-3)
        signal.setitimer(signal.ITIMER_PROF, 0)
        took, grew = time.process_time() - begun, _peak() - peak
        if took > SLOW or grew > GROWTH:
            result, what = 3, f"takes {took:.1f} s and {(_peak() - start) >> 20} MB"
        if result == 3:
            print(f"{name} {number}, {len(data):,d} bytes: {what}", flush=True)
        tally.numbers[result] += 1
        tally.most[0] = max(tally.most[0], took)
        tally.most[1] = max(tally.most[1], _peak() - start)


def _peak() -> int:
    """Most bytes of memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def campaign(chosen: dict[str, Subject], inputs: int, seed: int) -> int:
    """As many inputs for each subject; prints what happened and returns how many were bad."""
    fork = multiprocessing.get_context("fork")
    begun, bad = time.perf_counter(), 0
    print(f"{'':18} {'seeds':>6} {'inputs':>9} {'read':>9} {'refused':>9} {'bad':>6} {'slowest':>10} {'growth':>8}")
    for name, subject in chosen.items():
        tally = Tally(fork.RawArray("q", 4), fork.RawArray("d", 2))
        while (done := tally.numbers[0]) < inputs:
            child = fork.Process(
                target=attend, args=(name, subject, range(done, min(done + ROUND, inputs)), seed, tally)
            )
            child.start()
            child.join()
            if child.exitcode:
                tally.numbers[3] += 1
                print(f"{name} {tally.numbers[0] - 1}: ended with {child.exitcode}", flush=True)
        _, read, refused, wrong = tally.numbers
        counts = f"{len(subject.seeds):6d} {inputs:9,d} {read:9,d} {refused:9,d} {wrong:6d}"
        print(f"{name:18} {counts} {tally.most[0]:8.2f} s {int(tally.most[1]) >> 20:5d} MB", flush=True)
        bad += wrong
    total = inputs * len(chosen)
    print(f"{total:,d} inputs in {(time.perf_counter() - begun) / 60:.0f} minutes, {bad} bad")
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", type=Path, nargs="*", help="puzzles that are seeds, too")
    parser.add_argument("--inputs", type=int, default=100_000, help="for all readers together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="READER", help="these readers only")
    parser.add_argument("--show", nargs=2, metavar=("READER", "NUMBER"), help="write this input to standard output")
    arguments = parser.parse_args()
    found = subjects(arguments.places)
    for name in (*(arguments.only or ()), *(arguments.show or ())[:1]):
        if name not in found:
            parser.error(f"there is no reader {name}; there are: {', '.join(found)}")
    if arguments.show:
        name, number = arguments.show
        return sys.stdout.buffer.write(made(name, found[name], int(number), arguments.seed)[0]) and 0
    chosen = {name: subject for name, subject in found.items() if name in (arguments.only or found)}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        return int(campaign(chosen, arguments.inputs // len(chosen), arguments.seed) > 0)


if __name__ == "__main__":
    sys.exit(main())
