"""The server of `regis play`: who may talk to it, what it tells about a puzzle, what it answers, and what it never
sends."""

import dataclasses
import datetime as dt
import json
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import corpus
import make_puzzles
import numpy as np
import pytest
import tiny

pytest.importorskip("starlette", reason="needs starlette and uvicorn, which come with Regis: install it again")
pytest.importorskip("httpx2", reason="needs httpx2 for Starlette's test client")

from starlette.testclient import TestClient
from test_formats_puz import locked

from regis.errors import PuzzleError
from regis.index import Index
from regis.play import open_puzzles as kept_files_module
from regis.play import session as session_module
from regis.play.app import PAGE_FOLDER, PlayApp
from regis.play.guard import SECURITY_HEADERS, AccessKey
from regis.play.messages import Question, SolvingStage
from regis.play.open_puzzles import KeptFiles, OpenPuzzles, describe_puzzle
from regis.play.progress import ProgressFiles, list_statistics
from regis.play.questions import answer_question
from regis.play.session import SolvedSession
from regis.play.solver_process import LOST_MESSAGE, SolverProcess
from regis.puzzle import Cell, Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.puzzle.formats.files import MAX_FILE_BYTES
from regis.solving.pipeline import solve
from regis.solving.solved_puzzle import TwoAnswers

GRID, CLUES = corpus.GRID, corpus.CLUES
LOOPBACK_HOST = "127.0.0.1:8749"
ORIGIN = {"Origin": f"http://{LOOPBACK_HOST}"}
NO_PROGRESS = {"since": 0, "seconds": 0, "round": 0, "finished": "", "counts": {}, "squares": []}


def puz(**more: Any) -> bytes:
    clues = [CLUES.get(str(slot), f"Clue {slot}") for slot in make_puzzles.shape(GRID).slots]
    return make_puzzles.puz_bytes(GRID, clues, **more)


def read_puz() -> Puzzle:
    """Return the puzzle of that file."""
    return formats.read_puzzle(PuzzleFile("a.puz", puz()))[0]


@pytest.fixture(scope="module")
def solver(whole: Index) -> Iterator[SolverProcess]:
    """Yield a solving process that ends with the tests."""
    made = SolverProcess(whole.folder, 60.0)
    yield made
    made.close()
    made.process.join(10)
    assert not made.process.is_alive()


class Page:
    """Does what the page does: it has the key, and sends its origin."""

    def __init__(
        self, solver: SolverProcess, files: list[PuzzleFile] | None = None, folder: Path | None = None
    ) -> None:
        self.key, self.ended = AccessKey(), False
        progress = ProgressFiles(folder)
        app = PlayApp(OpenPuzzles(files or []), solver, lambda: setattr(self, "ended", True), progress)
        self.client = TestClient(
            app.build_application(self.key, [LOOPBACK_HOST]), f"http://{LOOPBACK_HOST}", raise_server_exceptions=False
        )

    def get(self, path: str, **how: Any) -> Any:
        return self.client.get(f"/{self.key.token}/{path}", **how)

    def post(self, path: str, sent: object = None, **how: Any) -> Any:
        content = sent if isinstance(sent, bytes) else json.dumps(sent if sent is not None else {})
        return self.client.post(f"/{self.key.token}/{path}", content=content, headers=ORIGIN, **how)

    def opened(self, data: bytes, name: str = "a.puz") -> Any:
        return self.post(f"puzzles?name={name}", data).json()

    def solved(self, data: bytes) -> str:
        """Return the name of the puzzle after it is solved."""
        name: str = self.opened(data)["id"]
        self.wait(name)
        return name

    def wait(self, name: str) -> None:
        deadline = time.monotonic() + 60
        while (state := self.get(f"puzzles/{name}/state").json())["stage"] != "solved":
            assert state["stage"] != "failed" and time.monotonic() < deadline, state
            time.sleep(0.02)

    def ask(self, name: str, what: str, **about: Any) -> Any:
        """Return the answer; wait for a puzzle that was forgotten while others were solved."""
        while "solve this puzzle again" in (answer := self._ask(name, what, about)).get("problem", ""):
            self.wait(name)
        return answer

    def _ask(self, name: str, what: str, about: Mapping[str, Any]) -> Any:
        return self.post(f"puzzles/{name}/ask/{what}", {"letters": [], **about}).json()


@pytest.fixture
def page(solver: SolverProcess) -> Page:
    return Page(solver)


# who may talk to it


