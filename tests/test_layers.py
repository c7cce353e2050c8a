"""Imports go one way, siblings don't see each other, and nothing happens at import."""

import ast
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from regis.ancestors import FILLERS
from regis.candidates.finders import FINDERS
from regis.cli.dispatch import COMMAND_MODULES
from regis.corpora.readers import READERS
from regis.puzzle.formats import FORMATS
from regis.render import RENDERERS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "regis"

ROOMS = (
    *(
        "errors", "text", "system", "puzzle", "corpora", "models", "index", "candidates", "solving", "ancestors",
        "render", "building",
    ),
    *("evaluation", "api", "play", "cli", "__main__"),
)  # fmt: skip
"""The parts of regis/, from the ground up, as data flows. A module imports only from rooms before its own, its own
room, and errors, which comes last; `regis` itself is regis/__init__.py."""

SOCKETS: dict[str, Iterable[str]] = {
    "regis.puzzle.formats": FORMATS,
    "regis.corpora.readers": READERS,
    "regis.candidates.finders": FINDERS,
    "regis.ancestors": FILLERS,
    "regis.render": RENDERERS,
    "regis.cli": COMMAND_MODULES.values(),
}
"""Folders whose members don't know each other, and the names of the members; only the table knows them."""

TABLES = ("regis.cli.dispatch", *SOCKETS)

INDEX = "regis.index"
CLUE_TEXTS = ("regis.models.text", *(f"regis.models.neural.{name}" for name in ("bag_encoder", "transformer", "bert")))
ASKING = tuple(f"regis.candidates.{name}" for name in ("finders", "ranking", "unlisted_prior"))
"""Modules that query for candidates; fillers get the results."""

ASKS, WHOLE = "regis.solving.retrieval", "regis.solving.pipeline"
NOT_BY_LISTS = (*CLUE_TEXTS, *ASKING)
"""Modules that the rest of `solving` and `ancestors` can't see: it works only with lists of candidates."""
WITH_INDEX = (INDEX, ASKS, WHOLE)
"""Only the whole, which passes the index on, may see these."""
SCORE = "regis.evaluation.score"
INDEX_ROOMS = ("storage", "tables", "relations", "relation_arrays", "index", "layers")
"""The parts of regis/index/, from the ground up."""

BLIND = {
    "regis.corpora.readers": (INDEX, "regis.models"),
    "regis.candidates": ("regis.puzzle.grid", "regis.puzzle.formats", "regis.corpora.readers"),
    "regis.puzzle.formats": ("regis.puzzle.entry_names",),
    "regis.solving": (SCORE, "regis.puzzle.formats", "regis.corpora.readers"),
    "regis.ancestors": ("regis.puzzle.formats", "regis.corpora.readers"),
    "regis.render": (SCORE,),
    "regis.building": (SCORE, "regis.solving", "regis.ancestors"),
    "regis.play": (SCORE, "regis.corpora", "regis.building"),
}
"""Who can't see what it could import, by beginnings of paths. A folder means everything in it."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def parsed(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def exports(package: str) -> dict[str, str]:
    """Return the origin of the names that a package re-exports."""
    body = parsed(package).body
    return {alias.name: str(node.module) for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}


EXPORTS = {name: exports(name) for name, path in MODULES.items() if path.name == "__init__.py" and name != "regis"}


@cache
def imports(module: str) -> frozenset[str]:
    """Return the modules of this package that `module` imports, even inside functions."""
    found: set[str] = set()
    for node in ast.walk(parsed(module)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "regis"}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            if node.module and node.module.split(".")[0] == "regis":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    found.add(inner if inner in MODULES else EXPORTS.get(node.module, {}).get(alias.name, node.module))
    return frozenset(found)


def offenders(is_wrong: Callable[[str, str], bool]) -> list[str]:
    """List every import of one module by another that breaks a rule."""
    return [
        f"{module} imports {other}"
        for module in MODULES
        for other in sorted(imports(module))
        if is_wrong(module, other)
    ]


def room(module: str) -> str:
    """Return the part of the package that a module belongs to: 'regis.index.tables.schema' is in `index`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def within(module: str, place: str) -> bool:
    """Return whether `module` is `place` or inside it."""
    return module == place or module.startswith(f"{place}.")


HEIGHT = {room: height for height, room in enumerate(ROOMS)}


def test_every_room_is_on_the_map():
    assert {room(module) for module in MODULES} == {"regis", *ROOMS}


def test_the_map_names_only_what_is_there():
    """A rule about a module that moved could never fail."""
    unseen = (seen for places in BLIND.values() for seen in places)
    for place in (*TABLES, *BLIND, *unseen, *NOT_BY_LISTS, *WITH_INDEX):
        assert place in MODULES, place


