"""`belief`: loopy belief propagation between slots and cells (Pearl 1988; for crosswords: Dr.Fill, Berkeley 2022).

Each slot holds a probability over its candidates, and tells each of its cells what that makes of the cell's letter;
the cell passes it on to the slot that crosses there. With probability `missing` the slot's answer is in no list; then
it is a string of the letter and phrase models, whose evidence and marginals come in closed form, so that one list
without the right answer does not poison its crossings. Messages are damped, in logs, all slots at once, until they
settle or the rounds are over.

Unlike the other fillers nothing is ever written and taken back: letters are read off at the end, and where they are
doubtful the grid is repaired as a whole (regis.solving.local_search).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, foremost, word
from regis.solving.local_search import Repair
from regis.solving.solution import OUT_OF_TIME, Budget, Candidates, Solution, Watch, unwatched

ROUNDS, MORE_ROUNDS = 10, 5
"""How many times every slot speaks, at most; and again, once answers have joined the clues that name them. 42 puzzles
came out the same with 15 and 5; with 8 and 5, 0.1 % of the letters are lost, and with 10 and 3."""

BELIEVED = 0.9
"""An answer whose every letter is at least so sure joins the clues that name it."""

LETTERS_FIRST = 3
"""Rounds in which unlisted answers are only letters; from then on phrases are tried where a list may be wrong."""

UNSURE = 0.02
"""P(unlisted) from which a slot's phrases are looked at. They are worth 2 % of all letters; 42 puzzles came out as
with 0.005, which takes longer."""

STILL = 0.001
"""Change of what is heard, relative to a cell's likeliest letter, up to which the slot's belief still holds."""

REFRESH, NARROW = 5, 14.0
"""Every so many rounds a slot looks at its whole list again; in between only at candidates within so many nats of the
best. 42 puzzles came out the same with 4 and 20, which takes longer."""

DAMPING = 0.45
"""Share of the old message that stays in the new one: without any, loops swing to and fro."""

SETTLED = 1e-3
"""Change of a letter's probability in the messages below which another round changes nothing."""

FLOOR = 1e-7
"""Least probability a message gives to a letter, so that no single list can forbid one."""

GIVEN = 1e-6
"""Odds of each other letter where the person wrote one, while what the person wrote is taken for right."""

BEST = 10
"""How many answers of each slot are reported."""

Table = NDArray[np.float64]


class Beliefs(NamedTuple):
    """Where the messages came to rest, as probabilities."""

    letters: Mapping[Cell, Table]  # of each cell in a slot, (26,)
    heard: Mapping[Slot, Table]  # what crossings and the person say of a slot's cells, (length, 26), rows sum to 1
    ranked: Mapping[Slot, tuple[tuple[str, float], ...]]  # the best answers of each slot's list, best first
    listed: Mapping[Slot, float]  # P(the answer is in the list)
    among: Candidates  # what they were formed from, sure answers put in where clues name them


def fill(puzzle: Puzzle, candidates: Candidates, budget: Budget, watch: Watch = unwatched) -> Solution:
    """The most likely grid near the most likely letters; a cell's confidence is its letter's marginal probability."""
    deadline = budget.deadline()
    beliefs, statistics = believed(puzzle, candidates, deadline, watch=watch)
    likeliest = {cell: ALPHABET[int(p.argmax())] for cell, p in beliefs.letters.items()} | dict(puzzle.given)
    cells = Repair(puzzle, beliefs.among).improve(likeliest, beliefs.letters, beliefs.ranked, deadline)
    confidence = {
        cell: 1.0 if cell in puzzle.given else float(beliefs.letters[cell][ALPHABET.index(letter)])
        for cell, letter in cells.items()
    }
    neglected = frozenset(slot for slot, listed in beliefs.listed.items() if listed < 0.5)
    changed = sum(letter != likeliest[cell] for cell, letter in cells.items())
    return Solution(cells, confidence, beliefs.ranked, neglected, {**statistics, "repaired": changed})


def believed(
    puzzle: Puzzle,
    candidates: Candidates,
    deadline: float,
    odds: float = GIVEN,
    watch: Watch = unwatched,
) -> tuple[Beliefs, dict[str, float | str]]:
    """The beliefs at rest, or as they are at the deadline, and how they came about.

    `odds` are those of each other letter where the person wrote one.
    """
    nodes = {slot: _Node(slot, candidates.lists[slot], puzzle.given, odds) for slot in puzzle.grid.slots}
    rounds, stopped = _talk(puzzle, candidates, nodes, range(1, ROUNDS + 1), deadline, watch)
    if time.monotonic() < deadline and (informed := candidates.knowing(_believed(nodes))) is not None:
        for slot, node in nodes.items():
            if informed.lists[slot] is not candidates.lists[slot]:
                node.take(informed.lists[slot])
        candidates = informed
        more = range(rounds + 1, rounds + 1 + MORE_ROUNDS)
        rounds, stopped = _talk(puzzle, candidates, nodes, more, deadline, watch)
    return _read_off(nodes, candidates), {"states": rounds, "stopped": stopped}