@pytest.mark.parametrize("path", ["/", "/play.js", "/puzzles", "/{token}x/", "//", "/once/", "/favicon.ico", "/%00/"])
def test_without_the_key_nothing_is_revealed(page: Page, path: str):
    answer = page.client.get(path.format(token=page.key.token))
    assert answer.status_code == 403 and "regis play" in answer.text


STRANGERS = [
    *(ORIGIN | {"Host": x} for x in ("evil.example", "127.0.0.1:1", "127.0.0.1", "localhost.evil.example:8749", "")),
    *({"Origin": x} for x in ("null", "http://evil.example", "http://127.0.0.1:1", f"https://{LOOPBACK_HOST}")),
    {},
]  # fmt: skip


@pytest.mark.parametrize("headers", STRANGERS, ids=str)
def test_what_asks_must_come_from_the_page_itself(page: Page, headers: dict[str, str]):
    assert page.client.post(f"/{page.key.token}/stop", headers=headers).status_code == 403 and not page.ended
    assert page.get("", headers=headers).status_code == (403 if headers else 200)


def test_the_first_address_opens_the_page_once(page: Page):
    once = page.key.ticket
    first = page.client.get(f"/once/{once}", follow_redirects=False)
    assert first.status_code == 303 and first.headers["location"] == f"/{page.key.token}/"
    again = page.client.get(f"/once/{once}", follow_redirects=False)
    assert again.status_code == 403 and page.key.token not in again.text
    assert page.client.get("/once/").status_code == 403


@pytest.mark.parametrize("path", ["", "play.js", "tokens.css", "puzzles", "none", "puzzles/none"])
def test_every_answer_says_what_a_browser_may_do(page: Page, path: str):
    headers = page.get(path).headers
    assert all(headers[name] == value for name, value in SECURITY_HEADERS.items())
    assert "unsafe" not in SECURITY_HEADERS["Content-Security-Policy"]
    assert "http" not in SECURITY_HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "play.html", "puzzles/../../x", "%2e%2e/"]
)
def test_no_path_leads_to_a_file(page: Page, path: str):
    assert page.get(path).status_code in (400, 403, 404)


def test_the_page_names_no_address_outside(page: Page):
    for path in ("", *(path.name for path in PAGE_FOLDER.iterdir() if path.suffix in (".js", ".css"))):
        text = page.get(path).text
        assert not re.search(r"""(?<![\w/])(https?:)?//\w+[.:]\w""", text)
        assert "style=" not in text and "<script>" not in text and "onclick=" not in text
        assert "innerHTML" not in text and "eval(" not in text


# what may be sent


def test_more_than_a_puzzle_has_is_not_read(page: Page):
    answer = page.post("puzzles?name=big.puz", b"x" * (MAX_FILE_BYTES + 1))
    assert answer.status_code == 413 and "more than 1 MiB" in answer.json()["problem"]

    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 100 << 20:
            sent += 1 << 18
            yield b"x" * (1 << 18)

    answer = page.client.post(f"/{page.key.token}/puzzles", content=endless(), headers=ORIGIN)
    assert answer.status_code == 413


HOSTILE = {
    "nothing": b"",
    "noise": bytes(range(256)) * 4,
    "cut": puz()[:80],
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_one_sentence(page: Page, kind: str):
    answer = page.post("puzzles?name=%3Cscript%3E%1b.puz", HOSTILE[kind])
    sentence = answer.json()["problem"]
    assert answer.status_code == 400 and "\n" not in sentence and "Traceback" not in sentence and "\x1b" not in sentence


NO_OBJECTS = [b"", b"[]", b"{", b"\xff", b"[" * 100_000]
NO_LETTERS = [{}, {"letters": 5}, {"letters": [[0]]}, {"letters": [[0, 4, "A"]]}, {"letters": [["0", 0, "A"]]}]
NO_SQUARES = [{"cells": [[9, 9]]}, {"cells": 7}, {"entry": 5}, {"entry": "99A", "cells": [[0, 0]]}]
NO_STATES = [
    {"squares": [[9, 9, "A", False, ""]]}, {"squares": [[0]]}, {"squares": 1}, {"since": "x"}, {"counts": []},
    {"seconds": None},
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "requests"),
    [("ask/why", [*NO_OBJECTS, *NO_LETTERS, *({"letters": [], **x} for x in NO_SQUARES)]),
     ("save/puz", [*NO_OBJECTS, *NO_LETTERS]), ("progress", [*NO_OBJECTS, *({**NO_PROGRESS, **x} for x in NO_STATES)])],
)  # fmt: skip
def test_what_makes_no_sense_is_one_sentence(page: Page, path: str, requests: list[Any]):
    name = page.solved(puz())
    for sent in requests:
        answer = page.post(f"puzzles/{name}/{path}", sent)
        assert answer.status_code == 400 and answer.json()["problem"], sent


