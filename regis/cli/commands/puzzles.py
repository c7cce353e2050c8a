"""`regis explain`, `convert`, and `guess`: other things to do with a puzzle, or with one clue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from regis.cli.command import (
    PUZZLE_FORMATS,
    Command,
    ExitZero,
    GridNumber,
    IndexFolder,
    Option,
    OutputPlace,
    PageNumber,
    Positional,
    PuzzleFormat,
    Report,
    choose_format,
    names_folder,
    open_index,
)
from regis.cli.printing import (
    EXIT_CODES_HELP,
    EXIT_FINE,
    EXIT_UNSURE,
    STDOUT_PATH,
    print_error,
    print_warnings,
    print_written,
    write_result,
)
from regis.errors import EntryMissing, OutputError, PuzzleError, UsageError
from regis.system import process
from regis.system.files import atomic

if TYPE_CHECKING:
    from regis.cli.files import OutputFolder
    from regis.puzzle.formats import PuzzleFile


class Explain(Report):
    help = "Explain why an answer is what it is."
    examples = """examples:
  regis explain today.puz 17A
  regis explain today.puz 17A 23D
  regis explain today.puz
  regis explain --limit 10 --format json today.puz 17A,23D

Without an entry, it explains the least sure answer.
"""

    puzzle: Annotated[Path, Positional("a puzzle file", "PUZZLE")]
    entries: Annotated[
        tuple[str, ...], Positional("an entry such as 17A, or several (default: the least sure one)", "ENTRY")
    ] = ()
    index: IndexFolder = None
    limit: Annotated[int, Option("how many candidates to show (default: {default})", "N")] = 5
    page: PageNumber = None
    grid: GridNumber = None

    def run(self) -> int:
        process.use_one_thread()
        from regis.puzzle import entry_names, formats
        from regis.render import json, reasons
        from regis.solving.explanation import explain
        from regis.solving.pipeline import solve

        index = open_index(self.index)
        self.check_output([self.puzzle], index.folder)
        entries = " ".join(self.entries)  # so that the two words `17 across` name one entry, too
        if self.entries:
            entry_names.parse_entry_names(entries)
        file = formats.open_file(self.puzzle)._replace(page_number=self.page, grid_number=self.grid)
        puzzle, warnings = formats.read_puzzle(file)
        slots = entry_names.find_slots(entries, puzzle, file.name) if self.entries else ()
        solved = solve(puzzle, index, reveal=True)
        slots = slots or solved.least_sure_slots
        if not slots:
            raise EntryMissing(f"{file.name} has no entries to explain")
        explained = explain(solved, slots, self.limit)
        print_warnings(warnings)
        if self.is_json:
            return self.write("".join(json.encode_explanation(one, file.name) for one in explained))
        return self.write("\n".join(reasons.render_explanation(one, self.choose_screen()) for one in explained))


class Convert(Command):
    help = "Convert puzzles to another format."
    usage = "PUZZLE [PUZZLE ...] FILE"
    interrupted_message = "some files may be missing"
    exit_codes_help = EXIT_CODES_HELP
    examples = """examples:
  regis convert today.puz today.ipuz
  regis convert page.pdf page.ipuz
  regis convert - today.xd
  regis convert --format ipuz puzzles/2014 converted
  regis convert --format ipuz puzzles/2014 -o converted
  regis convert --format xd today.puz -
  regis convert --unlock prize.puz unlocked.puz

