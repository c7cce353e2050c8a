"""The command line as a grammar: commands, options, examples.

Nothing is done here. A word that makes no sense becomes a UsageError, so that it is told in one sentence like every
other mistake.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NoReturn

from regis.cli.argument_types import positive, seconds
from regis.errors import UsageError
from regis.system.paths import VARIABLE
from regis.system.version import __version__

FILES = ("puz", "ipuz", "xd")
"""Formats of puzzle files that can be written."""

PICTURES = ("html", "svg", "png")
"""What shows the grid as a picture. They hold one puzzle, as puzzle files do."""

BYTES = (*FILES, "png")
"""What is not text and does not go to the screen."""

NAMES = "belief, singletons, domains, climb, backtrack or cells"

SHELLS = ("bash", "zsh")
"""Those that completion is written for; for others shtab has too little."""

PACE = 0.1
"""Seconds that a step of --watch stays where nobody says how long."""

CODES = """exit codes:
  0    all went well; a solved puzzle is filled, and every square at least 90% sure
  1    bad input, or something failed; one sentence on standard error says what
  2    the command line makes no sense
  3    done, but unsure: a square that was asked for is less sure; --check found a wrong letter; --hint found no hint
  130  interrupted with Ctrl-C
"""

FIRST = """examples:
  regis solve today.puz
  regis guess "Norwegian capital" 4

To know more, fetch corpora and build an index of them:
  regis fetch xd-clues wordnet
  regis build
  regis learn

"""

EXAMPLES = {
    "solve": """examples:
  regis solve today.puz
  regis solve --format json --output solved.jsonl monday.puz tuesday.puz
  regis solve --format ipuz --output solved.ipuz today.puz
  regis solve --format html --output today.html today.puz
  regis solve --filler singletons --seconds 5 archive.zip
  regis solve --filler backtrack --watch --pace 0.5 mini.puz
  regis solve --check today.puz
  regis solve --hint --only 17A today.puz
  regis solve --only 17A,23D today.puz
  regis solve --numbers --ascii today.puz

Letters that you wrote into the file are kept; those that are probably wrong are told of on standard error.
""",
    "explain": """examples:
  regis explain today.puz 17A
  regis explain --limit 10 --format json today.puz 17A,23D
""",
    "convert": """examples:
  regis convert today.puz today.ipuz
  regis convert - today.xd

Reads .puz, .ipuz, .jpz, .xd, Across Lite text and the JSON of xwordinfo.com, whatever the file is called; writes .puz,
.ipuz and .xd, as FILE's name says. Title, notes, circles and letters are kept, and what the new format has no place
for is told.
""",
    "guess": """examples:
  regis guess "___ Beta Kappa" "P?I"
  regis guess "Norwegian capital" 4
  regis guess --limit 3 --format json "Sea eagle" er.e

Write -- before a clue or a pattern that begins with a dash: regis guess -- "-- Beta Kappa" -h-
""",
    "bench": """examples:
  regis bench puzzles/2014 --index index-2013 --jobs 2
  regis bench puzzles.zip --filler singletons --per-weekday 6 --json results.json --html report.html

A puzzle that the index already holds stops the benchmark before it begins, unless --seen is given. A file that cannot
be read is named in the report and stops nothing.
""",
    "fetch": """examples:
  regis fetch
  regis fetch xd-clues wordnet
  regis fetch --again xd-clues

Without a NAME it lists what there is, under which licence, and what was fetched. What is cut off goes on with the same
command. Then `regis build` reads all that lies there. This is the only command that uses the network.
""",
    "build": """examples:
  regis build
  regis build --source xd-clues=xd-clues.zip --source wikipedia-titles=enwiki-all-titles-in-ns0.gz
  regis build --source clues.tsv --source word-list=words.dict --until 2013 --out index-2013
  regis build --source xd-clues=xd-clues.zip --hold-out puzzles/2014

Without --source it reads all that `regis fetch` brought. The reader may be left out where the file's name tells it; a
folder is taken for puzzles, or for WordNet's where index.noun is in it. The old index stays in place until the new one
is complete.

readers: xd-clues, wikipedia-titles, word-list, wordnet, thesaurus, definitions, puzzle-archive; data/README.md in the
repository says what each one reads and where to get it.
""",
    "add": """examples:
  regis add today.puz
  regis add --index index-2013 puzzles/2014 more.zip

