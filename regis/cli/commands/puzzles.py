"""`regis explain`, `convert` and `guess`: what else there is to do with a puzzle, or with one clue of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from regis.cli.command import Command, Option, Positional
from regis.cli.options import FILES, STDOUT, Format, IndexFolder, PuzzleFormat, Target, misnamed, opened
from regis.cli.printing import FINE, report_error, show, warn
from regis.errors import OutputError, PuzzleError, UsageError
from regis.system import atomic, threads
from regis.system.terminal import Screen

if TYPE_CHECKING:
    from regis.cli.folder import Folder
    from regis.puzzle.formats import PuzzleFile


class Explain(Command):
    help = "Tells why an entry is filled as it is."
    examples = """examples:
  regis explain today.puz 17A
  regis explain today.puz 17A 23D
  regis explain --limit 10 --format json today.puz 17A,23D
"""

    puzzle: Annotated[Path, Positional("a puzzle file", "PUZZLE")]
    entries: Annotated[tuple[str, ...], Positional("which entry, 17A; or several, 17A 23D or 17A,23D", "ENTRY")]
    index: IndexFolder = None
    limit: Annotated[int, Option("how many candidates (default: {default})", "N")] = 5
    format: Format = "text"

    def run(self) -> int:
        threads.one()
        from regis.cli import requests
        from regis.puzzle import entry_names, formats
        from regis.render import evidence, json
        from regis.solving.explain import explain
        from regis.solving.pipeline import solve

        index = opened(self.index)
        entries = " ".join(self.entries)  # so that the two words `17 across` name one, too
        entry_names.names(entries)
        file = formats.open_file(self.puzzle)
        puzzle, warnings = formats.read(file)
        slots = entry_names.slots(entries, puzzle, file.name)
        explained = explain(solve(puzzle, index, reveal=True), slots, self.limit)
        warn([*warnings, *requests.too_long(slots, file)])
        if self.format == "json":
            return show("".join(json.explanation(one, file.name) for one in explained))
        return show("\n".join(evidence.explanation(one, Screen.of(sys.stdout)) for one in explained))


class Convert(Command):
    help = "Writes puzzles in another format."
    interrupted = "what was not written yet is not there"
    examples = """examples:
  regis convert today.puz today.ipuz
  regis convert - today.xd
  regis convert --format ipuz puzzles/2014 converted
  regis convert --format xd today.puz -
  regis convert --unlock prize.puz unlocked.puz

Reads .puz, .ipuz, .jpz, .xd, Across Lite text and the JSON of xwordinfo.com, whatever the file is called; writes .puz,
.ipuz and .xd, as FILE's name or --format says. Title, notes, circles and letters are kept, and what the new format has
no place for is told. With --unlock all four-digit keys of a locked .puz are tried, which takes some seconds.
"""

    puzzles: Annotated[tuple[Path, ...], Positional("puzzle files, folders, zips, or - for standard input", "PUZZLE")]
    file: Annotated[Target, Positional("where to: .puz, .ipuz or .xd; or a folder, or -, with --format", "FILE")]
    format: Annotated[PuzzleFormat | None, Option("the format (default: as FILE's name says)")] = None
    unlock: Annotated[bool, Option("unlock a locked solution by trying every key")] = False

    def run(self) -> int:
        """One that cannot be read is reported and does not stop the others."""
        from regis.cli import passed_over
        from regis.cli.folder import Folder
        from regis.puzzle import formats

        target = self.format or self.file.suffix.lower().removeprefix(".")
        if target not in FILES:
            raise UsageError(
                f"{self.file} names no format that can be written; end it in .{', .'.join(FILES)}, or name --format"
            )
        folder = Folder(self.file, self.puzzles) if self.file.is_dir() else None
        if not folder and (len(self.puzzles) > 1 or (self.puzzles[0].is_dir() and not self.file.suffix)):
            if self.format and self.file != STDOUT:
                raise UsageError(f"several puzzles go into a folder, and there is no folder {self.file}; make it first")
            raise UsageError("several puzzles go into a folder; name one that is there, with --format")
        if not folder and self.file != STDOUT:
            atomic.check(self.file, self.puzzles)
            warn(misnamed(self.file, target))
        code = FINE
        for path in self.puzzles:
            try:
                for file in formats.open_files(path) if folder else [formats.open_file(path)]:
                    code = max(code, self._reported(file, target, folder))
                passed_over.tell_archives([path])
            except PuzzleError as error:
                code = max(code, report_error(error))
        return code

    def _reported(self, file: PuzzleFile, target: str, folder: Folder | None) -> int:
        """Converts one file, or says why it cannot; the exit code."""
        try:
            self._convert(file, target, folder)
        except (PuzzleError, UsageError, OutputError) as error:
            return report_error(error)
        return FINE

    def _convert(self, file: PuzzleFile, target: str, folder: Folder | None) -> None:
        from regis.cli.progress import bar
        from regis.puzzle import formats

        warn(formats.read(file)[1])
        place = folder.place(file, target) if folder else self.file
        if self.unlock:
            with bar("trying keys", formats.KEYS) as tried:
                file = formats.unlocked(file, lambda: tried.update(1))
        data, lost = formats.written(file, target)
        if place == STDOUT:
            show(data)
        else:
            atomic.write(place, data)
        warn(lost)


class Guess(Command):
    help = "Lists the answers that one clue may have, with probability and evidence."
    examples = """examples:
  regis guess "___ Beta Kappa" "P?I"
  regis guess "Norwegian capital" 4
  regis guess --limit 3 --format json "Sea eagle" er.e

Write -- before a clue or a pattern that begins with a dash: regis guess -- "-- Beta Kappa" -h-
"""

    clue: Annotated[str, Positional("the clue, in quotation marks", "CLUE")]
    pattern: Annotated[str, Positional("letters, with ? . _ or - for an unknown one; or how many", "PATTERN")]
    index: IndexFolder = None
    limit: Annotated[int, Option("how many answers (default: {default})", "N")] = 10
    format: Format = "text"

    def run(self) -> int:
        threads.one()
        from regis.puzzle import entry_names
        from regis.render import evidence, json
        from regis.solving.asking import candidates

        pattern = entry_names.pattern(self.pattern)
        index = opened(self.index)
        found = candidates(self.clue, pattern, index)
        best = [found[i] for i in range(min(len(found), self.limit))]
        if self.format == "json":
            return show(json.guess(self.clue, pattern, best, found.missing, index.fingerprint))
        return show(evidence.guess(self.clue, pattern, best, found.missing, Screen.of(sys.stdout)))
