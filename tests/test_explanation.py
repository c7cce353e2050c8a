"""Explanations: another computation gives each number in them, too."""

import json
from dataclasses import replace

import corpus
import numpy as np
import pytest
import tiny

from regis.candidates.candidate_list import unlisted
from regis.index import Index
from regis.models.strings.phrase_model import PhraseModel
from regis.models.strings.string_model import StringModel
from regis.puzzle import Puzzle, Slot
from regis.render import json as as_json
from regis.render import reasons
from regis.solving.explanation import Explanation, explain
from regis.solving.filler import SolverInput
from regis.solving.pipeline import solve, solve_from_lists
from regis.solving.retrieval import retrieve_candidates
from regis.system.terminal import Screen

ROWS, CLUES = corpus.GRID, corpus.CLUES


def puzzle(**more: object) -> Puzzle:
    grid = tiny.grid(ROWS)
    return Puzzle(grid, {slot: CLUES.get(str(slot), "") for slot in grid.slots}, **more)  # type: ignore[arg-type]


def slot(of: Puzzle, name: str) -> Slot:
    return next(s for s in of.grid.slots if str(s) == name)


def explained(whole: Index, name: str = "1A", limit: int = 5, of: Puzzle | None = None) -> Explanation:
    of = of or puzzle()
    return explain(solve(of, whole, reveal=True), [slot(of, name)], limit)[0]


def test_the_answer_and_its_chances_are_those_of_the_solver(whole: Index):
    of = puzzle()
    found, solved, lists = explained(whole), solve(of, whole), retrieve_candidates(of, whole).lists
    answers = {answer.slot: answer for answer in solved.answers}
    at = slot(of, "1A")
    assert found.answer == answers[at]
    assert found.candidates[0].answer == "LION" == found.answer.answer
    assert found.candidates[0].probability == pytest.approx(found.answer.confidence, abs=1e-6)
    for choice in found.candidates:
        place = lists[at].find_answer(choice.answer)
        assert place is not None and choice.clue_rank == place + 1
        assert choice.clue_probability == pytest.approx(float(np.exp(lists[at].logp[place])))
        assert choice.evidence == lists[at].explain(place)


def test_chances_come_in_order_up_to_the_limit_and_sum_to_at_most_one(whole: Index):
    """Beyond the limit are only the answer and the clue's first candidate."""
    for limit in (1, 2, 5):
        found = explained(whole, "2D", limit)
        assert len(found.candidates) <= limit + 2 and any(choice.clue_rank == 1 for choice in found.candidates)
    for name in ("1A", "1D", "2D", "3A"):
        found = explained(whole, name, limit=30)
        now = [choice.probability for choice in found.candidates[:30]]
        assert now == sorted(now, reverse=True)
        assert sum(c.probability for c in found.candidates) + found.missing_probability <= 1 + 1e-6
        assert sum(c.clue_probability for c in found.candidates) + found.missing_clue_probability <= 1 + 1e-6


def test_squares_tell_what_crosses_and_what_was_written(whole: Index):
    found = explained(whole, of=puzzle(given={(0, 1): "I"}))
    first, second, third, _ = found.squares
    assert first.crossing_answer is not None and str(first.crossing_answer.slot) == "1D"
    assert first.crossing_answer.answer == "LIMA"
    assert first.letter_probabilities[0][0] == "L" and first.written_letter == ""
    assert (second.crossing_answer, second.written_letter, second.letter_probabilities[0][0]) == (None, "I", "I")
    assert (third.crossing_answer, third.written_letter, third.letter_probabilities) == (None, "", ())
    assert all(0 <= p <= 1 for square in found.squares for _, p in square.letter_probabilities)


def test_why_names_the_clues_first_candidate_the_given_letters_or_the_crossings_that_overruled_the_clue(whole: Index):
    """Only the last square of 2D, where SEAL crosses it, is known."""
    assert explained(whole).why.startswith("LION is the likeliest from its clue alone (")
    assert explained(whole, of=puzzle(given={(0, c): x for c, x in enumerate("LION")})).why == "You wrote LION."
    found = explained(whole, "2D")
    rival = next(choice for choice in found.candidates if choice.clue_rank == 1)
    assert found.answer.answer.endswith("L") and not rival.answer.endswith("L")
    assert f"From the clue alone, {rival.answer} is likelier" in found.why
    assert "the crossings want L in square 4 (3A)" in found.why
    found = explained(whole, "2D", of=puzzle(given={(1, 4): found.answer.answer[0]}))
    assert "(you)" in found.why or found.candidates[0].clue_rank == 1


LETTERS = tiny.letters()
PHRASES = PhraseModel(
    ("RED", "SEA", "RE", "DSEA", "S"), np.array([[0.5, 0.1, 0.3, 0.1, 0.0], [0.2] * 5, [0.1, 0.5, 0.1, 0.2, 0.1]])
)


def test_an_answer_in_no_list_is_taken_apart():
    grid = tiny.grid(("REDSEA",))
    of = Puzzle(grid, dict.fromkeys(grid.slots, ""), given={(0, i): x for i, x in enumerate("REDS")})
    model = StringModel(LETTERS, PHRASES, {6: 0.9})
    among = SolverInput(dict.fromkeys(grid.slots, unlisted(6)), model)
    found = explain(solve_from_lists(of, among), grid.slots, 5)[0]
    assert (found.answer.answer, found.candidates, found.pieces) == ("REDSEA", (), ("RED", "SEA"))
    assert found.why == (
        "REDSEA is on no list: its letters come from the crossings, and the phrase model forms it from RED + SEA."
    )
    among = replace(among, string_model=StringModel(LETTERS))
    assert "no known words form it" in explain(solve_from_lists(of, among), grid.slots, 5)[0].why


def test_text_and_json_have_candidates_reasons_and_crossings(whole: Index):
    found = explained(whole)
    line = as_json.encode_explanation(found, "a.puz")
    value = json.loads(line)
    assert line.count("\n") == 1 and line.isascii()
    assert (value["file"], value["number"], value["direction"], value["why"]) == ("a.puz", 1, "across", found.why)
    assert [c["answer"] for c in value["candidates"]] == [c.answer for c in found.candidates]
    assert value["candidates"][0]["clue_rank"] == 1 and value["candidates"][0]["evidence"]
    assert value["squares"][0]["crossing_entry"] == "1D" and value["squares"][0]["letter_probabilities"][0][0] == "L"
    assert value["squares"][1]["crossing_entry"] is None
    out = reasons.render_explanation(found, Screen())
    assert out.startswith("1A  Proud roarer  LION  ") and out.endswith("\n")
    assert 'nearby: "Proud roarer"' in out and "an answer on no list" in out
    assert "  1  L  1D LIMA: L " in out and "  2  I  nothing crosses here" in out
    for width in (30, 40, 60):
        assert max(map(len, reasons.render_explanation(found, Screen(width=width)).splitlines())) <= width
