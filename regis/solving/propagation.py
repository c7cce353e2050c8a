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
from regis.solving.solution import OUT_OF_TIME, Beliefs, Candidates, Table, Watch, unwatched

ROUNDS, MORE_ROUNDS = 10, 5  # how often every slot sends, at most; and again, once answers joined clues that name them
BELIEVED = 0.9  # an answer whose every letter is at least so sure joins the clues that name it
LETTERS_FIRST = 3  # rounds in which unlisted answers are only letters; then phrases too, where a list may be wrong
UNSURE = 0.02  # P(unlisted) from which a slot's phrases are looked at; they take the most time
STILL = 0.001  # change of the messages, relative to a cell's likeliest letter, up to which a belief still holds
REFRESH, NARROW = 5, 14.0  # in every so many rounds whole lists are weighed, else what is so many nats from the best
DAMPING = 0.45  # share of the old message that stays in the new one: without any, loops swing to and fro
SETTLED = 1e-3  # change of a letter's probability in the messages below which another round changes nothing
FLOOR = 1e-7  # least probability a message gives to a letter, so that no single list can forbid one
GIVEN = 1e-6  # odds of each other letter where the person wrote one, while what the person wrote is taken for right
BEST = 10  # how many answers of each slot are reported


def propagate(
    puzzle: Puzzle, candidates: Candidates, deadline: float, odds: float = GIVEN, watch: Watch = unwatched
) -> Beliefs:
    """The beliefs at rest, or as they are at the `deadline` (time.monotonic).

    `odds` are those of each other letter where the person wrote one.
    """
    nodes = {slot: _Node(slot, candidates.lists[slot], puzzle.given, odds) for slot in puzzle.grid.slots}
    rounds, stopped = _Schedule(puzzle, candidates, nodes, deadline, watch).run(range(1, ROUNDS + 1))
    certain = [slot for slot, node in nodes.items() if node.belief.max(axis=1).min() >= BELIEVED]
    sure = {slot: word(nodes[slot].belief.argmax(axis=1)) for slot in certain}
    if time.monotonic() >= deadline or (informed := candidates.knowing(sure)) is None:
        sure = {}
    else:
        for slot, node in nodes.items():
            if informed.lists[slot] is not candidates.lists[slot]:
                node.use(informed.lists[slot])
        again = _Schedule(puzzle, informed, nodes, deadline, watch)
        rounds, stopped = again.run(range(rounds + 1, rounds + 1 + MORE_ROUNDS))
    messages = {slot: np.exp(node.incoming - _logsum(node.incoming)) for slot, node in nodes.items()}
    ranked = {slot: node.ranked() for slot, node in nodes.items()}
    listed = {slot: node.listed for slot, node in nodes.items()}
    return Beliefs(_chances(nodes), messages, ranked, listed, sure, rounds, stopped)


class _Schedule(NamedTuple):
    """Who sends when."""

    puzzle: Puzzle
    candidates: Candidates
    nodes: Mapping[Slot, _Node]
    deadline: float
    watch: Watch

    def run(self, numbers: range) -> tuple[int, str]:
        """The rounds `numbers`, until nothing changes or the time is up; the last one, and why it was the last."""
        of_length: dict[int, list[_Node]] = defaultdict(list)
        for slot, node in self.nodes.items():
            of_length[len(slot)].append(node)
        number = numbers.start - 1
        for number in numbers:
            phrases = number > LETTERS_FIRST
            refresh = number % REFRESH == 1 or number == numbers.start
            afresh = number in (numbers.start, LETTERS_FIRST + 1)
            change = max((self._send(group, phrases, refresh, afresh) for group in of_length.values()), default=0.0)
            self._deliver()
            self.watch(f"round {number}", partial(_written, self.puzzle, self.nodes))
            if time.monotonic() > self.deadline:
                return number, OUT_OF_TIME
            if change < SETTLED and (phrases or not any(node.unsure for node in self.nodes.values())):
                return number, "settled"
        return number, "all rounds done"

    def _send(self, nodes: Sequence[_Node], phrases: bool, refresh: bool, afresh: bool) -> float:
        """Every node of one length updates its belief and sends its messages; returns the largest change.

        Once the time is up, no more phrases are looked at.
        """
        incoming = np.stack([node.incoming for node in nodes])
        top = incoming.max(axis=2)
        evidence = np.exp(incoming - top[:, :, None])
        awake = [i for i, node in enumerate(nodes) if afresh or not node.holds(evidence[i])]
        weights, marginals = self.candidates.strings.by_letters(evidence[awake])
        for i, weight, marginal in zip(awake, weights.tolist(), marginals, strict=True):
            node = nodes[i]
            if phrases and node.unsure and time.monotonic() <= self.deadline:
                weight, marginal = self.candidates.strings_for(node.slot).with_phrases(evidence[i], weight, marginal)
            node.weigh(refresh)
            node.update(weight + float(top[i].sum()), marginal)
            node.evidence = evidence[i]
        return max(node.send() for node in nodes)

    def _deliver(self) -> None:
        """Every node receives what the crossing slots sent."""
        for slot, node in self.nodes.items():
            for i, crossing in enumerate(self.puzzle.grid.crossings[slot]):
                if crossing is not None:
                    node.incoming[i] = node.given[i] + self.nodes[crossing.slot].outgoing[crossing.position]