Reads what `regis solve` reads; the solution in a file is what is added. A puzzle that the index has already changes
nothing. `regis learn` makes most of what was added; an index that is built again has lost it, so keep the files.
""",
    "learn": """examples:
  regis learn
  regis learn --index index-2013 --epochs 3
  regis learn --transformer

Some minutes on two cores for a million clues. The index grows by at least 68 MB, however small it was. Ctrl-C leaves
it as it was. An index that is built again has to learn again.

--transformer teaches a small sentence transformer too; that takes hours, can be interrupted, and goes on where it
stopped with the same command. It needs: pip install "regis-crossword[transformer-learning]". To solve with what was
learned nothing more is needed.
""",
    "distil": """examples:
  regis distil --index index-2013 --out starter

Takes ten minutes for a million clues, since the encoder is learned once more, without the newest year, to find out how
far it can be trusted alone. The starter that ships with Regis was made so.
""",
    "doctor": """examples:
  regis doctor
  regis doctor --index index-2013

Reads every table of the index that would be used. Send what it prints along when you report a mistake; it holds names
of folders and nothing of your puzzles. The exit code is 1 where no puzzle can be solved.
""",
    "completion": """examples:
  regis completion bash
  regis completion zsh

For bash, send the output to ~/.local/share/bash-completion/completions/regis; for zsh, to _regis in a folder of $fpath.
A new shell then completes commands, options, choices and files.
""",
    "index": """examples:
  regis index
  regis index --index index-2013
