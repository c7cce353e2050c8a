"""Imports go one way, siblings are blind, and nothing happens at import."""

import ast
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "regis"

ROOMS = (
    *(
        "errors", "text", "system", "puzzle", "corpora", "models", "index", "candidates", "solving", "ancestors",
        "render", "building",
    ),
    *("evaluation", "play", "cli", "calls", "result", "api", "__main__"),
)  # fmt: skip
"""What lies in regis/, from the ground up, as data walks. A module imports only from rooms before its own, its own
room, and, last of all, errors; `regis` itself is regis/__init__.py."""

SOCKETS = (
    *("regis.puzzle.formats", "regis.corpora.readers", "regis.candidates.finders", "regis.ancestors"),
    *("regis.render", "regis.cli.commands"),
)
"""Folders whose members do not know each other; only the folder's own __init__ knows them all."""

COMMON = (
    *("regis.corpora.readers.text_files", "regis.corpora.readers.word_entries"),
    *(
        f"regis.puzzle.formats.{name}"
        for name in ("files", "publication_date", "unreadable_kinds", "xd_design", "xd_markup")
    ),
    *(
        f"regis.puzzle.formats.shared.{name}"
        for name in (
            "clue_placement", "comparison", "dimensions", "document", "geometry", "json_files", "listed_clues",
            "square_content", "texts", "xml_files",
        )
    ),
    *(
        f"regis.puzzle.formats.paper.{name}"
        for name in (
            *("clue_reading", "grid_choice", "lattice", "masthead", "page_objects", "printed_puzzle"),
            *("square_reading", "text_lines", "vision.extractor", "vision.grid_drawing", "vision.lines"),
            *("vision.letter_sizes", "vision.marks", "vision.page_text", "vision.recognizer"),
            *("vision.squares", "vision.strokes", "vision.unreadable", "vision.words"),
        )
    ),
    *(f"regis.render.{name}" for name in ("drawing", "template", "text_grid")),
    *(f"regis.ancestors.{name}" for name in ("board", "descent")),
)  # fmt: skip
"""What members of such a folder may share: none of them is a member itself."""

INDEX = "regis.index"
CLUE_TEXTS = ("regis.models.text", *(f"regis.models.neural.{name}" for name in ("bag_encoder", "transformer", "bert")))
ASKING = tuple(
    f"regis.candidates.{name}" for name in ("finders", "ranking", "query", "dense_retrieval", "unlisted_prior")
)
"""What has to do with asking for candidates; whoever fills a grid is given them."""

READS_CLUES = ("regis.solving.cross_references", "regis.solving.marks")
ASKS, WHOLE = "regis.solving.retrieval", "regis.solving.pipeline"
NOT_BY_LISTS = (*CLUE_TEXTS, *ASKING, "regis.solving.cross_references")
"""What nobody else in `solving` or `ancestors` may see: the others work with lists of candidates alone."""
WITH_INDEX = (INDEX, ASKS, WHOLE)
"""And nobody but the whole, which hands the index on, these."""
SCORE = "regis.evaluation.score"
INDEX_ROOMS = ("storage", "tables", "relations", "index", "layers", "starter_comparison", "clue_mending")
"""What lies in regis/index/, from the ground up."""

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
"""Who must not see what it could reach, by the beginnings of paths. Of a folder, all that is in it."""


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
IMPORTING = pytest.mark.parametrize("module", MODULES)


def exports(package: str) -> dict[str, str]:
    """Where the names come from that a package hands on."""
    body = ast.parse(MODULES[package].read_text(encoding="utf-8")).body
    return {alias.name: str(node.module) for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}


EXPORTS = {name: exports(name) for name, path in MODULES.items() if path.name == "__init__.py" and name != "regis"}


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
                    yield inner if inner in MODULES else EXPORTS.get(node.module, {}).get(alias.name, node.module)


def room(module: str) -> str:
    """The part of the package that a module belongs to: 'regis.index.tables.schema' is in `index`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def within(module: str, place: str) -> bool:
    """Whether `module` is `place` or lies in it."""
    return module == place or module.startswith(f"{place}.")


HEIGHT = {room: height for height, room in enumerate(ROOMS)}


def test_every_room_is_on_the_map():
    assert {room(module) for module in MODULES} == {"regis", *ROOMS}


def test_the_map_names_only_what_is_there():
    """A rule about something that was moved would hold for ever."""
    unseen = (seen for places in BLIND.values() for seen in places)
    for place in (*SOCKETS, *COMMON, *BLIND, *unseen, *READS_CLUES, *NOT_BY_LISTS, *WITH_INDEX):
        assert place in MODULES, place


def test_few_rooms():
    top = {path.name for path in PACKAGE.iterdir() if path.suffix == ".py" and not path.name.startswith("__")}
    assert len(top) <= 6 and len({room(module) for module in MODULES} - {"regis"}) <= 19
    assert len([path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()]) <= 13


@IMPORTING
def test_imports_go_one_way(module: str):
    if module == "regis":
        return
    for other in imports(module):
        if room(other) != room(module):
            assert HEIGHT[room(other)] < HEIGHT[room(module)], f"{module} imports {other}"


def test_the_front_door_leads_to_the_library_only():
    """regis/__init__.py names the version, and opens the library, or what it raises, when asked to."""
    assert set(imports("regis")) == {"regis.api", "regis.errors", "regis.system.version"}
    code = "import sys, regis; sys.exit('regis.api' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@IMPORTING
def test_siblings_are_blind(module: str):
    for home in SOCKETS:
        if module.rpartition(".")[0] == home:
            known = [other for other in imports(module) if within(other, home) and other not in COMMON]
            assert not known, f"{module} imports its siblings {known}"


@IMPORTING
def test_who_must_not_see_what(module: str):
    for home, unseen in BLIND.items():
        if within(module, home):
            seen = [other for other in imports(module) if any(within(other, place) for place in unseen)]
            assert not seen, f"{module} sees {seen}"


@IMPORTING
def test_solving_is_by_lists(module: str):
    if room(module) in ("solving", "ancestors") and module not in (*READS_CLUES, ASKS):
        unseen = NOT_BY_LISTS if module == WHOLE else (*NOT_BY_LISTS, *WITH_INDEX)
        seen = [other for other in imports(module) if any(within(other, place) for place in unseen)]
        assert not seen, f"{module} sees {seen}"


@IMPORTING
def test_the_index_is_built_on_its_files(module: str):
    """Within the index, too, imports go down: files, tables, relations, the index itself, layers upon it."""
    if within(module, INDEX) and module != INDEX:
        own = module.split(".")[2]
        for other in imports(module):
            if within(other, INDEX) and (below := other.split(".")[2]) != own:
                assert INDEX_ROOMS.index(below) < INDEX_ROOMS.index(own), f"{module} imports {other}"


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


@IMPORTING
def test_only_fetching_knows_of_a_network(module: str):
    known = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            known |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            known.add((node.module or "").split(".")[0])
    assert bool(known & NETWORK) == (module in OPEN)
