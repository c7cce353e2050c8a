"""`regis bench`: a whole archive, solved and scored."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path
from typing import Annotated

from regis.cli.command import (
    ClusterAddress,
    Command,
    FillerName,
    IndexFolder,
    JobCount,
    Option,
    OutputPath,
    Positional,
    ReportOutput,
    TimeLimit,
    choose_workers,
    open_index,
)
from regis.cli.printing import (
    EXIT_FAILED,
    EXIT_FINE,
    EXIT_INTERRUPTED,
    STDOUT_PATH,
    print_error,
    print_note,
    print_written,
    write_result,
)
from regis.cli.progress import show_progress
from regis.errors import OutputError, UsageError
from regis.system import paths, process
from regis.system.files import atomic
from regis.system.process import keep_interrupts
from regis.system.terminal import Screen


class Bench(Command):
    help = "Solve a whole archive and score it by weekday."
    interrupted_message = "nothing has been measured"
    examples = """examples:
  regis bench puzzles/2014 --index index-2013 --jobs 2
  regis bench puzzles --jobs 8 --resume puzzles.jsonl
  regis bench puzzles.zip --filler singletons --per-weekday 6 --json results.json --html report.html

If a puzzle is already in the index, nothing is solved unless you add --seen. The report names files that can't be read.
"""

    archive: Annotated[Path, Positional("a folder or zip of puzzle files", "ARCHIVE")]
    index: IndexFolder = None
    filler: FillerName = "belief"
    seconds: TimeLimit = None
    jobs: JobCount = 1
    cluster: ClusterAddress = None
    limit: Annotated[int | None, Option("solve only N puzzles, spread over the weekdays", "N", group="sample")] = None
    per_weekday: Annotated[int | None, Option("solve only N puzzles of each weekday", "N", group="sample")] = None
    resume: Annotated[OutputPath | None, Option(
        "save each result to FILE right away, and skip puzzles already in FILE", "FILE"
    )] = None  # fmt: skip
    json: Annotated[OutputPath | None, Option("also write every puzzle's result to FILE", "FILE")] = None
    html: Annotated[OutputPath | None, Option("also write a page with plots to FILE", "FILE")] = None
    output: ReportOutput = None
    seen: Annotated[bool, Option("include puzzles that are already in the index")] = False

    def run(self) -> int:
        """Print the table, even after an interruption by Ctrl-C or the end of the job (SIGTERM)."""
        process.use_one_thread()
        from regis import evaluation
        from regis.ancestors import find_filler
        from regis.cli.files import report_skipped_archives

        find_filler(self.filler)
        index = open_index(self.index).folder
        output = None if self.output == STDOUT_PATH else self.output
        named = {"resume": self.resume, "json": self.json, "html": self.html, "output": output}
        files = {name: file for name, file in named.items() if file}
        for name, file in files.items():
            self._check_file(f"--{name}", file, index)
        for (name, file), (other, second) in itertools.combinations(files.items(), 2):
            if file.resolve() == second.resolve():
                raise UsageError(f"--{name} and --{other} name the same file; choose two")
        plan = evaluation.BenchmarkPlan(
            archive=self.archive,
            index=index,
            filler=self.filler,
            seconds=self.seconds,
            workers=choose_workers(self.jobs, self.cluster),
            puzzle_limit=self.limit,
            per_weekday=self.per_weekday,
            include_seen=self.seen,
            journal_path=self.resume,
        )
        with keep_interrupts() as raise_again:
            done = evaluation.run_benchmark(plan, show_progress, raise_again)
        failures = []
        for wanted, content in ((self.json, done.render_json), (self.html, done.render_html)):
            try:
                if wanted:
                    atomic.write_file(wanted, content())
                    print_written(wanted)
            except OutputError as error:
                failures.append(print_error(error))
        report_skipped_archives([self.archive])
        # last, because the reader of standard output may be gone, while files stay
        write_result(done.render_text(Screen.for_stream(None if output else sys.stdout)), output)
        if done.stop_reason == evaluation.INTERRUPTED_REASON:
            rest = f"; the same command picks up from {self.resume}" if self.resume else ""
            return print_note(f"interrupted; the table covers what was done{rest}", EXIT_INTERRUPTED)
        if done.stop_reason:
            return print_note(f"error: {done.stop_reason}", EXIT_FAILED)
        if not any(record.score for record in done.records):
            return print_note("error: no puzzle could be graded; the table says why", EXIT_FAILED)
        return EXIT_FAILED if failures else EXIT_FINE

    def _check_file(self, option: str, file: Path, index: Path) -> None:
        """Raise UsageError or OutputError if results can't be written to `file`, or would be read as a puzzle."""
        from regis.puzzle import formats

        if file == STDOUT_PATH:
            raise UsageError(f"{option} needs a file, because the table goes to standard output")
        named = formats.is_puzzle_name(Path(os.path.realpath(file)).name)  # even through a link
        if self.archive.is_dir() and named and paths.is_within(file, self.archive):
            raise UsageError(f"{file} is in {self.archive} and has a puzzle's name; choose a file elsewhere")
        atomic.check_writable(file, () if self.archive.is_dir() else [self.archive], index)