""",
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see `{self.prog} --help`")


def parser() -> Parser:
    """The grammar; `command` in what it parses is the command's name."""
    top = _parser("regis", "Solves American-style crosswords offline, from an index of past clues and titles.", FIRST)
    top.add_argument("--version", action="version", version=f"regis {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    def command(name: str, what: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(
            name,
            help=what[0].lower() + what[1:].rstrip("."),
            description=what,
            epilog=f"{EXAMPLES[name]}\n{CODES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        return made

    solve = command("solve", "Solves puzzle files and prints grid and answers.")
    solve.add_argument("puzzles", metavar="PUZZLE", nargs="+", type=Path, help="a puzzle file, a folder, a zip, or -")
    _index(solve)
    _filler(solve)
    solve.add_argument("--watch", action="store_true", help="show the grid step by step while it is filled")
    solve.add_argument(
        "--pace", metavar="S", type=seconds,
        help=f"with --watch, how long a step stays on a terminal (default: {PACE}); the pauses count for --seconds",
    )  # fmt: skip
    _format(solve, *PICTURES, *FILES)
    solve.add_argument("--output", metavar="FILE", type=Path, help="write to FILE, whole or not at all")
    solve.add_argument(
        "--grade", action="store_true",
        help="mark the letters that are wrong by the file's own solution (html, svg and png)",
    )  # fmt: skip
    solve.add_argument("--numbers", action="store_true", help="show the numbers in the grid, too (text)")
    solve.add_argument("--ascii", action="store_true", help="draw the grid with plain characters (text)")
    solve.add_argument("--only", metavar="ENTRIES", help="show only these entries: 17A,23D")
    person = solve.add_mutually_exclusive_group()
    person.add_argument("--check", action="store_true", help="tell only which of your letters are probably wrong")
    person.add_argument("--hint", action="store_true", help="tell only one letter, or a few answers to one entry")
    person.add_argument("--reveal", action="store_true", help="replace your letters that are probably wrong")

    explain = command("explain", "Tells why an entry is filled as it is.")
    explain.add_argument("puzzle", metavar="PUZZLE", type=Path, help="a puzzle file")
    explain.add_argument("entries", metavar="ENTRIES", help="which entry, 17A; or several, 17A,23D")
    _index(explain)
    explain.add_argument("--limit", metavar="N", type=positive, default=5, help="how many candidates (default: 5)")
    _format(explain)

    convert = command("convert", "Writes a puzzle in another format.")
    convert.add_argument("puzzle", metavar="PUZZLE", type=Path, help="a puzzle file, or - for standard input")
    convert.add_argument("file", metavar="FILE", type=Path, help="where to: .puz, .ipuz or .xd")

    guess = command("guess", "Lists the answers that one clue may have, with probability and evidence.")
    guess.add_argument("clue", metavar="CLUE", help="the clue, in quotation marks")
    guess.add_argument("pattern", metavar="PATTERN", help="letters, with ? . _ or - for an unknown one; or how many")
    _index(guess)
    guess.add_argument("--limit", metavar="N", type=positive, default=10, help="how many answers (default: 10)")
    _format(guess)

    bench = command("bench", "Solves a whole archive and scores it by weekday.")
    bench.add_argument("archive", metavar="ARCHIVE", type=Path, help="a folder or a zip of puzzle files")
    _index(bench)
    _filler(bench)
    bench.add_argument("--jobs", metavar="N", type=positive, default=1, help="processes side by side (default: 1)")
    some = bench.add_mutually_exclusive_group()
    some.add_argument("--limit", metavar="N", type=positive, help="only N puzzles, spread over the weekdays")
    some.add_argument("--per-weekday", metavar="N", type=positive, help="only N puzzles of each weekday")
    bench.add_argument("--json", metavar="FILE", type=Path, help="write every puzzle's result to FILE as well")
    bench.add_argument("--html", metavar="FILE", type=Path, help="write a page with plots to FILE as well")
    bench.add_argument("--seen", action="store_true", help="measure also puzzles that the index already holds")

    fetch = command("fetch", "Lists public corpora, and downloads those that are named.")
    fetch.add_argument("names", metavar="NAME", nargs="*", help="which corpus; as many as you like")
    fetch.add_argument("--again", action="store_true", help="download also what is there already")

    build = command("build", "Builds the index from corpora.")
    build.add_argument(
        "--source", metavar="READER=FILE", action="append", default=[],
        help="a corpus and its reader (see below); may be repeated (default: what `regis fetch` brought)",
    )  # fmt: skip
    build.add_argument(
        "--out", metavar="DIR", type=Path, help=f"where to (default: ${VARIABLE}, else your data folder)"
    )
    build.add_argument("--until", metavar="YEAR", type=positive, help="leave out clues later than YEAR or undated")
    build.add_argument(
        "--hold-out", metavar="ARCHIVE", type=Path, action="append", default=[],
        help="leave out the clues of these puzzles; may be repeated",
    )  # fmt: skip

    add = command("add", "Adds solved puzzles of your own to the index.")
    add.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a puzzle file, a folder or a zip")
    _own_index(add)

    learn = command("learn", "Teaches an index what clues mean (the clue encoders).")
    _own_index(learn)
    learn.add_argument("--transformer", action="store_true", help="teach the transformer, too")
    learn.add_argument("--epochs", metavar="N", type=positive,
                       help="how often each clue is seen (default: 4; by the transformer: 2)")  # fmt: skip

    distil = command("distil", "Makes an index small enough to ship: without clues, with what was learned from them.")
    _own_index(distil, "the index to distil")
    distil.add_argument("--out", metavar="DIR", type=Path, required=True, help="where to")

    index = command("index", "Tells what an index holds and where it came from.")
    _index(index)

    doctor = command("doctor", "Tells which index is used and why, whether it is whole, and what is installed.")
    _index(doctor)

    completion = command("completion", "Prints what makes a shell complete commands, options and files.")
    completion.add_argument("shell", choices=SHELLS, help="which shell")
    return top


def _parser(name: str, what: str, examples: str) -> Parser:
    return Parser(
        prog=name,
        description=what,
        epilog=f"{examples}Each command has its own help with examples: regis solve --help\n\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _index(to: argparse.ArgumentParser) -> None:
    where = f"the index to use (default: ${VARIABLE}, else what `regis build` made, else the starter)"
    to.add_argument("--index", metavar="DIR", type=Path, help=where)


def _own_index(to: argparse.ArgumentParser, what: str = "the index to change") -> None:
    where = f"{what} (default: ${VARIABLE}, else what `regis build` made)"
    to.add_argument("--index", metavar="DIR", type=Path, help=where)


def _filler(to: argparse.ArgumentParser) -> None:
    to.add_argument("--filler", metavar="NAME", default="belief", help=f"{NAMES} (default: belief)")
    to.add_argument("--seconds", metavar="S", type=seconds, help="stop filling each grid after S seconds")


def _format(to: argparse.ArgumentParser, *files: str) -> None:
    what = "for people or programs" + (", a page or picture, or the puzzle file with its letters" if files else "")
    to.add_argument("--format", choices=("text", "json", *files), default="text", help=f"{what} (default: text)")
