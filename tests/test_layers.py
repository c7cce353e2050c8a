"""Imports go one way, siblings are blind, and nothing happens at import."""

import ast
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "regis"

LAYERS = (
    "regis errors text inflections letters cores screen columns progress where wordpiece onnxfile",
    "puzzle corpus candidates words phrases clues coined bert",
    "strings written encoder catalogue packed",
    "fill transformer formats wording rerank",
    "index repair asked explanation collapsed",
    "readers finders fillers render score weigh",
    "learn doubts rebus fetch",
    "build adding distilling solving",
    "bench explaining doctor",
    "cli api",
    "__main__",
)
"""From the ground up. A module imports only what stands in a line above its own; `regis` is regis/__init__.py."""

SOCKETS = ("readers", "finders", "fillers", "formats", "render")
"""Folders whose members do not know each other; only the folder's own __init__ knows them all."""

COMMON = (
    *("regis.readers.files", "regis.render.table", "regis.render.reasons", "regis.render.grid"),
    *("regis.render.squares", "regis.render.drawing"),
    *("regis.formats.files", "regis.formats.document"),
    *("regis.fillers.board", "regis.fillers.descent", "regis.fillers.verdict"),
)
"""What members of such a folder may share: none of them is a member itself."""

BLIND = {
    "readers": ("index", "finders", "fillers", "fill", "solve"),
    "finders": ("puzzle", "fill", "formats", "readers", "score"),
    "fillers": ("index", "words", "encoder", "formats", "readers", "score"),
    "formats": ("index", "corpus"),
    "solving": ("score", "formats", "readers"),
    "doubts": ("score", "formats", "index"),
    "rebus": ("score", "formats", "index"),
}


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
IMPORTING = pytest.mark.parametrize("module", MODULES)


def imports(module: str) -> Iterator[str]:
    """The modules of this package that `module` imports anywhere in it, also inside functions."""
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "regis")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            if node.module and node.module.split(".")[0] == "regis":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield inner if inner in MODULES else node.module


def room(module: str) -> str:
    """The part of the package that a module belongs to: 'regis.index.tables' is in `index`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


HEIGHT = {room: height for height, line in enumerate(LAYERS) for room in line.split()}


def test_every_room_is_on_the_map():
    assert {room(module) for module in MODULES} == set(HEIGHT)


@IMPORTING
def test_imports_go_one_way(module: str):
    if module == "regis":
        return
    for other in imports(module):
        if room(other) != room(module):
            assert HEIGHT[room(other)] < HEIGHT[room(module)], f"{module} imports {other}"


def test_the_front_door_leads_to_the_library_only():
    """regis/__init__.py stands below everything, since it names the version; it opens the library when asked to."""
    assert set(imports("regis")) == {"regis.api"}
    code = "import sys, regis; sys.exit('regis.api' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@IMPORTING
def test_siblings_are_blind(module: str):
    home = room(module)
    if home in SOCKETS and module != f"regis.{home}":
        known = [other for other in imports(module) if room(other) == home and other not in COMMON]
        assert not known, f"{module} imports its siblings {known}"


@IMPORTING
def test_who_must_not_see_what(module: str):
    seen = {room(other) for other in imports(module)}
    assert not seen & set(BLIND.get(room(module), ())), module


def test_no_ring_within_a_room():
    """Inside a folder, too, imports can be drawn without a ring."""
    graph = {module: {other for other in imports(module) if room(other) == room(module)} for module in MODULES}
    while free := [module for module, others in graph.items() if not others & set(graph) - {module}]:
        for module in free:
            del graph[module]
    assert not graph


@IMPORTING
def test_only_the_command_line_prints_and_exits(module: str):
    if room(module) in ("cli", "__main__"):
        return
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        assert not (isinstance(node, ast.Name) and node.id in ("print", "exit", "quit", "breakpoint")), module
        assert not (isinstance(node, ast.Attribute) and node.attr in ("exit", "_exit")), module


WATCHED = textwrap.dedent("""
    import sys, importlib
    for known in ("numpy", "pyarrow.parquet", "pyarrow.compute", "rapidfuzz.process", "rapidfuzz.distance.Levenshtein",
                  "filelock", "tqdm", "platformdirs", "shtab", "puz", "snowballstemmer", "scipy.optimize",
                  "multiprocessing", "concurrent.futures", "zipfile", "argparse", "datetime", "tomllib", "uuid", "ssl",
                  "sqlite3", "urllib.request"):
        importlib.import_module(known)
    seen = []

    def watch(event, arguments):
        if event == "open" and not str(arguments[0]).endswith((".py", ".pyc", ".so")):
            seen.append((event, arguments[0]))
        elif event.startswith(("socket.", "subprocess.", "os.mkdir", "os.rename", "os.remove", "os.system", "shutil.")):
            seen.append((event, arguments))

    sys.addaudithook(watch)
    sys.path.insert(0, sys.argv[1])
    for module in sys.argv[2:]:
        importlib.import_module(module)
    assert not seen, seen
""")


def test_nothing_happens_at_import(tmp_path: Path):
    names = [name for name in MODULES if name != "regis.__main__"]
    command = [sys.executable, "-B", "-W", "error", "-c", WATCHED, str(ROOT), *names]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == "" and not any(tmp_path.iterdir())


NETWORK = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "httpx"}


@IMPORTING
def test_only_fetching_knows_of_a_network(module: str):
    known = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            known |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            known.add((node.module or "").split(".")[0])
    assert bool(known & NETWORK) == (module == "regis.fetch")
