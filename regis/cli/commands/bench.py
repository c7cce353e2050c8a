"""`regis bench`: a whole archive, solved and scored."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

from regis.cli.command import Command, Option, Positional
from regis.cli.options import STDOUT, Cluster, Filler, IndexFolder, Jobs, Seconds, Target, check_filler, crew, opened
from regis.cli.printing import FAILED, FINE, INTERRUPTED, report, report_error, show
from regis.cli.progress import bar
from regis.errors import OutputError, UsageError
from regis.system import atomic, paths, threads
from regis.system.terminal import Screen


class Bench(Command):
    help = "Solves a whole archive and scores it by weekday."
    interrupted = "nothing was measured yet"
    examples = """examples:
  regis bench puzzles/2014 --index index-2013 --jobs 2
  regis bench puzzles --jobs 8 --resume puzzles.jsonl
  regis bench puzzles.zip --filler singletons --per-weekday 6 --json results.json --html report.html

A puzzle that the index already holds stops the benchmark before it begins, unless --seen is given. A file that cannot
be read is named in the report and stops nothing.
"""

    archive: Annotated[Path, Positional("a folder or a zip of puzzle files", "ARCHIVE")]
    index: IndexFolder = None
    filler: Filler = "belief"
    seconds: Seconds = None
    jobs: Jobs = 1
    cluster: Cluster = None
    limit: Annotated[int | None, Option("only N puzzles, spread over the weekdays", "N", group="sample")] = None
    per_weekday: Annotated[int | None, Option("only N puzzles of each weekday", "N", group="sample")] = None
    resume: Annotated[Target | None, Option(
        "keep each result in FILE as soon as it is there; where it holds some, do only the rest", "FILE"
    )] = None  # fmt: skip
    json: Annotated[Target | None, Option("write every puzzle's result to FILE as well", "FILE")] = None
    html: Annotated[Target | None, Option("write a page with plots to FILE as well", "FILE")] = None
    seen: Annotated[bool, Option("measure also puzzles that the index already holds")] = False

    def run(self) -> int:
        """Prints its table also when it was interrupted, by Ctrl-C or by who ends the job (SIGTERM)."""
        threads.one()
        from regis import evaluation
        from regis.cli import passed_over

        check_filler(self.filler)
        index = opened(self.index).folder
        files = {name: file for name in ("resume", "json", "html") if (file := getattr(self, name))}
        for name, file in files.items():
            self._check(f"--{name}", file, index)
        for (name, file), (other, second) in itertools.combinations(files.items(), 2):
            if file.resolve() == second.resolve():
                raise UsageError(f"--{name} and --{other} name the same file; name two")
        plan = evaluation.Plan(
            archive=self.archive,
            index=index,
            filler=self.filler,
            seconds=self.seconds,
            crew=crew(self.jobs, self.cluster),
            limit=self.limit,
            per_weekday=self.per_weekday,
            seen=self.seen,
            resume=self.resume,
        )
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
        try:
            done = evaluation.run(plan, bar)
        finally:
            signal.signal(signal.SIGTERM, before)
        failures = []
        for wanted, content in ((self.json, done.json), (self.html, done.html)):
            try:
                if wanted:
                    atomic.write(wanted, content())
            except OutputError as error:
                failures.append(report_error(error))
        passed_over.tell_archives([self.archive])
        show(done.text(Screen.of(sys.stdout)))  # last: whoever reads may go, and what is in files is kept
        if done.stopped == evaluation.INTERRUPTED:
            rest = f"; the same command with --resume {self.resume} does the rest" if self.resume else ""
            return report(f"interrupted; the table holds what was done until then{rest}", INTERRUPTED)
        if done.stopped:
            return report(f"error: {done.stopped}", FAILED)
        if not any(record.score for record in done.records):
            return report("error: no puzzle could be graded, and the table says why", FAILED)
        return FAILED if failures else FINE

    def _check(self, option: str, file: Path, index: Path) -> None:
        """Raises UsageError or OutputError where results could not go into a `file`, or would be read as a puzzle."""
        from regis.puzzle import formats

        if file == STDOUT:
            raise UsageError(f"{option} is written beside the table; name a file")
        named = formats.named(Path(os.path.realpath(file)).name)  # also through a link
        if self.archive.is_dir() and named and paths.within(file, self.archive):
            raise UsageError(f"{file} lies in {self.archive} and is named as puzzles are; name a file elsewhere")
        atomic.check(file, () if self.archive.is_dir() else [self.archive], index)
