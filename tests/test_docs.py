"""The pages keep their word: commands parse, output is as printed, links lead somewhere, the map shows every room."""

import ast
import doctest
import importlib
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest
import tiny
from test_layers import MODULES, ROOMS

from regis import cli
from regis.ancestors import FILLERS
from regis.candidates.finders import FINDERS
from regis.cli.dispatch import COMMANDS
from regis.cli.parser import FIRST_STEPS, build_parser
from regis.corpora.readers import READERS
from regis.errors import UsageError
from regis.evaluation.report import BenchmarkReport
from regis.puzzle.formats import FORMATS
from regis.render import RENDERERS
from regis.render import json as as_json
from regis.solving.explanation import Explanation
from regis.solving.inference.evidence import READER_NAME
from regis.system import paths
from regis.system.os_errors import describe_install
from regis.system.terminal import Screen

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for folder in (
        ROOT,
        ROOT / "docs/experiments",
        *(ROOT / name for name in ("docs", "data", "examples", "benchmarks")),
    )
    for path in sorted(folder.glob("*.md"))
}
README = PAGES["README.md"]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for suffix in ("*.py", "*.md")
    for folder in (ROOT, *(ROOT / name for name in ("docs", "data", "examples", "benchmarks", "regis")))
    for path in (folder.rglob(suffix) if folder != ROOT else folder.glob(suffix))
)
"""Every text and program except the tests."""
THROUGHOUT = "\n".join(PAGES.values())

CALL = re.compile(
    r"(?:\$ )?(?:\.venv/bin/)?(regis|python -m regis|python build_index\.py|python [a-z]+/\w+\.py)(?: (.*))?$"
)


def code_lines(text: str) -> Iterator[str]:
    """Yield the lines of all code blocks, fenced or indented, without indent; lines that end in `\\` are joined."""
    fenced = False
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip()


