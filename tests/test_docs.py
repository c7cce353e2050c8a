"""The pages keep their word: commands parse, output is as printed, links lead somewhere, the file list is whole."""

from __future__ import annotations

import argparse
import doctest
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny
from test_layers import MODULES, imports, room

from regis import cli
from regis.candidates.finders import FINDERS
from regis.cli.parser import FIRST, parser
from regis.cli.printing import CODES
from regis.cli.table import COMMANDS
from regis.corpora.readers import READERS
from regis.render import RENDERERS
from regis.solving.fillers import FILLERS
from regis.system.terminal import Screen

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in (ROOT, *(ROOT / name for name in ("docs", "data", "examples", "benchmarks")))
    for path in sorted(folder.glob("*.md"))
}
README = PAGES["README.md"]
THROUGHOUT = "".join(PAGES.values())
ON_EVERY_PAGE = pytest.mark.parametrize("page", PAGES)

CALL = re.compile(
    r"(?:\$ )?(?:\.venv/bin/)?(regis|python -m regis|python build_index\.py|python [a-z]+/\w+\.py)(?: (.*))?$"
)


def code_lines(text: str) -> Iterator[str]:
    """The lines of all code blocks, fenced or indented, without their indent; lines that end in `\\` are joined."""
    fenced = False
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip()


def calls(text: str) -> Iterator[tuple[str, list[str]]]:
    """(program, arguments) of every command line in code blocks and between backticks.

    Between backticks, `regis solve` alone names a command and is no call of it.
    """
    for line in code_lines(text):
        if found := CALL.match(line):
            yield found[1], shlex.split(found[2] or "", comments=True)
    for inline in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text):
        if (found := CALL.match(inline)) and len(words := shlex.split(found[2] or "")) > 1:
            yield found[1], words


def section(page: str, heading: str) -> str:
    """What stands on a page under `heading`, up to the next of the same level or a higher one."""
    level = heading.split(" ")[0]
    rest = PAGES[page].split(f"\n{heading}\n", 1)[1]
    return re.split(rf"\n#{{1,{len(level)}}} ", rest, maxsplit=1)[0]


@ON_EVERY_PAGE
def test_every_command_line_is_understood(page: str) -> None:
    for program, words in calls(PAGES[page]):
        if "regis" in program:
            assert parser(COMMANDS).parse_args(words).command in COMMANDS
        elif program.endswith("build_index.py"):
            assert parser(COMMANDS).parse_args(["build", *words]).command == "build"
        else:
            assert (ROOT / program.removeprefix("python ")).is_file(), program


def test_the_pages_hold_command_lines() -> None:
    """So that the test before this one has something to find."""
    assert {words[0] for program, words in calls(THROUGHOUT) if program == "regis"} == set(COMMANDS)
    assert list(calls(README)) and list(calls(PAGES["docs/commands.md"]))
    assert list(calls(PAGES["data/README.md"])) and list(calls(PAGES["benchmarks/README.md"]))


@ON_EVERY_PAGE
def test_only_commands_that_exist_are_named(page: str) -> None:
    named = set(re.findall(r"`regis ([a-z]+)[ `]", PAGES[page]))
    assert named <= set(COMMANDS), named


def test_every_option_has_a_word_said_of_it() -> None:
    said = set(re.findall(r"--[a-z-]+", THROUGHOUT))
    assert not sorted(options() - said)


def options() -> set[str]:
    """Every long option of every command, but for --help."""
    (commands,) = (action for action in parser(COMMANDS)._actions if isinstance(action, argparse._SubParsersAction))
    found = {name for one in commands.choices.values() for action in one._actions for name in action.option_strings}
    return {name for name in found if name.startswith("--")} - {"--help"}


@pytest.mark.parametrize("name", READERS)
def test_every_reader_has_a_row(name: str) -> None:
    assert f"\n| `{name}` |" in PAGES["data/README.md"]


@pytest.mark.parametrize("name", [*FINDERS, *FILLERS])
def test_every_finder_and_filler_has_a_row(name: str) -> None:
    assert f"\n| `{name}` |" in README


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_the_readme_leads_to_every_page_of_docs(page: str) -> None:
    assert f"]({page}" in README


def test_exit_codes_are_those_of_the_help() -> None:
    told = dict(re.findall(r"^ +([0-9]+) +(.+)$", CODES, re.MULTILINE))
    table = section("docs/commands.md", "## Exit codes")
    assert dict(re.findall(r"^\| ([0-9]+) \| (.+) \|$", table, re.MULTILINE)) == told


def test_json_keys_are_those_that_are_written() -> None:
    text = section("docs/programs.md", "## JSON")
    written = json.loads(RENDERERS["json"](tiny.solved(tiny.puzzle(), tiny.cells()), "a.puz", Screen()))
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(written)
    of_entries = text.split("Each of the entries has")[1].split("\n\n")[0]
    assert re.findall(r"`(\w+)`", of_entries) == list(written["entries"][0])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples_that_are_understood(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, "--help"]) == 0
    assert COMMANDS[command].examples in capsys.readouterr().out
    examples = [words for _, words in calls(COMMANDS[command].examples.replace("\n  ", "\n    "))]
    assert examples and all(parser(COMMANDS).parse_args(words).command == command for words in examples)


