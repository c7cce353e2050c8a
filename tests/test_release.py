"""What people get: the sdist, and the wheel made from it, which solves, plays, and adds on its own."""

import email
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from regis.system.os_errors import DISTRIBUTION_NAME
from regis.system.version import __version__

pytest.importorskip("hatchling", reason="needs hatchling, as installed with the extra `test`")
pytest.importorskip("twine", reason="needs twine, as installed with the extra `test`")

ROOT = Path(__file__).parent.parent
MAX_WHEEL_BYTES = 100_000_000  # limit of package indexes
NOWHERE = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "PIP_NO_INDEX": "1"}

pytestmark = pytest.mark.slow


def call(*command: object, cwd: Path, **more: str) -> str:
    """Return the output of a program without a network and without imports from this folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | NOWHERE | more
    done = subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the sdist, and the wheel that is built only from it."""
    folder = tmp_path_factory.mktemp("dist")
    call(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        packed.extractall(folder, filter="data")
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=unpacked)
    shutil.rmtree(unpacked)
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


def test_package_files_are_valid_for_a_package_index(packages: tuple[Path, Path]):
    call(sys.executable, "-m", "twine", "check", "--strict", *packages, cwd=ROOT)
    assert all(path.stat().st_size < MAX_WHEEL_BYTES for path in packages)


def test_the_wheel_says_what_it_is(packages: tuple[Path, Path]):
    with zipfile.ZipFile(packages[1]) as wheel:
        held = {re.sub(r"^.+\.dist-info", "INFO", name): name for name in wheel.namelist()}
        said = email.message_from_bytes(wheel.read(held["INFO/METADATA"]))
    assert {"regis/py.typed", "INFO/licenses/LICENSE", "INFO/licenses/NOTICE.md", "INFO/entry_points.txt"} <= set(held)
    newest = re.search(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest and [said["Name"], said["Version"], newest[1]] == [DISTRIBUTION_NAME, __version__, __version__]
    assert said["License-Expression"] == "MIT" and said["Requires-Python"] == ">=3.11"
    assert said["Description-Content-Type"] == "text/markdown" and said.get_payload().startswith("# Regis\n")


def needed(requirements: list[str], found: dict[str, metadata.Distribution]) -> dict[str, metadata.Distribution]:
    """Return the distributions that these require, and no others."""
    for requirement in map(Requirement, requirements):
        if requirement.name not in found and (not requirement.marker or requirement.marker.evaluate({"extra": ""})):
            found[requirement.name] = metadata.distribution(requirement.name)
            needed(found[requirement.name].requires or [], found)
    return found


@pytest.fixture(scope="module")
def installed(packages: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a separate environment with the wheel, and links to its requirements, and nothing else."""
    home = tmp_path_factory.mktemp("installed")
    call(sys.executable, "-m", "venv", "--without-pip", home / "env", cwd=home)
    python = home / "env/bin/python"
    call(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", packages[1], cwd=home)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(call(python, "-c", ask, cwd=home).strip())
    with zipfile.ZipFile(packages[1]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        requirements = email.message_from_bytes(wheel.read(name)).get_all("Requires-Dist") or []
    for distribution in needed(requirements, {}).values():
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(distribution.locate_file(top))
    return home


def test_it_solves_plays_and_adds_where_nothing_else_is(installed: Path):
    regis = installed / "env/bin/regis"
    own = {"REGIS_DATA": str(installed / "data"), "REGIS_CACHE": str(installed / "cache")}
    assert call(regis, "--version", cwd=installed, **own) == f"regis {__version__}\n"
    (examples,) = installed.glob("env/lib/*/site-packages/regis/data/examples")
    solved = json.loads(call(regis, "solve", "--format", "json", examples / "mini.puz", cwd=installed, **own))
    assert {"DEMO", "BELOW", "DELAY"} < {entry["answer"] for entry in solved["entries"]}
    (installed / "mywords.txt").write_text("Aunt Ottilie\n")
    assert call(regis, "add", "mywords.txt", cwd=installed, **own) == "mywords: 1 word\nnew answers: 1\n"
    command = [regis, "play", "--no-browser", examples / "mini.puz"]
    environment = os.environ | own
    with subprocess.Popen(command, cwd=installed, env=environment, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        with urllib.request.urlopen(program.stdout.readline().split()[-1], timeout=60) as page:
            assert b"<title>Regis</title>" in page.read()
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=60) == 0
