"""The slots of one length, and their beliefs about answers and cells, given incoming messages.

A belief is reused while the messages don't change, and the answers and pieces in reach while they change little. So if
a grid is filled again with a few other lists, only these cost time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.models.arrays import Float64Array
from regis.models.strings.string_model import StringModel
from regis.puzzle import Slot
from regis.puzzle.alphabet import ALPHABET
from regis.solving.filler import SolverInput
from regis.solving.inference.list_factors import ListFactors
from regis.solving.settings import PROPAGATION
from regis.system.progress import is_past


class SlotBatch:
    """The slots of one length, and their beliefs; arrays are in the order of `slots`.

    `rows` are the batch's rows among all cells of all slots, `belief` is (slots, length, 26) letter probabilities, and
    `p_in_list` is (slots,).
    """

    def __init__(self, slots: list[Slot], first_row: int, inputs: SolverInput) -> None:
        self.slots = slots
        self.shape = len(slots), len(slots[0]), len(ALPHABET)
        self.rows = slice(first_row, first_row + self.shape[0] * self.shape[1])
        self.list_factors = ListFactors([inputs.lists[slot] for slot in slots])
        self.belief = np.zeros(self.shape)
        self.p_in_list = np.full(len(slots), 0.5)
        self._narrow_models: dict[int, _NarrowModel] = {}  # by slot index
        self._belief_evidence = np.full(self.shape, np.inf)  # evidence when the beliefs were formed
        self._list_evidence = np.full(self.shape, np.inf)  # evidence at the last pass over the lists

    def resume_from(self, previous: SlotBatch) -> None:
        """Take over the beliefs of the same slots, unless their lists changed."""
        self.belief, self.p_in_list = previous.belief.copy(), previous.p_in_list.copy()
        for i in self.list_factors.reuse_unchanged(previous.list_factors):
            self._belief_evidence[i], self._list_evidence[i] = previous._belief_evidence[i], previous._list_evidence[i]
            if i in previous._narrow_models:
                self._narrow_models[i] = previous._narrow_models[i]

    def replace_list(self, slot_index: int, candidates: CandidateList) -> None:
        self.list_factors.replace_list(slot_index, candidates)
        self._belief_evidence[slot_index] = self._list_evidence[slot_index] = np.inf
        self._narrow_models.pop(slot_index, None)

    def invalidate(self) -> None:
        """Recompute all beliefs in the next round."""
        self._belief_evidence[:] = np.inf

    def is_unsure(self) -> NDArray[np.bool_]:
        """Return a mask of the slots whose list may be wrong, (slots,)."""
        return self.p_in_list < 1 - PROPAGATION.unsure_above

    def unsure_slots(self) -> list[Slot]:
        return [slot for slot, is_unsure in zip(self.slots, self.is_unsure(), strict=True) if is_unsure]

    def receive(self, log_messages: Float64Array) -> Incoming:
        """Find the slots whose messages changed; `log_messages` is (slots, length, 26)."""
        largest = log_messages.max(axis=2)
        evidence = np.exp(log_messages - largest[:, :, None])
        awake = np.flatnonzero(_largest_change(self._belief_evidence, evidence) > PROPAGATION.still_change)
        return Incoming(log_messages, awake, evidence[awake], largest[awake].sum(axis=1))

    def update_beliefs(
        self,
        incoming: Incoming,
        weights: Float64Array,
        marginals: Float64Array,
        inputs: SolverInput,
        phrase_deadline: float,
        age: int,
    ) -> None:
        """Form new beliefs of the awake slots.

        `weights`, (awake,), and `marginals`, (awake, length, 26), are the letter model's, and are overwritten. Until
        `phrase_deadline` (time.monotonic) unlisted answers may be phrases. `age` counts rounds since messages began or
        resumed.
        """
        log_messages, awake, evidence, log_scale = incoming
        if not len(awake):
            return
        if not is_past(phrase_deadline):
            unsure = np.flatnonzero(self.is_unsure()[awake])
            models = inputs.string_models([self.slots[awake[i]] for i in unsure])
            for i, model in zip(unsure, models, strict=True):
                if is_past(phrase_deadline):
                    break
                narrow = self._narrow_model(int(awake[i]), model, evidence[i], age)
                weights[i], marginals[i] = narrow.mix_phrases(evidence[i], float(weights[i]), marginals[i])
        if age % PROPAGATION.list_refresh_rounds == 0:
            has_moved = _largest_change(self._list_evidence[awake], evidence) > PROPAGATION.moved_change
            self._list_evidence[awake[has_moved]] = evidence[has_moved]
            self.list_factors.prune(log_messages, awake[has_moved])
        p_in_list, list_marginals = self.list_factors.marginals(log_messages[awake], weights + log_scale, awake)
        self.p_in_list[awake] = p_in_list
        share = p_in_list[:, None, None]
        self.belief[awake] = share * list_marginals + (1 - share) * marginals
        self._belief_evidence[awake] = evidence

    def _narrow_model(self, slot_index: int, model: StringModel, evidence: Float64Array, age: int) -> StringModel:
        """Narrow the model of a slot's unlisted answers to the pieces within reach, or reuse a narrow one."""
        narrow = self._narrow_models.get(slot_index)
        is_due = age % PROPAGATION.phrase_refresh_rounds == 0
        if narrow is None or (is_due and _largest_change(narrow.evidence, evidence) > PROPAGATION.moved_change):
            narrow = self._narrow_models[slot_index] = _NarrowModel(evidence, model.narrow_pieces(evidence))
        return narrow.model


class Incoming(NamedTuple):
    """Messages from the cells to the slots of one length, and the slots whose messages are new."""

    log_messages: Float64Array  # (slots, length, 26), natural logs
    awake: NDArray[np.intp]  # the slots with new messages
    evidence: Float64Array  # (awake, length, 26): the messages as factors, relative to each cell's likeliest letter
    log_scale: Float64Array  # (awake,): natural log of the factor that scaled the evidence


class _NarrowModel(NamedTuple):
    evidence: Float64Array  # (length, 26)
    model: StringModel  # with only the pieces that this evidence puts in reach


class RankedAnswers(Mapping[Slot, tuple[tuple[str, float], ...]]):
    """The best answers of each slot's list with probabilities, ranked on demand."""

    def __init__(self, slots: Sequence[Slot], batches: Sequence[tuple[SlotBatch, Float64Array]], count: int) -> None:
        """Keep each batch with its log messages, (slots, length, 26), to rank `count` answers per slot."""
        self._slots = slots
        self._count = count
        self._places = {
            slot: (batch, i, messages)
            for batch, batch_messages in batches
            for i, (slot, messages) in enumerate(zip(batch.slots, batch_messages, strict=True))
        }
        self._ranked: dict[Slot, tuple[tuple[str, float], ...]] = {}

    def __getitem__(self, slot: Slot) -> tuple[tuple[str, float], ...]:
        if slot not in self._ranked:
            batch, i, log_messages = self._places[slot]
            p_in_list = float(batch.p_in_list[i])
            self._ranked[slot] = batch.list_factors.top_answers(i, log_messages, p_in_list, self._count)
        return self._ranked[slot]

    def __iter__(self) -> Iterator[Slot]:
        return iter(self._slots)

    def __len__(self) -> int:
        return len(self._slots)


def _largest_change(before: Float64Array, after: Float64Array) -> Float64Array:
    change: Float64Array = np.abs(before - after).max(axis=(-2, -1))
    return change