def test_few_rooms():
    top = {path.name for path in PACKAGE.iterdir() if path.suffix == ".py" and not path.name.startswith("__")}
    assert len(top) <= 2 and len({room(module) for module in MODULES} - {"regis"}) <= 17
    assert len([path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()]) <= 14


def test_imports_go_one_way():
    def is_upward(module: str, other: str) -> bool:
        own, theirs = room(module), room(other)
        return own not in ("regis", theirs) and HEIGHT[theirs] >= HEIGHT[own]

    assert not offenders(is_upward)


def test_the_front_door_leads_to_the_library_only():
    """regis/__init__.py names the version, and imports the library, or its errors, on demand."""
    assert set(imports("regis")) == {"regis.api.functions", "regis.errors", "regis.system.version"}
    code = "import sys, regis; sys.exit('regis.api.functions' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_members_of_a_socket_are_known_to_its_table_alone():
    """No other module of the folder knows one of them, neither a member nor what members share."""
    for home, names in SOCKETS.items():
        members = {f"{home}.{name.replace('-', '_')}" for name in names} & MODULES.keys() - set(TABLES)
        assert len(members) > 2, home
        assert not offenders(
            lambda module, other, home=home, members=members: (
                other in members - {module} and within(module, home) and module not in TABLES
            )
        )


def test_who_must_not_see_what():
    for home, unseen in BLIND.items():
        assert not offenders(
            lambda module, other, home=home, unseen=unseen: (
                within(module, home) and any(within(other, place) for place in unseen)
            )
        )


def test_solving_is_by_lists():
    def is_unlisted(module: str, other: str) -> bool:
        if room(module) not in ("solving", "ancestors") or module == ASKS:
            return False
        unseen = NOT_BY_LISTS if module == WHOLE else (*NOT_BY_LISTS, *WITH_INDEX)
        return any(within(other, place) for place in unseen)

    assert not offenders(is_unlisted)


def test_the_index_is_built_on_its_files():
    """Within the index, too, imports go down: files, tables, relations, the index itself, layers on it."""

    def is_upward(module: str, other: str) -> bool:
        if module == INDEX or not (within(module, INDEX) and within(other, INDEX)):
            return False
        own, theirs = module.split(".")[2], other.split(".")[2]
        return own != theirs and INDEX_ROOMS.index(theirs) >= INDEX_ROOMS.index(own)

    assert not offenders(is_upward)


def test_no_ring_within_a_room():
    """Inside a folder, too, imports never form a circle."""
    graph = {module: {other for other in imports(module) if room(other) == room(module)} for module in MODULES}
    while free := [module for module, others in graph.items() if not others & set(graph) - {module}]:
        for module in free:
            del graph[module]
    assert not graph


def test_only_the_command_line_prints_and_exits():
    def is_loud(node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in ("print", "exit", "quit", "breakpoint")
        return isinstance(node, ast.Attribute) and node.attr in ("exit", "_exit")

    quiet = [module for module in MODULES if room(module) not in ("cli", "__main__")]
    assert not [module for module in quiet if any(map(is_loud, ast.walk(parsed(module))))]


WATCHED = textwrap.dedent("""
    import sys, importlib.util
    for known in ("numpy", "pyarrow.parquet", "pyarrow.compute", "rapidfuzz.process", "rapidfuzz.distance.Levenshtein",
                  "filelock", "tqdm", "platformdirs", "shtab", "puz", "Stemmer", "scipy.optimize",
                  "multiprocessing", "concurrent.futures", "zipfile", "argparse", "datetime", "tomllib", "uuid", "ssl",
                  "sqlite3", "urllib.request", "uvicorn", "starlette.applications"):
        if importlib.util.find_spec(known.split(".")[0]):
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
    needed = {"regis.play": "starlette", "regis.puzzle.formats.paper.vision": "cv2"}
    left = ("regis.__main__", *(room for room, library in needed.items() if not find_spec(library)))
    names = [name for name in MODULES if not name.startswith(left)]
    command = [sys.executable, "-B", "-W", "error", "-c", WATCHED, str(ROOT), *names]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == "" and not any(tmp_path.iterdir())


NETWORK = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "httpx", "distributed"}
OPEN = ("regis.corpora.download", "regis.play.server", "regis.system.parallel.cluster")


def test_only_fetching_knows_of_a_network():
    def libraries(module: str) -> set[str]:
        known: set[str] = set()
        for node in ast.walk(parsed(module)):
            if isinstance(node, ast.Import):
                known |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module != "urllib.parse":  # it only splits texts
                known.add((node.module or "").split(".")[0])
        return known

    assert {module for module in MODULES if libraries(module) & NETWORK} == set(OPEN)
