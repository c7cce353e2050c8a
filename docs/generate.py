"""Write the parts of the pages that follow from the code: `.venv/bin/python docs/generate.py`. A test compares them.

`--licenses` also writes the table of licenses; run it only if all extras are installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import defaultdict
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from regis.cli.printing import EXIT_CODES_HELP

ROOT = Path(__file__).parent.parent


def exit_code_table() -> str:
    codes = re.findall(r"^ +([0-9]+) +(.+)$", EXIT_CODES_HELP, re.MULTILINE)
    return "\n".join(["| exit code | meaning |", "|--:|---|", *(f"| {code} | {meaning} |" for code, meaning in codes)])


def license_table() -> str:
    """List the libraries that Regis or an extra needs, and what Regis's own bring along."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    reasons: dict[str, list[str]] = defaultdict(list)
    for extra, requirements in {"Regis": project["dependencies"], **project["optional-dependencies"]}.items():
        for requirement in requirements if extra != "test" else ():
            reasons[canonicalize_name(Requirement(requirement).name)].append(extra)
    for name in [name for name, wanted_by in reasons.items() if "Regis" in wanted_by]:
        _add_companions(name, reasons)
    rows = [
        f"| {name} | {metadata.version(name)} | {read_license(name)} | {', '.join(wanted_by)} |"
        for name, wanted_by in sorted(reasons.items())
    ]
    return "\n".join(["| library | version | license | needed by |", "|---|---|---|---|", *rows])


def _add_companions(name: str, reasons: dict[str, list[str]]) -> None:
    for requirement in map(Requirement, metadata.requires(name) or ()):
        other = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        if other not in reasons:
            reasons[other].append(name)
            _add_companions(other, reasons)


def read_license(name: str) -> str:
    """Return the license that an installed library's metadata names."""
    said = metadata.metadata(name)
    kinds = [kind.split(" :: ")[-1] for kind in said.get_all("Classifier") or () if kind.startswith("License :: OSI")]
    return said.get("License-Expression") or ", ".join(kinds) or (said.get("License") or "not said").splitlines()[0]


PARTS = {
    "exit codes": ("docs/commands.md", exit_code_table),
    "licenses": ("docs/licenses.md", license_table),
}
"""The page and the function of each part, by its mark."""


def replace_part(text: str, mark: str, part: str) -> str:
    """Replace what is between the marks of that name."""
    between = re.compile(rf"(?<=<!-- generated: {mark} -->\n\n).*?(?=\n\n<!-- end -->)", re.DOTALL)
    replaced, count = between.subn(lambda _: part, text)
    if count != 1:
        raise SystemExit(f"{mark}: found its marks {count} times, expected once")
    return replaced


def main() -> None:
    for mark, (page, make) in PARTS.items():
        if mark != "licenses" or "--licenses" in sys.argv[1:]:
            path = ROOT / page
            path.write_text(replace_part(path.read_text(encoding="utf-8"), mark, make()), encoding="utf-8")


if __name__ == "__main__":
    main()