def test_what_is_not_there_is_one_sentence(page: Page):
    assert "choose its file again" in page.get("puzzles/0123").json()["problem"]
    assert page.get("none").json() == {"problem": "there's nothing at this address"}
    assert page.get("stop").status_code == 405
    name = page.solved(puz())
    assert "choose from check" in page.ask(name, "magic")["problem"]
    assert "puz" in page.post(f"puzzles/{name}/save/docx", {"letters": []}).json()["problem"]


# what is told of a puzzle


def test_the_page_gets_what_stands_on_paper(page: Page):
    answered = page.opened(puz(fill=("Q-ON#", "-###-", "-###-", "-###-", "#----")), "/home/me/Today.puz")
    assert answered["file"] == "Today.puz" and answered["rows"] == ["....#", ".###.", ".###.", ".###.", "#...."]
    assert answered["entries"][0] == {
        "name": "1A", "across": True, "clue": "Proud roarer", "cells": [[0, 0], [0, 1], [0, 2], [0, 3]],
        "refers": [],
    }  # fmt: skip
    assert answered["given"] == [[0, 0, "Q"], [0, 2, "O"], [0, 3, "N"]] and answered["numbers"][0] == [0, 0, 1]


def test_what_regis_does_not_read_is_shown_and_can_be_cleared(page: Page):
    """The page offers A/B, for two letters that are both right."""
    name = page.opened(puz())["id"]
    letters = [[0, 0, "L/M"], [0, 1, "&"], [0, 2, "O"]]
    saved = page.post(f"puzzles/{name}/save/puz", {"letters": letters}).content
    again = page.opened(saved)
    assert again["given"] == letters
    cleared = page.post(f"puzzles/{again['id']}/save/puz", {"letters": letters[2:]}).content
    assert page.opened(cleared)["given"] == letters[2:]


def test_examples_and_what_was_named_can_be_opened(solver: SolverProcess):
    named = [PuzzleFile("x.puz", puz()), PuzzleFile("broken.puz", b"broken")]
    page = Page(solver, named)
    offered = page.get("puzzles").json()
    assert [one["file"] for one in offered["named"]] == ["x.puz", "broken.puz"] and "problem" in offered["named"][1]
    assert {"title": "Five Minutes", "size": "5 by 5"}.items() <= offered["examples"][7].items()
    assert page.get(f"puzzles/{offered['examples'][7]['id']}").json()["title"] == "Five Minutes"
    assert page.get(f"puzzles/{offered['named'][0]['id']}").json()["file"] == "x.puz"
    other = page.opened(puz(title="Other"))["id"]
    assert {other, offered["named"][0]["id"]} < set(page.get("puzzles").json()["there"])
    assert other not in offered["there"]


@pytest.mark.parametrize("junk", [b"X", b"-", b"ZQJ"])
def test_whatever_the_file_has_for_a_solution_the_help_of_regis_is_the_same(page: Page, junk: bytes):
    answered = []
    for data in (puz(), make_puzzles.with_solution(puz(), junk)):
        name = page.solved(data)
        paper = {
            key: value
            for key, value in page.get(f"puzzles/{name}").json().items()
            if key not in ("id", "warnings", "judged")
        }
        letters = [[0, 0, "L"], [0, 1, "Q"]]
        asks = (("hint", {}), ("heat", {}), ("narrow", {"entry": "1A"}), ("why", {"entry": "1A"}))
        answered.append([paper, *(page.ask(name, what, letters=letters, **about) for what, about in asks)])
    assert answered[0] == answered[1] and answered[0][1]["cells"]


UNUSUAL = ("ZORB", "OKEY", "REVI", "BYIN")
"""A family's own words, which no index knows: our dog, his brother."""


def unusual(**more: Any) -> bytes:
    puzzle = [[1, 2, 3, 4], [5, 0, 0, 0], [6, 0, 0, 0], [7, 0, 0, 0]]
    clues = {"Across": [[n, f"Name {n}"] for n in (1, 5, 6, 7)], "Down": [[n, f"Pet {n}"] for n in (1, 2, 3, 4)]}
    file = {"version": "http://ipuz.org/v2", "kind": ["http://ipuz.org/crossword#1"], "puzzle": puzzle, "clues": clues}
    return json.dumps(file | more).encode()