class _Node:
    """One slot at work: its list, and the messages from and to each of its cells: logs, (length, 26)."""

    def __init__(self, slot: Slot, among: CandidateList, given: Mapping[Cell, str], odds: float) -> None:
        n = len(slot)
        self.slot = slot
        self.use(among)
        self.incoming = np.zeros((n, 26))
        for i, cell in enumerate(slot.cells):
            letter = given.get(cell, "")
            if len(letter) == 1 and letter in ALPHABET:
                self.incoming[i] = np.log(odds)
                self.incoming[i, ALPHABET.index(letter)] = 0.0
        self.given = self.incoming.copy()
        self.outgoing = np.zeros((n, 26))
        self.listed = 0.5
        self.belief = self.outgoing

    def use(self, among: CandidateList) -> None:
        """Works with the list `among` from now on."""
        self.letters = among.letters
        self.whole = _paired(among.letters), among.logp
        self.pairs, self.logp = self.whole
        self.missing = among.log_missing
        self.score = self.logp
        self.evidence: Table | None = None  # of the belief: messages, each cell's likeliest letter 1

    @property
    def unsure(self) -> bool:
        return self.listed < 1 - UNSURE

    def holds(self, evidence: Table) -> bool:
        """Whether the belief was formed on about the same `evidence`, (length, 26)."""
        return self.evidence is not None and bool(np.abs(self.evidence - evidence).max() <= STILL)

    def weigh(self, refresh: bool) -> None:
        """Weighs the candidates by the incoming messages: all, or those in reach when all were last weighed."""
        if refresh:
            self.pairs, self.logp = self.whole
        self.score = self.logp.copy()
        for i, pair in enumerate(self.pairs):
            first, *second = self.incoming[2 * i : 2 * i + 2]
            self.score += np.add.outer(first, second[0]).ravel()[pair] if second else first[pair]
        if refresh and len(self.score):
            near = np.flatnonzero(self.score > self.score.max() - NARROW)
            self.pairs = [pair[near] for pair in self.pairs]
            self.logp, self.score = self.logp[near], self.score[near]

    def update(self, weight: float, marginal: Table) -> None:
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

    def send(self) -> float:
        """Sends each cell what it does not know already; returns the largest change of a letter's probability."""
        message = np.log(self.belief + FLOOR * self.belief.max()) - self.incoming
        message = np.maximum(message - _logsum(message), np.log(FLOOR))
        change = float(np.abs(np.exp(message) - np.exp(self.outgoing)).max())
        self.outgoing = DAMPING * self.outgoing + (1 - DAMPING) * message
        return change

    def ranked(self) -> tuple[tuple[str, float], ...]:
        """The best answers of the whole list with their probabilities."""
        self.pairs, self.logp = self.whole
        self.weigh(refresh=False)
        if not len(self.score):
            return ()
        best = foremost(self.letters, self.score, BEST)
        p = np.exp(self.score - self.score.max())
        p *= self.listed / p.sum()
        return tuple((word(self.letters[i]), float(p[i])) for i in best)


def _paired(letters: NDArray[np.uint8]) -> list[NDArray[np.uint16]]:
    """The columns of a letter table two by two, (k,) each, 26 times the first plus the second; an odd last one alone.

    A list is then read, and its letters counted, in half the time.
    """
    columns = [np.ascontiguousarray(column).astype(np.uint16) for column in letters.T]
    pairs = [first * np.uint16(26) + second for first, second in zip(columns[::2], columns[1::2], strict=False)]
    return pairs + columns[len(pairs) * 2 :]


def _chances(nodes: Mapping[Slot, _Node]) -> dict[Cell, Table]:
    """Each cell's letter probabilities, (26,)."""
    beliefs: dict[Cell, Table] = {}
    for slot, node in nodes.items():
        for i, cell in enumerate(slot.cells):
            beliefs[cell] = beliefs.get(cell, node.given[i]) + node.outgoing[i]
    return {cell: np.exp(belief - _logsum(belief)) for cell, belief in beliefs.items()}


def _written(puzzle: Puzzle, nodes: Mapping[Slot, _Node]) -> dict[Cell, str]:
    """The letters that are likelier than all others together, for whoever watches."""
    likely = {cell: p for cell, p in _chances(nodes).items() if p.max() > 0.5}
    return {cell: ALPHABET[int(p.argmax())] for cell, p in likely.items()} | dict(puzzle.given)


def _logsum(logs: Table) -> Table:
    top = logs.max(axis=-1, keepdims=True)
    total: Table = top + np.log(np.exp(logs - top).sum(axis=-1, keepdims=True))
    return total
