"""Evidence: how probable it is, by lists and string models, what a slot may hold, and what a whole grid holds.

That of a slot is the probability of all that it may be, given what its crossings say. It is small where neither the
slot's list nor the string model has anything that fits the letters from outside: there a square may hold more than one
letter, or the answer is a phrase that was changed.

That of a grid is one number for all its letters, the sum over its entries of the log probability of what stands there:
its list's, or, for what is in no list, that of `missing` times the string model's; the same answer twice costs.
Whatever proposes another grid is kept or dropped by this number.

A reader (regis.models.neural.cross_encoder) adds evidence. It says how much likelier a string is than those in a list
are on average. Lists take that over, and strings that are in none join them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import MIN_PROBABILITY, CandidateList
from regis.candidates.finder import Evidence
from regis.models.numeric.arrays import Float64Array, logsumexp
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, letter_codes
from regis.solving.filler import Beliefs, Fill, ReaderScore, SolverInput
from regis.system.deadline import is_past

REPEAT_PENALTY = 4.0
"""Nats by which a grid is less likely for each answer that it has twice: setters do not do that."""

NO_WORD_LOGP = -50.0
"""Natural log of what an entry with a rebus square or digit counts as, which the person wrote."""

READER_NAME = "reader"  # its name as evidence

COLLAPSED_ODDS_SCALE = 1.3
"""How much more do the reader's odds count in a grid that has collapsed? Their base is another there, too
(`_base_log_odds`). (Measured: docs/experiments/collapsed-grids.md.)"""

SLOTS_PER_BATCH = 8  # slots that are read between two looks at the clock


def crossing_loglik(letters: NDArray[np.uint8], log_messages: Float64Array) -> Float64Array:
    """Compute the log likelihood of answers given the messages from their crossings.

    Parameters
    ----------
    letters : (answers, length), letters 0 to 25.
    log_messages : (length, 26), natural logs.

    Returns
    -------
    (answers,) natural logs.
    """
    loglik = np.zeros(len(letters))
    for column, message in zip(letters.T, log_messages, strict=True):
        loglik += message.take(column)
    return loglik


class SlotEvidence(NamedTuple):
    """The evidence of slots, by a solver's input and the beliefs that rest on it."""

    inputs: SolverInput
    beliefs: Beliefs

    def slot_log_evidence(self, slot: Slot) -> float:
        """Return the natural log probability of all that `slot` may be with single letters in its open cells."""
        candidates, p_in_list = self.inputs.lists[slot], self.beliefs.p_in_list[slot]
        if len(candidates) and p_in_list > 0:
            logp = candidates.logp + crossing_loglik(candidates.letters, self.log_messages(slot))
            return logsumexp(logp) - float(np.log(p_in_list))
        messages = self.beliefs.messages[slot]
        weights, marginals = self.inputs.string_model.letter_posterior(messages[None])
        model = self.inputs.string_model_for(slot)
        return candidates.log_missing + model.mix_phrases(messages, float(weights[0]), marginals[0])[0]

    def log_messages(self, slot: Slot) -> Float64Array:
        """Return the messages from crossings to the slot's cells, (length, 26), natural logs."""
        log_messages: Float64Array = np.log(self.beliefs.messages[slot])
        return log_messages


class GridEvidence:
    """The evidence of filled grids of one puzzle, by one solver's input; entries are looked up once each."""

    def __init__(self, puzzle: Puzzle, inputs: SolverInput) -> None:
        self.slots = puzzle.grid.slots
        self.inputs = inputs
        self._entry_logps: list[dict[str, float]] = [{} for _ in self.slots]

    def entry_logp(self, slot_index: int, entry: str) -> float:
        """Return the natural log probability of `entry` in the slot of that index, by the slot's own list."""
        logps = self._entry_logps[slot_index]
        if entry not in logps:
            slot = self.slots[slot_index]
            candidates = self.inputs.lists[slot]
            logps[entry] = candidates.logp_at(candidates.find_answer(entry), lambda: self._string_logp(slot, entry))
        return logps[entry]

    def log_evidence(self, fill: Fill) -> float:
        """Return the natural log probability of all entries of a filled grid, less the price of repeated ones."""
        entries = [fill.answer(slot) for slot in self.slots]
        n_repeated = len(entries) - len(set(entries))
        return sum(self.entry_logp(i, entry) for i, entry in enumerate(entries)) - REPEAT_PENALTY * n_repeated

    def _string_logp(self, slot: Slot, entry: str) -> float:
        """Return the natural log probability of `entry` among the unlisted answers to the slot."""
        if any(letter not in ALPHABET for letter in entry):
            return NO_WORD_LOGP
        return self.inputs.string_model_for(slot).string_loglik(letter_codes(entry))