def _talk(
    puzzle: Puzzle,
    candidates: Candidates,
    nodes: Mapping[Slot, _Node],
    numbers: range,
    deadline: float,
    watch: Watch,
) -> tuple[int, str]:
    """The rounds `numbers`, until nothing changes or the time is up; returns the last one, and why it was the last."""
    groups = _by_length(nodes)
    number = numbers.start - 1
    for number in numbers:
        phrases = number > LETTERS_FIRST
        refresh = number % REFRESH == 1 or number == numbers.start
        afresh = number in (numbers.start, LETTERS_FIRST + 1)
        change = max((_speak(group, candidates, phrases, refresh, afresh) for group in groups), default=0.0)
        _listen(puzzle, nodes)
        watch(f"round {number}", partial(_written, puzzle, nodes))
        if change < SETTLED and (phrases or not any(node.unsure for node in nodes.values())):
            return number, "settled"
        if time.monotonic() > deadline:
            return number, OUT_OF_TIME
    return number, "all rounds done"


def _believed(nodes: Mapping[Slot, _Node]) -> dict[Slot, str]:
    """The answers that other clues may lean on: every letter is sure."""
    return {
        slot: "".join(ALPHABET[i] for i in node.belief.argmax(axis=1))
        for slot, node in nodes.items()
        if node.belief.max(axis=1).min() >= BELIEVED
    }


class _Node:
    """One slot at work: its list, what it hears in each cell and what it says there. Logs, (length, 26)."""

    def __init__(self, slot: Slot, among: CandidateList, given: Mapping[Cell, str], odds: float) -> None:
        n = len(slot)
        self.slot = slot
        self.take(among)
        self.heard = np.zeros((n, 26))
        for i, cell in enumerate(slot.cells):
            letter = given.get(cell, "")
            if len(letter) == 1 and letter in ALPHABET:
                self.heard[i] = np.log(odds)
                self.heard[i, ALPHABET.index(letter)] = 0.0
        self.given = self.heard.copy()
        self.said = np.zeros((n, 26))
        self.listed = 0.5
        self.belief = self.said

    def take(self, among: CandidateList) -> None:
        """Works with the list `among` from now on."""
        self.letters = among.letters
        self.whole = _paired(among.letters), among.logp
        self.pairs, self.logp = self.whole
        self.missing = float(np.log(max(among.missing, 1e-12)))
        self.score = self.logp
        self.asked: Table | None = None  # what was heard when the belief was last formed, as evidence

    @property
    def unsure(self) -> bool:
        return self.listed < 1 - UNSURE

    def knows(self, evidence: Table) -> bool:
        """Whether the belief was formed on about the same `evidence`, (length, 26), each cell's likeliest letter 1."""
        return self.asked is not None and bool(np.abs(self.asked - evidence).max() <= STILL)

    def listen(self, refresh: bool) -> None:
        """Weighs the candidates by what is heard: all of them, or those that were in reach when last all were."""
        if refresh:
            self.pairs, self.logp = self.whole
        self.score = self.logp.copy()
        for i, pair in enumerate(self.pairs):
            first, *second = self.heard[2 * i : 2 * i + 2]
            self.score += np.add.outer(first, second[0]).ravel()[pair] if second else first[pair]
        if refresh and len(self.score):
            near = np.flatnonzero(self.score > self.score.max() - NARROW)
            self.pairs = [pair[near] for pair in self.pairs]
            self.logp, self.score = self.logp[near], self.score[near]

    def conclude(self, weight: float, marginal: Table) -> None:
        """The belief about each cell, given log weight and marginals of an unlisted answer."""
        if not len(self.score):
            self.listed, self.belief = 0.0, marginal
            return
        top = self.score.max()
        likely = np.exp(self.score - top)
        odds = self.missing + weight - top - np.log(likely.sum())
        self.listed = 1.0 / (1.0 + np.exp(np.clip(odds, -700, 700)))
        likely /= likely.sum()
        counts: list[Table] = []
        for pair in self.pairs:
            both = np.bincount(pair, weights=likely, minlength=26 * 26).reshape(26, 26)
            counts += [both.sum(axis=1), both.sum(axis=0)]
        if len(self.slot) % 2:
            counts[-2:] = [counts[-1]]
        self.belief = self.listed * np.stack(counts) + (1 - self.listed) * marginal

    def speak(self) -> float:
        """Says to each cell what it does not know already; returns the largest change of a letter's probability."""
        said = np.log(self.belief + FLOOR * self.belief.max()) - self.heard
        said = np.maximum(said - _logsum(said), np.log(FLOOR))
        change = float(np.abs(np.exp(said) - np.exp(self.said)).max())
        self.said = DAMPING * self.said + (1 - DAMPING) * said
        return change


