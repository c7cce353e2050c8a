"""Evidence: the probability, by lists and string models, of a slot's possible entries, and of a whole grid.

A slot's evidence is the probability of all its possible entries, given its crossings. If nothing listed or likely fits,
it is small: then a square may hold several letters, or the answer is a changed phrase. A grid's evidence is the sum of
its entries' log probabilities, less a penalty for repeats. It decides which of two grids is kept. A reader
(regis.models.neural.cross_encoder) adds evidence: it rescores lists, and adds unlisted strings to them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import Evidence
from regis.models.arrays import MIN_PROBABILITY, Float64Array, logsumexp
from regis.puzzle import Puzzle, Slot
from regis.puzzle.alphabet import ALPHABET, letter_codes
from regis.solving.filler import Beliefs, Fill, ReaderScore, SolverInput
from regis.solving.settings import LANGUAGE_MODEL
from regis.system.progress import is_past

REPEAT_PENALTY = 4.0
"""Nats for each answer that is twice in the grid, which constructors avoid."""


READER_NAME = "reader"  # name of its evidence

COLLAPSED_ODDS_SCALE = 1.3
"""Factor on the reader's odds in a collapsed grid. (Measured: docs/experiments/collapsed-grids.md.)"""

SLOTS_PER_BATCH = 8  # slots that are read between two checks of the time


def crossing_loglik(letters: NDArray[np.uint8], log_messages: Float64Array) -> Float64Array:
    """Compute log likelihoods of answers, (answers, length), given log messages from their crossings, (length, 26)."""
    loglik = np.zeros(len(letters))
    for column, message in zip(letters.T, log_messages, strict=True):
        loglik += message.take(column)
    return loglik


def slot_log_evidence(slot: Slot, inputs: SolverInput, beliefs: Beliefs) -> float:
    """Return the natural log probability of all entries that `slot` may have with single letters in its open cells."""
    candidates, p_in_list, messages = inputs.lists[slot], beliefs.p_in_list[slot], beliefs.messages[slot]
    if len(candidates) and p_in_list > 0:
        logp = candidates.logp + crossing_loglik(candidates.letters, np.log(messages))
        return float(logsumexp(logp)[0] - np.log(p_in_list))
    weights, marginals = inputs.string_model.letter_posterior(messages[None])
    model = inputs.string_model_for(slot)
    return candidates.log_missing + model.mix_phrases(messages, float(weights[0]), marginals[0])[0]


class GridEvidence:
    """The evidence of filled grids of one puzzle; each entry is scored once."""

    def __init__(self, puzzle: Puzzle, inputs: SolverInput) -> None:
        self.slots = puzzle.grid.slots
        self.inputs = inputs
        self._entry_logps: list[dict[str, float]] = [{} for _ in self.slots]

    def entry_logp(self, slot_index: int, entry: str) -> float:
        """Return the natural log probability of `entry` by the slot's own list."""
        logps = self._entry_logps[slot_index]
        if entry not in logps:
            slot = self.slots[slot_index]
            candidates = self.inputs.lists[slot]
            logps[entry] = candidates.logp_at(candidates.find_answer(entry), lambda: self._string_logp(slot, entry))
        return logps[entry]

    def log_evidence(self, fill: Fill) -> float:
        """Return the natural log probability of all entries, less the penalty for repeats."""
        entries = [fill.answer(slot) for slot in self.slots]
        n_repeated = len(entries) - len(set(entries))
        return sum(self.entry_logp(i, entry) for i, entry in enumerate(entries)) - REPEAT_PENALTY * n_repeated

    def _string_logp(self, slot: Slot, entry: str) -> float:
        """Return the natural log probability of `entry` among the slot's unlisted answers."""
        if any(letter not in ALPHABET for letter in entry):
            return -50.0  # the person wrote a rebus square or digit
        return self.inputs.string_model_for(slot).string_loglik(letter_codes(entry))


class _ReadString(NamedTuple):
    row: int | None  # in the list
    logp: float  # natural log probability before reading
    score: ReaderScore
    language_gain: float = 0.0  # nats by the language model, compared with the slot's other strings


class ReaderEvidence:
    """The reader's scores of strings for some slots, and the slots' rescored `lists`."""

    def __init__(self, inputs: SolverInput, deadline: float, has_collapsed: bool) -> None:
        self.inputs = inputs
        self.has_collapsed = has_collapsed
        self._deadline = deadline
        self._strings: dict[Slot, dict[str, _ReadString]] = defaultdict(dict)
        self.lists: dict[Slot, CandidateList] = {}

    @property
    def n_strings(self) -> int:
        return sum(map(len, self._strings.values()))

    def read_strings(self, strings: Mapping[Slot, Sequence[str]]) -> bool:
        """Read the strings that are new, and return whether there was time for all."""
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

    def ask_language_model(self, strings: Mapping[Slot, Sequence[str]]) -> bool:
        """Let an installed language model compare strings that were read; return whether it did."""
        read = {slot: [word for word in words if word in self._strings[slot]] for slot, words in strings.items()}
        compared = {slot: words for slot, words in read.items() if len(words) > 1}
        logps = self.inputs.knowledge.language_logps(compared, self._deadline)
        for slot, row in logps.items():
            mean, slot_strings = sum(row.values()) / len(row), self._strings[slot]
            for word, logp in row.items():
                gain = LANGUAGE_MODEL.answer_weight * (logp - mean)
                slot_strings[word] = slot_strings[word]._replace(language_gain=gain)
            self.lists[slot] = _rescore_list(self.inputs.lists[slot], slot_strings, self.has_collapsed)
        return bool(logps)

    def rescored_inputs(self, warm_start: Beliefs | None) -> SolverInput:
        """Return the inputs with the rescored lists, without further rewording."""
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
    """Return the log odds that mean no change, which unread answers have.

    In a collapsed grid this is the log of the mean odds, so that the total odds stay. In other grids nearly all likely
    answers are read, and the mean of the logs, which is lower, works better.
    """
    return float(logsumexp(log_odds)[0] - np.log(len(log_odds)) if has_collapsed else log_odds.mean())


def _rescore_list(candidates: CandidateList, strings: Mapping[str, _ReadString], has_collapsed: bool) -> CandidateList:
    """Rescore a slot's list with the strings that were read, and add unlisted ones.

    The odds move probability within the list; only an added string takes probability from unlisted answers.
    """
    scale = COLLAPSED_ODDS_SCALE if has_collapsed else 1.0
    log_odds = scale * np.array([string.score.log_odds + string.language_gain for string in strings.values()])
    is_listed = [string.row is not None for string in strings.values()]
    shares = np.exp(log_odds - logsumexp(log_odds)).tolist()
    log_odds -= _base_log_odds(log_odds[is_listed] if any(is_listed) else log_odds, has_collapsed)
    logp = candidates.logp.copy()
    evidence: dict[int, Evidence] = {}
    new_letters: list[NDArray[np.uint8]] = []
    new_logp: list[float] = []
    for (word, string), gain, share in zip(strings.items(), log_odds.tolist(), shares, strict=True):
        row = string.row
        if row is None:
            row = len(candidates) + len(new_letters)
            new_letters.append(letter_codes(word))
            new_logp.append(string.logp + gain)
        else:
            logp[row] = string.logp + gain
        evidence[row] = Evidence(READER_NAME, "reading", string.score.segmentation, share, 0, None)
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