def filled(rows: tuple[str, ...]) -> list[Any]:
    return [[r, c, letter] for r, row in enumerate(rows) for c, letter in enumerate(row) if letter != "#"]


def test_a_right_grid_is_never_called_wrong(page: Page):
    """The file's solution decides at once; nothing else of it is sent."""
    told = page.opened(unusual(solution=[list(row) for row in UNUSUAL]), "x.ipuz")
    name, cells = told["id"], [[r, c] for r, c, _ in filled(UNUSUAL)]
    assert told["judged"] == ["check", "complete", "reveal"]
    assert page.ask(name, "complete", letters=filled(UNUSUAL)) == {"wrong": False, "unknown": 0}
    verdicts = page.ask(name, "check", letters=filled(UNUSUAL), cells=cells)["verdicts"]
    assert [one["verdict"] for one in verdicts] == ["right"] * 16
    one_off = [[0, 0, "L"], *filled(UNUSUAL)[1:]]
    assert page.ask(name, "complete", letters=one_off) == {"wrong": True, "unknown": 0}
    assert page.ask(name, "complete", letters=filled(UNUSUAL)[1:])["wrong"], "it is not full"
    answered = page.ask(name, "check", letters=one_off, cells=[[0, 0]])
    assert answered == {"verdicts": [{"cell": [0, 0], "verdict": "wrong"}]}
    assert page.ask(name, "reveal", cells=[[3, 3]]) == {"cells": [{"cell": [3, 3], "letter": "N"}]}


def test_without_a_solution_regis_does_not_judge_a_grid_it_does_not_understand(page: Page):
    name = page.solved(unusual())
    cells = [[r, c] for r, c, _ in filled(UNUSUAL)]
    assert page.get(f"puzzles/{name}").json()["judged"] == []
    assert page.ask(name, "complete", letters=filled(UNUSUAL)) == {"wrong": False, "unknown": 16}
    verdicts = page.ask(name, "check", letters=filled(UNUSUAL), cells=cells)["verdicts"]
    assert {one["verdict"] for one in verdicts} == {"unknown"}


@pytest.mark.parametrize(("typed", "is_wrong"), [("L", False), ("B", True)])
def test_a_scrambled_solution_says_whether_a_full_grid_is_right(page: Page, typed: str, is_wrong: bool):
    told = page.opened(locked(GRID, 1234))
    letters = [[0, 0, typed], *filled(GRID)[1:]]
    assert told["judged"] == ["complete"]
    assert page.ask(told["id"], "complete", letters=letters) == {"wrong": is_wrong, "unknown": 0}


@pytest.mark.parametrize(
    ("square", "typed", "verdict"),
    [*(("TEN", typed, "right") for typed in ("TEN", "T", "10", "T/X")), ("TEN", "E", "wrong"), ("TEN", "A/B", "wrong"),
     *(("W/N", typed, "right") for typed in ("W/N", "N/W", "WN", "NW", "W", "N", "w", "Ẃ"))],
)  # fmt: skip
def test_a_square_of_the_file_takes_all_of_it_or_its_first_letter_and_either_of_two(
    page: Page, square: str, typed: str, verdict: str
):
    name = page.opened(unusual(solution=[[square, *UNUSUAL[0][1:]], *map(list, UNUSUAL[1:])]), "x.ipuz")["id"]
    answered = page.ask(name, "check", letters=[[0, 0, typed]], cells=[[0, 0]])
    assert answered["verdicts"][0]["verdict"] == verdict


def test_nothing_is_told_unasked(page: Page):
    """Nothing that the page gets before it asks for letters has any of the answers."""
    answers = ("LION", "LIMA", "SEAL")
    name = page.solved(puz())
    before = [page.get(path).text for path in ("", "puzzles", f"puzzles/{name}", f"puzzles/{name}/state")]
    before += [
        json.dumps(page.ask(name, what, **about)) for what, about in (("heat", {}), ("check", {"cells": [[0, 0]]}))
    ]
    assert not any(answer in text for answer in answers for text in before)
    hint = page.ask(name, "hint")
    assert len(hint["cells"]) == 1 and len(hint["cells"][0]["letter"]) == 1


# what is answered


