"""Rebus squares as single cells, for fillers.

Answers with rebus squares are longer or shorter than their slot. If they have the contents in the right places, they
are kept, with one letter for each content, so any filler can work with them. Unlisted answers are still judged by all
their letters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.models.arrays import Float64Array
from regis.models.strings.letter_model import one_hot_evidence
from regis.models.strings.string_model import StringModel
from regis.puzzle import Slot
from regis.puzzle.alphabet import codes_to_word, letter_codes
from regis.solving.filler import ClueKnowledge, ReaderScore, SlotLength, SolverInput
from regis.solving.rebus.squares import RebusSquares, cell_contents, cell_offsets, expand_answer, token_pattern
from regis.system.progress import FOREVER, is_past

LIST_DEPTH = 3000
"""Answers of another length that are searched for contents; more take time for rare answers. (Measured:
docs/experiments/rebus-search.md.)"""

LongerList = tuple[NDArray[np.uint8], Float64Array]
"""Answers, (k, length), and their natural log probabilities, (k,)."""


class CollapsedLists:
    """The solver's input for one set of squares after another, with the longer lists behind it, each made once.

    After the deadline (time.monotonic), new lists are empty.
    """

    def __init__(self, inputs: SolverInput, deadline: float = FOREVER) -> None:
        self.inputs = inputs
        self._deadline = deadline
        self._collapsed: dict[tuple[Slot, tuple[str, ...]], CandidateList] = {}
        self._longer: Mapping[SlotLength, CandidateList] = {}  # the lists of the last retrieval
        self._likeliest: dict[SlotLength, LongerList] = {}

    @property
    def is_late(self) -> bool:
        return is_past(self._deadline)

    def make_likeliest(self, slot_lengths: Collection[SlotLength]) -> None:
        """Make lists of the likeliest answers of these lengths; together is faster."""
        new = [slot_length for slot_length in slot_lengths if slot_length not in self._likeliest]
        same_length = {(slot, length): self.inputs.lists[slot] for slot, length in new if length == len(slot)}
        others = [slot_length for slot_length in new if slot_length not in same_length]
        other_length = self.inputs.knowledge.lists_of_length(others, LIST_DEPTH, self._deadline)
        for slot_length, answers in {**same_length, **other_length}.items():
            self._likeliest[slot_length] = answers.letters[:LIST_DEPTH], answers.logp[:LIST_DEPTH].astype(np.float64)

    def likeliest(self, slot_length: SlotLength) -> LongerList:
        self.make_likeliest([slot_length])
        return self._likeliest[slot_length]

    def prefetch(self, squares_of_slots: Iterable[tuple[Slot, RebusSquares]]) -> None:
        """Retrieve together the lists that `collapse_list` will need for each slot with these squares."""
        slot_lengths = (
            (slot, cell_offsets(cell_contents(slot, squares))[-1])
            for slot, squares in squares_of_slots
            if _list_key(slot, squares) not in self._collapsed
        )
        self._retrieve(list(dict.fromkeys(slot_lengths)))

    def collapse_inputs(self, squares: RebusSquares) -> SolverInput:
        rebus_slots = [slot for slot in self.inputs.lists if any(cell in squares for cell in slot.cells)]
        self.prefetch((slot, squares) for slot in rebus_slots)
        return _replace_lists(self.inputs, squares, {slot: self.collapse_list(slot, squares) for slot in rebus_slots})

    def collapse_list(self, slot: Slot, squares: RebusSquares) -> CandidateList:
        """Return the slot's answers with its squares' contents in place, one letter per cell."""
        if (key := _list_key(slot, squares)) not in self._collapsed:
            contents = cell_contents(slot, squares)
            offsets = cell_offsets(contents)
            slot_length = slot, offsets[-1]
            if slot_length not in self._longer:
                self._retrieve([slot_length])
            longer = self._longer[slot_length]
            kept = longer.keep_rows(longer.matching("".join(contents)))
            letters = np.empty((len(kept), len(slot)), np.uint8)
            cells = zip(contents, offsets, token_pattern(slot, squares), strict=False)
            for i, (content, offset, token) in enumerate(cells):
                letters[:, i] = kept.letters[:, offset] if content == "?" else letter_codes(token)
            self._collapsed[key] = replace(kept, letters=letters)
        return self._collapsed[key]

    def _retrieve(self, slot_lengths: Collection[SlotLength]) -> None:
        """Retrieve these lists, and drop all others."""
        self._longer = self.inputs.knowledge.lists_of_length(slot_lengths, None, self._deadline) if slot_lengths else {}


def _list_key(slot: Slot, squares: RebusSquares) -> tuple[Slot, tuple[str, ...]]:
    return slot, (*cell_contents(slot, squares), token_pattern(slot, squares))


def _replace_lists(inputs: SolverInput, squares: RebusSquares, lists: Mapping[Slot, CandidateList]) -> SolverInput:
    if not lists:
        return inputs
    return replace(inputs, lists={**inputs.lists, **lists}, knowledge=_CollapsedKnowledge(inputs, squares, lists))


@dataclass(frozen=True)
class _CollapsedKnowledge(ClueKnowledge):
    """The knowledge of `inputs`, queried with one letter per cell."""

    inputs: SolverInput
    squares: RebusSquares
    lists: Mapping[Slot, CandidateList]  # the collapsed lists

    @property
    def has_reader(self) -> bool:
        return self.inputs.has_reader

    def string_models(self, slots: Sequence[Slot]) -> Sequence[StringModel]:
        return [
            collapsed_string_model(self.inputs, slot, self.squares)
            if slot in self.lists else self.inputs.string_model_for(slot)
            for slot in slots
        ]  # fmt: skip

    def reword(self, answers: Mapping[Slot, str], deadline: float) -> SolverInput | None:
        whole_answers = {slot: expand_answer(slot, self.squares, answer) for slot, answer in answers.items()}
        reworded = self.inputs.reword(whole_answers, deadline)
        return None if reworded is None else _replace_lists(reworded, self.squares, self.lists)

    def score_strings(self, strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
        return self.inputs.knowledge.score_strings(
            {slot: [expand_answer(slot, self.squares, string) for string in row] for slot, row in strings.items()}
        )


def collapsed_string_model(inputs: SolverInput, slot: Slot, squares: RebusSquares) -> StringModel:
    """Return the model of a slot's unlisted answers with these squares, one letter per cell."""
    model = inputs.string_model_for(slot)
    return CollapsedStringModel(
        model.letter_model,
        model.phrase_model,
        model.piece_share,
        model.short_strings,
        cell_contents(slot, squares),
        token_pattern(slot, squares),
    )


