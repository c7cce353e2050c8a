"""Give every reader damaged files. Each must be read, or refused in one sentence, and soon.

    python benchmarks/fuzz.py --minutes 60 pages/*.pdf
    python benchmarks/fuzz.py --inputs 100000 puzzles/2014 --only puz ipuz

The readers are those of puzzles, printed pages, corpora, archives, typed entries and patterns, texts, and an index's
manifest. The seeds are examples/formats, a barred puzzle, both in every writable format, the files you name (PDFs need
`pip install pikepdf`), and the texts below. damage.py damages and grows them. If a file can be read, its solution is
read, too. One small puzzle in fifty is written in every format and drawn in every way.

An input is bad if it raises anything but a class of regis.errors with one short sentence, or takes more time or memory
than its reader may. Children do the reading, so one that hangs can be ended. Bad inputs are printed by reader and
number; `--show READER NUMBER` writes one to standard output. The same seed number makes the same inputs.
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
from regis.candidates.ranking.scoring import min_missing
from regis.corpora.readers import READERS
from regis.errors import RegisError
from regis.index import Manifest
from regis.index.storage import manifest, validation
from regis.models.text import clue_form, clue_style
from regis.puzzle import Puzzle, entry_names, formats
from regis.puzzle.formats import FORMATS, WRITABLE_FORMATS, PuzzleFile, publication_date
from regis.puzzle.formats.files import max_file_bytes
from regis.puzzle.formats.shared import texts
from regis.render import RENDERERS
from regis.solving.filler import Fill
from regis.solving.solved_puzzle import Answer, SolvedPuzzle
from regis.system.terminal import Screen, plain_text

KILL_SECONDS = 10.0  # processor seconds after which a child is killed
MAX_GROWTH = 300 << 20  # most bytes by which memory may grow for one input
MAX_PAGE_MEMORY = 1 << 30  # most bytes of the processes that read a page
INPUTS_PER_CHILD = 2000  # most inputs for one child
SECONDS_PER_CHILD = 20.0  # after that, it leaves the rest to another, so that all readers get a turn
SEEDS_PER_FORMAT = 40
MAX_DRAWN_BYTES = 1 << 16  # largest file that is also written and drawn
FORMAT_EXAMPLES = Path(__file__).parents[1] / "examples" / "formats"
BARRED_PUZZLE = FORMAT_EXAMPLES.parent / "barred.ipuz"

CORPUS_SEEDS = {
    "xd-clues": (".tsv", b"pubid\tyear\tanswer\tclue\nnyt\t2014\tOSLO\tNorwegian capital\nlat\t\tA/B\t___ side\n"),
    "wikipedia-titles": (".txt", b"page_title\nOslo_Accords\nTempo_(chess)\nParis,_Texas\nTalk:Oslo\nList_of_trees\n"),
    "word-list": (".dict", b"# a list\nOSLO;50\nEEL;30\nice age;7.5\nRIM;0\n"),
    "wordnet": (".tar.gz", b"index.noun\nworld n 1 0\nice_age n 1 0\n\fdata.noun\n00000001 03 n 02 world 0 domain 0 "
                b"002 @ 00000002 n 0000 ! 00000001 n 0101 | all that is; \"the world\"\n00000002 03 n 01 ice_age 0 000 "
                b"| a cold time\n\fnoun.exc\nworlds world\n\findex.verb\ngo_up v 1 0\n\fverb.exc\nwent go\n"),
    "thesaurus": (".txt", b"car,automobile,motor car,wheels\nold,aged,grey\nalone\n"),
    "definitions": (".tsv", b"oak\ta tall tree\nice age\ta cold time\nno tab\n"),
}  # fmt: skip
"""A small corpus for each reader, and the suffix that it takes; form feeds separate WordNet's files."""

