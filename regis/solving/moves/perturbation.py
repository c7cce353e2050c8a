"""Ways out of a wrong corner: the grid filled again as if one of its entries were another.

Where little is known of the clues, belief propagation swings among letters that go together and are all wrong. No entry
or letter alone then makes the grid likelier, and beginning again ends there, too. But the list of one slot mostly has
something else to say than what stands there, were it not for the crossings. So that is taken for all but certain, the
messages go on from where they were, and then it is let go again. What leaves the grid likelier as a whole is kept
(iterated local search, Lourenco, Martin and Stutzle 2003; each descent is belief propagation's). Before that the grid
is filled anew, by what was read since it was begun. After each step what is then in doubt is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.models.numeric.top_k import top_k_rows
from regis.puzzle import Slot
from regis.puzzle.alphabet import letter_codes
from regis.solving.filler import Filler
from regis.solving.inference.evidence import GridEvidence, crossing_loglik
from regis.solving.inference.messages import SURE_LETTER_P
from regis.solving.moves.move import Proposal, improve
from regis.solving.moves.reader_pass import ReaderPassSettings, doubtful_share, reread
from regis.solving.state import State


@dataclass(frozen=True)
class PerturbationSettings:
    """When a grid is filled anew, which entries are forced, and how many. (Measured: docs/experiments/reader-pass.md,
    docs/experiments/ways-out.md)"""

    unsettled_share: float = 0.04
    stuck_share: float = 0.1
    """From how many doubtful squares on, as a share of all, is a grid filled anew, and from how many are entries
    forced?"""

    min_clued_share: float = 0.9
    """Of how many entries, as a share of all, must there be a clue for that? Of others nobody knows more than letters,
    and much stays in doubt whatever is tried."""

    crossing_weight: float = 0.1  # how much do messages from crossings count in ranking the answers that are tried?
    answers_per_slot: int = 2  # how many answers of a slot are tried?
    min_gain: float = 1.0  # nats by which a grid must be likelier
    max_failed_tries: int = 16  # how many answers are tried in vain, in a row,
    max_tries: int = 48  # and how many of a puzzle's at all?
    tries_per_share: float = 50.0
    """Before one led anywhere, how many are tried for such a share of squares in doubt as is all of them? What a way
    out may gain grows with these."""

    reader_pass: ReaderPassSettings = ReaderPassSettings()  # what is read after each step


def restart(
    state: State, filler: Filler, deadline: float, settings: PerturbationSettings = PerturbationSettings()
) -> State:
    """Fill a grid that is not settled anew, as long as that makes it likelier."""

    def fill_anew(state: State) -> State:
        return improve(state.with_score(state.inputs), [_propose_restart(state, settings)], filler, deadline)

    return _escape(state, fill_anew, settings.unsettled_share, filler, deadline, settings)


def force_entries(
    state: State, filler: Filler, deadline: float, settings: PerturbationSettings = PerturbationSettings()
) -> State:
    """Lead a grid that is stuck to likelier ones by forced entries, none of which is tried twice."""
    forced_entries = ForcedEntries(settings)

    def force_one(state: State) -> State:
        return improve(state.with_score(state.inputs), forced_entries.propose(state), filler, deadline)

    return _escape(state, force_one, settings.stuck_share, filler, deadline, settings)


def _escape(
    state: State,
    take_step: Callable[[State], State],
    min_share: float,
    filler: Filler,
    deadline: float,
    settings: PerturbationSettings,
) -> State:
    """Go on to likelier grids while such a share of the squares is in doubt, and reread each."""
    slots = state.puzzle.grid.slots
    if sum(map(state.puzzle.has_clue, slots)) < settings.min_clued_share * len(slots):
        return state
    max_share = settings.reader_pass.hopeless_share
    while (
        state.reading and state.reading.lists and min_share < doubtful_share(state, settings.reader_pass) <= max_share
    ):
        other = take_step(state)
        if other.fill is state.fill:
            break
        state = reread(replace(state, fill=other.fill), filler, deadline, settings.reader_pass)
    return state


def _propose_restart(state: State, settings: PerturbationSettings) -> Proposal:
    """Propose the grid filled anew from the same inputs."""
    return Proposal("", state.puzzle, state.inputs, state.price, squares=state.squares, margin=settings.min_gain)


class ForcedEntries:
    """The entries of one puzzle that may be forced, none of which is tried twice."""

    def __init__(self, settings: PerturbationSettings = PerturbationSettings()) -> None:
        self.settings = settings
        self._tried: set[tuple[Slot, str]] = set()

    def propose(self, state: State) -> Iterator[Proposal]:
        """Propose the grid with each forced entry that is let go again; asked again, one has led to this grid."""
        anew, settings = _propose_restart(state, self.settings), self.settings
        n_hopeful = round(settings.tries_per_share * doubtful_share(state, settings.reader_pass))
        max_failed_tries = settings.max_failed_tries if self._tried else min(n_hopeful, settings.max_failed_tries)
        forced_entries = (pair for pair in self._rank_entries(state) if pair not in self._tried)
        for n_failed, (slot, answer) in enumerate(forced_entries):
            if n_failed == max_failed_tries or len(self._tried) == settings.max_tries:
                return
            self._tried.add((slot, answer))
            forced = replace(state.inputs, lists={**state.inputs.lists, slot: _certain_list(answer)})
            yield anew._replace(detour=forced, warm_start=state.fill.beliefs)

    def _rank_entries(self, state: State) -> list[tuple[Slot, str]]:
        """Rank the answers to force into doubtful slots: the best of each slot, most gain first; then the second."""
        fill, beliefs, evidence = state.fill, state.fill.propagated_beliefs, GridEvidence(state.puzzle, state.inputs)
        doubtful = beliefs.doubtful_cells(SURE_LETTER_P, state.puzzle.given)
        ranked: list[tuple[int, float, Slot, str]] = []
        for i, slot in enumerate(evidence.slots):
            if not doubtful.intersection(slot.cells):
                continue
            candidates, entry = evidence.inputs.lists[slot], fill.answer(slot)
            candidates = candidates.keep_rows(candidates.matching(state.puzzle.pattern(slot)))
            loglik = crossing_loglik(candidates.letters, np.log(beliefs.messages[slot]))
            logp = candidates.logp + self.settings.crossing_weight * loglik
            best = top_k_rows(candidates.letters, logp, self.settings.answers_per_slot + 1).tolist()
            others = [row for row in best if candidates.answer(row) != entry][: self.settings.answers_per_slot]
            loss = evidence.entry_logp(i, entry) - logp
            ranked += [(rank, float(loss[row]), slot, candidates.answer(row)) for rank, row in enumerate(others)]
        return [(slot, answer) for _, _, slot, answer in sorted(ranked, key=lambda item: item[:2])]


def _certain_list(answer: str) -> CandidateList:
    """Return a list in which nothing but `answer` is likely at all."""
    return CandidateList(letter_codes(answer)[None], np.zeros(1), 0.0, np.ones(1, bool), lambda i: ())
