"""The script of `regis play`: types and rules are checked if node is installed, the size always."""

import shutil
import subprocess
from pathlib import Path

import pytest

from regis.play.app import PAGE_FOLDER

TESTS = Path(__file__).parent
TOOLS = TESTS / "javascript" / "node_modules" / ".bin"
CHECKS = {"tsc": ["-p", "tests/javascript"], "eslint": ["--config", "tests/javascript/eslint.config.js", PAGE_FOLDER]}


@pytest.mark.slow
@pytest.mark.parametrize("tool", CHECKS)
def test_types_and_habits(tool: str):
    if not shutil.which("node") or not (TOOLS / tool).exists():
        pytest.skip("needs node and: npm install --prefix tests/javascript")
    done = subprocess.run([TOOLS / tool, *CHECKS[tool]], cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
