"""What a command loads: no more than it needs."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

MAX_MODULES = 120
"""Modules of Regis that one solve of a .puz loads. Lower it whenever fewer are loaded."""

LOADED = """
import sys
from regis import cli
code = cli.main(sys.argv[1:])
print(*sorted(name for name in sys.modules if name.split(".")[0] == "regis"), file=sys.stderr)
sys.exit(code)
"""


def loaded_by(*words: str) -> set[str]:
    """Run a command, and return the modules of Regis that it loads."""
    done = subprocess.run([sys.executable, "-c", LOADED, *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def test_a_solve_loads_what_it_needs() -> None:
    loaded = loaded_by("solve", "examples/mini.puz")
    unneeded = ("building", "evaluation", "play", "ancestors", "api", "system.parallel", "render.html")
    assert not {name for name in loaded if name.removeprefix("regis.").startswith(unneeded)}
    assert {name for name in loaded if name.startswith("regis.cli.commands.")} == {"regis.cli.commands.solve"}
    assert len(loaded) <= MAX_MODULES, sorted(loaded)


def test_help_loads_no_index() -> None:
    loaded = loaded_by("solve", "--help")
    assert not {name for name in loaded if name.startswith(("regis.index", "regis.solving", "regis.puzzle"))}
    assert len(loaded) <= 23, sorted(loaded)
