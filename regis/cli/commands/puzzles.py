"""`regis explain`, `convert` and `guess`: what else there is to do with a puzzle, or with one clue of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from regis.cli.command import (
    PUZZLE_FORMATS,
    STDOUT_PATH,
    Command,
    IndexFolder,
    Option,
    OutputPlace,
    Positional,
    PuzzleFormat,
    ReportFormat,
    names_folder,
    open_index,
    warn_of_suffix,
)
from regis.cli.printing import EXIT_FINE, EXIT_UNSURE, print_error, print_result, print_warnings, print_written
from regis.errors import OutputError, PuzzleError, UsageError
from regis.system import process
from regis.system.files import atomic
from regis.system.terminal import Screen

if TYPE_CHECKING:
    from regis.cli.files import OutputFolder
    from regis.puzzle.formats import PuzzleFile


class Explain(Command):
    help = "Explain why an answer is what it is."
    examples = """examples:
  regis explain today.puz 17A
  regis explain today.puz 17A 23D
  regis explain --limit 10 --format json today.puz 17A,23D
"""

    puzzle: Annotated[Path, Positional("a puzzle file", "PUZZLE")]
    entries: Annotated[tuple[str, ...], Positional("an entry such as 17A, or several: 17A 23D or 17A,23D", "ENTRY")]
    index: IndexFolder = None
    limit: Annotated[int, Option("how many candidates to show (default: {default})", "N")] = 5
    format: ReportFormat = "text"

    def run(self) -> int:
        process.use_one_thread()
        from regis.cli import solving
        from regis.puzzle import entry_names, formats
        from regis.render import json, reasons
        from regis.solving.explanation import explain
        from regis.solving.pipeline import solve

        index = open_index(self.index)
        entries = " ".join(self.entries)  # so that the two words `17 across` name one, too
        entry_names.parse_entry_names(entries)
        file = formats.open_file(self.puzzle)
        puzzle, warnings = formats.read_puzzle(file)
        slots = entry_names.find_slots(entries, puzzle, file.name)
        explained = explain(solve(puzzle, index, reveal=True), slots, self.limit)
        print_warnings([*warnings, *solving.warn_of_long_entries(slots, file)])
        if self.format == "json":
            return print_result("".join(json.encode_explanation(one, file.name) for one in explained))
        return print_result(
            "\n".join(reasons.render_explanation(one, Screen.for_stream(sys.stdout)) for one in explained)
        )


class Convert(Command):
    help = "Convert puzzles to another format."
    interrupted_message = "some files may be missing"
    examples = """examples:
  regis convert today.puz today.ipuz
  regis convert page.pdf page.ipuz
  regis convert - today.xd
  regis convert --format ipuz puzzles/2014 converted
  regis convert --format xd today.puz -
  regis convert --unlock prize.puz unlocked.puz

Reads .puz, .ipuz, .jpz, .xd, .cfp, Across Lite text, Exolve, the JSON of seven websites, PDFs, and photographs, by
content, not name. Writes .puz, .ipuz, and .xd. Title, notes, circles, and letters are kept. A warning names what the
new format can't hold and what may be misread from a page. --unlock tries all four-digit keys of a locked .puz, which
takes some seconds.
"""

    puzzles: Annotated[tuple[Path, ...], Positional("puzzle files, folders, zips, or - for standard input", "PUZZLE")]
    file: Annotated[OutputPlace, Positional("a .puz, .ipuz, or .xd to write; with --format, a folder or -", "FILE")]
    format: Annotated[PuzzleFormat | None, Option("the format to write (default: by FILE's name)")] = None
    unlock: Annotated[bool, Option("unlock a locked solution by trying every key")] = False

    def run(self) -> int:
        """Convert each; one that can't be read is reported and does not stop the others."""
        from regis.cli import files
        from regis.cli.files import OutputFolder
        from regis.puzzle import formats

        is_folder = names_folder(self.file, self.format, self.puzzles)
        target = self.format or ("" if is_folder else self.file.suffix.lower().removeprefix("."))
        if target not in PUZZLE_FORMATS:
            raise UsageError(
                f"{self.file} doesn't end in a format Regis writes; use .{', .'.join(PUZZLE_FORMATS)}, or --format"
            )
        folder = OutputFolder(self.file, self.puzzles) if is_folder else None
        if not folder and (len(self.puzzles) > 1 or (self.puzzles[0].is_dir() and self.file == STDOUT_PATH)):
            raise UsageError("several puzzles need a folder; name one and add --format")
        if not folder and self.file != STDOUT_PATH:
            atomic.check_writable(self.file, self.puzzles)
            print_warnings(warn_of_suffix(self.file, target))
        code = EXIT_FINE
        for path in self.puzzles:
            try:
                for file in formats.open_files(path) if folder else [formats.open_file(path)]:
                    code = max(code, self._convert_or_report(file, target, folder))
                files.report_skipped_archives([path])
            except PuzzleError as error:
                code = max(code, print_error(error))
        if folder and folder.used_names:
            print_written(self.file, len(folder.used_names))
        return code

    def _convert_or_report(self, file: PuzzleFile, target: str, folder: OutputFolder | None) -> int:
        """Convert one file, or say why it cannot be; return the exit code."""
        try:
            return self._convert(file, target, folder)
        except (PuzzleError, UsageError, OutputError) as error:
            return print_error(error)

    def _convert(self, file: PuzzleFile, target: str, folder: OutputFolder | None) -> int:
        from regis.cli.progress import show_progress
        from regis.puzzle import formats

        print_warnings(formats.read_puzzle(file)[1])
        place = folder.reserve_path(file, target) if folder else self.file
        if self.unlock:
            with show_progress("trying keys", formats.KEY_COUNT) as tried:
                file = formats.unlock_solution(file, lambda: tried.update(1))
        data, lost = formats.convert_file(file, target)
        if place == STDOUT_PATH:
            print_result(data)
        else:
            atomic.write_file(place, data, tidies=folder is None)
            if folder is None:
                print_written(place)
        print_warnings(lost)
        confidence = formats.read_confidence(file)
        return EXIT_FINE if confidence is None or confidence.is_sure else EXIT_UNSURE


class Guess(Command):
    help = "List possible answers to one clue, with probabilities and evidence."
    examples = """examples:
  regis guess "___ Beta Kappa" "P?I"
  regis guess "Norwegian capital" 4
  regis guess --limit 3 --format json "Sea eagle" er.e

Put -- before a clue or pattern that starts with a dash: regis guess -- "-- Beta Kappa" -h-
"""

    clue: Annotated[tuple[str, ...], Positional("the clue; quote it if your shell would change it", "CLUE")]
    pattern: Annotated[
        str, Positional("the letters, with ? . _ or - for unknown ones, or the number of letters", "PATTERN")
    ]
    index: IndexFolder = None
    limit: Annotated[int, Option("how many answers to show (default: {default})", "N")] = 10
    format: ReportFormat = "text"

    def run(self) -> int:
        process.use_one_thread()
        from regis.puzzle import entry_names
        from regis.render import json, reasons
        from regis.solving.retrieval import retrieve_clue_candidates

        clue, pattern = " ".join(self.clue), entry_names.parse_pattern(self.pattern)
        index = open_index(self.index)
        found = retrieve_clue_candidates(clue, pattern, index)
        best = [found[i] for i in range(min(len(found), self.limit))]
        if self.format == "json":
            return print_result(json.encode_guess(clue, pattern, best, found.missing, index.fingerprint))
        return print_result(reasons.render_guess(clue, pattern, best, found.missing, Screen.for_stream(sys.stdout)))