def calls(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (program, arguments) of every command line in code blocks and between backticks.

    Between backticks, `regis solve` alone names a command and doesn't count.
    """
    for line in code_lines(text):
        if found := CALL.match(line):
            yield found[1], shlex.split(found[2] or "", comments=True)
    for inline in re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text):
        if (found := CALL.match(inline)) and len(words := shlex.split(found[2] or "")) > 1:
            yield found[1], words


def section(page: str, heading: str) -> str:
    """Return the text on a page under `heading`, up to the next of the same level or a higher one."""
    level = heading.split(" ")[0]
    rest = PAGES[page].split(f"\n{heading}\n", 1)[1]
    return re.split(rf"\n#{{1,{len(level)}}} ", rest, maxsplit=1)[0]


def is_understood(program: str, words: list[str]) -> bool:
    """Return whether a program of the repository, or the parser, knows all its arguments."""
    if "regis" in program or program.endswith("build_index.py"):
        words = words if "regis" in program else ["build", *words]
        with suppress(SystemExit, UsageError):
            return build_parser(COMMANDS).parse_args(words).command in COMMANDS
        return False
    path = ROOT / program.removeprefix("python ")
    text = path.read_text(encoding="utf-8") + (ROOT / "benchmarks/cli_options.py").read_text(encoding="utf-8")
    return all(f'"{word}"' in text for word in words if word.startswith("--"))


def test_every_command_line_is_understood() -> None:
    found = [(page, *call) for page, text in PAGES.items() for call in calls(text)]
    assert not [call for call in found if not is_understood(*call[1:])]
    assert {words[0] for _, program, words in found if program == "regis"} == set(COMMANDS)
    assert {"README.md", "docs/commands.md", "data/README.md", "benchmarks/README.md"} <= {page for page, *_ in found}
    assert set(re.findall(r"`regis ([a-z]+)[ `]", THROUGHOUT)) <= set(COMMANDS)


GENERATED = runpy.run_path(str(ROOT / "docs/generate.py"))


def test_what_is_made_of_the_code_is_up_to_date() -> None:
    parts = {mark: part for mark, part in GENERATED["PARTS"].items() if mark != "licenses"}
    stale = [m for m, (page, make) in parts.items() if GENERATED["replace_part"](PAGES[page], m, make()) != PAGES[page]]
    assert not stale, "run docs/generate.py"


def test_each_library_is_listed_with_its_license() -> None:
    """Each required library has a row; its license is compared if the installed version is the listed one."""
    rows = re.findall(r"^\| ([\w-]+) \| ([0-9]\S+) \| (.+) \| (.+) \|$", PAGES["docs/licenses.md"], re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {"Regis": project["dependencies"], **project["optional-dependencies"]}
    wanted = {(re.split("[>; ]", line)[0].lower(), who) for who in required if who != "test" for line in required[who]}
    named = {(name, who) for name, _, _, reasons in rows for who in reasons.split(", ") if who in required}
    assert named == wanted, "run docs/generate.py --licenses"
    here = {name: terms for name, version, terms, _ in rows if version == installed_version(name)}
    assert here and all(terms == GENERATED["read_license"](name) for name, terms in here.items())


def installed_version(name: str) -> str | None:
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(name)
    return None


TABLES = {
    "reader": ("data/README.md", list(READERS)),
    "finder": ("docs/how.md", list(FINDERS)),
    "filler": ("CONTRIBUTING.md", list(FILLERS)),
    "format": ("docs/formats.md", list(FORMATS)),
}
"""The page and rows of the table with this word as its first heading."""


def test_everything_that_can_be_chosen_has_a_row_and_nothing_else() -> None:
    for what, (page, names) in TABLES.items():
        table = PAGES[page].split(f"\n| {what} |")[1].split("\n\n")[0]
        assert sorted(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)) == sorted(names), what


RESULTS = {
    "Regis, New York Times 2026": "nyt-2026-starter.txt",
    "Regis, NYT Mini 2026": "mini-2026-starter.txt",
    "Regis, Newsday 2021 (none of its clues in the index)": "newsday-2021-starter.txt",
    "Regis, New York Times 2023, starter to 2022": "nyt-2023-starter.txt",
    "Regis, NYT Mini 2023, starter to 2022": "mini-2023-starter.txt",
    "Regis 2014, older starter, unseen": "nyt-2014-starter.txt",
    "Regis 2014, built from public corpora, unseen": "nyt-2014-built.txt",
    "Regis 2014, the same with four word lists, unseen": "nyt-2014-lists.txt",
    "Regis 2014, `singletons`, unseen": "nyt-2014-singletons.txt",
    "Regis 2014, `singletons`, seen": "nyt-2014-singletons-seen.txt",
}
"""Rows of the tables that compare systems: the file of the measurements in benchmarks/results."""


def test_figures_of_regis_are_those_that_were_measured() -> None:
    """Compare letters, words, perfect grids, and seconds in both tables; what others published has no file."""
    compared = section("README.md", "## How good it is") + section("benchmarks/README.md", "## Other systems")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in compared.splitlines() if "|" in line]
    shown = {row[0]: row[1:5] for row in rows if "Regis" in row[0] or "regis" in row[0]}
    assert {name for name in shown if "FILLbin" not in name} == set(RESULTS)
    for name, file in RESULTS.items():
        text = (ROOT / "benchmarks" / "results" / file).read_text(encoding="utf-8")
        (plain,) = re.findall(r"^all plain +[0-9]+ +(.+)$", text, re.MULTILINE)
        letters, words, _, whole, seconds, _ = plain.split()
        assert shown[name] == [letters, words, whole, seconds], name


def test_json_keys_are_those_that_are_written() -> None:
    text = section("docs/programs.md", "## JSON")
    tables = [re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) for part in text.split("| key | what it holds |")[1:]]
    solved = tiny.solved(tiny.puzzle(), tiny.cells())
    written = json.loads(RENDERERS["json"](solved, "a.puz", Screen()))
    check = json.loads(as_json.render_check(solved, "a.puz"))
    of_entries = text.split("Each of the entries has")[1].split("\n\n")[0]
    assert re.findall(r"`(\w+)`", of_entries) == list(written["entries"][0])
    explanation = Explanation(solved.answers[0], (), 0.0, 0.0, (), (), 0.0, "")
    explained = json.loads(as_json.encode_explanation(explanation, "a.puz")).keys()
    bench = json.loads(BenchmarkReport("x", "belief", None, "0" * 12, None, 0.8, 0, ()).render_json())
    assert [*tables[:2], tables[3]] == [list(written), list(check), list(bench)]
    assert len(tables) == 4 and {"file", *written["entries"][0], *tables[2]} == explained
    assert '"similar"' in text and f'"{READER_NAME}"' in text


def test_every_command_has_help_with_examples_that_are_understood(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        assert cli.main([command, "--help"]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert " ".join(COMMANDS[command].examples.split()) in shown
        examples = [words for _, words in calls(COMMANDS[command].examples.replace("\n  ", "\n    "))]
        assert examples and all(build_parser(COMMANDS).parse_args(words).command == command for words in examples)
    first = [words for _, words in calls(FIRST_STEPS.replace("\n  ", "\n    "))]
    assert len(first) > 3 and all(build_parser(COMMANDS).parse_args(words).command in COMMANDS for words in first)


def masked(output: str) -> list[str]:
    """Return the lines of `output` without seconds and fingerprints, which may differ each time."""
    return re.sub(r"in [0-9.]+ s with index [0-9a-f]{12}", "", output).rstrip("\n").split("\n")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the examples and their index, built as in examples/README.md."""
    folder = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "examples", folder / "examples")
    source = f"xd-clues={folder / 'examples' / 'clues.tsv'}"
    assert cli.main(["build", "--source", source, "--output", str(folder / "data" / "index-example")]) == 0
    return folder


