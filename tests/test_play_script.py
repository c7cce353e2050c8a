"""The script of `regis play`: types and habits are checked where node is there, its size everywhere."""

import shutil
import subprocess
from pathlib import Path

import pytest

from regis.play.app import PAGE_FOLDER

TESTS = Path(__file__).parent
TOOLS = TESTS / "javascript" / "node_modules" / ".bin"
MAX_LINES = 1500  # of all modules together
MAX_MODULE_LINES = 250  # of one
CHECKS = {"tsc": ["-p", "tests/javascript"], "eslint": ["--config", "tests/javascript/eslint.config.js", PAGE_FOLDER]}


@pytest.mark.slow
@pytest.mark.parametrize("tool", CHECKS)
def test_types_and_habits(tool: str):
    if not shutil.which("node") or not (TOOLS / tool).exists():
        pytest.skip("needs node and: npm install --prefix tests/javascript")
    done = subprocess.run([TOOLS / tool, *CHECKS[tool]], cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_script_stays_small():
    lines = {path.name: path.read_text(encoding="utf-8").count("\n") for path in PAGE_FOLDER.glob("*.js")}
    assert sum(lines.values()) <= MAX_LINES and max(lines.values()) <= MAX_MODULE_LINES
    assert all((PAGE_FOLDER / name).read_text(encoding="utf-8").startswith("/*") for name in lines), (
        "each says its idea"
    )