class _ReadString(NamedTuple):
    """A string that was read."""

    row: int | None  # in the list
    logp: float  # natural log of how likely it was before
    score: ReaderScore


class ReaderEvidence:
    """The reader's scores of strings for some slots of a grid, and the slots' `lists` rescored by them."""

    def __init__(self, inputs: SolverInput, deadline: float, has_collapsed: bool) -> None:
        self.inputs = inputs
        self.has_collapsed = has_collapsed
        self._deadline = deadline
        self._strings: dict[Slot, dict[str, _ReadString]] = defaultdict(dict)
        self.lists: dict[Slot, CandidateList] = {}

    @property
    def n_strings(self) -> int:
        """Count the strings that were read."""
        return sum(map(len, self._strings.values()))

    def read_strings(self, strings: Mapping[Slot, Sequence[str]]) -> bool:
        """Read those of `strings` that are new; return whether there was time for all of them."""
        unread = {slot: [word for word in words if word not in self._strings[slot]] for slot, words in strings.items()}
        new = [(slot, words) for slot, words in unread.items() if words]
        for start in range(0, len(new), SLOTS_PER_BATCH):
            if is_past(self._deadline):
                return False
            batch = dict(new[start : start + SLOTS_PER_BATCH])
            for slot, scores in self.inputs.knowledge.score_strings(batch).items():
                pairs = zip(batch[slot], scores, strict=True)
                self._strings[slot].update((word, self._look_up(slot, word, score)) for word, score in pairs)
        for slot, _ in new:
            self.lists[slot] = _rescore_list(self.inputs.lists[slot], self._strings[slot], self.has_collapsed)
        return True

    def rescored_inputs(self, warm_start: Beliefs | None) -> SolverInput:
        """Return the inputs with the rescored lists, and cross references as they were believed then."""
        return replace(
            self.inputs,
            lists={**self.inputs.lists, **self.lists},
            warm_start=warm_start,
            may_reword=False,
        )

    def _look_up(self, slot: Slot, word: str, score: ReaderScore) -> _ReadString:
        candidates = self.inputs.lists[slot]
        row = candidates.find_answer(word)
        logp = candidates.logp_at(row, lambda: self.inputs.string_model_for(slot).string_loglik(letter_codes(word)))
        return _ReadString(row, logp, score)


def _base_log_odds(log_odds: Float64Array, has_collapsed: bool) -> float:
    """Return the log odds that stand for no change: those of answers that were not read, as far as we know.

    They are the mean of what was read, as odds: so the odds of all answers come to what they were. In a grid that has
    not collapsed, where nearly all that is likely is read, their logs' mean, which is less, serves better.
    """
    return float(np.logaddexp.reduce(log_odds) - np.log(len(log_odds)) if has_collapsed else log_odds.mean())


def _rescore_list(candidates: CandidateList, strings: Mapping[str, _ReadString], has_collapsed: bool) -> CandidateList:
    """Rescore the list of a slot by the strings that were read; those in no list join it.

    The odds move probability within the list; only a string that joins takes some from what is in no list.
    """
    scale = COLLAPSED_ODDS_SCALE if has_collapsed else 1.0
    log_odds = scale * np.array([string.score.log_odds for string in strings.values()])
    is_listed = [string.row is not None for string in strings.values()]
    shares = np.exp(log_odds - np.logaddexp.reduce(log_odds)).tolist()
    log_odds -= _base_log_odds(log_odds[is_listed] if any(is_listed) else log_odds, has_collapsed)
    logp = candidates.logp.copy()
    evidence: dict[int, Evidence] = {}
    new_letters: list[NDArray[np.uint8]] = []
    new_logp: list[float] = []
    for (word, (row, before, score)), gain, share in zip(strings.items(), log_odds.tolist(), shares, strict=True):
        if row is None:
            row = len(candidates) + len(new_letters)
            new_letters.append(letter_codes(word))
            new_logp.append(before + gain)
        else:
            logp[row] = before + gain
        evidence[row] = Evidence(READER_NAME, "reading", score.segmentation, share, 0, None)
    logp -= np.log((np.exp(logp).sum() + MIN_PROBABILITY) / (1 - candidates.missing + MIN_PROBABILITY))
    all_logp = np.concatenate([logp, new_logp])
    all_logp -= np.log(np.exp(all_logp).sum() + candidates.missing)

    def explain(i: int) -> tuple[Evidence, ...]:
        return (*candidates.explain(i), evidence[i]) if i in evidence else candidates.explain(i)

    size = len(candidates)
    letters = np.array(new_letters, np.uint8).reshape(-1, candidates.letters.shape[1])
    missing = max(1 - float(np.exp(all_logp).sum()), 0.0)
    rescored = replace(candidates, logp=all_logp[:size], explain=explain)
    return rescored.add_answers(letters, all_logp[size:], missing, lambda i: (evidence[size + i],))
