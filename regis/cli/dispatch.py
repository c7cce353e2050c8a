"""The table of commands, and the way from the command line to one command and its exit code.

A command is imported when it is needed. Everything that can go wrong becomes one sentence on standard error, and the
exit code says of what kind it was (`regis --help`).
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, NoReturn

from regis.cli.command import Command, Positional, ReportOutput
from regis.cli.parser import build_parser, parse_command, parse_output_path, parse_output_place, parse_path
from regis.cli.printing import (
    EXIT_FAILED,
    EXIT_FINE,
    EXIT_INTERRUPTED,
    mute_stream,
    print_error,
    print_note,
    silence_notes,
    write_result,
)
from regis.errors import RegisError

Shell = Literal["bash", "zsh", "fish"]  # the shells that completion is tested with


class Completion(Command):
    help = "Print a script that makes your shell complete commands, options, and files."
    examples = """examples:
  regis completion bash
  regis completion zsh
  regis completion fish -o ~/.config/fish/completions/regis.fish

For bash, save the output as ~/.local/share/bash-completion/completions/regis; for zsh, as _regis in a folder of $fpath.
A new shell then completes commands, options, choices, and files.
"""

    shell: Annotated[Shell, Positional("your shell")]
    output: ReportOutput = None

    def run(self) -> int:
        import shtab

        grammar = build_parser(COMMANDS)
        _name_files(grammar)
        return write_result(shtab.complete(grammar, self.shell).rstrip("\n") + "\n", self.output)


def _name_files(parser: argparse.ArgumentParser) -> None:
    import shtab

    for action in parser._actions:  # argparse has no other way
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _name_files(command)
        elif action.type in (parse_path, parse_output_path, parse_output_place) or action.dest in ("source", "paths"):
            kind = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE
            setattr(action, "complete", kind)  # noqa: B010  shtab looks for it


COMMAND_MODULES = {
    "play": "commands.play",
    "solve": "commands.solve",
    "explain": "commands.puzzles",
    "convert": "commands.puzzles",
    "guess": "commands.puzzles",
    "bench": "commands.bench",
    "update": "commands.fetch",
    "fetch": "commands.fetch",
    "build": "commands.build",
    "add": "commands.index",
    "remove": "commands.index",
    "learn": "commands.build",
    "distil": "commands.build",
    "index": "commands.index",
    "doctor": "commands.index",
    "completion": "dispatch",
}
"""The module of each command's class, in the order of the help."""


class _Commands(Mapping[str, type[Command]]):
    """The classes of the commands, by name."""

    def __getitem__(self, name: str) -> type[Command]:
        module = importlib.import_module(f"regis.cli.{COMMAND_MODULES[name]}")
        command: type[Command] = getattr(module, name.capitalize())
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(COMMAND_MODULES)

    def __len__(self) -> int:
        return len(COMMAND_MODULES)


COMMANDS = _Commands()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if sys.stdout is None:  # the caller closed it; a stream that can't be written reports that at the first write
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    interrupted_message = Command.interrupted_message
    try:
        command = parse_command(argv, COMMANDS)
        interrupted_message = command.interrupted_message
        with silence_notes(command.quiet):
            return command.run()
    except SystemExit:  # after --help, --version, or the short help
        return EXIT_FINE
    except KeyboardInterrupt:
        return print_note(f"interrupted; {interrupted_message}", EXIT_INTERRUPTED)
    except BrokenPipeError:
        return mute_stream(EXIT_FINE)
    except (RegisError, OSError, MemoryError) as error:
        return print_error(error)


def run() -> NoReturn:
    try:
        sys.exit(main())
    except ImportError as error:  # a library is only half loaded, and Python may crash while it cleans up
        print_error(error)
        os._exit(EXIT_FAILED)