@pytest.fixture(scope="module")
def session(whole: Index) -> Iterator[SolvedSession]:
    """Yield a grid of which Regis knows three of four entries, which is enough here to judge it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_module, "UNDERSTOOD_FROM", 0.5)
        yield SolvedSession(solve(read_puz(), whole))


def ask_session(session: SolvedSession, what: str, **about: Any) -> Any:
    return json.loads(json.dumps(answer_question(session, Question(what, **about))))


def test_letters_are_right_or_wrong_or_not_known(session: SolvedSession):
    letters = {(0, 0): "L", (0, 1): "Q", (1, 4): "O"}
    answered = ask_session(session, "check", letters=letters, cells=((0, 0), (0, 1), (0, 2), (1, 4)))
    verdicts = {tuple(one["cell"]): (one["verdict"], one["sure"]) for one in answered["verdicts"]}
    assert verdicts[0, 0][0] == "right" and verdicts[0, 1][0] == "wrong" and (0, 2) not in verdicts
    assert all(0 <= sure <= 1 for _, sure in verdicts.values()) and verdicts[0, 1][1] > 0.5


def test_a_typed_letter_is_not_evidence_for_itself(whole: Index):
    """Without other evidence, the letter check believes the person; the page says that it doesn't know."""
    grid = tiny.grid(("ABCDE",))
    session = SolvedSession(solve(Puzzle(grid, {}), whole))
    letters = {cell: x for cell, x in session.solved_blank.fill.cells.items() if cell == (0, 4)}
    assert session.review_letters(letters).p_correct[0, 4] > 0.9 > session.solved_blank.fill.confidence[0, 4]
    assert ask_session(session, "check", letters=letters, cells=((0, 4),))["verdicts"][0]["verdict"] == "unknown"


def test_a_hint_is_one_letter_and_of_the_entry_that_is_named(session: SolvedSession):
    """A wrong letter doesn't mislead it."""
    answered = ask_session(session, "hint", letters={}, entry_name="3A")
    ((row, column),) = [one["cell"] for one in answered["cells"]]
    assert row == 4 and answered["entry"] == "3A" and "SEAL"[column - 1] == answered["cells"][0]["letter"]
    assert "is " + answered["cells"][0]["letter"] in answered["said"]
    whole = dict(session.solved_blank.fill.cells)
    assert "every square is filled; Check" in ask_session(session, "hint", letters=whole)["said"]
    answered = ask_session(session, "hint", letters={(0, 0): "Q", (0, 1): "Q"}, entry_name="1A")
    assert answered["cells"][0]["letter"] == "LION"[answered["cells"][0]["cell"][1]]


def test_an_entry_is_narrowed_to_a_few_answers(session: SolvedSession):
    answered = ask_session(session, "narrow", letters={}, entry_name="1A")
    assert "LION" in answered["answers"] and 1 < len(answered["answers"]) <= 5
    assert answered["answers"] == sorted(answered["answers"])
    fitting = ask_session(session, "narrow", letters={(0, 3): "N"}, entry_name="1A")["answers"]
    assert "LION" in fitting and all(answer[3] == "N" for answer in fitting)
    spaced = dataclasses.replace(session, segment=lambda answer: f"{answer[:2]} {answer[2:]}".lower())
    answers = ask_session(spaced, "narrow", letters={}, entry_name="1A")["answers"]
    assert "LI ON" in answers and all(answer[2] == " " for answer in answers), "like words"
    rebus = with_fill(session, {(0, 0): "LQ"})
    found = {x.answer for x in rebus.solved_blank.answers}
    others = {*ask_session(rebus, "narrow", entry_name="1A")["answers"]} - found
    assert others and all(answer.startswith("LQ") for answer in others), "with a whole rebus square"


def test_only_the_squares_that_are_asked_for_are_revealed(session: SolvedSession):
    """Letters of the person help where Regis has doubts; heat tells how sure it is, and no letter."""
    answered = ask_session(session, "reveal", letters={(0, 0): "Q"}, cells=((0, 0), (0, 1)))
    assert [(one["cell"], one["letter"]) for one in answered["cells"]] == [([0, 0], "L"), ([0, 1], "I")]
    assert ask_session(session, "reveal") == {"cells": []}
    unsure = min(session.solved_blank.fill.confidence, key=lambda cell: session.solved_blank.fill.confidence[cell])
    assert session.solved_blank.fill.confidence[unsure] < 0.9, "of 1D, a guess"
    answered = ask_session(session, "reveal", letters={(0, 0): "L"}, cells=(unsure,))
    assert len(answered["cells"]) <= 1 and session.last_refill is not None
    sure = ask_session(session, "heat")["sure"]
    assert {(r, c) for r, c, _ in sure} == set(session.puzzle.grid.cells) and all(0 <= p <= 1 for *_, p in sure)


