"""Parse the command line with argparse, by the table of commands.

A wrong word raises a UsageError, which is reported in one sentence like every other mistake.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import inspect
import os
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from regis.cli.command import Command, FolderPath, OutputPath, OutputPlace, Positional
from regis.cli.printing import EXIT_CODES_HELP, print_result
from regis.errors import PuzzleMissing, UsageError
from regis.system.paths import EMPTY_NAME
from regis.system.terminal import Screen, wrap_text
from regis.system.version import __version__

CommandTable = Mapping[str, type[Command]]

PATH_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))
HELP_WORD = "help"
MAX_SECONDS = 1_000_000  # seconds, about eleven days; some functions fail if they wait for 300 years

FIRST_COMMANDS = """examples:
  regis play today.puz
  regis solve today.puz
  regis guess "Norwegian capital" 4
"""

SHORT_HELP = f"""Regis solves American-style crosswords.

{FIRST_COMMANDS}
All commands: regis --help
"""
"""The help of `regis` alone."""

FIRST_STEPS = f"""{FIRST_COMMANDS}
To teach Regis more, download corpora and build an index:
  regis fetch xd-clues wordnet
  regis build
  regis learn

A file without a command opens the page: `regis today.puz` shows no answers.

"""


def parse_count(word: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", word) or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word!r:.60} isn't a whole number above 0")
    return int(word)


def parse_seconds(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not 0 < value <= MAX_SECONDS:
        raise argparse.ArgumentTypeError(f"{word!r:.60} isn't a number of seconds above 0 and up to {MAX_SECONDS:,}")
    return value


def parse_path(word: str) -> Path:
    if not word:
        raise argparse.ArgumentTypeError(EMPTY_NAME)
    return Path(word)


def parse_output_path(word: str) -> Path:
    if word.endswith(PATH_SEPARATORS):
        raise argparse.ArgumentTypeError(f"{word} is a folder; name a file")
    return parse_path(word)


def parse_output_place(word: str) -> Path:
    """Parse the name of a file to write, or of a folder, if it ends in a slash."""
    return FolderPath(word) if word.endswith(PATH_SEPARATORS) else parse_path(word)


WORD_PARSERS = {
    int: parse_count,
    float: parse_seconds,
    Path: parse_path,
    OutputPath: parse_output_path,
    OutputPlace: parse_output_place,
}
"""Functions that parse a word as a value of a type; a type without one parses it itself."""


COMMAND_GROUPS = {"play": "Solve:", "update": "Teach:", "index": "Look:"}
"""The heading above a group of commands in the help, by the group's first command."""