def test_the_examples_of_the_whole_help_are_understood() -> None:
    first = [words for _, words in calls(FIRST.replace("\n  ", "\n    "))]
    assert len(first) > 3 and all(parser(COMMANDS).parse_args(words).command in COMMANDS for words in first)


def masked(output: str) -> list[str]:
    """The lines of `output` without what may differ from one time to the next: seconds, fingerprint, percentages."""
    output = re.sub(r"in [0-9.]+ s with index [0-9a-f]{12}", "", output)
    return [" ".join(line.split()) for line in re.sub(r"\d+(\.\d+)?%", "%", output).splitlines()]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples and their index, as examples/README.md builds it."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "examples", folder / "examples")
    source = f"xd-clues={folder / 'examples' / 'clues.tsv'}"
    assert cli.main(["build", "--source", source, "--out", str(folder / "data" / "index-example")]) == 0
    return folder


def test_the_output_shown_is_what_is_printed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    blocks = re.findall(r"^```console\n\$ regis (.+)\n([^`]+)^```$", THROUGHOUT, re.MULTILINE)
    assert len(blocks) == 3
    for command, shown in blocks:
        capsys.readouterr()
        assert cli.main(shlex.split(command)) == 0
        assert masked(capsys.readouterr().out) == masked(shown), f"paste again what `regis {command}` prints"


def test_the_python_shown_does_what_it_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    blocks = re.findall(r"^```pycon\n(.+?)^```$", THROUGHOUT, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        shown = doctest.DocTestParser().get_doctest(block, {}, "pages", None, None)
        told: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(shown, out=told.append)
        assert shown.examples and not told, "".join(told)


def test_every_fenced_block_is_of_a_kind_that_is_tested() -> None:
    """`console` and `pycon` run here; `text` is the file list and drawings, checked below."""
    kinds = {kind for page in PAGES.values() for kind in re.findall(r"^```(.*)$", page, re.MULTILINE)}
    assert kinds <= {"", "console", "pycon", "text"}


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@ON_EVERY_PAGE
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", PAGES[page]):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        path = ((ROOT / page).parent / file).resolve() if file else ROOT / page
        assert path.is_relative_to(ROOT) and path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), target


def file_list() -> list[tuple[str, str]]:
    """(path from the root, what is said of it), line by line, of the README's file list."""
    block = section("README.md", "## Files").split("```text\n")[1].split("```")[0]
    found, folder = [], ""
    for line in block.splitlines():
        name, _, about = line.strip().partition(" ")
        if not line.startswith(" "):
            folder = name if not about else ""
        found.append((name if name == folder else folder + name, about.strip()))
    return found


def listed() -> set[str]:
    """Every path in the file list, those among the words about a folder included."""
    inside = {
        name + file
        for name, about in file_list()
        if name.endswith("/")
        for file in re.findall(r"[\w.-]+\.(?:py|md|toml|puz|tsv)\b", about)
    }
    return {name for name, _ in file_list()} | inside


def test_every_listed_file_is_there() -> None:
    assert not [name for name in listed() if not (ROOT / name).exists()]


def test_every_module_and_folder_is_listed() -> None:
    modules = {path.relative_to(ROOT).as_posix() for path in MODULES.values() if not path.name.startswith("__")}
    folders = {path.parent.relative_to(ROOT).as_posix() + "/" for path in MODULES.values()}
    assert not sorted((modules | folders) - listed())


def test_every_page_and_benchmark_is_listed() -> None:
    benchmarks = {path.relative_to(ROOT).as_posix() for path in (ROOT / "benchmarks").glob("*.py")}
    assert not sorted((set(PAGES) | benchmarks) - listed())


def heights(rows: list[list[str]]) -> dict[str, int]:
    return {name: height for height, row in enumerate(rows) for name in row}


DRAWN = {
    "CONTRIBUTING.md": heights(
        [line.split() for line in PAGES["CONTRIBUTING.md"].split("```text\n")[1].split("```")[0].splitlines()]
    ),
    "README.md": heights(
        [
            [name.removeprefix("regis/").removesuffix(".py").strip("/")]
            for name, _ in file_list()
            if name.startswith("regis/")
        ]
    ),
}


@pytest.mark.parametrize("page", DRAWN)
def test_layers_are_drawn_as_they_are(page: str) -> None:
    """What a module imports stands above it on the page."""
    height = DRAWN[page]
    for module in MODULES:
        if room(module) in ("regis", "__main__"):
            continue
        for other in (room(name) for name in imports(module)):
            if other not in ("regis", room(module)):
                assert height[other] < height[room(module)], f"{module} imports {other}"