GRAMMAR_PIECES = {
    "ipuz": ('"%d":0,', '[%d,"a"],', "[1,1],", "[0],", "[],", "0,", '"",', '"#",', "ipuz(", ");", '{"cell":0},',
              '"clues":{', '{"number":%d,"cells":[[1,1],[2,%d]]},', '{"cell":0,"style":{"barred":"TL"}},',
              '"a%d":[[1,"a"]],'),
    "nyt-json": ('"%d. a",', '"A",', ".", "1,", "[],", '"",'),
    "nyt-v6": ('{"type":1,"label":"%d","answer":"A"},', '{"label":"1","cells":[0,1],"text":[{"plain":"a"}]},', "0,",
               '"width":', "{},", '"relatives":[0],'),
    "puzzleme": ('{"x":0,"y":0,"nBoxes":3},', '"box":[', '["A","B"],', '"\\u0000",', "0,", '"acrossNotDown":true,'),
    "guardian": ('{"position":{"x":0,"y":0},"length":%d},', '"group":["1-across"],', '"separatorLocations":{",":[1]},'),
    "wsj": ('{"Letter":"A","Blank":""},', '{"number":%d,"clue":"a"},', '"Number":"%d",', "[],"),
    "crosshare": ('{"dir":0,"clue":"a","num":%d},', '"A",', '".",', '"size":{"cols":%d,'),
    "uclick": ("%d|a\\n", '<a%d a="A" c="b" n="1" cn="1"/>', "%d|a ", "-", ' a="', '"Width":"%d",'),
    "cfp": ('<WORD dir="ACROSS" num="%d">a</WORD>', "....\n", '<CIRCLE row="1"/>', "&#x41;", "<GRID"),
    "exolve": ("~{", "}~", "{b}", "[%d]", "0 = A B\n", "exolve-grid:\n", "exolve-across:\n", "%d a (2)\n", "1,%d a\n",
               "A@ B| C_ D{a}\n", "a%d: b\n", " (2", "exolve-option: a:b\n", "...\n"),
    "pdf": ("BT /F1 9 Tf 100 %d Td (a) Tj ET\n", "%d 100 24 24 re f\n", "q\n", "Q\n", "1 0 0 1 %d 0 cm\n", "0.001 ",
            "1e30 ", "-1 ", "[(a) -1000 (b)] TJ\n", "W n\n", "<feff00410000> Tj\n", "0 0 m 9 9 l S\n", "0 g\n",
            "(ACROSS) Tj\n", "(%d.) Tj\n", "3 Tr\n", " 0 R", "<<", ">>", "obj\n", "/Kids[", "/Rotate 90", "c h f\n"),
    "jpz": ('<word id="%d" x="1-100" y="1"/>', '<word id="1"><cells x="1-100" y="1-2"/>', "<cell/>", "<clue>",
             "<clues>", '<cell x="%d" y="1"/>', '<clue word="%d" number="1">a</clue>', "<!--", "<a/>", ' xmlns:a%d="b"',
             ' a%d="b"', '<word id="%d"><cells x="1-5" y="1"/><cells x="%d" y="2"/></word>', ' top-bar="true"',
             "<![CDATA[", "<title>", "<a:b>", "&#x41;", "<!DOCTYPE", ' x="1-99"'),
    "puz": ("\0", "GEXT", "GRBS", "RTBL", "RUSR", "LTIM", "ACROSS&DOWN", "%d\0", "\0\0\0\0", "1:A;"),
    "txt": ("<GRID>", "<ACROSS>\n", "<A ", "1:HEART:H\n", "MARK;", "<REBUS>\n"),
    "xd": ("A1. a ~ AB\n", "A%d. a ~ AB\n", "H%d: a\n", "{/", "/}", "{*", " ~ ", "\\", "## ", "## Grid\n", "1=AB ",
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
"""Pieces of each grammar, to insert and repeat."""


class FuzzSubject(NamedTuple):
    seed_files: Sequence[bytes]
    read_input: Callable[[bytes, random.Random], object]  # raises a class of regis.errors for refused input
    pack_input: Callable[[bytes, random.Random], bytes] = lambda data, rng: data
    max_seconds: float = 2.0  # processor time for one input
    max_growth: int = MAX_GROWTH  # bytes
    in_processes: bool = False  # whether the reader works in processes with their own limits


class SharedTally(NamedTuple):
    """The results of one child, in memory shared with its parent, which may have to kill it."""

    input_counts: Any  # inputs begun, read, refused, bad
    maxima: Any  # processor seconds of the slowest, bytes of memory growth


def fuzz_subjects(places: Iterable[Path]) -> dict[str, FuzzSubject]:
    puzzles = puzzle_seeds([FORMAT_EXAMPLES, BARRED_PUZZLE, *places])
    pages = [damage.unpack_pdf(file.data) for file in puzzles.pop("pdf", ())]
    found = {kind: FuzzSubject([file.data for file in files], read_puzzle) for kind, files in puzzles.items()}
    some = [file.data for files in puzzles.values() for file in files]
    zipped = partial(pack_corpus, (".puz", ".jpz", ".txt", ".json"))
    found["zip"] = FuzzSubject(some, read_archive, zipped)
    found["puzzle-archive"] = FuzzSubject(some, partial(read_corpus, "puzzle-archive", ".zip"), zipped)
    for name, (suffix, seed) in CORPUS_SEEDS.items():
        pack = pack_wordnet if name == "wordnet" else partial(pack_corpus, ())
        found[name] = FuzzSubject([seed], partial(read_corpus, name, suffix), pack)
    found["names"] = FuzzSubject([b"17A, 23-down", b"1 across,2D", b"P?I", b"er.e", b"4"], read_names)
    typed = b'With 3- and 23-Down, <i>Moli\xc3\xa8re</i> &amp; "___ in Italy", Jan. 6, 2014'
    found["texts"] = FuzzSubject([typed], read_texts)
    lengths = {"4": {"clues": 1, "answers": 1}}
    empty = Manifest(manifest.FORMAT_VERSION, "1", "2026", (), ("nyt",), 2014, {}, lengths, {})
    record = manifest.SourceRecord("xd-clues", "a.zip", "0" * 64, 10, 3, 2, {"empty clue": 1}, 2000, 2014)
    whole = Manifest(**{**asdict(empty), "sources": (record,), "added": (record,)})
    if pages:
        found["pdf"] = FuzzSubject(pages, read_puzzle, pack_page, 10.0, MAX_PAGE_MEMORY, in_processes=True)
    found["manifest"] = FuzzSubject([empty.to_json().encode(), whole.to_json().encode()], read_index)
    return found


def puzzle_seeds(places: Iterable[Path]) -> dict[str, list[PuzzleFile]]:
    """Collect up to `SEEDS_PER_FORMAT` files by format: the named ones, then the same in other formats."""
    found: dict[str, list[PuzzleFile]] = {}
    for place in places:
        for file in formats.open_files(place):
            kind = next((name for name, format in FORMATS.items() if format.detect(file.data)), "unknown")
            found.setdefault(kind, []).append(file)
            for target in WRITABLE_FORMATS if len(found[kind]) <= SEEDS_PER_FORMAT and kind != "pdf" else ():
                with contextlib.suppress(RegisError):  # the format can't hold it
                    data = formats.convert_file(file, target)[0]
                    found.setdefault(target, []).append(PuzzleFile(f"{file.name}>{target}", data))
    return {kind: files[:SEEDS_PER_FORMAT] for kind, files in sorted(found.items())}


def make_input(name: str, subject: FuzzSubject, number: int, seed: int) -> tuple[bytes, random.Random]:
    """Make an input; return it with its random generator, for later draws."""
    rng = random.Random(f"{seed} {name} {number}")
    pieces = (*damage.TEXT_PIECES, *GRAMMAR_PIECES.get(name, ()) * 8)
    seed_file, other_file = rng.choice(subject.seed_files), rng.choice(subject.seed_files)
    data = subject.pack_input(damage.damage_file(seed_file, other_file, pieces, rng), rng)
    data = damage.mutate_bytes(data, data, pieces, rng) if rng.random() < 0.02 else data
    return data[: max_file_bytes(data)], rng  # readers get nothing of a larger file


def pack_page(data: bytes, rng: random.Random) -> bytes:
    """Keep the sign of a PDF, without which nothing is read."""
    return data if data.startswith(b"%PDF-") else b"%PDF-1.7\n" + data


def pack_corpus(suffixes: Sequence[str], data: bytes, rng: random.Random) -> bytes:
    """Pack data into a zip with members of these suffixes; without suffixes, sometimes into a zip or a gz."""
    kind = rng.random()
    if suffixes or kind < 0.1:
        return damage.pack_zip(data, data, rng.choice(suffixes or (".txt", ".tsv")), rng)
    return gzip.compress(data, 1) if kind < 0.2 else data


def pack_wordnet(data: bytes, rng: random.Random) -> bytes:
    """Pack files, which form feeds separate and whose first lines are names, into a tar.gz."""
    parts = [part.partition(b"\n") for part in data.split(b"\f")]
    return damage.pack_tar({os.fsdecode(name[:90]): content for name, _, content in parts}, rng)


def read_puzzle(data: bytes, rng: random.Random) -> None:
    examine_file(PuzzleFile("x", data), rng)


def read_archive(data: bytes, rng: random.Random) -> None:
    """Read a file named x as the command line does: if it is a zip, read everything in it."""
    Path("x").write_bytes(data)
    for file in formats.open_files(Path("x")):
        examine_file(file, rng)


def examine_file(file: PuzzleFile, rng: random.Random) -> None:
    """Read a puzzle file and its solution; sometimes write and render it."""
    puzzle, warnings = formats.read_puzzle(file)
    formats.read_solution(file)
    assert all(x.startswith("x") and x.isprintable() for x in warnings), warnings
    if len(file.data) < MAX_DRAWN_BYTES and rng.random() < 0.02:
        for target in WRITABLE_FORMATS:
            formats.convert_file(file, target)
        render_puzzle(puzzle)


def render_puzzle(puzzle: Puzzle) -> None:
    """Render the puzzle with its given letters, in every printable way."""
    solution = Fill(puzzle.given, dict.fromkeys(puzzle.given, 0.5), {})
    answers = tuple(Answer(slot, clue, solution.answer(slot), 0.5, (), ()) for slot, clue in puzzle.clues.items())
    for render in RENDERERS.values():
        shown = render(SolvedPuzzle(puzzle, solution, answers, "belief", 0.0, "0" * 12), "x", Screen())
        assert all(c.isprintable() or c == "\n" for c in shown), "a character that a terminal may obey"


def read_corpus(name: str, suffix: str, data: bytes, rng: random.Random) -> None:
    path = Path(f"x{suffix}")
    path.write_bytes(data)
    for _ in READERS[name](path):
        pass


def read_names(data: bytes, rng: random.Random) -> None:
    """Parse the words that a person types for entries and patterns."""
    typed = data.decode("utf-8", "surrogateescape")
    (entry_names.parse_entry_names if rng.random() < 0.5 else entry_names.parse_pattern)(typed)


def read_texts(data: bytes, rng: random.Random) -> None:
    """Read a text in all roles."""
    typed = data.decode("utf-8", "replace")
    clue = text.clean_clue(typed)
    for read in (texts.text_from_html, text.text_to_html, text.normalize_answer, plain_text):
        read(typed)
    text.clue_key(clue)
    publication_date.find_date(typed, clue, typed[:4096])
    clue_form.find_references(clue), clue_form.strip_references(clue), clue_form.is_shared_clue(clue)
    min_missing(clue_style.normalize_style(clue_style.normalize_typography(clue), rng.randrange(3, 22)), 9)
    clue_style.strip_star(clue_style.normalize_typography(typed))
    clue_form.classify_clue(clue), clue_form.list_signs(clue[: text.MAX_CLUE_LENGTH])


def read_index(data: bytes, rng: random.Random) -> None:
    Path("index").mkdir(exist_ok=True)
    Path("index", manifest.MANIFEST_NAME).write_bytes(data)
    validation.read_manifest(Path("index"))


def run_child(name: str, subject: FuzzSubject, numbers: range, seed: int, tally: SharedTally) -> None:
    os.chdir(tempfile.mkdtemp(dir="."))
    resource.setrlimit(resource.RLIMIT_AS, (4 * subject.max_growth, 4 * subject.max_growth))
    who = resource.RUSAGE_CHILDREN if subject.in_processes else resource.RUSAGE_SELF
    until = time.monotonic() + SECONDS_PER_CHILD
    for number in numbers:
        if time.monotonic() > until:
            break
        tally.input_counts[0] += 1
        data, rng = make_input(name, subject, number, seed)
        begun, peak = processor_seconds(), peak_memory(who)
        signal.setitimer(signal.ITIMER_PROF, KILL_SECONDS)
        try:
            subject.read_input(data, rng)
            result = 1
        except RegisError as error:
            sentence = str(error)
            result = 2 if sentence.isprintable() and len(sentence) < 500 else 3
            what = f"says {sentence[:500]!r}"
        except Exception:
            result, what = 3, traceback.format_exc(limit=-3)
        signal.setitimer(signal.ITIMER_PROF, 0)
        took, grew = processor_seconds() - begun, peak_memory(who) - peak
        if took > subject.max_seconds or grew > subject.max_growth:
            result, what = 3, f"takes {took:.1f} s and {grew >> 20} MB more"
        if result == 3:
            print(f"{name} {number}, {len(data):,d} bytes: {what}", flush=True)
        tally.input_counts[result] += 1
        tally.maxima[0] = max(tally.maxima[0], took)
        tally.maxima[1] = max(tally.maxima[1], grew)


def processor_seconds() -> float:
    """Return the processor time of this process and its finished children."""
    return sum(os.times()[:4])


def peak_memory(who: int) -> int:
    """Return the peak memory in bytes of this process or its children."""
    return resource.getrusage(who).ru_maxrss << 10


def run_campaign(subjects: dict[str, FuzzSubject], input_count: int, minutes: float, seed: int) -> int:
    """Read up to `input_count` inputs with each subject in turn; print the outcome; return the number of bad ones."""
    fork = multiprocessing.get_context("fork")
    begun = time.monotonic()
    tallies = {name: SharedTally(fork.RawArray("q", 4), fork.RawArray("d", 2)) for name in subjects}
    waiting = list(subjects)
    while waiting and time.monotonic() - begun < 60 * minutes:
        name = waiting.pop(0)
        tally, done = tallies[name], tallies[name].input_counts[0]
        numbers = range(done, min(done + INPUTS_PER_CHILD, input_count))
        child = fork.Process(target=run_child, args=(name, subjects[name], numbers, seed, tally))
        child.start()
        child.join()
        if child.exitcode:
            tally.input_counts[3] += 1
            print(f"{name} {tally.input_counts[0] - 1}: ended with {child.exitcode}", flush=True)
        if tally.input_counts[0] < input_count:
            waiting.append(name)
    print(f"{'':18} {'seeds':>6} {'inputs':>9} {'read':>9} {'refused':>9} {'bad':>6} {'slowest':>10} {'growth':>8}")
    for name, tally in tallies.items():
        done, read, refused, wrong = tally.input_counts
        counts = f"{len(subjects[name].seed_files):6d} {done:9,d} {read:9,d} {refused:9,d} {wrong:6d}"
        print(f"{name:18} {counts} {tally.maxima[0]:8.2f} s {int(tally.maxima[1]) >> 20:5d} MB")
    total, bad = (sum(tally.input_counts[i] for tally in tallies.values()) for i in (0, 3))
    print(f"{total:,d} inputs in {(time.monotonic() - begun) / 60:.0f} minutes, {bad} bad")
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", type=Path, nargs="*", help="puzzles that are seeds, too")
    parser.add_argument("--inputs", type=int, help="for all readers together")
    parser.add_argument("--minutes", type=float, default=10, help="after which it ends, at the latest")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="READER", help="these readers only")
    parser.add_argument("--show", nargs=2, metavar=("READER", "NUMBER"), help="write this input to standard output")
    arguments = parser.parse_args()
    found = fuzz_subjects(arguments.places)
    for name in (*(arguments.only or ()), *(arguments.show or ())[:1]):
        if name not in found:
            parser.error(f"there is no reader {name}; there are: {', '.join(found)}")
    if arguments.show:
        name, number = arguments.show
        return sys.stdout.buffer.write(make_input(name, found[name], int(number), arguments.seed)[0]) and 0
    chosen = {name: subject for name, subject in found.items() if name in (arguments.only or found)}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        input_count = arguments.inputs // len(chosen) if arguments.inputs else sys.maxsize
        return int(run_campaign(chosen, input_count, arguments.minutes, arguments.seed) > 0)


if __name__ == "__main__":
    sys.exit(main())