class HelpFormatter(argparse.HelpFormatter):
    """Help as wide as the screen, but not too wide to read; indented lines stay as they are."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=min(Screen.for_stream(sys.stdout).width, 100))

    def _format_action(self, action: argparse.Action) -> str:
        """Put headings between commands, and leave out the argument that stands for all commands."""
        heading = COMMAND_GROUPS.get(action.dest) if action.nargs is None and not action.option_strings else None
        return (f"\n  {heading}\n" if heading else "") + super()._format_action(action).removeprefix("  COMMAND\n")

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = []
        for paragraph in text.strip().split("\n\n"):
            if "\n  " not in paragraph:
                lines = wrap_text(" ".join(paragraph.split()), width, keep_words=True)
            else:  # people copy commands, so each stays on its line; so does the number before an exit code's meaning
                lines = [
                    line
                    for row in paragraph.splitlines()
                    for line in ([row] if row.startswith("  regis") else wrap_text(row, width, other_indent=" " * 7))
                ]
            paragraphs.append("\n".join(lines))
        return "\n\n".join(paragraphs)


class CommandParser(argparse.ArgumentParser):
    """A parser that raises UsageError, and takes files on both sides of an option."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, formatter_class=HelpFormatter, allow_abbrev=False)
        self.example = ""  # of the command; a sentence about something missing shows it
        self._intermixed = False  # whether this is the second pass, for files on both sides of an option

    def error(self, message: str) -> NoReturn:
        if self.example and "arguments are required" in message:
            message += f", as in `{self.example}`"
        raise UsageError(f"{message}; see `{self.prog} --help`")

    def parse_known_args(self, *args: Any, **kwargs: Any) -> Any:
        """Parse known arguments only, so that an unknown one is an error of its command, not of `regis`.

        Files may be on both sides of an option; argparse looks for them only if asked to.
        """
        known, unknown = super().parse_known_args(*args, **kwargs)
        if self._intermixed:
            return known, unknown
        if unknown and not self._subparsers and not any(map(_is_option, takewhile("--".__ne__, unknown))):
            self._intermixed = True
            known, unknown = self.parse_known_intermixed_args(*args, **kwargs)
        if unknown:
            message = f"unrecognized arguments: {' '.join(unknown)}"
            if close := self._find_close_option(unknown):
                raise UsageError(f"{message}; did you mean `{self.prog} {close}`?")
            self.error(message)
        return known, unknown

    def _find_close_option(self, words: Sequence[str]) -> str | None:
        """Find the long option that is most similar to the first unknown option."""
        options = [word.partition("=")[0] for word in words if word.startswith("--")]
        known = [option for option in self._option_string_actions if option.startswith("--")]
        return next(iter(difflib.get_close_matches(options[0], known, n=1, cutoff=0.7)), None) if options else None

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Exit after --help or --version was printed."""
        print_result("")
        sys.exit(status)


def _is_option(word: str) -> bool:
    """Return whether a word before `--` is an option; - is standard input or output."""
    return word.startswith("-") and word != "-"


def parse_command(words: Sequence[str] | None, commands: CommandTable) -> Command:
    """Make a command of `words` (None: the arguments of this process).

    Raises UsageError; exits after printing help.
    """
    words = sys.argv[1:] if words is None else words
    if not words:
        print_result(SHORT_HELP)
        sys.exit()
    given_words = _with_command(words, commands)
    named = {name: commands[name] for name in given_words[:1] if name in commands}
    try:
        given = vars(build_parser(named or commands).parse_args(given_words))
    except UsageError:
        for word in given_words:
            if word.startswith("-") and os.path.isfile(word):  # noqa: PTH113 (which takes any name)
                raise UsageError(f"{word} looks like an option; for a file of that name, write ./{word}") from None
        raise
    command = commands[given.pop("command")]
    arguments: dict[str, Any] = {name: tuple(x) if isinstance(x, list) else x for name, x in given.items()}
    return command(**arguments)


def _with_command(words: Sequence[str], commands: CommandTable) -> Sequence[str]:
    """Put `play` before `words` if they are files: that reveals no answers. `help` asks for help.

    Raises UsageError if there is no such command.
    """
    if words[0] in commands or words[0].startswith("-"):
        return words
    if words[0] == HELP_WORD and not Path(HELP_WORD).exists():
        return _with_command([*words[1:2], "--help"], commands)
    is_path = bool(Path(words[0]).suffix) or os.sep in words[0]
    if all(Path(word).exists() for word in words):
        return ["play", *words]
    if Path(words[0]).exists():
        cure = "put a command before it, `regis solve` or `regis play`"
        if any(map(_is_option, words)):
            cure = f"with options, write `regis play {words[0]} ...` or `regis solve {words[0]} ...`"
        raise UsageError(f"{words[0]} is a {'folder' if Path(words[0]).is_dir() else 'file'}; {cure}")
    if is_path:
        raise PuzzleMissing(f"{words[0]} isn't a command or a file; see `regis --help`")
    close = difflib.get_close_matches(words[0], commands, n=1, cutoff=0.7)
    advice = f"did you mean `regis {close[0]}`?" if close else "see `regis --help`"
    options = [field.name.replace("_", "-") for field in dataclasses.fields(commands["solve"])]
    if words[0] in options and words[0] != "puzzles":  # people take options for commands
        advice = f"did you mean `regis solve --{words[0]}`?"
    raise UsageError(f"unknown command: {words[0]:.60}; {advice}")


def build_parser(commands: CommandTable) -> CommandParser:
    """Build the parser; it parses to `command` and the arguments that are given."""
    top = CommandParser(
        prog="regis",
        description="Regis solves American-style crosswords offline.",
        epilog=f"{FIRST_STEPS}Each command has its own help: regis solve --help\n\n{EXIT_CODES_HELP}",
    )
    top.add_argument("-V", "--version", action="version", version=f"regis {__version__}")
    below = top.add_subparsers(
        title="commands", dest="command", required=True, metavar="COMMAND", parser_class=CommandParser
    )
    for command in commands.values():
        made = below.add_parser(
            command.name,
            help=command.help[0].lower() + command.help[1:].rstrip("."),
            description=command.help,
            epilog=f"{command.examples}\n{command.exit_codes_help}",
            argument_default=argparse.SUPPRESS,
            usage=f"%(prog)s [options] {command.usage}" if command.usage else None,
        )
        made.example = next((line.strip() for line in command.examples.splitlines() if line.startswith("  ")), "")
        _add_arguments(made, command)
    return top


def _add_arguments(parser: CommandParser, command: type[Command]) -> None:
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = defaultdict(parser.add_mutually_exclusive_group, {"": parser})
    for field in _list_fields(command):
        kind, note = get_args(hints[field.name])
        required, many = field.default is dataclasses.MISSING, get_origin(kind) is tuple
        default = str(field.default).removesuffix(".0")
        settings = _argument_settings(kind) | {"help": note.help.replace("{default}", default)}
        settings |= {"metavar": note.metavar} if note.metavar else {}
        if isinstance(note, Positional):
            settings |= {"nargs": "+"} if many and required else {}
            settings |= {"nargs": "*", "default": argparse.SUPPRESS} if many and not required else {}
            parser.add_argument(field.name, **settings)
        else:
            settings |= {"action": "append"} if many else {}
            names = [f"-{note.short}"] * bool(note.short) + ["--" + field.name.replace("_", "-")]
            groups[note.group].add_argument(*names, required=required, **settings)


def _list_fields(command: type[Command]) -> list[dataclasses.Field[Any]]:
    """List the arguments of a command, its own before those of its base classes."""
    fields = {field.name: field for field in dataclasses.fields(command)}
    return [fields[name] for cls in command.__mro__ for name in inspect.get_annotations(cls) if name in fields]


def _argument_settings(kind: Any) -> dict[str, Any]:
    """Return how argparse reads one word of a type; `X | None` and `tuple[X, ...]` are read as X."""
    if kind is bool:
        return {"action": "store_true"}
    if get_args(kind) and get_origin(kind) is not Literal:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return {"choices": get_args(kind)}
    return {"type": WORD_PARSERS.get(kind, kind)}
