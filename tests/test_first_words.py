"""What beginners type: each command does what was meant, or says what to type; completion is valid in each shell."""

import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest
import tiny
from test_cli import one_sentence

import regis
from regis import cli
from regis.cli.dispatch import COMMANDS, Shell
from regis.cli.parser import SHORT_HELP
from regis.errors import PuzzleError, UsageError
from regis.puzzle import formats
from regis.system import paths

Captured = pytest.CaptureFixture[str]


def said(capsys: Captured, *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    return (cli.main(list(words)), *capsys.readouterr())


@pytest.mark.parametrize(
    "word, meant",
    [
        *[("slove", "solve"), ("gues", "guess"), ("instal", None), ("doctr", "doctor")],
        *[("hint", "solve --hint"), ("exit-zero", "solve --exit-zero"), ("puzzles", None)],
    ],
)
def test_a_slip_is_told_what_it_looks_like(capsys: Captured, word: str, meant: str | None):
    code, out, err = said(capsys, word, "today.puz")
    assert (code, out) == (2, "") and word in one_sentence(err)
    assert (f"did you mean `regis {meant}`?" if meant else "see `regis --help`") in err


def test_help_is_a_word_too_and_a_file_called_so_is_played(capsys: Captured, tmp_path: Path, monkeypatch):
    assert said(capsys, "help") == said(capsys, "--help")
    assert said(capsys) == (0, SHORT_HELP, "")
    assert said(capsys, "help", "solve") == said(capsys, "solve", "--help")
    assert said(capsys, "help", "slove")[0] == 2
    assert said(capsys, "-V") == said(capsys, "--version") == (0, f"regis {regis.__version__}\n", "")
    monkeypatch.chdir(tmp_path)
    Path("help").write_text("no puzzle")
    assert said(capsys, "help")[0] == 1


def test_only_who_ends_unsure_says_so_in_its_help(capsys: Captured):
    assert "  3 " in said(capsys, "--help")[1] and "  3 " in said(capsys, "solve", "--help")[1]
    for command in ("play", "guess", "build", "add"):
        help_text = said(capsys, command, "--help")[1]
        assert "unsure" not in help_text and "filled, and" not in help_text and "  130  interrupted" in help_text


def test_a_clue_needs_no_quotes(capsys: Captured, unseen: Path):
    quoted = said(capsys, "guess", "Be without", "4", "--index", str(unseen))
    assert quoted[0] == 0 and quoted == said(capsys, "guess", "Be", "without", "4", "--index", str(unseen))
    assert quoted == said(capsys, "guess", "--index", str(unseen), "Be", "without", "4")


@pytest.mark.parametrize("command", ["solve", "add", "play"])
def test_an_index_is_no_folder_of_puzzles(capsys: Captured, unseen: Path, tmp_path: Path, monkeypatch, command: str):
    monkeypatch.setenv(paths.INDEX_VARIABLE, str(unseen))
    folder = shutil.copytree(unseen, tmp_path / "index")
    (folder / "tokenizer.json").write_text('{"version": "1.0"}')
    code, _, err = said(capsys, command, str(folder))
    assert code == 1 and "it's an index; name a puzzle" in one_sentence(err)
    with pytest.raises(PuzzleError, match="contains no puzzle files"):
        list(formats.open_files(tmp_path))
    tiny.puz(tmp_path / "today.puz")
    assert [Path(file.name).name for file in formats.open_files(tmp_path)] == ["today.puz"]


def test_one_puzzle_is_not_looked_for_on_a_whole_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(formats, "MAX_FILES_BESIDE", 3)
    tiny.puz(tmp_path / "today.puz")
    for name in ("a", "b"):
        (tmp_path / name).touch()
    assert regis.read_puzzle(tmp_path).title
    (tmp_path / "c").touch()
    with pytest.raises(UsageError, match="more than 3 files; name one"):
        regis.read_puzzle(tmp_path)


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