def test_why_names_reasons_and_crossings_but_no_other_entry_s_answer(session: SolvedSession):
    """In two sentences, without impossible rivals."""
    answered = ask_session(session, "why", entry_name="1A")
    assert answered["said"].startswith("This very clue had LION in ") and answered["said"].count(". ") == 1
    assert answered["said"].endswith("The crossing agrees: L.") and "from its clue alone" in answered["whole"]
    assert answered["answer"] == answered["candidates"][0]["answer"] == "LION"
    assert any("Proud roarer" in x or "alike" in x for x in answered["candidates"][0]["reasons"])
    assert all(one["sure"] >= 0.01 or one["answer"] == "LION" for one in answered["candidates"])
    assert not any(reason.startswith("nearby") for one in answered["candidates"] for reason in one["reasons"])
    assert [one["letter"] for one in answered["crossings"]] == list("LION")
    assert answered["crossings"][0]["entry"] == "1D"
    assert {key for one in answered["crossings"] for key in one} == {"letter", "entry", "heard"}


def with_fill(session: SolvedSession, rebus: dict[Cell, str] | None = None, **fill: Any) -> SolvedSession:
    """Return the session as if Regis had found another fill."""
    blank = session.solved_blank
    squares = blank.rebus_squares if rebus is None else rebus
    fill["cells"] = {**fill.get("cells", blank.fill.cells), **(rebus or {})}
    return SolvedSession(
        dataclasses.replace(blank, fill=dataclasses.replace(blank.fill, **fill), rebus_squares=squares)
    )


@pytest.fixture
def rebus(session: SolvedSession) -> SolvedSession:
    """Return the session as if Regis had found QU in the first square."""
    return with_fill(session, {(0, 0): "LQ"})


@pytest.mark.parametrize(
    ("written", "sure", "verdict"),
    [("LQ", None, "right"), ("L", None, "right"), ("L/X", None, "right"), ("Q", None, "wrong"),
     ("XYZ", 0.9999, "wrong"), ("XYZ/AB", 0.9999, "wrong"), ("LQ", 0.999, "right"), ("XYZ", 0.999, "unknown"),
     ("12", 0.999, "unknown")],
)  # fmt: skip
def test_a_rebus_square_takes_all_of_it_or_its_first_letter(
    rebus: SolvedSession, written: str, sure: float | None, verdict: str
):
    """Another content is wrong if Regis is surer than the person."""
    if sure:
        rebus = with_fill(rebus, confidence={**rebus.solved_blank.fill.confidence, (0, 0): sure})
    (answered, *_) = ask_session(rebus, "check", letters={(0, 0): written, (0, 1): "I"}, cells=((0, 0),))["verdicts"]
    assert answered["verdict"] == verdict and (not sure or verdict != "wrong" or 0.9 < answered["sure"] < sure)


def test_if_across_and_down_want_other_letters_either_is_right(session: SolvedSession):
    """If the messages from across and down are sure of different letters."""
    beliefs = session.solved_blank.fill.beliefs
    assert beliefs is not None and not any(session.ambiguous_letters(cell) for cell in session.puzzle.grid.cells)
    across, down = (session.find_slot(name) for name in ("1A", "1D"))
    messages = dict(beliefs.messages)
    for slot, letter in ((across, 0), (down, 1)):
        messages[slot] = messages[slot].copy()
        messages[slot][0] = np.eye(26)[letter]
    solution = dataclasses.replace(session.solved_blank.fill, beliefs=dataclasses.replace(beliefs, messages=messages))
    odd = SolvedSession(dataclasses.replace(session.solved_blank, fill=solution))
    assert odd.ambiguous_letters((0, 0)) == {"A", "B"} and not odd.ambiguous_letters((0, 1))
    for written in ("A", "B", "A/B", "B/A"):
        answered = ask_session(odd, "check", letters={(0, 0): written}, cells=((0, 0),))
        assert answered["verdicts"][0]["verdict"] == "right"


def test_an_entry_with_two_answers_takes_both_and_is_narrowed_to_both(session: SolvedSession):
    slot = session.find_slot("1A")
    two = SolvedSession(
        dataclasses.replace(session.solved_blank, two_answer_entries=(TwoAnswers(slot, "LION", "BEAR"),))
    )
    for word in ("LION", "BEAR"):
        letters = dict(zip(slot.cells, word, strict=True))
        answered = ask_session(two, "check", letters=letters, cells=slot.cells)["verdicts"]
        assert [one["verdict"] for one in answered] == ["right"] * 4
    assert {"LION", "BEAR"} <= set(ask_session(two, "narrow", entry_name="1A")["answers"])
    assert "BEAR" not in ask_session(session, "narrow", entry_name="1A")["answers"]


