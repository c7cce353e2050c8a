"""The table of commands, each imported once it is asked for, and the one command that has to know all of them."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from regis.cli.grammar.command import Command, Positional
from regis.cli.grammar.parser import build_parser, parse_output_path, parse_output_place, parse_path
from regis.cli.output.printing import print_result

Shell = Literal["bash", "zsh"]  # those that completion is written for; for others shtab has too little


class Completion(Command):
    help = "Prints a script that lets a shell complete commands, options and files."
    examples = """examples:
  regis completion bash
  regis completion zsh

For bash, send the output to ~/.local/share/bash-completion/completions/regis; for zsh, to _regis in a folder of $fpath.
A new shell then completes commands, options, choices and files.
"""

    shell: Annotated[Shell, Positional("which shell")]

    def run(self) -> int:
        """Let shtab read the grammar and write the script."""
        import shtab

        grammar = build_parser(COMMANDS)
        _name_files(grammar)
        return print_result(shtab.complete(grammar, self.shell).rstrip("\n") + "\n")


def _name_files(parser: argparse.ArgumentParser) -> None:
    """Tell shtab which arguments are files, and which are folders."""
    import shtab

    for action in parser._actions:  # argparse has no other way to ask
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
    "update": "commands.update",
    "fetch": "commands.fetch",
    "build": "commands.build",
    "add": "commands.layers",
    "remove": "commands.layers",
    "learn": "commands.learn",
    "distil": "commands.distil",
    "index": "commands.index",
    "doctor": "commands.doctor",
    "completion": "table",
}
"""Where the class of each command is, in the order of the help."""


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
