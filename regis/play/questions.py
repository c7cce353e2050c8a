"""What a page may ask of a solved puzzle: is this right, a hint, what stands here, why. One question, one answer.

The puzzle was solved once without a letter of the person's. Where that left no doubt, what they wrote changes nothing;
elsewhere it is evidence, and the grid is filled again with it, which takes far less than solving did. Right, wrong and
unknown are told apart as in the letter check: the person's letters are soft. "Right" needs more: that Regis is sure
even if it did not know that somebody wrote the letter.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from regis.errors import unknown
from regis.play.messages import Question
from regis.puzzle import Cell, Puzzle, Slot, entry_names
from regis.puzzle.alphabet import ALPHABET, spelled
from regis.render import evidence
from regis.render import hint as text
from regis.solving import hint as hints
from regis.solving import pipeline
from regis.solving.explain import explain
from regis.solving.fillers import FILLERS
from regis.solving.hint import Hint
from regis.solving.letter_check import DOUBTED, WRONG, judged
from regis.solving.rebus import doubted
from regis.solving.rebus.squares import turned, whole
from regis.solving.rebus.written import written as several
from regis.solving.solution import Candidates
from regis.solving.solved import BOTH, DOUBTFUL, Solved
from regis.system.deadline import FOREVER, deadline_in

Reply = dict[str, Any]
Letters = Mapping[Cell, str]

SECONDS = 5.0
"""For filling again with the person's letters, and for judging several in a square, if there are any: nobody waits
longer for one letter. A guess."""
NAMED = 5  # candidates that an explanation names


class Judgement(NamedTuple):
    """What Regis thinks of what a person wrote."""

    letters: Letters  # which that was,
    chances: Mapping[Cell, float]  # P(right) of letters, and of wrong contents of several,
    believed: Collection[Cell]  # and contents against which nothing speaks


@dataclass
class Known:
    """A puzzle that was solved without the person's letters, and what was worked out last with some.

    Several threads may ask it at once, so what was worked out last is looked at once.
    """

    blank: Solved
    judgement: Judgement | None = None
    refilled: tuple[Letters, Solved] | None = None

    def answer(self, question: Question) -> Reply:
        """Raises PuzzleError or UsageError for a question or an entry that is not there."""
        if question.what not in ANSWERS:
            raise unknown("question", question.what, ANSWERS)
        return ANSWERS[question.what](self, question)

    @property
    def puzzle(self) -> Puzzle:
        return self.blank.puzzle

    @property
    def among(self) -> Candidates:
        """What is known of the clues, whatever was written."""
        assert self.blank.known is not None, "it was solved"
        return self.blank.known

    @property
    def judging(self) -> Candidates:
        """The same, and with a theme what that makes of phrases: letters are right that only these answers have."""
        if self.blank.theme is None or self.blank.candidates is None:
            return self.among
        return replace(self.blank.candidates, believed=None)

    def slot(self, name: str) -> Slot:
        return entry_names.slots(name, self.puzzle, "the puzzle")[0]

    def told(self, letters: Letters, cells: Collection[Cell]) -> Solved:
        """What Regis would write into `cells`, with the person's other `letters` for evidence where it has doubts.

        Several in a square are evidence where they were judged and nothing speaks against them.
        """
        sure = self.blank.solution.confidence
        others = {cell: x for cell, x in letters.items() if cell not in cells}
        if not others or all(sure.get(cell, 0.0) >= DOUBTFUL for cell in cells):
            return self.blank
        last = self.refilled
        if last is None or last[0] != others:
            begun = self.written(others)
            if squares := several(begun):
                begun = begun.without(squares.keys() - self.judged(others).believed)
            if not begun.given:
                return self.blank
            again = pipeline.filled(begun, self.among, deadline=deadline_in(SECONDS))
            kept = replace(again, squares={**self.blank.squares, **again.squares})
            self.refilled = last = others, pipeline.answered(kept, reveal=True)
        return last[1]

    def written(self, letters: Letters) -> Puzzle:
        """The puzzle with the person's letters, one a square.

        Several in a square that say something else are left out where Regis knows rebus squares: its lists have one
        letter for each of those, and no others.
        """
        given = {cell: self.single(cell, x) for cell, x in letters.items()}
        fit = {cell: x for cell, x in given.items() if len(x) == 1 or not self.blank.squares}
        return replace(self.puzzle, given=fit)

    def single(self, cell: Cell, written: str) -> str:
        """`written` as one letter where it says the same: of a rebus square that Regis knows the first, of A/B one.

        WE/NS may be written as WENS, as in files, and either may stand first.
        """
        content = self.blank.solution.cells.get(cell, "")
        parts = [part for part in written.split(BOTH) if part] or [written]
        ways = {content, turned(content)}
        same = {*ways, *(way.replace(BOTH, "") for way in ways), content[:1]}
        if content and not same.isdisjoint((written, *parts)):
            return content[0]
        return parts[0]

    def chances(self, letters: Letters) -> Mapping[Cell, float]:
        """P(right) of each letter that can be judged, the person's word for it counted in; and of wrong contents."""
        return self.judged(letters).chances

    def judged(self, letters: Letters) -> Judgement:
        """What Regis thinks of the person's letters: it is worked out once for the same."""
        last = self.judgement
        if last is None or last.letters != letters:
            self.judgement = last = self._judged(letters)
        return last

    def _judged(self, letters: Letters) -> Judgement:
        """Letters are judged as if contents of several were open, then as many of those as there is time for.

        These go on from what Regis believes, which takes far less than from the beginning.
        """
        begun = self.written(letters)
        single = judged(begun, self.judging, FOREVER)
        plain = begun.without([cell for cell, p in single.items() if p < DOUBTED])
        among = replace(self.among, believed=self.blank.solution.beliefs)
        contents = doubted.judged(plain, among, several(begun), FILLERS[pipeline.SEARCHED], deadline_in(SECONDS))
        wrong = {cell: p for cell, p in contents.items() if p < DOUBTED}
        return Judgement(letters, {**single, **wrong, **self._others(letters)}, contents.keys() - wrong)

    def _others(self, letters: Letters) -> Mapping[Cell, float]:
        """P(right) of wrong contents in rebus squares of which Regis knows another, whatever else was written."""
        written = {cell: self.single(cell, letters[cell]) for cell in self.blank.squares if cell in letters}
        others = [cell for cell, x in written.items() if len(x) > 1 and spelled(x, len(x))]
        sure = {cell: self.blank.solution.confidence[cell] for cell in others}
        chances = {cell: (1 - p) * (1 - WRONG) / ((1 - p) * (1 - WRONG) + p * WRONG) for cell, p in sure.items()}
        return {cell: chance for cell, chance in chances.items() if chance < DOUBTED}

    def either(self, cell: Cell) -> set[str]:
        """The two letters of a square that an entry with two answers has, or in which across and down are sure of
        another one each; else none."""
        for one in self.blank.either:
            if cell in one.squares:
                return set(one.squares[cell].split(BOTH))
        beliefs = self.blank.solution.beliefs
        heard = [beliefs.messages[slot][i] for slot, i in self.puzzle.grid.through.get(cell, ()) if beliefs]
        wanted = {ALPHABET[int(message.argmax())] for message in heard if message.max() >= DOUBTFUL}
        return wanted if len(wanted) > 1 else set()


