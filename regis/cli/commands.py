"""From the command line to one call and its result on the screen: the only module that prints or exits.

Everything that can go wrong is told in one sentence on standard error, and the exit code says of what kind it was (see
`regis --help`). The modules that do the work are imported when their command is run: they bring number libraries with
them, which must first be told how many threads to use, and `regis --help` should not wait for them.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from regis.cli import argument_types, output
from regis.cli.arguments import BYTES, FILES, PACE, PICTURES, parser
from regis.cli.progress import bar
from regis.errors import (
    FetchError,
    IndexError_,
    IndexMissing,
    OutputError,
    PuzzleError,
    RegisError,
    UsageError,
    unknown,
)
from regis.system import paths, threads
from regis.system.terminal import Screen, plain

if TYPE_CHECKING:
    from regis.index import Index

FINE, FAILED, MISUSED, UNSURE, INTERRUPTED = 0, 1, 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    arguments = argparse.Namespace(command=None)
    try:
        parser().parse_args(argv, arguments)
        return COMMANDS[arguments.command](arguments)
    except SystemExit:  # by argparse, after --help or --version
        return _flush()
    except KeyboardInterrupt:
        return _tell(f"interrupted; {WHEN_INTERRUPTED[arguments.command]}", INTERRUPTED)
    except BrokenPipeError:
        return _mute(FINE)
    except UsageError as error:
        return _tell(f"error: {error}", MISUSED)
    except RegisError as error:
        return _tell(f"error: {error}", FAILED)
    except (OSError, MemoryError) as error:
        return _tell(f"error: {_sentence(error)}", FAILED)


def run() -> NoReturn:
    """The `regis` script."""
    sys.exit(main())


def solve(arguments: argparse.Namespace) -> int:
    """Solves every puzzle it is given; those that cannot be read are told of and do not stop the others."""
    threads.one()
    from regis.cli import requests
    from regis.cli.watch import Watching
    from regis.puzzle import formats
    from regis.solving import hint
    from regis.solving.pipeline import solve
    from regis.solving.solution import Budget, unwatched

    _check_filler(arguments.filler)
    view = requests.view(arguments)
    single = arguments.format in (*FILES, *PICTURES)
    if arguments.format in BYTES and not arguments.output:
        kind = arguments.format
        raise UsageError(f"a .{kind} does not go to the screen; say where with --output NAME.{kind}")
    if arguments.pace and not arguments.watch:
        raise UsageError("--pace is how long a step of --watch stays; name --watch too")
    if arguments.watch and arguments.format != "text" and not arguments.output:
        raise UsageError("--watch shows steps where the result would go; send that to a file with --output FILE")
    if arguments.output:
        output.check(arguments.output, () if arguments.format in FILES else arguments.puzzles)
    index = _opened(arguments)
    terminal = requests.screen(arguments, sys.stdout)
    screen = requests.screen(arguments, None) if arguments.output else terminal
    finished: list[str] = []
    failures = 0
    unsure = False
    for path in arguments.puzzles:
        try:
            files = list(formats.open_files(path))
        except (PuzzleError, OSError, MemoryError) as error:
            failures += _tell(f"error: {_sentence(error)}", FAILED)
            continue
        if single and max(len(files), len(arguments.puzzles)) > 1:
            raise UsageError(f"a .{arguments.format} holds one puzzle, so name one; --format json takes many")
        for file in files:
            try:
                puzzle, warnings = formats.read(file)
                slots = requests.entries(arguments, puzzle, file.name)
            except (PuzzleError, OSError, MemoryError) as error:
                failures += _tell(f"error: {_sentence(error)}", FAILED)
                continue
            _warn(warnings)
            watch = Watching(puzzle, terminal, arguments.pace or PACE, _show) if arguments.watch else None
            budget = Budget(arguments.seconds)
            solved = solve(puzzle, index, arguments.filler, budget, arguments.reveal, watch or unwatched)
            if watch:
                watch.close()
            if arguments.grade:
                solved, ungraded = requests.graded(solved, file)
                _warn(ungraded)
            solved = hint.only(solved, slots) if arguments.only else solved
            _warn([] if arguments.check or arguments.hint else requests.doubts(solved, file.name))
            unsure |= not view.sure(solved)
            if arguments.format in BYTES:
                data, lost = requests.data(solved, file, arguments.format)
                output.write(arguments.output, data)
                return max(failures, _warn(lost)) or (UNSURE if unsure else FINE)
            gap = "\n" if finished and arguments.format == "text" else ""
            finished.append(gap + view.render(solved, file.name, screen))
            if not arguments.output:
                _show(finished[-1])
    if arguments.output and finished:
        output.write(arguments.output, "".join(finished))
    return FAILED if failures else UNSURE if unsure else FINE


def explain(arguments: argparse.Namespace) -> int:
    """Prints why entries of a puzzle are filled as they are."""
    threads.one()
    from regis.cli import requests

    index = _opened(arguments)
    warnings, explained = requests.explanations(arguments, index, Screen.of(sys.stdout))
    _warn(warnings)
    _show(explained)
    return FINE


def convert(arguments: argparse.Namespace) -> int:
    """Writes one puzzle in the format that the name of the new file asks for."""
    from regis.puzzle import formats

    target = arguments.file.suffix.lower().removeprefix(".")
    if target not in FILES:
        raise UsageError(f"{arguments.file} names no format that can be written; end it in .{', .'.join(FILES)}")
    output.check(arguments.file)
    file = formats.open_file(arguments.puzzle)
    _warn(formats.read(file)[1])
    data, lost = formats.written(file, target)
    output.write(arguments.file, data)
    return _warn(lost)


def guess(arguments: argparse.Namespace) -> int:
    """Prints the best candidates for one clue."""
    threads.one()
    from regis.puzzle import entry_names
    from regis.render import guess, json
    from regis.solving.pipeline import candidates

    pattern = entry_names.pattern(arguments.pattern)
    index = _opened(arguments)
    found = candidates(arguments.clue, pattern, index)
    best = [found[i] for i in range(min(len(found), arguments.limit))]
    if arguments.format == "json":
        _show(json.guess(arguments.clue, pattern, best, found.missing, index.fingerprint))
    else:
        _show(guess.render(arguments.clue, pattern, best, found.missing, Screen.of(sys.stdout)))
    return FINE


def bench(arguments: argparse.Namespace) -> int:
    """Prints the table of an archive, also when it was interrupted."""
    threads.one()
    from regis.evaluation import INTERRUPTED as STOPPED
    from regis.evaluation import Plan, run
    from regis.solving.solution import Budget

    _check_filler(arguments.filler)
    for file in filter(None, (arguments.json, arguments.html)):
        output.check(file, [arguments.archive])
    plan = Plan(
        archive=arguments.archive,
        index=_opened(arguments).folder,
        filler=arguments.filler,
        budget=Budget(arguments.seconds),
        jobs=arguments.jobs,
        limit=arguments.limit,
        per_weekday=arguments.per_weekday,
        seen=arguments.seen,
    )
    report = run(plan, bar)
    _show(report.text(Screen.of(sys.stdout)))
    if arguments.json:
        output.write(arguments.json, report.json())
    if arguments.html:
        output.write(arguments.html, report.html())
    if report.stopped == STOPPED:
        return _tell("interrupted; the table holds what was done until then", INTERRUPTED)
    return FAILED if report.stopped or all(r.failure for r in report.records) else FINE


def fetch(arguments: argparse.Namespace) -> int:
    """Lists the public corpora, or downloads some; one that does not come does not stop the others."""
    from regis.corpora import catalogue
    from regis.corpora.download import fetch
    from regis.render import sources

    known, screen = catalogue.read(), Screen.of(sys.stdout)
    for name in arguments.names:
        if name not in known:
            raise unknown("source", name, known)
    if not arguments.names:
        _show(sources.listing(known.values(), paths.downloads(), screen))
    failures = 0
    for one in (known[name] for name in dict.fromkeys(arguments.names)):
        try:
            _tell(f"{one.name}: {sources.licence(one)}", FINE)
            done = fetch(one, paths.downloads(), again=arguments.again, progress=bar)
            _show(sources.fetched(one, done, screen))
        except FetchError as error:
            failures += _tell(f"error: {error}", FAILED)
    return FAILED if failures else FINE


def build(arguments: argparse.Namespace) -> int:
    """Builds an index and tells what went into it."""
    from regis.building.build import build
    from regis.corpora import catalogue
    from regis.corpora.readers import READERS
    from regis.index import Index
    from regis.render import manifest

    sources = [argument_types.source(word, READERS) for word in arguments.source]
    if not sources and (sources := catalogue.fetched(paths.downloads())):
        _tell(f"note: building from what was fetched: {', '.join(s.path.name for s in sources)}", FINE)
    out = paths.own(arguments.out)
    lost = _added(out)
    build(sources, out, until=arguments.until, hold_out=arguments.hold_out, progress=bar)
    _show(manifest.render(Index.open(out), Screen.of(sys.stdout)))
    if lost:
        _tell(f"note: `regis add` had added puzzles to the old index; add them again: {', '.join(lost)}", FINE)
    return FINE


def add(arguments: argparse.Namespace) -> int:
    """Adds puzzles to an index and tells what became of them."""
    threads.one()
    from regis.building.add import add

    added = add(arguments.paths, _own(arguments), progress=bar)
    for name, why in added.useless:
        _tell(f"warning: {name}: {why}; left out", FINE)
    _show(
        f"puzzles added: {added.puzzles:,}, with {added.clues:,} clues and {added.answers:,} new answers; "
        f"in the index already: {len(added.known):,}\n"
    )
    return FINE if added.puzzles or added.known else FAILED


def learn(arguments: argparse.Namespace) -> int:
    """Learns the clue encoders for an index."""
    from regis.building.training.train import EPOCHS, TRANSFORMER_EPOCHS, learn_encoder
    from regis.index import Index
    from regis.render import manifest

    folder = _own(arguments)
    epochs = arguments.epochs or (TRANSFORMER_EPOCHS if arguments.transformer else EPOCHS)
    learn_encoder(
        folder,
        epochs=EPOCHS if arguments.transformer else epochs,
        transformer_epochs=epochs if arguments.transformer else None,
        progress=bar,
    )
    _show(manifest.render(Index.open(folder), Screen.of(sys.stdout)))
    return FINE


def distil(arguments: argparse.Namespace) -> int:
    """Distils an index."""
    threads.one()
    from regis.building.distil import distil
    from regis.index import Index
    from regis.render import manifest

    distil(_own(arguments), arguments.out, progress=bar)
    _show(manifest.render(Index.open(arguments.out), Screen.of(sys.stdout)))
    return FINE


def index(arguments: argparse.Namespace) -> int:
    """Tells what an index holds."""
    from regis.index import Index
    from regis.render import manifest

    index = Index.open(paths.index(arguments.index))
    _show(manifest.render(index, Screen.of(sys.stdout)))
    return FINE


def doctor(arguments: argparse.Namespace) -> int:
    """Tells how this copy of Regis is."""
    threads.one()
    from regis.cli import doctor
    from regis.render import doctor as text

    report = doctor.examine(arguments.index, bar)
    _show(text.render(report.found, Screen.of(sys.stdout)))
    return FINE if report.able else FAILED


def completion(arguments: argparse.Namespace) -> int:
    """Prints a script for a shell."""
    from regis.cli.completion import script

    _show(script(parser(), arguments.shell))
    return FINE


COMMANDS = {
    "solve": solve,
    "explain": explain,
    "convert": convert,
    "guess": guess,
    "bench": bench,
    "fetch": fetch,
    "build": build,
    "add": add,
    "learn": learn,
    "distil": distil,
    "index": index,
    "doctor": doctor,
    "completion": completion,
}

WHEN_INTERRUPTED = {
    None: "nothing was done",
    "solve": "what was not printed yet is not solved, and no file was written",
    "explain": "nothing was done",
    "convert": "no file was written",
    "guess": "nothing was done",
    "bench": "nothing was measured yet",
    "fetch": "what came so far is kept, the same command goes on",
    "build": "no index was built, an older one is as it was",
    "add": "nothing was added, the index is as it was",
    "learn": "the index is as it was; a transformer's lessons go on where they stopped with the same command",
    "distil": "nothing was written, an older distilled index is as it was",
    "index": "nothing was done",
    "doctor": "nothing was changed",
    "completion": "nothing was done",
}


def _opened(arguments: argparse.Namespace) -> Index:
    """The index that is asked for."""
    from regis.index import Index

    return Index.open(paths.index(arguments.index))


def _own(arguments: argparse.Namespace) -> Path:
    """The folder of the index for what needs its clues. Raises IndexMissing where the starter is all there is."""
    folder = paths.own(arguments.index)
    if paths.index(arguments.index) != folder:
        raise IndexMissing(
            "the starter that ships with Regis holds no clues to do this with; make an index of your own: "
            "`regis fetch xd-clues wordnet`, then `regis build`"
        )
    return folder


def _added(folder: Path) -> list[str]:
    """Names of the files that were added to the index at `folder`, if there is one that can be read."""
    from regis.index import Index

    try:
        return [record.file for record in Index.open(folder).manifest.added]
    except IndexError_:
        return []


def _check_filler(name: str) -> None:
    """Before anything else is opened or read."""
    from regis.solving.fillers import FILLERS

    if name not in FILLERS:
        raise unknown("filler", name, FILLERS)


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _tell(sentence: str, code: int) -> int:
    """One line on standard error; returns `code`."""
    if sys.stderr is not None:
        print(f"regis: {plain(sentence)}", file=sys.stderr)
    return code


def _warn(sentences: Sequence[str]) -> int:
    for sentence in sentences:
        _tell(f"warning: {sentence}", FINE)
    return FINE


def _show(text: str) -> None:
    """Prints a result. Raises BrokenPipeError where nobody reads on, OutputError where it cannot be written."""
    try:
        print(text, end="", flush=True)
    except BrokenPipeError:
        raise
    except OSError as cause:
        _mute(FAILED)
        raise OutputError(f"the output cannot be written ({cause.strerror})") from cause


def _flush() -> int:
    """Writes out what argparse has printed."""
    _show("")
    return FINE


def _mute(code: int) -> int:
    """Lets nothing more go to a standard output that takes no more, not even when Python ends; returns `code`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
