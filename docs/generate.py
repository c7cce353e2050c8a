"""Writes the parts of the pages that the code knows: `.venv/bin/python docs/generate.py`; a test holds them to it.

Licences stay those of the versions that were looked at: run it with `--licences` where all extras are installed.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections import defaultdict
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from regis.cli.grammar.parser import build_parser
from regis.cli.output.printing import EXIT_CODES_HELP
from regis.cli.table import COMMANDS

ROOT = Path(__file__).parent.parent


def command_table() -> str:
    rows = [f"| `regis {name}` | {command.help[0].lower()}{command.help[1:-1]} |" for name, command in COMMANDS.items()]
    return "\n".join(["| command | what it does |", "|---|---|", *rows])


def exit_code_table() -> str:
    codes = re.findall(r"^ +([0-9]+) +(.+)$", EXIT_CODES_HELP, re.MULTILINE)
    return "\n".join(["| exit code | meaning |", "|--:|---|", *(f"| {code} | {meaning} |" for code, meaning in codes)])


def command_sections() -> str:
    """What `--help` says of each command: its arguments and options in a table, then its examples and notes."""
    (commands,) = (
        action for action in build_parser(COMMANDS)._actions if isinstance(action, argparse._SubParsersAction)
    )
    return "\n\n".join(_section(parser, COMMANDS[name].examples) for name, parser in commands.choices.items())


def _section(parser: argparse.ArgumentParser, examples: str) -> str:
    arguments = [action for action in parser._actions if action.dest != "help"]
    rows = [f"| `{_describe_argument(action)}` | {action.help} |" for action in arguments]
    table = ["\n".join(["| argument | what it does |", "|---|---|", *rows])] if rows else []
    notes = re.sub(r"^  (?=regis)", "    ", examples.strip(), flags=re.MULTILINE).removeprefix("examples:\n")
    return "\n\n".join([f"## {parser.prog}", parser.description or "", *table, notes])


def _describe_argument(action: argparse.Action) -> str:
    value = action.metavar or ("{" + ", ".join(action.choices) + "}" if action.choices else "")
    many = " ..." if action.nargs in ("+", "*") else ""
    return ", ".join(f"{name} {value}".rstrip() for name in action.option_strings or [""]).strip() + many


def licence_table() -> str:
    """Each library that Regis or an extra asks for, and those that come along with what Regis itself needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    reasons: dict[str, list[str]] = defaultdict(list)
    for extra, requirements in {"Regis": project["dependencies"], **project["optional-dependencies"]}.items():
        for requirement in requirements if extra != "test" else ():
            reasons[canonicalize_name(Requirement(requirement).name)].append(extra)
    for name in [name for name, wanted_by in reasons.items() if "Regis" in wanted_by]:
        _add_companions(name, reasons)
    rows = [
        f"| {name} | {metadata.version(name)} | {licence(name)} | {', '.join(wanted_by)} |"
        for name, wanted_by in sorted(reasons.items())
    ]
    return "\n".join(["| library | version | licence | needed by |", "|---|---|---|---|", *rows])


def _add_companions(name: str, reasons: dict[str, list[str]]) -> None:
    for requirement in map(Requirement, metadata.requires(name) or ()):
        other = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        if other not in reasons:
            reasons[other].append(name)
            _add_companions(other, reasons)


def licence(name: str) -> str:
    """The licence of an installed library, as its metadata has it."""
    said = metadata.metadata(name)
    kinds = [kind.split(" :: ")[-1] for kind in said.get_all("Classifier") or () if kind.startswith("License :: OSI")]
    return said.get("License-Expression") or ", ".join(kinds) or (said.get("License") or "not said").splitlines()[0]


PARTS = {
    "commands": ("docs/commands.md", command_table),
    "exit codes": ("docs/commands.md", exit_code_table),
    "options": ("docs/options.md", command_sections),
    "licences": ("docs/licences.md", licence_table),
}
"""Each part by its mark: the page it stands on, and what makes it."""


def replace_part(text: str, mark: str, part: str) -> str:
    """Put `part` between the marks of that name."""
    between = re.compile(rf"(?<=<!-- generated: {mark} -->\n\n).*?(?=\n\n<!-- end -->)", re.DOTALL)
    replaced, count = between.subn(lambda _: part, text)
    if count != 1:
        raise SystemExit(f"{mark}: its marks stand {count} times where once is meant")
    return replaced


def main() -> None:
    for mark, (page, make) in PARTS.items():
        if mark != "licences" or "--licences" in sys.argv[1:]:
            path = ROOT / page
            path.write_text(replace_part(path.read_text(encoding="utf-8"), mark, make()), encoding="utf-8")


if __name__ == "__main__":
    main()