def check(known: Known, asked: Question) -> Reply:
    """Of each square that is asked about and written in: right, wrong or unknown, and how sure Regis is of that."""
    chances, verdicts = known.chances(asked.letters), []
    for cell in asked.cells:
        if cell in asked.letters:
            verdict, sure = _verdict(known, cell, asked.letters[cell], chances.get(cell))
            verdicts.append({"cell": cell, "verdict": verdict, "sure": round(sure, 3)})
    return {"verdicts": verdicts}


def _verdict(known: Known, cell: Cell, written: str, chance: float | None) -> tuple[str, float]:
    if not known.either(cell).isdisjoint(written.split(BOTH)):
        return "right", DOUBTFUL
    if chance is None:
        return "unknown", 0.0
    if chance < DOUBTED:
        return "wrong", 1 - chance
    for_it, against = 1 - WRONG, WRONG / (len(ALPHABET) - 1)
    alone = chance / for_it / (chance / for_it + (1 - chance) / against)
    return ("right" if alone >= DOUBTFUL else "unknown"), alone


def hint(known: Known, asked: Question) -> Reply:
    """One letter, the most telling, of an entry if one is named, or a few answers to an entry."""
    slots = [known.slot(asked.entry)] if asked.entry else known.puzzle.grid.slots
    cells = {cell for slot in slots for cell in slot.cells}
    found = _hint(known, asked, known.blank, slots)
    if found is None:
        found = _hint(known, asked, known.told(asked.letters, cells - asked.letters.keys()), slots)
    if found is None:
        return {"said": text.sentence(None, known.puzzle)}
    told = {"said": text.sentence(found, known.puzzle), "entry": str(found.slot)}
    return told | ({"cells": [_square(found.cell, found.letter, found.probability)]} if found.cell else {})


