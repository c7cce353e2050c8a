"""The commands as a user meets them: output, one sentence for each mistake, exit codes."""

import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import get_args, get_type_hints
from unittest.mock import Mock

import barred
import pytest
import shared
import tiny

from regis import cli
from regis.ancestors import FILLERS
from regis.cli import progress, puzzle_output
from regis.cli.command import PUZZLE_FORMATS, Option, OutputPath, OutputPlace
from regis.cli.dispatch import COMMANDS
from regis.cli.parser import parse_command
from regis.cli.puzzle_output import RenderSpec
from regis.corpora import readers, sources
from regis.corpora.entry import Source
from regis.evaluation import runner
from regis.puzzle import formats
from regis.solving.moves import PLAN
from regis.solving.pipeline import solve
from regis.system import paths
from regis.system.files import atomic

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    corpus = tiny.corpus(folder / "clues.tsv")
    assert cli.main(["build", "--source", f"xd-clues={corpus}", "--output", str(folder / "index")]) == 0
    return folder / "index"


@pytest.fixture
def regis(index, monkeypatch, run):
    """Return a function that runs a command with the tiny index."""
    monkeypatch.setenv(paths.INDEX_VARIABLE, str(index))
    return run


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Return the current folder, with a few puzzles and a corpus."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.puz", "-lead.puz"):
        tiny.puz(tmp_path / name)
    tiny.archive(tmp_path / "two", ["b", "c"])
    shutil.make_archive("two", "zip", "two")
    (tmp_path / "a.xd").write_bytes(formats.convert_file(formats.open_file(tmp_path / "a.puz"), "xd")[0])
    (tmp_path / "link.puz").symlink_to("a.puz")
    (tmp_path / "link.html").symlink_to("two/b.puz")
    tiny.corpus(tmp_path / "clues.tsv")
    return tmp_path


def one_sentence(err: str) -> str:
    """Return the only line of `err`."""
    assert err.startswith("regis: ") and err.count("\n") == 1 and "Traceback" not in err
    return err


def test_solve_prints_grid_and_entries(regis, tmp_path):
    code, out, err = regis("solve", tiny.puz(tmp_path / "a.puz"))
    assert (code, err) == (0, "")
    assert " l a c k\n i r o n\n m e r e\n b a k e" in out.lower().replace("?", " ") and "Golfer's club" in out


@pytest.mark.parametrize("filler", FILLERS)
def test_a_filler_whose_time_was_up_says_so(regis, tmp_path, filler):
    puzzle = tiny.puz(tmp_path / "a.puz")
    assert "stopped early" not in regis("solve", "--filler", filler, puzzle)[1]
    assert "stopped early" in regis("solve", "--filler", filler, "--seconds", "0.000001", puzzle)[1]
    for seconds, late in (("60", False), ("0.000001", True)):
        told = regis("solve", "--filler", filler, "--format", "json", "--seconds", seconds, puzzle)[1]
        assert json.loads(told)["timed_out"] is late


