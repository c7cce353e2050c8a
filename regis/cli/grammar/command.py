"""What a command is: its texts, its typed arguments and what it does, in one class.

Every command is a frozen dataclass whose fields are the arguments. A field is annotated with its type and with a note,
`limit: Annotated[int, Option("how many answers", "N")] = 10`, of which `parser` makes the grammar. The type says how a
word is read: `int` is a whole number above 0, `float` a number of seconds, `Literal` one of its words, `bool` an option
without a word, a tuple as many words as there are. A field without a default must be given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, dataclass_transform

from regis.cli.output.printing import COMMON_EXIT_CODES_HELP


class Positional(NamedTuple):
    """A word that is known by its place. `metavar` is what help and messages call it, if not by its choices."""

    help: str
    metavar: str | None = None


class Option(NamedTuple):
    """A word behind --name, the field's name with hyphens. `{default}` in the help is the field's default."""

    help: str
    metavar: str | None = None
    group: str = ""  # of which only one option may be given
    short: str = ""  # one letter that stands for it too


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True)
class Command(ABC):
    """One command, named as its class; an instance is one that was given, with its arguments."""

    name: ClassVar[str]
    help: ClassVar[str]  # one sentence: what it does
    interrupted_message: ClassVar[str] = "nothing was done"  # how things are after Ctrl-C
    examples: ClassVar[str]
    exit_codes_help: ClassVar[str] = COMMON_EXIT_CODES_HELP

    def __init_subclass__(cls) -> None:
        cls.name = cls.__name__.lower()
        dataclass(frozen=True, kw_only=True)(cls)

    @abstractmethod
    def run(self) -> int:
        """Do it, and return the exit code. What is heavy is imported here."""
