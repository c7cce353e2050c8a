"""The command line as a grammar, made of the table of commands by way of argparse.

Nothing is done here. A word that makes no sense becomes a UsageError, so that it is reported in one sentence like every
other mistake.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from regis.cli.command import Command, Positional
from regis.cli.options import EMPTY, Target
from regis.cli.printing import CODES, show
from regis.errors import UsageError
from regis.system.version import __version__

Commands = Mapping[str, type[Command]]

SLASHES = tuple(filter(None, (os.sep, os.altsep)))
LONGEST = 1_000_000  # seconds, some eleven days; what waits for 300 years is an error in some places

FIRST = """examples:
  regis play today.puz
  regis solve today.puz
  regis guess "Norwegian capital" 4

To know more, fetch corpora and build an index of them:
  regis fetch xd-clues wordnet
  regis build
  regis learn

A file and no command is played: `regis today.puz` opens it in the browser and tells nothing of its answers.

"""


def positive(word: str) -> int:
    """A whole number above 0."""
    if not re.fullmatch("[0-9]{1,9}", word) or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word!r:.60} is not a whole number above 0")
    return int(word)


def seconds(word: str) -> float:
    """A time above 0 that is no longer than anybody waits."""
    try:
        value = float(word)
    except ValueError:
        value = 0.0
    if not 0 < value <= LONGEST:
        raise argparse.ArgumentTypeError(f"{word!r:.60} is not a number of seconds above 0, and up to {LONGEST:,}")
    return value


def named(word: str) -> Path:
    """A file or folder that has a name."""
    if not word:
        raise argparse.ArgumentTypeError(EMPTY)
    return Path(word)


def target(word: str) -> Path:
    """A file that can be made, or a folder that is there: a name with a slash behind it is no file's."""
    path = named(word)
    if word.endswith(SLASHES) and not path.is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {word}; make it first, or name a file without the slash")
    return path


READ_BY = {int: positive, float: seconds, Path: named, Target: target}
"""How a word becomes a value of a type; by the type itself where none is named."""


class Parser(argparse.ArgumentParser):
    def __init__(self, **how: Any) -> None:
        super().__init__(**how, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
        self._mixing = False  # whether the words are gone through again, for files on both sides of an option

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see `{self.prog} --help`")

    def parse_known_args(self, *args: Any, **named: Any) -> Any:
        """Nothing but what is known: what a command does not know is its own error, not that of `regis`.

        Files may stand before and behind an option; argparse looks for such only when it is asked to.
        """
        known, unknown = super().parse_known_args(*args, **named)
        if self._mixing:
            return known, unknown
        if unknown and not self._subparsers and not any(map(_is_option, takewhile("--".__ne__, unknown))):
            self._mixing = True
            known, unknown = self.parse_known_intermixed_args(*args, **named)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """After --help or --version, once what they printed has got out."""
        show("")
        sys.exit(status)


def _is_option(word: str) -> bool:
    """Whether a word that stands before `--` is one, and no file; - is standard input or output."""
    return word.startswith("-") and word != "-"


def parse(words: Sequence[str] | None, commands: Commands) -> Command:
    """The command that `words` (None: those of this process) name, with its arguments. Raises UsageError."""
    given_words = _with_command(sys.argv[1:] if words is None else words, commands)
    only = frozenset(given_words[:1]) & commands.keys()
    try:
        given = vars(parser(commands, only or None).parse_args(given_words))
    except UsageError:
        for word in given_words:
            if word.startswith("-") and os.path.isfile(word):  # noqa: PTH113 (which takes any name)
                raise UsageError(f"{word} is taken for an option; for the file of that name write ./{word}") from None
        raise
    command = commands[given.pop("command")]
    return command(**{name: tuple(word) if isinstance(word, list) else word for name, word in given.items()})


def _with_command(words: Sequence[str], commands: Commands) -> Sequence[str]:
    """`words`; with `play` before them where they are files and no command, since that tells nothing of the answers."""
    if not words or words[0] in commands or words[0].startswith("-"):
        return words
    is_path = bool(Path(words[0]).suffix) or os.sep in words[0]
    try:
        if not Path(words[0]).exists():
            if is_path:
                raise UsageError(f"{words[0]} is no command, and no file of that name is there; see `regis --help`")
            return words
        if not all(Path(word).exists() for word in words):
            what = "folder" if Path(words[0]).is_dir() else "file"
            raise UsageError(f"{words[0]} is a {what}; name a command before it, `regis solve` or `regis play`")
    except PermissionError:  # it may be there, and `play` says that nobody may look
        return ["play", *words] if is_path else words
    except (OSError, ValueError):  # a name that no disk takes
        return words
    return ["play", *words]


def parser(commands: Commands, only: Collection[str] | None = None) -> Parser:
    """The grammar; in what it parses are `command`, the name of one, and those of its arguments that are given.

    The arguments of commands that are not among `only` (None: all are) are left out.
    """
    top = Parser(
        prog="regis",
        description="Solves American-style crosswords offline, from an index of past clues and titles.",
        epilog=f"{FIRST}Each command has its own help with examples: regis solve --help\n\n{CODES}",
    )
    top.add_argument("--version", action="version", version=f"regis {__version__}")
    below = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for command in commands.values():
        made = below.add_parser(
            command.name,
            help=command.help[0].lower() + command.help[1:].rstrip("."),
            description=command.help,
            epilog=f"{command.examples}\n{CODES}",
            argument_default=argparse.SUPPRESS,
        )
        if only is None or command.name in only:
            _add_arguments(made, command)
    return top


def _add_arguments(to: Parser, command: type[Command]) -> None:
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = defaultdict(to.add_mutually_exclusive_group, {"": to})
    for field in dataclasses.fields(command):
        kind, note = get_args(hints[field.name])
        required, many = field.default is dataclasses.MISSING, get_origin(kind) is tuple
        how = _reading(kind) | {"help": note.help.replace("{default}", str(field.default))}
        how |= {"metavar": note.metavar} if note.metavar else {}
        if isinstance(note, Positional):
            how |= {"nargs": "+" if required else "*"} if many else {}
            to.add_argument(field.name, **how)
        else:
            how |= {"action": "append"} if many else {}
            names = [f"-{note.short}"] * bool(note.short) + ["--" + field.name.replace("_", "-")]
            groups[note.group].add_argument(*names, required=required, **how)


def _reading(kind: Any) -> dict[str, Any]:
    """How argparse reads one word of a type; `X | None` and `tuple[X, ...]` are read as X."""
    if kind is bool:
        return {"action": "store_true"}
    if get_args(kind) and get_origin(kind) is not Literal:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return {"choices": get_args(kind)}
    return {"type": READ_BY.get(kind, kind)}