# saving


def test_what_was_typed_is_saved_into_the_file_and_all_else_stays(page: Page):
    name = page.opened(puz(rebus={(0, 0): "LL"}))["id"]
    answer = page.post(f"puzzles/{name}/save/puz", {"letters": [[0, 0, "LL"], [0, 1, "q"]]})
    assert answer.headers["x-regis-lost"] == ""
    file = PuzzleFile("b.puz", answer.content)
    assert formats.read_puzzle(file)[0].given == {(0, 0): "LL", (0, 1): "Q"}
    assert formats.read_solution(file) == formats.read_solution(PuzzleFile("a.puz", puz(rebus={(0, 0): "LL"})))
    other = page.post(f"puzzles/{name}/save/ipuz", {"letters": [[4, 1, "Ж"]]})
    assert json.loads(other.content)["saved"][4][1] == "Ж"
    assert "write .ipuz instead" in page.post(f"puzzles/{name}/save/puz", {"letters": [[4, 1, "Ж"]]}).json()["problem"]


# progress


def sync(page: Page, name: str, *squares: Any, **more: Any) -> Any:
    return page.post(f"puzzles/{name}/progress", NO_PROGRESS | {"squares": squares} | more).json()


def test_two_browsers_at_once_lose_no_letter(solver: SolverProcess, tmp_path: Path):
    one, two = Page(solver, folder=tmp_path / "played"), Page(solver, folder=tmp_path / "played")
    name = one.opened(puz())["id"]
    two.opened(puz())
    first = sync(one, name, [0, 0, "L", False, ""], seconds=60)
    assert first["squares"] == [] and first["kept"]
    told = sync(two, name, [0, 1, "I", True, ""], seconds=20)
    assert told["squares"] == [[0, 0, "L", False, ""]] and told["seconds"] == 60
    assert sync(one, name, since=first["number"])["squares"] == [[0, 1, "I", True, ""]]
    assert sync(two, name, [0, 0, "", False, ""], since=told["number"])["squares"] == []
    again = sync(one, name, since=told["number"])
    assert again["squares"] == [[0, 0, "", False, ""]], "what was erased is erased everywhere"
    assert sync(one, name, since=again["number"])["squares"] == []
    begun = one.get("puzzles").json()["begun"]
    assert [(x["id"], x["filled"], x["squares"], x["file"]) for x in begun] == [(name, 1, 14, "a.puz")]


def test_the_end_stays_until_the_puzzle_is_started_over(solver: SolverProcess, tmp_path: Path):
    page = Page(solver, folder=tmp_path)
    name = page.opened(puz())["id"]
    sync(page, name, [0, 0, "L", False, ""], finished="helped", seconds=90, counts={"shown": 2, "evil": 1})
    told = sync(page, name, seconds=30)
    assert (told["finished"], told["seconds"], told["counts"]) == ("helped", 90, {"shown": 2})
    told = sync(page, name, round=1, seconds=5)
    assert (told["finished"], told["seconds"]) == ("", 5)


def test_progress_that_cannot_be_kept_or_read_stops_nobody(solver: SolverProcess, tmp_path: Path):
    (tmp_path / "file").write_text("no folder")
    page = Page(solver, folder=tmp_path / "file")
    name = page.opened(puz())["id"]
    assert not sync(page, name, [0, 0, "L", False, ""])["kept"] and page.get("puzzles").json()["begun"] == []
    (tmp_path / f"{name}.progress.json").write_text("[" * 100_000)
    assert sync(Page(solver, [PuzzleFile("a.puz", puz())], tmp_path), name)["squares"] == []


def test_statistics_count_what_was_solved_without_letters_shown():
    def solved(end: str, seconds: int, size: str, printed: str, day: str) -> dict[str, Any]:
        return {"result": {"end": end, "seconds": seconds, "day": day}, "about": {"size": size, "date": printed}}

    found = list_statistics(
        {
            "a": solved("solved", 300, "15 by 15", "2026-11-02", "2026-11-02"),
            "b": solved("solved", 500, "15 by 15", "2026-11-09", "2026-11-03"),
            "c": solved("helped", 10, "15 by 15", "2026-11-09", "2026-11-04"),
            "d": solved("solved", 40, "5 by 5", "", "2026-11-05"),
            "e": {"result": None, "about": {"size": "5 by 5", "date": ""}},
        },
        dt.date(2026, 11, 6),
    )
    assert found["rows"] == [
        {"size": "5 by 5", "day": "", "solved": 1, "median": 40, "best": 40},
        {"size": "15 by 15", "day": "Monday", "solved": 2, "median": 400, "best": 300},
    ]
    assert (found["streak"], found["longest"]) == (1, 2)


