"""The search for a theme: one edit that explains several answers which no list explains.

Where a filled grid leaves several long answers that no list has, the slots that surprise most are asked which edits
make, of phrases that are known, what their crossings allow (themes.edit_scoring). An edit is worth what it gains in all
of them, less its price (minimum description length, Rissanen 1978): for a theme at all, for each letter that it names,
for each slot. The phrases that the best one changes join the lists, and the grid is filled again; all of that is kept
if the whole grid, price paid, is then more probable. Dr.Fill (Ginsberg 2011) looks for the like of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from regis import text
from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Slot
from regis.solving.filler import Filler
from regis.solving.inference.evidence import SlotEvidence
from regis.solving.marks import Marks, find_marks
from regis.solving.moves.move import Proposal, improve
from regis.solving.state import State
from regis.solving.themes.edit_kinds import Edit, EditKind
from regis.solving.themes.edit_scoring import MAX_CHANGED_LETTERS, score_edits
from regis.solving.themes.edited_list import (
    EditedList,
    edit_lists,
    merge_lists,
    propose_edited_lists,
    rested_evidence,
)
from regis.system.deadline import is_past

THEME_MOVE = "theme"


@dataclass(frozen=True)
class ThemeSettings:
    """When a theme is looked for, how many answers it needs, and what it costs. (docs/experiments/themes.md)"""

    min_telling_slot: int = 7  # letters of a slot that may show what the theme is
    min_theme_slot: int = 5  # letters of one that may be of a theme which others show
    min_surprise: float = 15.0  # nats by which such a slot must be improbable: no changed phrase is much likelier
    max_p_listed: float = 0.8  # P(the answer is in its list) from which on a slot is of no theme
    max_asked_slots: int = 10  # slots that are asked for edits, at most: those that surprise most
    min_theme_answers: int = 3  # how many answers a theme explains, at least
    min_marked_answers: int = 2  # and where they have a mark made for it
    max_tried_edits: int = 2  # edits with which the grid is filled again, at most
    theme_price: float = 10.0  # nats, of any theme
    letter_price: float = 2.0  # of each letter that its edit names
    kind_price: float = 4.0  # of an edit that names none
    slot_price: float = 2.0  # of each slot
    titled_price: float = 3.0  # of letters that stand in the title or the notes one behind the other; a guess
    told_theme_price: float = 2.0  # of a theme of which `min_theme_answers` have a mark in common, made for it; by hand
    alike_theme_price: float = 6.0  # and a mark that may be chance


@dataclass(frozen=True)
class ThemeSearch:
    """The search for the theme of a filled grid."""

    state: State  # its title, notes and marks make some themes cheaper
    filler: Filler  # one that propagates beliefs
    deadline: float  # time.monotonic
    given_marks: Marks | None = None  # which slots belong together; None to find them
    settings: ThemeSettings = ThemeSettings()

    @cached_property
    def evidence(self) -> SlotEvidence:
        return rested_evidence(self.state)

    @cached_property
    def theme_marks(self) -> Marks:
        return find_marks(self.state.puzzle) if self.given_marks is None else self.given_marks

    @cached_property
    def theme_title(self) -> str:
        return " ".join(map(text.normalize_answer, (self.state.puzzle.title, self.state.puzzle.notes)))

    def find_theme(self) -> State:
        """Return the grid filled with the phrases of its theme; the state itself where there is none."""
        odd_slots = {} if is_past(self.deadline) else self._find_odd_slots()
        edits = self._find_edits(odd_slots) if self._has_enough(odd_slots) else ()
        if not edits:
            return self.state
        scored = self.state.with_score(self.evidence.inputs)
        return improve(scored, map(self._propose_edit, edits), self.filler, self.deadline)

    def _propose_edit(self, edit: Edit) -> Proposal:
        """Propose the grid with the phrases that an edit makes of lists."""
        inputs, edited = self.evidence.inputs, self._edit_slots(edit)
        lists = {slot: merge_lists(inputs.lists[slot], new) for slot, new in edited.items()}
        price = self.state.price + self._theme_price(edit, edited)
        proposal = propose_edited_lists(self.state, THEME_MOVE, inputs, lists, price, edited, self._has_enough)
        return proposal._replace(warm_start=self.state.fill.beliefs)

    def _find_odd_slots(self) -> dict[Slot, float]:
        """Find the slots that may show a theme, each with its log evidence, the lowest first."""
        slots = self._unlisted_slots(self.settings.min_telling_slot)
        log_evidence = {slot: self.evidence.slot_log_evidence(slot) for slot in slots}
        slots.sort(key=lambda slot: log_evidence[slot])
        return {slot: log_evidence[slot] for slot in slots if log_evidence[slot] < -self.settings.min_surprise}

    def _unlisted_slots(self, min_length: int) -> list[Slot]:
        """List the slots of that length and more whose answer may be in no list."""
        p_in_list = self.evidence.beliefs.p_in_list
        return [
            slot
            for slot in self.state.puzzle.grid.slots
            if len(slot) >= min_length and p_in_list[slot] < self.settings.max_p_listed
        ]

    def _find_edits(self, odd_slots: Mapping[Slot, float]) -> list[Edit]:
        """Find the edits that are worth their price, the best first; none where the time is up."""
        scores: dict[Edit, dict[Slot, float]] = defaultdict(dict)
        for n_lost in range(-MAX_CHANGED_LETTERS, MAX_CHANGED_LETTERS + 1):
            if is_past(self.deadline):
                return []
            for slot, phrases in self._find_phrases(list(odd_slots)[: self.settings.max_asked_slots], n_lost).items():
                logp = phrases.logp.astype(np.float64) - odd_slots[slot]
                slot_scores = score_edits(
                    phrases.letters, logp, self.evidence.log_messages(slot), self.settings.slot_price
                )
                for edit, score in slot_scores.items():
                    scores[edit][slot] = max(score, scores[edit].get(slot, score))
        gains = [
            (sum(by_slot.values()) - self._theme_price(edit, by_slot), edit)
            for edit, by_slot in scores.items()
            if len(by_slot) >= self.settings.min_marked_answers
        ]
        return [
            edit
            for _, edit in sorted((-gain, edit) for gain, edit in gains if gain > 0)[: self.settings.max_tried_edits]
        ]

    def _theme_price(self, edit: Edit, slots: Collection[Slot]) -> float:
        """Return the price of a theme that explains these slots; those of one mark are free if they are enough."""
        prices = [self.settings.theme_price + self.settings.slot_price * len(slots)]
        marks = self.theme_marks
        for price, groups in (
            (self.settings.told_theme_price, marks.explicit_groups),
            (self.settings.alike_theme_price, marks.similar_groups),
        ):
            n_marked = (len(group.intersection(slots)) for group in groups)
            prices += [
                price + self.settings.slot_price * (len(slots) - n)
                for n in n_marked
                if n >= self.settings.min_theme_answers
            ]
        return min(prices) + self._edit_price(edit)

    def _edit_price(self, edit: Edit) -> float:
        """Return the price of an edit by itself: of letters less where the title or notes hold them."""
        if edit.kind != EditKind.LETTERS:
            return self.settings.kind_price
        letters = (edit.old_letters, edit.new_letters)
        return sum(
            min(self.settings.letter_price * len(x), self.settings.titled_price if x in self.theme_title else np.inf)
            for x in letters
        )

    def _find_phrases(self, slots: Iterable[Slot], n_lost: int) -> Mapping[Slot, CandidateList]:
        """Retrieve the phrases of which an edit that makes them so much shorter may make answers to the slots."""
        if not n_lost:
            return {slot: self.evidence.inputs.lists[slot] for slot in slots}
        slot_lengths = [(slot, len(slot) + n_lost) for slot in slots]
        phrases = self.evidence.inputs.lists_of_length(slot_lengths, None, self.deadline)
        return {slot: phrase_list for (slot, _), phrase_list in phrases.items()}

    def _edit_slots(self, edit: Edit) -> dict[Slot, EditedList]:
        """Edit the phrases of each slot where that is worth its price, short ones among them."""
        slots = self._unlisted_slots(self.settings.min_theme_slot)
        phrase_lists: dict[Slot, list[CandidateList]] = {slot: [] for slot in slots}
        for n_lost in edit.letters_lost:
            if is_past(self.deadline):
                return {}
            long_enough = [slot for slot in slots if len(slot) + n_lost > 0]
            for slot, phrases in self._find_phrases(long_enough, n_lost).items():
                phrase_lists[slot].append(phrases)
        edited = {}
        for slot in slots:
            if is_past(self.deadline):
                return {}
            log_messages, log_evidence = self.evidence.log_messages(slot), self.evidence.slot_log_evidence(slot)
            new = edit_lists(edit, self.evidence.inputs.lists[slot], phrase_lists[slot], log_messages, log_evidence)
            if new.log_odds > self.settings.slot_price:
                edited[slot] = new
        return edited

    def _has_enough(self, slots: Mapping[Slot, object]) -> bool:
        n_marked = max((len(group & slots.keys()) for group in self.theme_marks.explicit_groups), default=0)
        return n_marked >= self.settings.min_marked_answers or len(slots) >= self.settings.min_theme_answers
