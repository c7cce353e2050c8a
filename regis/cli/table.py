"""The table of commands, and the one command that has to know all of them."""

from __future__ import annotations

import argparse
from typing import Annotated, Literal

from regis.cli.commands.bench import Bench
from regis.cli.commands.build import Build
from regis.cli.commands.distil import Distil
from regis.cli.commands.doctor import Doctor
from regis.cli.commands.fetch import Fetch
from regis.cli.commands.index import Index
from regis.cli.commands.layers import Add, Remove
from regis.cli.commands.learn import Learn
from regis.cli.commands.play import Play
from regis.cli.commands.puzzles import Convert, Explain, Guess
from regis.cli.commands.solve import Solve
from regis.cli.commands.update import Update
from regis.cli.grammar.command import Command, Positional
from regis.cli.grammar.parser import build_parser, parse_output_path, parse_output_place, parse_path
from regis.cli.output.printing import print_result

Shell = Literal["bash", "zsh"]  # those that completion is written for; for others shtab has too little


class Completion(Command):
    help = "Prints a script with which your shell completes commands, options and files."
    examples = """examples:
  regis completion bash
  regis completion zsh

For bash, send the output to ~/.local/share/bash-completion/completions/regis; for zsh, to _regis in a folder of $fpath.
A new shell then completes commands, options, choices and files.
"""

    shell: Annotated[Shell, Positional("your shell")]

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


COMMAND_CLASSES = (
    Play, Solve, Explain, Convert, Guess, Bench, Update, Fetch, Build, Add, Remove, Learn, Distil, Index, Doctor,
    Completion,
)  # fmt: skip
"""In the order of the help."""

COMMANDS: dict[str, type[Command]] = {command.name: command for command in COMMAND_CLASSES}
