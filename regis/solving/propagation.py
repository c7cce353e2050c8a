"""Loopy belief propagation between slots and cells (Pearl 1988; for crosswords: Dr.Fill, Berkeley 2022).

Each slot holds a probability over its candidates, and sends each of its cells what that makes of the cell's letter; the
cell passes it on to the slot that crosses there. With probability `missing` the slot's answer is in no list; then it is
a string of the letter and phrase models, whose evidence and marginals come in closed form, so that one list without the
right answer does not poison its crossings. Messages are damped, in logs, all slots at once, until they settle or the
rounds are over.

It is the engine of whatever reckons with letters not yet known: the filler `belief`, the check of the person's letters,
the search for rebus squares, and the explanation of an entry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

import numpy as np

from regis.models.tensors import Table
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, word
from regis.solving.groups import Group, Ranked
from regis.solving.solution import GIVEN_UP, NOTHING_KNOWN, OUT_OF_TIME, REPORTED, Beliefs, Candidates, Watch, unwatched
from regis.system.deadline import passed

ROUNDS, MORE_ROUNDS = 28, 5  # how often every slot sends, at most; and again, once answers joined clues that name them
GENTLE, POWER = 8, 0.7
"""In how many rounds, at most, do messages count less at first, and to which power are they taken? Answers in no list
are only letters then. (Measured: docs/measured.md.)"""

MOST_DOUBTED, AFTER = 0.6, 12
"""In how many squares, as a share of all, may letters be in doubt after so many rounds? Who is hasty gives more up,
to begin again with what is read then (solving.second_look). (Measured: docs/measured.md.)"""

ALL_DOUBTED = 0.95
"""From how many squares in doubt on, as a share of all, is it nearly all of them? Then who is hasty does not go on from
what was believed, and a second look asks first whether the clues mean anything. (Measured: docs/measured.md.)"""

SURE = 0.99  # probability from which on a letter is not in doubt
BELIEVED = 0.9  # an answer whose every letter is at least so sure joins the clues that name it
DAMPING = 0.45  # share of the old message that stays in the new one: without any, loops swing to and fro
SETTLED, NEARLY = 0.002, 0.05  # change of a letter's probability in its cell below which beliefs rest; and gentle ones
FLOOR = 1e-7  # least probability a message gives to a letter, so that no single list can forbid one
GIVEN = 1e-6  # odds of each other letter where the person wrote one, while what the person wrote is taken for right


def propagate(
    puzzle: Puzzle, candidates: Candidates, deadline: float, odds: float = GIVEN, watch: Watch = unwatched
) -> Beliefs:
    """The beliefs at rest, or as they are at the `deadline` (time.monotonic).

    They go on from what the candidates were `believed` to be, if anything. `odds` are those of each other letter where
    the person wrote one.
    """
    mail = _Mail(puzzle, candidates, odds)
    rounds, stopped = _run(mail, candidates, deadline, watch, range(1, ROUNDS + 1))
    sure = {
        slot: word(belief.argmax(axis=1).astype(np.uint8))
        for slot, belief in mail.beliefs()
        if belief.max(axis=1).min() >= BELIEVED
    }
    informed = None
    if stopped not in (GIVEN_UP, NOTHING_KNOWN) and not passed(deadline):
        informed = candidates.knowing(sure, deadline)
    if informed is None:
        sure = {}
    else:
        for group in mail.groups:
            for i, slot in enumerate(group.slots):
                if informed.lists[slot] is not candidates.lists[slot]:
                    group.use(i, informed.lists[slot])
        numbers = range(rounds + 1, rounds + 1 + MORE_ROUNDS)
        rounds, stopped = _run(mail, informed, deadline, watch, numbers)
    messages, listed = {}, {}
    for group in mail.groups:
        for i, (slot, row) in enumerate(zip(group.slots, mail.into(group), strict=True)):
            messages[slot], listed[slot] = np.exp(row - _logsum(row)), float(group.listed[i])
    in_order = puzzle.grid.slots
    ranked = Ranked(in_order, [(group, mail.into(group)) for group in mail.groups], REPORTED)
    return Beliefs(
        mail.chances(), messages, ranked, {slot: listed[slot] for slot in in_order}, sure, rounds, stopped, mail
    )


def _run(mail: _Mail, candidates: Candidates, deadline: float, watch: Watch, numbers: range) -> tuple[int, str]:
    """The rounds `numbers`, until nothing changes or the time is up; the last one, and why it was the last."""
    gentle = numbers.start == 1 and GENTLE > 0 and candidates.believed is None
    number, begun = numbers.start - 1, numbers.start
    for number in numbers:
        power, phrases = (POWER, -np.inf) if gentle else (1.0, deadline)
        if not gentle:
            candidates.strings_of([slot for group in mail.groups for slot in group.doubted])  # together, for later
        age = number - begun
        seen = [group.seen(power * mail.into(group)) for group in mail.groups]
        letters = candidates.strings.all_by_letters([one.evidence for one in seen])
        for group, one, (weights, marginals) in zip(mail.groups, seen, letters, strict=True):
            group.form(one, weights, marginals, candidates, phrases, age)
        change = mail.exchange()
        watch(f"round {number}", mail.written)
        if passed(deadline):
            return number, OUT_OF_TIME
        if change < SETTLED and not gentle:
            return number, "settled"
        if candidates.hasty and (stopped := _hopeless(mail, number, candidates.believed is not None)):
            return number, stopped
        if gentle and (change < NEARLY or number == GENTLE):
            gentle, begun = False, number + 1
            for group in mail.groups:
                group.wake()
    return number, "all rounds done"


def _hopeless(mail: _Mail, number: int, resumed: bool) -> str:
    """Why who is hasty stops after a round, where so many letters are in doubt; empty for no reason."""
    if resumed:
        return NOTHING_KNOWN if number == 1 and mail.doubted > ALL_DOUBTED else ""
    return GIVEN_UP if number == AFTER and mail.doubted > MOST_DOUBTED else ""


class _Mail:
    """The messages from and to each cell of each slot, logs, (cells of all slots, 26): those of a length together."""

    def __init__(self, puzzle: Puzzle, candidates: Candidates, odds: float) -> None:
        self.puzzle = puzzle
        of_length: dict[int, list[Slot]] = defaultdict(list)
        for slot in puzzle.grid.slots:
            of_length[len(slot)].append(slot)
        first = dict(zip(of_length, accumulate(n * len(slots) for n, slots in of_length.items()), strict=True))
        self.groups = [Group(slots, first[n] - n * len(slots), candidates) for n, slots in of_length.items()]
        row = {(slot, i): group.rows.start + k * len(slot) + i
               for group in self.groups for k, slot in enumerate(group.slots) for i in range(len(slot))}  # fmt: skip
        self._starts = np.array([row[slot, 0] for group in self.groups for slot in group.slots], np.intp)
        self._sizes = np.array([len(slot) for group in self.groups for slot in group.slots], np.intp)
        self._crossing = np.full(len(row), len(row))  # the row of the slot that crosses there; one more for none
        self._cells: dict[Cell, int] = {}  # a row of each cell
        self._given = np.zeros((len(row), len(ALPHABET)))
        for slot in puzzle.grid.slots:
            crossings = puzzle.grid.crossings[slot]
            for i, (cell, crossing) in enumerate(zip(slot.cells, crossings, strict=True)):
                at = row[slot, i]
                self._cells.setdefault(cell, at)
                if crossing is not None:
                    self._crossing[at] = row[crossing.slot, crossing.position]
                letter = puzzle.given.get(cell, "")
                if len(letter) == 1 and letter in ALPHABET:
                    self._given[at] = np.log(odds)
                    self._given[at, ALPHABET.index(letter)] = 0.0
        self.incoming = self._given.copy()
        self._outgoing = np.zeros((len(row) + 1, len(ALPHABET)))
        self._rows = np.array(list(self._cells.values()), np.intp)
        if candidates.believed is not None:
            assert isinstance(candidates.believed.rest, _Mail), "which propagate left there"
            self._go_on(candidates.believed.rest)
        self._chances = self._formed()

    def _go_on(self, before: _Mail) -> None:
        """Goes on from messages of the same grid, in which other letters may have been given."""
        assert before.puzzle.grid is self.puzzle.grid
        for group, known in zip(self.groups, before.groups, strict=True):
            group.go_on(known)
        self._outgoing = before._outgoing.copy()
        self.incoming = self._given + self._outgoing[self._crossing]

    def into(self, group: Group) -> Table:
        """What comes in from the cells of some slots, (slots, length, 26), natural logs."""
        return self.incoming[group.rows].reshape(group.shape)

    def beliefs(self) -> Iterator[tuple[Slot, Table]]:
        """What each slot believes of its cells, (length, 26)."""
        for group in self.groups:
            yield from zip(group.slots, group.belief, strict=True)

    def exchange(self) -> float:
        """Every slot sends each cell what that does not know already; returns the largest change of a cell's letter."""
        if not len(self.incoming):
            return 0.0
        belief = np.concatenate([group.belief.reshape(-1, len(ALPHABET)) for group in self.groups])
        most = np.repeat(np.maximum.reduceat(belief.max(axis=1), self._starts), self._sizes)
        message = np.log(belief + FLOOR * most[:, None]) - self.incoming
        message = np.maximum(message - _logsum(message), np.log(FLOOR))
        self._outgoing[:-1] = DAMPING * self._outgoing[:-1] + (1 - DAMPING) * message
        self.incoming = self._given + self._outgoing[self._crossing]
        before, self._chances = self._chances, self._formed()
        return float(np.abs(self._chances - before).max())

    def _formed(self) -> Table:
        """The letter probabilities of each of the cells, (cells, 26)."""
        rows = self._rows
        beliefs = self._given[rows] + self._outgoing[rows] + self._outgoing[self._crossing[rows]]
        found: Table = np.exp(beliefs - _logsum(beliefs))
        return found

    @property
    def doubted(self) -> float:
        """The share of the cells whose letters are in doubt."""
        return float((self._chances.max(axis=1) < SURE).mean())

    def chances(self) -> dict[Cell, Table]:
        """Each cell's letter probabilities, (26,)."""
        return dict(zip(self._cells, self._chances, strict=True))

    def written(self) -> dict[Cell, str]:
        """The letters that are likelier than all others together, for whoever watches."""
        likely = {cell: p for cell, p in self.chances().items() if p.max() > 0.5}
        return {cell: ALPHABET[int(p.argmax())] for cell, p in likely.items()} | dict(self.puzzle.given)


def _logsum(logs: Table) -> Table:
    top = logs.max(axis=-1, keepdims=True)
    total: Table = top + np.log(np.exp(logs - top).sum(axis=-1, keepdims=True))
    return total