def _paired(letters: NDArray[np.uint8]) -> list[NDArray[np.uint16]]:
    """The columns of a letter table two by two, (k,) each, 26 times the first plus the second; an odd last one alone.

    A list is then read, and its letters counted, in half the time.
    """
    columns = [np.ascontiguousarray(column).astype(np.uint16) for column in letters.T]
    return [
        columns[i] * np.uint16(26) + columns[i + 1] if i + 1 < len(columns) else columns[i]
        for i in range(0, len(columns), 2)
    ]


def _by_length(nodes: Mapping[Slot, _Node]) -> list[list[_Node]]:
    groups: dict[int, list[_Node]] = defaultdict(list)
    for slot, node in nodes.items():
        groups[len(slot)].append(node)
    return list(groups.values())


def _speak(nodes: Sequence[_Node], candidates: Candidates, phrases: bool, refresh: bool, afresh: bool) -> float:
    """Every node of one length works out its beliefs and tells them; returns the largest change."""
    heard = np.stack([node.heard for node in nodes])
    top = heard.max(axis=2)
    evidence = np.exp(heard - top[:, :, None])
    awake = [i for i, node in enumerate(nodes) if afresh or not node.knows(evidence[i])]
    weights, marginals = candidates.strings.by_letters(evidence[awake])
    for i, weight, marginal in zip(awake, weights.tolist(), marginals, strict=True):
        node = nodes[i]
        if phrases and node.unsure:
            weight, marginal = candidates.strings_for(node.slot).with_phrases(evidence[i], weight, marginal)
        node.listen(refresh)
        node.conclude(weight + float(top[i].sum()), marginal)
        node.asked = evidence[i]
    return max(node.speak() for node in nodes)


def _listen(puzzle: Puzzle, nodes: Mapping[Slot, _Node]) -> None:
    """Every node hears what the crossing slots said."""
    for slot, node in nodes.items():
        for i, crossing in enumerate(puzzle.grid.crossings[slot]):
            if crossing is None:
                continue
            node.heard[i] = node.given[i] + nodes[crossing.slot].said[crossing.position]


def _chances(nodes: Mapping[Slot, _Node]) -> dict[Cell, Table]:
    """Each cell's letter probabilities, (26,)."""
    beliefs: dict[Cell, Table] = {}
    for slot, node in nodes.items():
        for i, cell in enumerate(slot.cells):
            beliefs[cell] = beliefs.get(cell, node.given[i]) + node.said[i]
    return {cell: np.exp(belief - _logsum(belief)) for cell, belief in beliefs.items()}


def _written(puzzle: Puzzle, nodes: Mapping[Slot, _Node]) -> dict[Cell, str]:
    """The letters that are likelier than all others together, for whoever watches."""
    likely = {cell: p for cell, p in _chances(nodes).items() if p.max() > 0.5}
    return {cell: ALPHABET[int(p.argmax())] for cell, p in likely.items()} | dict(puzzle.given)


def _read_off(nodes: Mapping[Slot, _Node], candidates: Candidates) -> Beliefs:
    return Beliefs(
        _chances(nodes),
        {slot: np.exp(node.heard - _logsum(node.heard)) for slot, node in nodes.items()},
        {slot: _ranked(node) for slot, node in nodes.items()},
        {slot: node.listed for slot, node in nodes.items()},
        candidates,
    )


def _ranked(node: _Node) -> tuple[tuple[str, float], ...]:
    """The best answers of a node's whole list with their probabilities."""
    node.pairs, node.logp = node.whole
    node.listen(refresh=False)
    if not len(node.score):
        return ()
    best = foremost(node.letters, node.score, BEST)
    p = np.exp(node.score - node.score.max())
    p *= node.listed / p.sum()
    return tuple((word(node.letters[i]), float(p[i])) for i in best)


def _logsum(logs: Table) -> Table:
    top = logs.max(axis=-1, keepdims=True)
    total: Table = top + np.log(np.exp(logs - top).sum(axis=-1, keepdims=True))
    return total