Reads .puz, .ipuz, .jpz, .xd, .cfp, Across Lite text, Exolve, the JSON of seven websites, PDFs, and photographs, by
content, not name. Writes .puz, .ipuz, and .xd. Title, notes, circles, and letters are kept. A warning names what the
new format can't hold and what may be misread from a page. --unlock tries all four-digit keys of a locked .puz, which
takes a few seconds.
"""

    puzzles: Annotated[tuple[OutputPlace, ...], Positional(
        "puzzle files, folders, zips, or - for standard input; the last word is the FILE to write", "PUZZLE"
    )]  # fmt: skip
    output: Annotated[OutputPlace | None, Option(
        "write to FILE, a .puz, .ipuz, or .xd; with --format, a folder or - (default: the last word)", "FILE", short="o"
    )] = None  # fmt: skip
    format: Annotated[PuzzleFormat | None, Option("the format to write (default: by FILE's name)")] = None
    unlock: Annotated[bool, Option("unlock a locked solution by trying every key")] = False
    page: PageNumber = None
    grid: GridNumber = None
    exit_zero: ExitZero = False

    def run(self) -> int:
        """Convert each puzzle; one that can't be read is reported and doesn't stop the others."""
        from regis.cli import files
        from regis.cli.files import OutputFolder
        from regis.puzzle import formats

        puzzles, place = (self.puzzles, self.output) if self.output else (self.puzzles[:-1], self.puzzles[-1])
        if not puzzles:
            raise UsageError("name the puzzle and then the file to write, as in `regis convert today.puz today.ipuz`")
        if not self.format and place.is_dir():
            raise UsageError(f"{place} is a folder; add --format to convert into it")
        is_folder = names_folder(place, self.format, puzzles)
        if not is_folder and (len(puzzles) > 1 or (puzzles[0].is_dir() and place == STDOUT_PATH)):
            raise UsageError("several puzzles need a folder; name one and add --format")
        target = choose_format(self.format, place, PUZZLE_FORMATS)
        folder = OutputFolder(place, puzzles) if is_folder else None
        if not folder and place != STDOUT_PATH:
            atomic.check_writable(place, puzzles)
        code = EXIT_FINE
        for path in puzzles:
            try:
                for file in formats.open_files(path) if folder else [formats.open_file(path)]:
                    placed = file._replace(page_number=self.page, grid_number=self.grid)
                    code = max(code, self._convert(placed, target, folder or place))
                files.report_skipped_archives([path])
            except PuzzleError as error:
                code = max(code, print_error(error))
        if folder and folder.used_names:
            print_written(place, len(folder.used_names))
        return code

    def _convert(self, file: PuzzleFile, target: str, place: OutputFolder | Path) -> int:
        """Convert one file, or say why it can't be converted; return the exit code."""
        from regis.cli.files import OutputFolder
        from regis.cli.progress import show_progress
        from regis.puzzle import formats

        try:
            print_warnings(formats.read_puzzle(file)[1])
            path = place.reserve_path(file, target) if isinstance(place, OutputFolder) else place
            if self.unlock:
                with show_progress("trying keys", formats.KEY_COUNT) as tried:
                    file = formats.unlock_solution(file, lambda: tried.update(1))
            data, lost = formats.convert_file(file, target)
            if path is place:
                write_result(data, path)
            else:
                atomic.write_file(path, data)
            print_warnings(lost)
            confidence = formats.read_confidence(file)
        except (PuzzleError, UsageError, OutputError) as error:
            return print_error(error)
        return EXIT_FINE if self.exit_zero or confidence is None or confidence.is_sure else EXIT_UNSURE


class Guess(Report):
    help = "List possible answers to one clue, with probabilities and evidence."
    usage = "CLUE [PATTERN]"
    examples = """examples:
  regis guess "___ Beta Kappa" "P?I"
  regis guess "Norwegian capital" 4
  regis guess "Norwegian capital"
  regis guess --limit 3 --format json "Sea eagle" er.e

The pattern is the number of letters, or the letters, with ? . _ or - for unknown ones. If you know them all, use
capitals. Without a pattern, Regis lists answers of every length. Put -- before a clue or pattern that starts with a
dash:
regis guess -- "-- Beta Kappa" -h-
"""

    clue: Annotated[tuple[str, ...], Positional("the clue, quoted, and the pattern (see below)", "CLUE")]
    index: IndexFolder = None
    limit: Annotated[int, Option("how many answers to show (default: {default})", "N")] = 10

    def run(self) -> int:
        """List the answers. The last of several words is the pattern, unless it has only small letters."""
        process.use_one_thread()
        from regis.api.guess import guess_answers
        from regis.puzzle import entry_names
        from regis.render import json, reasons

        *words, last = self.clue
        pattern = last if words and not (last.isalpha() and not last.isupper()) else None
        if pattern is not None:
            entry_names.parse_pattern(pattern)  # before the index is opened
        index = open_index(self.index)
        self.check_output(index_folder=index.folder)
        guess = guess_answers(" ".join(words if pattern else self.clue), pattern, index, self.limit)
        found = guess.clue, guess.pattern, guess.candidates, guess.missing_probability
        if self.is_json:
            return self.write(json.encode_guess(*found, index.fingerprint))
        return self.write(reasons.render_guess(*found, self.choose_screen()))