# the process that solves


def test_a_full_grid_is_called_wrong_without_where(session: SolvedSession):
    """The only detail is the number of squares that Regis doesn't know."""
    cells = session.puzzle.grid.cells
    right = {cell: session.solved_blank.fill.cells.get(cell) or "X" for cell in cells}
    answered = ask_session(session, "complete", letters=right | {(0, 0): "Q"})
    assert answered.keys() == {"wrong", "unknown"} and answered["wrong"] is True
    answered = ask_session(session, "complete", letters=right)
    assert answered["wrong"] is False and 0 <= answered["unknown"] < len(cells)
    some = {cell: letter for cell, letter in right.items() if cell != (0, 0)}
    assert ask_session(session, "complete", letters=some)["unknown"] > answered["unknown"], "what is empty is not known"


def test_a_clue_that_names_another_entry_refers_to_it():
    clues = ["See 3-Across and 99-Down", "One", "Two", "Three"]
    opened = OpenPuzzles().open_file(PuzzleFile("a.puz", make_puzzles.puz_bytes(GRID, clues)))
    entries = describe_puzzle(opened)["entries"]
    assert {one["name"]: one["refers"] for one in entries if one["refers"]} == {"1A": ["3A"]}


def test_a_puzzle_opens_again_after_a_restart_by_what_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    kept = KeptFiles(tmp_path / "played")
    first = OpenPuzzles(kept_files=kept).open_file(PuzzleFile("/home/me/today.puz", puz()))
    after = OpenPuzzles(kept_files=kept)
    assert first.puzzle_id in after.available_ids
    assert after[first.puzzle_id].puzzle == first.puzzle and after[first.puzzle_id].puzzle_file.stem == "today"
    assert kept.find("../../etc/passwd") is None
    for damaged in (b"[" * 100_000, b"damaged"):
        (kept.folder / first.puzzle_id).write_bytes(damaged)
        assert kept.find(first.puzzle_id) is None
    with pytest.raises(PuzzleError, match="choose its file again"):
        OpenPuzzles(kept_files=kept)[first.puzzle_id]
    monkeypatch.setattr(kept_files_module, "MAX_KEPT_FILES", 2)
    names = [OpenPuzzles(kept_files=kept).open_file(PuzzleFile("a.puz", puz(title=t))).puzzle_id for t in "xyz"]
    assert len(kept.list_ids()) == 2 and names[-1] in kept.list_ids()


def test_two_players_each_get_their_own_answers(solver: SolverProcess):
    one, two = Page(solver), Page(solver)
    first, second = one.solved(puz()), two.solved(puz(title="Second"))
    assert one.ask(first, "check", letters=[[0, 0, "Q"]], cells=[[0, 0]])["verdicts"][0]["verdict"] == "wrong"
    assert two.ask(second, "check", letters=[[0, 0, "L"]], cells=[[0, 0]])["verdicts"][0]["verdict"] == "right"


def test_a_process_that_was_lost_is_reported_and_comes_again(whole: Index):
    solver = SolverProcess(whole.folder, 60.0)
    page = Page(solver)
    name = page.solved(puz())
    solver.process.kill()
    solver.process.join(10)
    deadline = time.monotonic() + 10
    while solver.states[name].stage is not SolvingStage.FAILED and time.monotonic() < deadline:
        time.sleep(0.01)
    assert page.get(f"puzzles/{name}/state").json()["said"] == LOST_MESSAGE
    assert page.ask(page.solved(puz()), "hint")["cells"]
    solver.close()


def test_an_index_that_is_not_there_does_not_stop_the_page(tmp_path: Path):
    solver = SolverProcess(tmp_path / "none", 60.0)
    page = Page(solver)
    name = page.opened(puz())["id"]
    deadline = time.monotonic() + 30
    while (state := page.get(f"puzzles/{name}/state").json())["stage"] != "failed" and time.monotonic() < deadline:
        time.sleep(0.02)
    assert "regis build" in state["said"]
    solver.close()