@dataclass(frozen=True)
class CollapsedStringModel(StringModel):
    """The string model of a slot with rebus squares, with evidence for each cell.

    A string longer than the slot is a whole answer: given squares with several letters aren't rebus squares.
    """

    cell_contents: Sequence[str] = ()  # of each cell; `?` except for rebus squares
    token_letters: str = ""  # letters that stand for the contents

    def mix_phrases(
        self, evidence: Float64Array, log_weight: float, marginal: Float64Array
    ) -> tuple[float, Float64Array]:
        """Mix letters and phrases over all letters of the whole answers; the shown letters' weights aren't used."""
        whole_evidence = self._whole_evidence(evidence)
        log_weights, marginals = self.letter_posterior(whole_evidence[None])
        log_weight, letter_probs = self._whole_model.mix_phrases(whole_evidence, float(log_weights[0]), marginals[0])
        shown = np.zeros(evidence.shape)
        cells = zip(self.cell_contents, cell_offsets(self.cell_contents), self.token_letters, strict=False)
        for i, (content, offset, token) in enumerate(cells):
            shown[i] = letter_probs[offset] if content == "?" else one_hot_evidence(letter_codes(token))[0]
            log_weight += 0.0 if content == "?" else float(np.log(evidence[i, letter_codes(token)[0]]))
        return log_weight, shown

    def narrow_pieces(self, evidence: Float64Array) -> StringModel:
        return replace(self, phrase_model=self._whole_model.narrow_pieces(self._whole_evidence(evidence)).phrase_model)

    def string_loglik(self, letters: NDArray[np.uint8]) -> float:
        return self._whole_model.string_loglik(self._whole_letters(letters))

    def best_pieces(self, letters: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        return self._whole_model.best_pieces(self._whole_letters(letters))

    def _whole_evidence(self, evidence: Float64Array) -> Float64Array:
        """Return a row of evidence for each letter of the whole answer."""
        rows = [
            row[None] if content == "?" else one_hot_evidence(letter_codes(content))
            for content, row in zip(self.cell_contents, evidence, strict=True)
        ]
        return np.concatenate(rows)

    def _whole_letters(self, letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return all letters of a string that has one letter per cell."""
        if len(letters) != len(self.cell_contents):
            return letters
        cells = zip(self.cell_contents, codes_to_word(letters), strict=True)
        return letter_codes("".join(letter if content == "?" else content for content, letter in cells))

    @property
    def _whole_model(self) -> StringModel:
        return StringModel(self.letter_model, self.phrase_model, self.piece_share, self.short_strings)