def test_the_output_shown_is_what_is_printed(home: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(home)
    blocks = re.findall(r"^```console\n\$ regis (.+)\n([^`]+)^```$", THROUGHOUT, re.MULTILINE)
    assert len(blocks) == 3
    for command, shown in blocks:
        capsys.readouterr()
        assert cli.main(shlex.split(command)) == 0
        assert masked(capsys.readouterr().out) == masked(shown), f"paste again what `regis {command}` prints"


def test_the_readme_and_the_tutorial_work_from_top_to_bottom(home: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    """In order, except commands that set Regis up, need a network, or learn; the page isn't waited for."""
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("regis.play.server.serve_page", lambda plan, ready: None)
    monkeypatch.setenv(paths.INDEX_VARIABLE, str(shutil.copytree("data/index-example", "own-index")))
    shutil.copy("examples/added.puz", "today.puz")
    shutil.copytree("examples/minis", "puzzles/2014")
    ran = []
    for line in code_lines(PAGES["docs/tutorial.md"] + README):
        if line.startswith("echo "):
            subprocess.run(line, shell=True, check=True)
        elif line.startswith("regis ") and line.split()[1] not in ("update", "fetch", "build", "learn"):
            assert cli.main(shlex.split(line)[1:]) in (0, 3), (line, capsys.readouterr().err)
            ran.append(line.split()[1])
    assert set(ran) == {"play", "solve", "explain", "guess", "add", "index", "remove"}


PYTHON_PROGRAMS = re.findall(r"^```python\n(.+?)^```$", THROUGHOUT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("program", PYTHON_PROGRAMS, ids=range(len(PYTHON_PROGRAMS)))
def test_the_programs_print_what_they_say(program: str, home: Path) -> None:
    """Comments after `print` show the output, `...` for anything."""
    (home / "program.py").write_text(program, encoding="utf-8")
    environment = os.environ | {paths.INDEX_VARIABLE: "data/index-example", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "program.py"], cwd=home, env=environment, capture_output=True, text=True
    )
    said = "\n".join(re.findall(r"print\(.+\)  # (.+)$", program, re.MULTILINE))
    pattern = re.escape(said).replace(re.escape("..."), ".*")
    assert (done.returncode, done.stderr) == (0, "") and re.fullmatch(f"{pattern}\n", done.stdout, re.DOTALL), done


@pytest.mark.slow
def test_the_programs_are_typed_strictly(tmp_path: Path) -> None:
    files = [tmp_path / f"program_{i}.py" for i in range(len(PYTHON_PROGRAMS))]
    for file, program in zip(files, PYTHON_PROGRAMS, strict=True):
        file.write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert len(files) > 9 and done.returncode == 0, done.stdout


def test_examples_in_docstrings_do_what_they_say() -> None:
    told: list[str] = []
    with_examples = [module for module, path in MODULES.items() if ">>> " in path.read_text(encoding="utf-8")]
    for name in with_examples:
        module = importlib.import_module(name)
        found = doctest.DocTestFinder(exclude_empty=True).find(module, name, globs=vars(module).copy())
        assert any(shown.examples for shown in found), name
        for shown in found:
            doctest.DocTestRunner().run(shown, out=told.append)
    assert with_examples and not told, "".join(told)


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_what_is_not_on_the_package_index_is_not_fetched_from_there() -> None:
    """Extras are installed from the repository, always in the same words, and all of them exist."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named: set[str] = set()
    for path in (ROOT / name for name in FILES):
        text = path.read_text(encoding="utf-8")
        assert f"{project['name']}[" not in text, path
        named |= set(re.findall(r"\.venv/bin/pip install --editable '\.\[([a-z-]+)\]'", text))
        assert not re.search(r"(?<!\.venv/bin/)pip install .*\.\[", text), path
    assert named and named <= set(project["optional-dependencies"])
    assert all(describe_install(extra).endswith(f"'.[{extra}]'") for extra in named)


PROGRAMS = [name for name in FILES if re.fullmatch(r"(benchmarks|examples)/\w+\.py|build_index\.py", name)]


def test_a_python_without_regis_is_one_sentence() -> None:
    for program in PROGRAMS:
        done = subprocess.run([sys.executable, "-S", "-E", program], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 1 and not done.stdout, program
        assert done.stderr.count("\n") == 1 and ".venv/bin/python" in done.stderr, program


def leads_somewhere(page: str, target: str) -> bool:
    """Return whether a link of a page leads to another site, or to an existing file and heading."""
    if target.startswith("https://"):
        return True
    file, _, anchor = target.partition("#")
    path = ((ROOT / page).parent / file).resolve() if file else ROOT / page
    if not (path.is_relative_to(ROOT) and path.exists()):
        return False
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
    return not anchor or anchor in map(slug, headings)


def test_links_lead_somewhere() -> None:
    links = [(page, target) for page, text in PAGES.items() for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    assert not [link for link in links if not leads_somewhere(*link)]


def test_paths_that_are_named_are_there() -> None:
    """Between backticks; NAME stands for any name."""
    paths = set(re.findall(r"`((?:regis|tests|data|docs|examples|benchmarks)/[\w./-]+)`", THROUGHOUT))
    assert not sorted(path for path in paths if not ("NAME" in path or (ROOT / path).exists() or ignored(path)))


def ignored(path: str) -> bool:
    """Return whether the path is something that people make or download."""
    return path.startswith(("data/raw", "data/index"))


def rooms() -> list[str]:
    """List every path on the map of CONTRIBUTING.md, from the root and from top to bottom."""
    block = section("CONTRIBUTING.md", "## The rooms").split("```text\n")[1].split("```")[0]
    found: list[str] = []
    above: list[str] = []
    for line in block.splitlines():
        name, about = line.split(maxsplit=1)
        depth = (len(line) - len(line.lstrip())) // 2
        above[depth:] = [name]
        assert about and len(above) == depth + 1, line
        found.append("".join(above))
    return found


def test_the_map_shows_every_room_once_in_the_order_of_imports() -> None:
    """It has a file only if it is next to rooms of the package; every module says what is in it."""
    packages = {path.parent.relative_to(ROOT).as_posix() + "/" for path in MODULES.values()}
    loose = {path.relative_to(ROOT).as_posix() for path in (ROOT / "regis").glob("[!_]*.py")}
    beside = {page.partition("/")[0] + "/" for page in PAGES if "/" in page} | {"tests/"}
    assert not sorted((packages | loose | beside) - set(rooms())) and len(rooms()) == len(set(rooms()))
    for path in rooms():
        assert (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file(), path
        assert path.endswith("/") or path.count("/") == 1, path
    top = [path for path in rooms() if path.startswith("regis/") and path.count("/") == 1 + path.endswith("/")]
    names = [path.removeprefix("regis/").removesuffix(".py").strip("/") for path in top]
    assert [name for name in names if name] == [name for name in ROOMS if name != "__main__"]
    for name, file in MODULES.items():
        assert ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))), name


def test_every_page_and_benchmark_is_named() -> None:
    benchmarks = {path.name for path in (ROOT / "benchmarks").glob("*.py")}
    assert not sorted(name for name in benchmarks if name not in PAGES["benchmarks/README.md"])
    linked = {(ROOT / page).parent / target for page in PAGES for target in re.findall(r"\]\(([^)\s#]+)", PAGES[page])}
    reached = {path.resolve() for path in linked}
    assert not [page for page in PAGES if page != "README.md" and ROOT / page not in reached]


EXPERIMENTS = [page for page in PAGES if re.fullmatch(r"docs/experiments/[a-z-]+\.md", page)]


def head(page: str) -> dict[str, str]:
    """Return the list at the top of an experiment: each item's first word, and the rest."""
    items = re.split(r"^- (\w+): ", PAGES[page].split("\n\n")[1], flags=re.MULTILINE)[1:]
    return dict(zip(items[::2], (" ".join(item.split()) for item in items[1::2]), strict=True))


def decided(page: str) -> list[tuple[str, str]]:
    """List an experiment's decisions: each module, and a name in it or ""."""
    found: list[tuple[str, str]] = []
    module = ""
    for mark in re.findall(r"`([^`]+)`", head(page).get("Code", "")):
        first, _, name = mark.rpartition(":")
        module = first or (mark if f"regis.{mark}" in MODULES else module)
        found.append((module, "" if mark == module else name))
    return found


DECIDED = [(page, module, name) for page in EXPERIMENTS for module, name in decided(page)]


def constants(module: str) -> set[str]:
    """Return the names that a module assigns at its top or as fields of its classes, and its functions."""
    names: set[str] = set()
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    for node in [
        *tree.body,
        *(inner for outer in tree.body if isinstance(outer, ast.ClassDef) for inner in outer.body),
    ]:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    return names


def test_every_experiment_has_a_head_and_a_link_with_its_title() -> None:
    assert not [page for page in EXPERIMENTS if list(head(page)) not in (HEAD, HEAD[:-1])]
    titles = {page: PAGES[page].partition("\n")[0].removeprefix("# ") for page in EXPERIMENTS}
    links = [f"- [{title}]({Path(page).name})" for page, title in titles.items()]
    assert not [link for link in links if link not in PAGES["docs/experiments/README.md"]]


HEAD = ["Question", "Setup", "Verdict", "Commit", "Code"]
"""The head of an experiment; without a result it names no code."""


def test_code_and_experiments_point_to_each_other() -> None:
    """Each constant in a head exists, and its comment names the page; and no page is named without reason."""
    assert len(DECIDED) > 60
    said = {name: path.read_text(encoding="utf-8") for name, path in MODULES.items()}
    for page, module, name in DECIDED:
        assert f"regis.{module}" in MODULES, f"{page} names {module}; where did it go?"
        assert page in said[f"regis.{module}"], f"{page} names {module}, which does not point to it"
        assert not name or name in constants(f"regis.{module}"), f"{page}: where is {name}?"
    named = {(page, module) for page, module, _ in DECIDED}
    for module, text in said.items():
        for page in re.findall(r"docs/[\w/-]+\.md", text):
            assert page in PAGES, f"{module} points to {page}"
            assert page not in EXPERIMENTS or (page, module.removeprefix("regis.")) in named, (module, page)
