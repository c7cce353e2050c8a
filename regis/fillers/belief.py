"""`belief`: loopy belief propagation between slots and cells (Pearl 1988; for crosswords: Dr.Fill, Berkeley 2022).

Each slot holds a probability over its candidates, and tells each of its cells what that makes of the cell's letter;
the cell passes it on to the slot that crosses there. With probability `missing` the slot's answer is in no list; then
it is a string of the letter model, whose evidence and marginals come in closed form, so that one list without the
right answer does not poison its crossings. Messages are damped, in logs, all slots at once, a fixed number of rounds.

Unlike the other fillers nothing is ever written and taken back: letters are read off at the end.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from regis.candidates import CandidateList
from regis.fill import Budget, Candidates, Solution
from regis.letters import ALPHABET, LetterModel
from regis.puzzle import Cell, Puzzle, Slot

ROUNDS = 20
"""How many times every slot speaks."""

DAMPING = 0.3
"""Share of the old message that stays in the new one: without any, loops swing to and fro."""

SETTLED = 1e-3
"""Change of a letter's probability in the messages below which another round changes nothing."""

FLOOR = 1e-7
"""Least probability a message gives to a letter, so that no single list can forbid one."""

GIVEN = 1e-6
"""Odds that a letter the person wrote is another one."""

BEST = 10
"""How many answers of each slot are reported."""

Table = NDArray[np.float64]


def fill(puzzle: Puzzle, candidates: Candidates, budget: Budget) -> Solution:
    """The most likely letter of every cell, each with its marginal probability as confidence."""
    deadline = budget.deadline()
    slots = puzzle.grid.slots
    nodes = {slot: _Node(slot, candidates.lists[slot], puzzle.given) for slot in slots}
    groups = _by_length(slots)
    base = {n: float(candidates.letters.posterior(np.ones((1, n, 26)))[0][0]) for n in groups}
    rounds, stopped = 0, "all rounds done"
    for rounds in range(1, ROUNDS + 1):  # noqa: B007
        spoken = (_speak([nodes[s] for s in group], candidates.letters, base[n]) for n, group in groups.items())
        change = max(spoken, default=0.0)
        _listen(puzzle, nodes)
        if change < SETTLED:
            stopped = "settled"
            break
        if time.monotonic() > deadline:
            stopped = "out of time"
            break
    return _read_off(puzzle, nodes, {"rounds": rounds, "stopped": stopped})


class _Node:
    """One slot at work: its list, what it hears in each cell and what it says there. Logs, (length, 26)."""

    def __init__(self, slot: Slot, among: CandidateList, given: Mapping[Cell, str]) -> None:
        n = len(slot)
        self.columns = [np.ascontiguousarray(among.letters[:, i]) for i in range(n)]
        self.logp = among.logp
        self.missing = float(np.log(max(among.missing, 1e-12)))
        self.heard = np.zeros((n, 26))
        for i, cell in enumerate(slot.cells):
            letter = given.get(cell, "")
            if len(letter) == 1 and letter in ALPHABET:
                self.heard[i] = np.log(GIVEN)
                self.heard[i, ALPHABET.index(letter)] = 0.0
        self.given = self.heard.copy()
        self.said = np.zeros((n, 26))
        self.score = self.logp
        self.listed = 0.5
        self.belief = self.said


def _by_length(slots: Sequence[Slot]) -> dict[int, list[Slot]]:
    groups: dict[int, list[Slot]] = defaultdict(list)
    for slot in slots:
        groups[len(slot)].append(slot)
    return dict(groups)


def _speak(nodes: Sequence[_Node], model: LetterModel, base: float) -> float:
    """Every node of one length works out its marginals and what it says to each cell.

    Returns the largest change of any letter's probability in what is said, crossed or not.
    """
    change = 0.0
    heard = np.stack([node.heard for node in nodes])
    total, unlisted = model.posterior(np.exp(heard - heard.max(axis=2, keepdims=True)))
    total += heard.max(axis=2).sum(axis=1) - base
    for node, weight, marginal in zip(nodes, total, unlisted, strict=True):
        belief = marginal
        node.score = node.logp.copy()
        for i, column in enumerate(node.columns):
            node.score += node.heard[i][column]
        top = node.score.max() if len(node.score) else -np.inf
        likely = np.exp(node.score - top) if len(node.score) else node.score
        listed = top + np.log(likely.sum()) if len(node.score) else -np.inf
        node.listed = 1.0 / (1.0 + np.exp(np.clip(node.missing + weight - listed, -700, 700)))
        if len(node.score):
            likely /= likely.sum()
            counts = [np.bincount(column, weights=likely, minlength=26) for column in node.columns]
            belief = node.listed * np.stack(counts) + (1 - node.listed) * marginal
        node.belief = belief
        said = np.log(belief + FLOOR * belief.max()) - node.heard
        said = np.maximum(said - _logsum(said), np.log(FLOOR))
        change = max(change, float(np.abs(np.exp(said) - np.exp(node.said)).max()))
        node.said = DAMPING * node.said + (1 - DAMPING) * said
    return change


def _listen(puzzle: Puzzle, nodes: Mapping[Slot, _Node]) -> None:
    """Every node hears what the crossing slots said."""
    for slot, node in nodes.items():
        for i, crossing in enumerate(puzzle.grid.crossings[slot]):
            if crossing is None:
                continue
            node.heard[i] = node.given[i] + nodes[crossing.slot].said[crossing.position]


def _read_off(puzzle: Puzzle, nodes: Mapping[Slot, _Node], statistics: Mapping[str, float | str]) -> Solution:
    cells: dict[Cell, str] = {}
    confidence: dict[Cell, float] = {}
    beliefs: dict[Cell, Table] = {}
    for slot, node in nodes.items():
        for i, cell in enumerate(slot.cells):
            beliefs[cell] = beliefs.get(cell, node.given[i]) + node.said[i]
    for cell, belief in beliefs.items():
        p = np.exp(belief - _logsum(belief))
        cells[cell] = ALPHABET[int(p.argmax())]
        confidence[cell] = float(p.max())
    for cell, letter in puzzle.given.items():
        cells[cell], confidence[cell] = letter, 1.0
    ranked = {slot: _ranked(node) for slot, node in nodes.items()}
    neglected = frozenset(slot for slot, node in nodes.items() if node.listed < 0.5)
    return Solution(cells, confidence, ranked, neglected, statistics)


def _ranked(node: _Node) -> tuple[tuple[str, float], ...]:
    """The best answers of a node's list with their probabilities."""
    if not len(node.score):
        return ()
    best = np.argsort(-node.score, kind="stable")[:BEST]
    p = np.exp(node.score - node.score.max())
    p *= node.listed / p.sum()
    return tuple(("".join(ALPHABET[c[i]] for c in node.columns), float(p[i])) for i in best)


def _logsum(logs: Table) -> Table:
    top = logs.max(axis=-1, keepdims=True)
    total: Table = top + np.log(np.exp(logs - top).sum(axis=-1, keepdims=True))
    return total