@pytest.mark.parametrize("filler", FILLERS)
def test_watching_a_filler_shows_steps_and_then_the_same_result(regis, tmp_path, filler):
    puzzle = tiny.puz(tmp_path / "a.puz")
    _, plain, _ = regis("solve", "--filler", filler, puzzle)
    code, out, err = regis("solve", "--filler", filler, "--watch", puzzle)
    assert (code, err) == (0, "") and "\x1b" not in out
    result = out[out.rindex("Square\n") :]
    assert result.splitlines()[3:] == plain.splitlines()[3:]
    steps = out[: out.rindex("Square\n")].split("\n\n")
    assert len(steps) > 1 and all(len(step.splitlines()) == 5 for step in steps[:-1]), "a note and four rows each"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_what_is_being_done(regis, tmp_path, monkeypatch):
    puzzle = tiny.puz(tmp_path / "a.puz")
    code, _, err = regis("solve", puzzle)
    assert (code, err) == (0, ""), "into a file nothing is said"
    monkeypatch.setattr(progress, "MIN_SHOWN_SECONDS", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert regis("solve", puzzle, tmp_path / "none.puz")[0] == 1
    said = terminal.getvalue().split("\r\x1b[K")
    assert "opening the index ..." in said and any("a.puz: looking" in one for one in said)
    assert "a.puz: filling the grid, round 1 ..." in said
    (error,) = (one for one in said if "none.puz" in one)
    assert error.startswith("regis: error:") and terminal.getvalue().endswith((error, "\r\x1b[K"))


def test_on_a_terminal_the_grid_is_seen_while_it_is_filled(regis, tmp_path, monkeypatch):
    puzzle = tiny.puz(tmp_path / "a.puz")
    monkeypatch.setenv("TERM", "xterm")
    for words, is_seen in ((), True), (("--check",), False), (("--only", "1A"), False), (("--format", "json"), False):
        monkeypatch.setattr(sys, "stdout", terminal := Terminal())
        assert regis("solve", *words, puzzle)[0] == 0
        assert terminal.getvalue().startswith("round 1 ") == is_seen == ("\x1b[5A\x1b[J" in terminal.getvalue())


def test_the_first_ctrl_c_shows_the_best_grid_so_far(regis, tmp_path, monkeypatch):
    def press(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setitem(PLAN, "reader pass", press)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests that run in the background ignore it
    try:
        code, out, err = regis("solve", *(tiny.puz(tmp_path / name) for name in ("a.puz", "b.puz")))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert regis("solve", "--output", tmp_path / "a.txt", tmp_path / "a.puz")[:2] == (130, "")
        assert not (tmp_path / "a.txt").exists(), "a file gets no grid that is half done"
    finally:
        signal.signal(signal.SIGINT, before)
    assert code == 130 and "stopped early" in " ".join(out.split())
    assert " i r o n\n" in out.lower().replace("?", " ") and out.count("Square") == 1, "that puzzle, and no other"
    assert "interrupted" in one_sentence(err)


def test_ctrl_c_keeps_what_is_solved_for_a_file(regis, tmp_path, monkeypatch):
    def press(puzzle, *rest):
        if puzzle.title == "b":
            raise KeyboardInterrupt
        return solve(puzzle, *rest)

    monkeypatch.setattr(puzzle_output, "solve", press)
    archive = tiny.archive(tmp_path / "three", ["a", "b", "c"])
    code, _, err = regis("solve", "--format", "json", "-o", tmp_path / "out", archive)
    assert code == 130 and "what was finished is printed or written" in one_sentence(err)
    assert json.loads((tmp_path / "out").read_text())["title"] == "a"


def test_a_puzzle_without_entries_is_not_solved(regis, tmp_path):
    lone = tiny.puz(tmp_path / "a.puz", ("A#", "#B"))
    for words, code, said in (
        ((), 3, "This puzzle has no entries: "),
        (("--hint",), 3, "a.puz: there are no entries to give a hint for.\n"),
    ):
        found, out, err = regis("solve", *words, lone)
        assert found == code and said in out and "has nothing to solve" in one_sentence(err)
    assert "has no entries to explain" in regis("explain", lone)[2] and regis("explain", lone)[0] == 1


def test_a_file_may_be_named_like_an_option_and_a_dash_is_standard_output(regis, home, monkeypatch):
    assert regis("solve", "./-lead.puz")[0] == 0
    assert "LACK" in regis("solve", "-o", "-", "a.puz")[1]
    monkeypatch.setattr(sys, "stdout", stdout := io.TextIOWrapper(io.BytesIO()))
    assert regis("convert", "--format", "ipuz", "a.puz", "-")[0] == 0
    assert json.loads(stdout.buffer.getvalue())["title"] == "Square" and not Path("-").exists()


def test_a_bad_puzzle_is_reported_and_the_others_are_solved_or_converted(regis, tmp_path):
    archive = tiny.archive(tmp_path / "two", ["a", "c"])
    (archive / "b.puz").write_bytes(b"broken")
    for bad, said in ((archive / "b.puz", "b.puz"), (tmp_path / "none.puz", "none.puz doesn't exist")):
        code, out, err = regis("solve", bad, archive / "c.puz")
        assert code == 1 and "Golfer's club" in out and said in one_sentence(err)
        code, _, err = regis("convert", "--format", "xd", bad, archive / "c.puz", tmp_path)
        assert code == 1 and said in one_sentence(err) and (tmp_path / "c.xd").exists()
        (tmp_path / "c.xd").unlink()


def test_warnings_go_to_standard_error(regis, tmp_path, monkeypatch):
    monkeypatch.setattr(
        formats, "read_puzzle", lambda file, right=formats.read_puzzle: (right(file)[0], ["a.puz: odd\x1b[2J"])
    )
    code, out, err = regis("solve", tiny.puz(tmp_path / "a.puz"))
    assert (code, err) == (0, "regis: warning: a.puz: odd [2J\n") and "odd" not in out


@pytest.mark.parametrize("form", [*PUZZLE_FORMATS, "html", "svg"])
def test_what_is_not_text_goes_where_standard_output_goes(regis, tmp_path, monkeypatch, form):
    puzzle, made = tiny.puz(tmp_path / "a.puz", title="Carré"), tmp_path / f"b.{form}"
    with monkeypatch.context() as into:
        into.setattr(sys, "stdout", stdout := io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
        assert regis("solve", "--format", form, puzzle)[0] == 0
    assert regis("solve", "--output", made, puzzle)[0] == 0
    assert stdout.buffer.getvalue() == made.read_bytes()


def test_the_name_of_the_output_tells_the_format(regis, home):
    starts = {"b.html": "<!DOCTYPE", "b.SVG": "<svg", "b.jsonl": "{", "b.xd": "Title:", "b.png": "\x89PNG"}
    for name in starts if find_spec("PIL") else starts.keys() - {"b.png"}:
        assert regis("solve", "--output", name, "a.puz") == (0, "", "")
        assert Path(name).read_bytes().startswith(starts[name].encode("latin-1")), name


def test_nothing_is_graded_unless_asked(regis, tmp_path, monkeypatch):
    wrong = tiny.puz(tmp_path / "a.puz", rows=("LACX", *tiny.ROWS[1:]))
    code, out, err = regis("solve", "--grade", "--format", "html", wrong)
    assert (code, err) == (0, "") and "solution; 1 letter." in out
    code, out, err = regis("solve", "--grade", "--format", "html", tiny.puz(tmp_path / "b.puz", solution=False))
    assert code == 0 and "solution; " not in out and "no readable solution" in one_sentence(err)
    monkeypatch.setattr("regis.evaluation.score.read_truth", lambda file: pytest.fail("looked at"))
    code, out, _ = regis("solve", "--format", "html", wrong)
    assert code == 0 and "solution; " not in out


def test_output_is_whole_or_stays_as_it_was(regis, tmp_path):
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    assert regis("solve", "--output", target, tmp_path / "missing.puz")[0] == 1 and target.read_text() == "old"
    assert regis("solve", "--format", "json", "--output", target, tiny.puz(tmp_path / "a.puz"))[:2] == (0, "")
    assert json.loads(target.read_text())["title"] == "Square"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.puz", "out.jsonl"]


@pytest.mark.parametrize("format", ["text", "json"])
def test_many_puzzles_are_solved_side_by_side(regis, tmp_path, format):
    """With any number of workers, both streams have the same words in the order of the puzzles."""
    folder = tiny.archive(tmp_path / "puzzles", [f"p{i}" for i in range(5)])
    (folder / "p2b.puz").write_bytes(b"nothing")
    alone, together = (regis("solve", folder, "--format", format, "--ascii", "--jobs", jobs) for jobs in (1, 2))
    seconds = re.compile(r"in [0-9.]+ s |\"seconds\": [0-9.e-]+")
    assert seconds.sub("", alone[1]) == seconds.sub("", together[1]) and alone[1].count("p4.puz") == 1
    assert (alone[0], alone[2]) == (together[0], together[2]) == (1, alone[2]) and "p2b.puz" in one_sentence(alone[2])


def test_one_puzzle_is_solved_here_whatever_cluster_there_is(regis, tmp_path, monkeypatch):
    monkeypatch.setenv("REGIS_CLUSTER", "tcp://127.0.0.1:1")
    assert regis("solve", tiny.puz(tmp_path / "a.puz"))[0] in (0, 3)


def test_write_follows_links_and_keeps_permissions(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    atomic.write_file(link, "new")
    assert link.is_symlink() and real.read_text() == "new" and real.stat().st_mode & 0o777 == 0o640


def test_guess(regis):
    code, out, _ = regis("guess", "Golfer's club", "ir_-")
    assert code == 0 and out.splitlines()[0] == "Golfer's club   IR??" and "IRON" in out.splitlines()[1]
    code, out, _ = regis("guess", "Golfer's club", "4", "--limit", "2", "--format", "json")
    value = json.loads(out)
    assert value["candidates"][0]["answer"] == "IRON" and len(value["candidates"]) == 2
    assert value["candidates"][0]["evidence"][0]["text"] == "Golfer's club"


def test_guess_without_a_pattern_lists_all_lengths(regis):
    code, out, _ = regis("guess", "Golfer's", "club")
    assert code == 0 and out.splitlines()[0] == "Golfer's club   any length" and "IRON" in out.splitlines()[1]
    assert "  0.0%" not in out.rpartition("\n ")[0]
    assert regis("guess", "Golfer's club", "IRON")[1].startswith("Golfer's club   IRON\n100.0%")
    value = json.loads(regis("guess", "Golfer's club", "--format", "json", "--limit", "9999")[1])
    assert value["pattern"] == "" and {len(one["answer"]) for one in value["candidates"]} > {4}
    total = value["missing_probability"] + sum(one["probability"] for one in value["candidates"])
    assert total == pytest.approx(1, abs=1e-3)


def test_explain_without_an_entry_explains_the_least_sure(regis, tmp_path):
    puzzle = tiny.puz(tmp_path / "a.puz")
    entries = json.loads(regis("solve", "--format", "json", puzzle)[1])["entries"]
    least = min(entries, key=lambda entry: entry["confidence"])
    explained = json.loads(regis("explain", "--format", "json", puzzle)[1])
    assert explained["confidence"] == least["confidence"]


@pytest.mark.parametrize(
    "words",
    [("index",), ("doctor",), ("guess", "Golfer's club"), ("explain", "a.puz", "1A")],
    ids=lambda words: words[0],
)
def test_a_report_goes_into_a_file_as_its_name_says(regis, index, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    before = tiny.puz(tmp_path / "a.puz").read_bytes()
    shown = regis(*words)[1]
    assert regis(*words, "-o", "report.txt") == (0, "", "")
    assert Path("report.txt").read_text()[:60] == shown[:60]
    assert regis(*words, "--output", "report.json")[0] == 0
    assert json.loads(Path("report.json").read_text()) == json.loads(regis(*words, "--format", "json", "-o", "-")[1])
    for place in ("a.puz", index / "report.txt") if words[0] == "explain" else ():
        assert regis(*words, "-o", place)[0] == 2 and Path("a.puz").read_bytes() == before


def test_quiet_prints_results_and_errors_only(regis, tmp_path, monkeypatch):
    source = ROOT / "examples" / "formats" / "sampler.ipuz"
    lost = "can't hold italics, shaded squares, editor; left out"
    assert lost in one_sentence(regis("convert", source, tmp_path / "a.puz")[2])
    assert regis("convert", "-q", source, tmp_path / "a.puz") == (0, "", "")
    one_sentence(regis("solve", "-q", "none.puz")[2])
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert regis("solve", "-q", tiny.puz(tmp_path / "b.puz"))[0] == 0 and terminal.getvalue() == ""


def test_a_script_may_ask_for_no_code_of_doubt(regis, tmp_path):
    wrong = tmp_path / "wrong.puz"
    file = formats.open_file(tiny.puz(tmp_path / "a.puz"))
    wrong.write_bytes(formats.convert_file(file, "puz", {(0, 0): "Q"})[0])
    assert regis("solve", wrong)[0] == 3 and regis("solve", "--exit-zero", wrong)[0] == 0
    assert regis("solve", "--exit-zero", wrong, "none.puz")[0] == 1


def test_index_tells_what_it_holds(regis, tmp_path):
    code, short, _ = regis("index")
    assert code == 0 and "xd-clues      1         22    22         0" in short and "2001" not in short
    code, out, _ = regis("index", "--all")
    assert code == 0 and "xd-clues: clues.tsv, 2001 to 2002" in out and "22 rows read, 22 kept, 0 left out" in out
    assert out.splitlines()[:5] == short.splitlines()[:5]
    assert "clue encoder: none yet (run `regis learn`)" in out


def test_bench_prints_a_table_and_writes_json(regis, tmp_path, monkeypatch):
    """Even with the current folder as archive."""
    folder = tiny.archive(tmp_path / "puzzles", ["tst2014-09-01", "tst2014-09-02"])
    code, out, err = regis("bench", folder, "--seen", "--json", tmp_path / "r.json", "--limit", 1)
    assert (code, err) == (0, "") and out.startswith("SEEN") and "all plain" in out
    assert len(json.loads((tmp_path / "r.json").read_text())["puzzles"]) == 1
    monkeypatch.chdir(folder)
    for _ in range(2):  # the second time it goes on
        code, out, err = regis("bench", ".", "--seen", "--resume", "run.jsonl", "--html", "r.html")
        assert (code, err) == (0, "") and out.startswith("SEEN") and "puzzles, filler belief" in out


def test_bench_without_a_puzzle_that_can_be_graded_fails_and_says_so(regis, tmp_path):
    folder = tmp_path / "puzzles"
    folder.mkdir()
    (folder / "a.puz").write_bytes(b"nothing")
    code, out, err = regis("bench", folder)
    assert code == 1 and "a.puz" in out and "no puzzle could be graded" in one_sentence(err)
    code, out, err = regis("bench", tiny.puz(tmp_path / "unsolved.puz", solution=False))
    assert code == 1 and "usable solution: 1." in out and "no puzzle could be graded" in one_sentence(err)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_bench_prints_its_table(sent, regis, tmp_path, monkeypatch):
    terminal = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # if nothing handles it, the tests must not end
    monkeypatch.setattr(runner, "solve", lambda *_, **__: signal.raise_signal(sent))
    try:
        code, out, err = regis("bench", tiny.archive(tmp_path / "puzzles", ["a"]), "--seen")
    finally:
        signal.signal(signal.SIGINT, terminal)
        left = signal.signal(signal.SIGTERM, before)
    assert left is signal.SIG_IGN
    assert code == 130 and "interrupted after 0 of 1" in out and "interrupted" in one_sentence(err)


@pytest.mark.parametrize("command", ["solve", "guess", "build", "index"])
def test_interrupted_anywhere_is_one_sentence(regis, monkeypatch, command):
    monkeypatch.setattr(COMMANDS[command], "run", Mock(side_effect=KeyboardInterrupt))
    code, _, err = regis(command, *{"solve": ["a.puz"], "guess": ["a", "3"]}.get(command, []))
    assert code == 130 and one_sentence(err).startswith("regis: interrupted; ")


@pytest.mark.parametrize("module", ["regis.cli", "regis.cli.dispatch", "regis.cli.commands.solve", "numpy"])
def test_interrupted_while_libraries_are_loaded_is_one_sentence(module):
    """A module finder interrupts when one of them is imported, in a process like the `regis` script."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    code = f"""
import sys
class Ctrl_C:
    def find_spec(name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Ctrl_C)
sys.argv[1:] = ["solve", "none.puz"]
from {project["scripts"]["regis"].replace(":", " import ")} as start
start()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 130 and one_sentence(done.stderr).startswith("regis: interrupted")


MISUSES = {
    "sovle": "solve",
    "solve": "PUZZLE",
    "solve --filler magic a.puz": "backtrack, belief, cells, climb, domains, singletons",
    "solve --secs 5 a.puz": "--secs; did you mean `regis solve --seconds`?",
    "solve --format xml a.puz": "json",
    "solve --grade a.puz": "--format html",
    "solve --check --format html a.puz": "text or json",
    "solve --numbers --format html a.puz": "--numbers",
    'solve --only "" a.puz': "17A",
    "solve --only seventeen a.puz": "17A,23D",
    "solve --check --hint a.puz": "not allowed with",
    "solve --hint --format html a.puz": "--hint needs text or json, not html",
    "solve --check --watch a.puz": "combined with --check",
    "explain a.puz seventeen": "17A,23D",
    "explain a.puz 17A b.puz": "'b.puz' isn't an entry",
    "guess clue P*I": r"P\?I",
    'guess clue ""': "pattern",
    "guess clue 99": "25",
    "bench a --jobs 2 --cluster b": "--cluster",
    'bench a --cluster ""': "--cluster",
    "solve a.puz --watch --jobs 2": "--jobs",
    "bench a --limit 3 --per-weekday 3": "per-weekday",
    "build": "--source",
    "build --source magic=file.txt": "xd-clues",
    "build --source corpus.bin": "READER=corpus.bin",
    "fetch --again": "--again needs the name of what to download: xd-clues",
    "hint a.puz": "unknown command: hint; did you mean `regis solve --hint`?",
    "explain": "required: PUZZLE, as in `regis explain today.puz 17A`; see `regis explain --help`",
    "convert a.puz": "name the puzzle and then the file to write, as in `regis convert today.puz today.ipuz`",
    "explain a.puz 1": "'1' isn't an entry; write 1A or 1D",
    "solve a --jobs 2 b --foo": "unrecognized arguments: b --foo",
    "solve --watch --format json a.puz": "--output",
    "solve --pace 1 a.puz": "--watch",
    "solve -lead.puz": "write ./-lead.puz",
    "solve --format html a.puz a.puz": "one puzzle",
    "solve --format puz -o made.puz two": "one puzzle",
    "solve --check --output b.html a.puz": "not html",
    "solve -o a.puz a.puz": "is an input of this command.* or --format puz to write",
    "solve -o a.puz a.puz two/b.puz": "is an input of this command(?!.*--format)",
    "solve -o a.xd a.xd": "is an input of this command(?!.*--format)",
    "bench two/b.puz --json two/b.puz": "is an input of this command",
    "bench two --seen --json -": "needs a file",
    "convert a.puz b.jpz": "use .puz, .ipuz, .xd",
    "convert a.puz two": "is a folder; add --format",
    "convert a.puz -": "--format",
    "convert a.puz two/b.puz b.xd": "several puzzles need a folder",
    "solve --format html -o none.html two": "a folder, such as --output pages/",
    "solve -o two two": "--format",
    "convert --format xd two -": "name one and add --format",
    "convert two b.xd": "contains 2 puzzles; name one",
    "convert two.zip b.xd": "contains 2 puzzles; unpack it, and name one",
    "solve --format html -o {index}/pages/ a.puz": "is inside the index",
    **{f"solve {form} -o {name} a.puz": "choose another file"
       for form in ("--format json", "--format svg", "") for name in ("a.puz", "link.puz")},
    **{f"bench two --seen {option} {name}": "has a puzzle's name"
       for option, name in (("--json", "two/r.json"), ("--resume", "two/run.txt"), ("--html", "two/b.puz"),
                            ("--html", "link.html"))},
    **{f"{words} {name}": "doesn't end in a format Regis writes; use .txt, .json"
       for words in ("solve a.puz -o", "index -o") for name in ("a.pdf", "a.HTM", "a.puz.gz", "a.foo")},
    **dict.fromkeys(('solve ""', 'solve a.puz ""', 'bench ""', 'add ""', 'explain "" 1A', 'convert a.puz ""',
                     'build --source ""', 'build --source word-list='), "the name is empty"),
}  # fmt: skip
"""What a user types, and what the only sentence says, with code 2."""
FAILURES = {
    "bench two": "--seen",
    "convert a.puz no/b.xd": "can't be written",
    "solve -o none/out.txt a.puz": "can't be written",
    "solve -o /dev/null a.puz": "can't be written",
    "build --source clues.tsv --until 1990 --output made": "after --until: 22 rows.*--until",
    "build --source word-list=a.puz --output made": "no source has(?!.*--until)",
    **dict.fromkeys(("none.puz", "play none.puz", "solve none.puz", "explain none.puz", "bench none.puz",
                     "convert none.puz a.xd", "add none.txt", "build --source none.txt",
                     "build --hold-out none.puz --source word-list=none.txt", "guess a 3 --index none"), "none"),
    **{f"{words} --index none": "regis build" for words in ("solve a.puz", "guess clue 3", "bench two", "index")},
}  # fmt: skip
"""The same with code 1."""


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [(line, code, x) for code, all in ((2, MISUSES), (1, FAILURES)) for line, x in all.items()],
)
def test_a_mistake_is_one_sentence_that_helps(regis, home, index, monkeypatch, line, code, said):
    """It comes before anything is solved, and changes no file."""
    monkeypatch.setattr(puzzle_output, "solve", lambda *_: pytest.fail("solved"))
    before = shared.files(home)
    found, out, err = regis(*(word.format(index=index) for word in shlex.split(line)))
    assert (found, out) == (code, "") and re.search(said, one_sentence(err))
    assert {name: data for name, data in shared.files(home).items() if not name.endswith(".regis-lock")} == before


NUMBERS = ["0", "-1", "nan", "inf", "-inf", "1e400", "1e10", "9" * 5000, "1e", "0x10", "", "1 000", "²"]


def options_of(*kinds: type) -> list[tuple[str, str]]:
    """List every command with each option that takes a word of one of the `kinds`."""
    found = []
    for name, command in COMMANDS.items():
        for option, hint in get_type_hints(command, include_extras=True).items():
            kind, note = (*get_args(hint), None, None)[:2]
            asked = isinstance(note, Option) and {kind, *get_args(kind)} & set(kinds)
            found += [(name, f"--{option.replace('_', '-')}")] * bool(asked)
    return found


@pytest.mark.parametrize(("command", "option"), options_of(int, float))
def test_a_number_that_makes_no_sense_is_refused_before_anything_is_done(regis, command, option):
    for number in NUMBERS:
        code, out, err = regis(command, f"{option}={number}")
        assert (code, out) == (2, "") and option in one_sentence(err) and "isn't a" in err, number


@pytest.mark.parametrize(("command", "option"), options_of(Path, OutputPath, OutputPlace))
def test_an_empty_name_is_not_the_current_folder(regis, command, option):
    code, out, err = regis(command, f"{option}=")
    assert (code, out) == (2, "") and f"{option}: the name is empty" in one_sentence(err)


@pytest.mark.parametrize(("command", "option"), options_of(OutputPath))
def test_a_name_with_a_slash_at_its_end_is_not_a_file(regis, tmp_path, command, option):
    (tmp_path / "a.txt").write_text("mine")
    for name in (tmp_path / "new", tmp_path / "a.txt"):
        code, out, err = regis(command, "bash" if command == "completion" else "a.puz", option, f"{name}/")
        assert (code, out) == (2, "") and f"{name}/ is a folder; name a file" in one_sentence(err)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"] and (tmp_path / "a.txt").read_text() == "mine"


@pytest.mark.parametrize("place", ["new", "new/", "new/er", "new.2014", "new.ipuz/"])
@pytest.mark.parametrize("command", [("convert", "--format", "ipuz"), ("solve", "--format", "ipuz", "-o")])
def test_a_folder_for_many_puzzles_is_made(regis, tmp_path, monkeypatch, command, place):
    monkeypatch.chdir(tmp_path)
    archive = tiny.archive(Path("two"), ["a", "b"])
    for named in ([archive], [archive / "a.puz", archive / "b.puz"], [shutil.make_archive("two", "zip", "two")]):
        words = [*command, *named, place] if command[0] == "convert" else [*command, place, *named]
        assert regis(*words)[:2] == (0, "")
        assert sorted(path.name for path in Path(place).iterdir()) == ["a.ipuz", "b.ipuz"]
        shutil.rmtree(place)
    assert regis(*command, *([place, "none.puz"] if command[0] == "solve" else ["none.puz", "new/"]))[0] == 1
    assert not Path(place).exists(), "nothing was read that could go there"


def test_at_a_terminal_it_is_told_where_the_result_is(regis, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    archive = tiny.archive(Path("two"), ["a", "b"])
    for words, said in (
        (("solve", "-o", "a.txt", archive / "a.puz"), "wrote a.txt"),
        (("convert", archive / "a.puz", "a.xd"), "wrote a.xd"),
        (("solve", "--format", "json", "-o", "all/", archive), "wrote 2 files in all"),
        (("convert", "--format", "xd", archive, "all"), "wrote 2 files in all"),
        (("convert", "--format", "xd", archive / "a.puz", "all"), "wrote 1 file in all"),
    ):  # fmt: skip
        assert regis(*words) == (0, "", ""), "a script knows where"
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", terminal := Terminal())
            assert regis(*words)[0] == 0 and f"regis: {said}\n" in terminal.getvalue()


@pytest.mark.parametrize(
    ("arguments", "help"),
    [(("learn",), "regis build"), (("distil", "--output", "d"), "regis build"), (("remove", "a"), "regis add")],
    ids=["learn", "distil", "remove"],
)
def test_the_starter_is_not_what_learns_or_is_changed(regis, tmp_path, monkeypatch, arguments, help):
    monkeypatch.delenv(paths.INDEX_VARIABLE)
    monkeypatch.setenv(paths.DATA_VARIABLE, str(tmp_path / "data"))
    monkeypatch.setattr(paths, "starter_folder", lambda: tmp_path / "starter")
    code, out, err = regis(*arguments)
    assert (code, out) == (1, "") and help in one_sentence(err)
    assert ("the starter" in err) == (help == "regis build"), "who removes need not build"


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_has_examples_and_exit_codes(regis, command):
    code, out, _ = regis(*([command] if command else []), "--help")
    assert code == 0 and "130  interrupted" in out and f"regis {command or 'solve'} " in out


def test_help_names_every_reader_and_filler(regis):
    assert f"readers: {', '.join(readers.READERS)};" in " ".join(regis("build", "--help")[1].split())
    *others, last = FILLERS
    for command in ("solve", "bench"):
        assert f"{', '.join(others)}, or {last}" in " ".join(regis(command, "--help")[1].split())


@pytest.mark.parametrize(
    ("mixed", "sorted"),
    [
        ("solve a --seconds 5 b --jobs 2 c", "solve --seconds 5 --jobs 2 a b c"),
        ("play a --no-browser b", "play --no-browser a b"),
        ("solve a --jobs 2 -", "solve --jobs 2 a -"),
        ("solve a --jobs 2 b -- -c --watch", "solve --jobs 2 -- a b -c --watch"),
    ],
)
def test_files_may_stand_on_both_sides_of_an_option(mixed, sorted):
    assert parse_command(mixed.split(), COMMANDS) == parse_command(sorted.split(), COMMANDS)


def test_nothing_heavy_is_loaded_before_a_command_runs():
    """The number of threads must be set before number libraries are imported."""
    code = "import sys, regis.cli; sys.exit(any(name in sys.modules for name in ('numpy', 'pyarrow', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize(
    ("word", "reader"),
    [
        ("xd-clues.zip", "xd-clues"), ("mine.tsv", "xd-clues"), ("XWORDLIST.DICT", "word-list"),
        ("enwiki-latest-all-titles-in-ns0.gz", "wikipedia-titles"), ("titles.txt.gz", "wikipedia-titles"),
        ("movie-titles.csv.gz", "word-list"), ("mytitles.txt", "word-list"), ("word-list=a=b.txt", "word-list"),
    ],
)  # fmt: skip
def test_a_name_tells_the_reader(word, reader):
    assert sources.parse_source(word) == Source(reader, Path(word.removeprefix("word-list=")))


def shell(index: Path, *arguments: object, **more) -> subprocess.Popen[str]:
    """Start `python -m regis` in a process without a starter."""
    code = (
        "import runpy, regis.system.paths as p; p.STARTER_NAME = 'none'; runpy.run_module('regis', run_name='__main__')"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], cwd=ROOT, text=True, stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE, env={**os.environ, paths.INDEX_VARIABLE: str(index)}, **more,
    )  # fmt: skip


def test_a_reader_that_goes_away_is_no_error(index, tmp_path):
    puzzle = tiny.puz(tmp_path / "a.puz")
    read, write = os.pipe()
    os.close(read)
    process = shell(index, "solve", puzzle, puzzle, stdout=write)
    os.close(write)
    assert (process.communicate(timeout=60)[1], process.returncode) == ("", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("word", ["a.puz", "--help"])
def test_a_full_disk_is_one_sentence(index, tmp_path, word):
    tiny.puz(tmp_path / "a.puz")
    with Path("/dev/full").open("w") as full:
        process = shell(index, "solve", tmp_path / word if word == "a.puz" else word, stdout=full)
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 1 and "No space left" in one_sentence(err)


@pytest.mark.parametrize("words", [("solve",), ("solve", "--watch"), ("solve", "--format", "json"), ("convert",)])
def test_a_closed_output_is_one_sentence(index, tmp_path, words):
    target = [tmp_path / "b.ipuz"] if words[0] == "convert" else []
    puzzle, closed = tiny.puz(tmp_path / "a.puz"), {"preexec_fn": lambda: os.close(1)}
    process = shell(index, *words, puzzle, *target, **closed)
    err = process.communicate(timeout=60)[1]
    if target:  # nothing is written there
        assert (process.returncode, err) == (0, "") and target[0].exists()
    else:
        assert process.returncode == 1 and "the output can't be written" in one_sentence(err)


def test_output_that_is_not_unicode_still_works(index, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    process = shell(index, "solve", tiny.puz(tmp_path / "é.puz", title="Été"), stdout=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "") and out.startswith("?t?") and out.isascii()


def test_ctrl_c_with_workers_ends_them_all(index, tmp_path):
    """Ctrl-C goes to the whole group, as from a terminal, while the workers solve or still start.

    Tests in the background inherit an ignored Ctrl-C; a program in a terminal doesn't.
    """

    def heed() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    folder = tiny.archive(tmp_path / "puzzles", [f"p{i:04}" for i in range(6000)])
    own = {"stdout": subprocess.PIPE, "start_new_session": True, "preexec_fn": heed}
    process = shell(index, "bench", folder, "--seen", "--jobs", 2, **own)
    time.sleep(3)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in one_sentence(err)
    with pytest.raises(ProcessLookupError):
        for _ in range(50):
            os.killpg(process.pid, 0)
            time.sleep(0.1)


def solution_kept(path: Path) -> bool:
    (file,) = formats.open_files(path)
    return formats.read_solution(file) == tiny.cells()


@pytest.mark.parametrize("target", PUZZLE_FORMATS)
def test_solve_writes_a_puzzle_file(regis, tmp_path, target):
    made = tmp_path / f"solved.{target}"
    code, out, err = regis("solve", "--format", target, "--output", made, tiny.puz(tmp_path / "a.puz"))
    assert (code, out, err) == (0, "", "")
    (file,) = formats.open_files(made)
    puzzle, warnings = formats.read_puzzle(file)
    assert (puzzle.title, warnings) == ("Square", ()) and solution_kept(made)
    assert puzzle.given == ({} if target == "xd" else tiny.cells())


def test_a_puzzle_file_is_not_for_the_screen(regis, home, monkeypatch):
    with monkeypatch.context() as on:
        on.setattr(sys, "stdout", Terminal())
        code, _, err = regis("solve", "--format", "puz", "a.puz")
    assert code == 2 and "--output NAME.puz" in one_sentence(err)


@pytest.mark.parametrize("words", [("convert", "--format", "puz"), ("solve", "--format", "puz", "-o")])
def test_a_puzzle_with_an_unwritable_output_does_not_stop_the_others(regis, tmp_path, words):
    """The exit code doesn't depend on their order."""
    before = tiny.puz(tmp_path / "a.puz").read_bytes()
    regis("convert", "--format", "ipuz", tmp_path / "a.puz", tmp_path / "b.ipuz")
    code, _, err = regis(*words, tmp_path, tmp_path)
    assert code == 2 and f"{tmp_path / 'a.puz'} is an input of this command" in one_sentence(err)
    assert (tmp_path / "a.puz").read_bytes() == before and solution_kept(tmp_path / "b.puz")
    for order in ([tmp_path / "a.puz", tmp_path / "none.puz"], [tmp_path / "none.puz", tmp_path / "a.puz"]):
        assert regis(*words, *([*order, tmp_path] if words[0] == "convert" else [tmp_path, *order]))[0] == 2


def test_a_puzzle_by_standard_input(regis, tmp_path, monkeypatch):
    data = tiny.puz(tmp_path / "a.puz").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    code, out, err = regis("solve", "-")
    assert (code, err) == (0, "") and "standard input" in out


def test_what_was_written_into_a_file_while_it_was_solved_stays(regis, tmp_path, monkeypatch):
    today = tiny.puz(tmp_path / "today.puz")
    later = tiny.puz(tmp_path / "later.puz", title="Tomorrow").read_bytes()
    words = "solve", "--format", "puz", "-o", today

    def solving(self, *asked, right=RenderSpec.render):
        today.write_bytes(later)
        return right(self, *asked)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(RenderSpec, "render", solving)
        code, _, err = regis(*words, today)
    assert code == 1 and "has changed since it was read" in one_sentence(err) and today.read_bytes() == later
    for _ in range(2):
        assert regis(*words, today)[::2] == (0, "")
    assert formats.read_puzzle(formats.open_file(today))[0].given


@pytest.mark.skipif(sys.platform == "win32", reason="standard input has no name there")
@pytest.mark.parametrize("words", [["solve", "-o", "today.puz", "-"], ["convert", "--format", "xd", "-", "today.puz"]])
def test_the_file_that_standard_input_comes_from_is_not_written_over(words, index, tmp_path):
    before = tiny.puz(tmp_path / "today.puz").read_bytes()
    with (tmp_path / "today.puz").open("rb") as today:
        run = subprocess.run(
            [sys.executable, "-m", "regis", *words], cwd=tmp_path, stdin=today, capture_output=True, text=True,
            env={**os.environ, paths.INDEX_VARIABLE: str(index), "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
    assert run.returncode == 2 and "is an input of this command" in run.stderr
    assert (tmp_path / "today.puz").read_bytes() == before


def test_many_puzzles_go_into_a_folder_one_file_each(regis, tmp_path):
    """Names that differ only in capitals count as one file, as on disks of Macs and of Windows."""
    archive = tiny.archive(tmp_path / "two", ["a", "b"])
    (archive / "c").mkdir()
    tiny.puz(archive / "c" / "A.puz")
    pages = tmp_path / "pages"
    pages.mkdir()
    assert regis("solve", "--format", "html", "-o", pages, archive)[:2] == (0, "")
    assert sorted(path.name.lower() for path in pages.iterdir()) == ["a-2.html", "a.html", "b.html"]
    code, _, err = regis("convert", "--format", "puz", archive, archive)
    assert code == 2 and "won't be overwritten" in err.splitlines()[-1]
    assert (archive / "a.puz").read_bytes() == tiny.puz(tmp_path / "same.puz", title="a").read_bytes()


def test_a_puzzle_that_a_format_has_no_place_for_does_not_stop_the_others(regis, tmp_path, monkeypatch):
    """It is reported before solving."""
    archive = tiny.archive(tmp_path / "three", ["a", "c"])
    (archive / "b.ipuz").write_bytes(barred.ipuz())
    (tmp_path / "made").mkdir()
    solved = []
    monkeypatch.setattr(
        puzzle_output, "solve", lambda puzzle, *rest: solved.append(puzzle.title) or solve(puzzle, *rest)
    )
    code, _, err = regis("solve", "--format", "puz", "-o", tmp_path / "made", archive)
    assert code == 1 and "b.ipuz has bars" in one_sentence(err) and solved == ["a", "c"]
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["a.puz", "c.puz"]


def test_text_is_as_wide_as_somebody_wants(regis, tmp_path, monkeypatch):
    puzzle = tiny.puz(tmp_path / "a.puz", title="word " * 40)
    monkeypatch.delenv("COLUMNS", raising=False)

    def widest(*words: str) -> int:
        return max(map(len, regis("solve", *words, puzzle)[1].splitlines()))

    assert 40 < widest() <= 80 and widest("--width", "40") <= 40 and 80 < widest("--width", "120") <= 120
    monkeypatch.setenv("COLUMNS", "50")
    assert 40 < widest() <= 50
