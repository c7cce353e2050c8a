"""Completion: each shell's script is valid in that shell, and bash completes with it."""

import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from regis import cli
from regis.cli.dispatch import COMMANDS, Shell


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["completion", shell]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.mark.parametrize("shell", get_args(Shell))
def test_a_script_names_every_command(shell: str, capsys: pytest.CaptureFixture[str]):
    text = script(shell, capsys)
    assert all(command in text for command in COMMANDS) and "--filler" in text
    if shutil.which(shell):
        done = subprocess.run([shell, "-n"], input=text, text=True, capture_output=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_shell(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["completion", "tcsh"]) == 2
    assert "bash" in capsys.readouterr().err


COMPLETED = """
source regis.sh
COMP_WORDS=(regis {words}) COMP_CWORD={count}
function=$(complete -p regis | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
$function regis "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("sol", {"solve"}), ("solve --for", {"--format"}), ("solve --format h", {"html"}), ("solve to", {"today.puz"}),
        ("completion z", {"zsh"}), ("index --index da", {"data"}), ("fetch --a", {"--again"}),
        ("add to", {"today.puz"}),
        ("build --source cl", {"clues.tsv"}),
    ],
)  # fmt: skip
def test_bash_completes(words: str, offered: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for name in ("today.puz", "clues.tsv"):
        (tmp_path / name).touch()
    (tmp_path / "data").mkdir()
    (tmp_path / "regis.sh").write_text(script("bash", capsys))
    code = COMPLETED.format(words=words, count=len(words.split()))
    done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert set(done.stdout.split()) == offered, done.stderr