def _hint(known: Known, asked: Question, solved: Solved, slots: Sequence[Slot]) -> Hint | None:
    """The hint that `solved` has for who wrote what was sent."""
    begun = replace(solved, puzzle=replace(known.puzzle, given=dict(asked.letters)), doubts=_doubts(known, asked))
    return hints.hint(begun.only(slots))


def _doubts(known: Known, asked: Question) -> Mapping[Cell, float]:
    """The person's letters that Regis, without having seen them, thinks wrong, each with P(right)."""
    beliefs = known.blank.solution.beliefs
    judging = {
        cell: float(beliefs.letters[cell][ALPHABET.index(x)])
        for cell, x in known.written(asked.letters).given.items()
        if beliefs and cell in beliefs.letters and spelled(x, 1)
    }
    return {cell: p for cell, p in judging.items() if p < DOUBTED}


def narrow(known: Known, asked: Question) -> Reply:
    """A few answers to an entry in alphabetical order: the likeliest by its clue that fit, and Regis's own."""
    slot = known.slot(asked.entry)
    doubts = _doubts(known, asked)
    begun = known.written({c: x for c, x in asked.letters.items() if c in slot.cells and c not in doubts})
    fitting = known.blank.lists[slot].given(begun.pattern(slot))
    solved = known.told(asked.letters, [cell for cell in slot.cells if cell not in begun.given])
    (mine,) = (answer for answer in solved.answers if answer.slot == slot)
    ranked = dict(mine.alternatives) | {mine.answer: mine.confidence}
    likeliest = [whole(slot, known.blank.squares, fitting.answer(i)) for i in range(min(len(fitting), hints.FEW))]
    two = known.blank.two_answers(slot)
    other = [two.other] if two and mine.answer == two.first else []
    few = dict.fromkeys([mine.answer, *other, *likeliest])
    answers = sorted(list(few)[: hints.FEW])
    sure = min(sum(ranked.get(answer, 0.0) for answer in answers), 1.0)
    return {"said": f"{slot} is one of these, Regis is {sure:.0%} sure.", "entry": str(slot), "answers": answers}


def reveal(known: Known, asked: Question) -> Reply:
    """What Regis would write into the squares that are asked about, and how sure it is."""
    solution = known.told(asked.letters, asked.cells).solution
    shown = [cell for cell in asked.cells if solution.cells.get(cell)]
    return {"cells": [_square(cell, solution.cells[cell], solution.confidence.get(cell, 0.0)) for cell in shown]}


def why(known: Known, asked: Question) -> Reply:
    """Why Regis would fill an entry as it would: candidates with reasons, and what crosses each square."""
    slot = known.slot(asked.entry)
    told = explain(pipeline.answered(known.told(asked.letters, slot.cells), reveal=True), [slot], NAMED)[0]
    return {
        "entry": str(slot),
        "answer": told.answer.answer,
        "said": told.why,
        "candidates": [
            {
                "answer": choice.candidate.answer,
                "alone": choice.alone,
                "sure": choice.candidate.probability,
                "reasons": [evidence.reason(one) for one in choice.candidate.evidence],
            }
            for choice in told.choices
        ],
        "missing": told.missing[1],
        "crossings": [
            {"letter": square.letter, "entry": str(square.crossing.slot) if square.crossing else "", "heard": heard}
            for square in told.squares
            for heard in [", ".join(f"{letter} {p:.0%}" for letter, p in square.heard)]
        ],
    }


def heat(known: Known, asked: Question) -> Reply:
    """How sure Regis is of each square, and no letter."""
    confidence = known.blank.solution.confidence
    return {"sure": [[*cell, round(confidence.get(cell, 0.0), 3)] for cell in known.puzzle.grid.cells]}


def _square(cell: Cell, letter: str, sure: float) -> Reply:
    return {"cell": cell, "letter": letter, "sure": round(sure, 3)}


ANSWERS = {one.__name__: one for one in (check, hint, narrow, reveal, why, heat)}
"""What may be asked, by name."""


def doubtful(solved: Solved) -> int:
    """Of how many squares Regis is not sure."""
    confidence = solved.solution.confidence
    return sum(confidence.get(cell, 0.0) < DOUBTFUL for cell in solved.puzzle.grid.cells)
