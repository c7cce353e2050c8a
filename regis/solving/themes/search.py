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
from dataclasses import replace
from functools import cached_property

import numpy as np

from regis import text
from regis.candidates.candidate_list import CandidateList
from regis.puzzle import Puzzle, Slot
from regis.solving.filler import Fill, Filler, SolverInput
from regis.solving.inference.evidence import GridEvidence, SlotEvidence
from regis.solving.marks import Marks, find_marks
from regis.solving.solved_puzzle import Theme
from regis.solving.themes.edit_kinds import Edit, EditKind
from regis.solving.themes.edit_scoring import MAX_CHANGED_LETTERS, score_edits
from regis.solving.themes.edited_list import EditedList, edit_lists, merge_lists
from regis.system.deadline import is_past

MIN_TELLING_SLOT = 7  # letters of a slot that may show what the theme is
MIN_THEME_SLOT = 5  # letters of one that may be of a theme which others show
MIN_SURPRISE = 15.0  # nats by which such a slot must be improbable: no changed phrase is much likelier than that
MAX_P_LISTED = 0.8  # P(the answer is in its list) from which on a slot is of no theme
MAX_ASKED_SLOTS = 10  # slots that are asked for edits, at most: those that surprise most
MIN_THEME_ANSWERS = 3  # how many answers a theme explains, at least
MIN_MARKED_ANSWERS = 2  # and where they have a mark made for it
MAX_TRIED_EDITS = 2  # edits with which the grid is filled again, at most

THEME_PRICE = 10.0
LETTER_PRICE = 2.0
KIND_PRICE = 4.0
SLOT_PRICE = 2.0
"""The prices in natural log: of any theme, of each letter that its edit names, of an edit that names none, of each
slot. (docs/measured.md)"""

TITLED_PRICE = 3.0  # of letters, however many, that stand in the title or the notes one behind the other; a guess

TOLD_THEME_PRICE = 2.0
ALIKE_THEME_PRICE = 6.0
"""The price of a theme of which MIN_THEME_ANSWERS answers have a mark in common, one made for it, and one that may be
chance. By hand."""


class ThemeSearch:
    """The search for the theme of one puzzle.

    Parameters
    ----------
    puzzle : its title, notes and marks make some themes cheaper.
    inputs : what the grid is filled from.
    filler : one that propagates beliefs.
    deadline : time.monotonic.
    marks : which slots belong together; None to find them.
    """

    def __init__(
        self, puzzle: Puzzle, inputs: SolverInput, filler: Filler, deadline: float, marks: Marks | None = None
    ) -> None:
        self.puzzle = puzzle
        self.inputs = inputs
        self.filler = filler
        self.deadline = deadline
        self._given_marks = marks
        self._title = f"{text.normalize_answer(puzzle.title)} {text.normalize_answer(puzzle.notes)}"

    @cached_property
    def theme_marks(self) -> Marks:
        return find_marks(self.puzzle) if self._given_marks is None else self._given_marks

    def find_theme(self, fill: Fill) -> tuple[Theme | None, SolverInput, Fill]:
        """Find the theme of a filled grid.

        Parameters
        ----------
        fill : what the filler made of the puzzle.

        Returns
        -------
        The theme, the input with its phrases and the grid filled so; None, `inputs` and `fill` where there is none.
        """
        beliefs = fill.propagated_beliefs
        evidence = SlotEvidence(beliefs.final_inputs(self.inputs), beliefs)
        lists = evidence.inputs.lists
        odd_slots = {} if is_past(self.deadline) else self._find_odd_slots(evidence)
        edits = self._find_edits(evidence, odd_slots) if self._has_enough(odd_slots) else ()
        before = GridEvidence(self.puzzle, evidence.inputs).log_evidence(fill) if edits else 0.0
        for edit in edits:
            edited = self._edit_slots(edit, evidence)
            if is_past(self.deadline):
                break
            merged = {slot: merge_lists(lists[slot], new) for slot, new in edited.items()}
            inputs = replace(
                evidence.inputs, lists={**lists, **merged}, with_cross_references=lambda answers, deadline: None
            )
            theme_fill = self.filler(self.puzzle, replace(inputs, warm_start=fill.beliefs), self.deadline)
            phrases = {slot: x for slot, new in edited.items() if (x := new.original_phrase(theme_fill.answer(slot)))}
            score = GridEvidence(self.puzzle, inputs).log_evidence(theme_fill) - self._theme_price(edit, edited)
            if score > before and self._has_enough(phrases) and not is_past(self.deadline):
                return Theme(edit.description, phrases), inputs, theme_fill
        return None, self.inputs, fill

    def _find_odd_slots(self, evidence: SlotEvidence) -> dict[Slot, float]:
        """Find the slots that may show a theme, each with its log evidence, the lowest first."""
        slots = self._unlisted_slots(evidence, MIN_TELLING_SLOT)
        log_evidence = {slot: evidence.slot_log_evidence(slot) for slot in slots}
        slots.sort(key=lambda slot: log_evidence[slot])
        return {slot: log_evidence[slot] for slot in slots if log_evidence[slot] < -MIN_SURPRISE}

    def _unlisted_slots(self, evidence: SlotEvidence, min_length: int) -> list[Slot]:
        """List the slots of that length and more whose answer may be in no list."""
        p_in_list = evidence.beliefs.p_in_list
        return [slot for slot in self.puzzle.grid.slots if len(slot) >= min_length and p_in_list[slot] < MAX_P_LISTED]

    def _find_edits(self, evidence: SlotEvidence, odd_slots: Mapping[Slot, float]) -> list[Edit]:
        """Find the edits that are worth their price, the best first; none where the time is up."""
        scores: dict[Edit, dict[Slot, float]] = defaultdict(dict)
        for n_lost in range(-MAX_CHANGED_LETTERS, MAX_CHANGED_LETTERS + 1):
            if is_past(self.deadline):
                return []
            for slot, phrases in self._find_phrases(evidence, list(odd_slots)[:MAX_ASKED_SLOTS], n_lost).items():
                logp = phrases.logp - odd_slots[slot]
                slot_scores = score_edits(phrases.letters, logp, evidence.log_messages(slot), SLOT_PRICE)
                for edit, score in slot_scores.items():
                    scores[edit][slot] = max(score, scores[edit].get(slot, score))
        gains = [
            (sum(by_slot.values()) - self._theme_price(edit, by_slot), edit)
            for edit, by_slot in scores.items()
            if len(by_slot) >= MIN_MARKED_ANSWERS
        ]
        return [edit for _, edit in sorted((-gain, edit) for gain, edit in gains if gain > 0)[:MAX_TRIED_EDITS]]

    def _theme_price(self, edit: Edit, slots: Collection[Slot]) -> float:
        """Return the price of a theme that explains these slots; those of one mark are free if they are enough."""
        prices = [THEME_PRICE + SLOT_PRICE * len(slots)]
        marks = self.theme_marks
        for price, groups in ((TOLD_THEME_PRICE, marks.explicit_groups), (ALIKE_THEME_PRICE, marks.similar_groups)):
            n_marked = (len(group.intersection(slots)) for group in groups)
            prices += [price + SLOT_PRICE * (len(slots) - n) for n in n_marked if n >= MIN_THEME_ANSWERS]
        return min(prices) + self._edit_price(edit)

    def _edit_price(self, edit: Edit) -> float:
        """Return the price of an edit by itself: of letters less where the title or notes hold them."""
        if edit.kind != EditKind.LETTERS:
            return KIND_PRICE
        letters = (edit.old_letters, edit.new_letters)
        return sum(min(LETTER_PRICE * len(x), TITLED_PRICE if x in self._title else np.inf) for x in letters)

    def _find_phrases(self, evidence: SlotEvidence, slots: Iterable[Slot], n_lost: int) -> Mapping[Slot, CandidateList]:
        """Retrieve the phrases of which an edit that makes them so much shorter may make answers to the slots."""
        if not n_lost:
            return {slot: evidence.inputs.lists[slot] for slot in slots}
        slot_lengths = [(slot, len(slot) + n_lost) for slot in slots]
        phrases = evidence.inputs.lists_of_length(slot_lengths, None, self.deadline)
        return {slot: phrase_list for (slot, _), phrase_list in phrases.items()}

    def _edit_slots(self, edit: Edit, evidence: SlotEvidence) -> dict[Slot, EditedList]:
        """Edit the phrases of each slot where that is worth its price, short ones among them."""
        slots = self._unlisted_slots(evidence, MIN_THEME_SLOT)
        phrase_lists: dict[Slot, list[CandidateList]] = {slot: [] for slot in slots}
        for n_lost in edit.letters_lost:
            if is_past(self.deadline):
                return {}
            long_enough = [slot for slot in slots if len(slot) + n_lost > 0]
            for slot, phrases in self._find_phrases(evidence, long_enough, n_lost).items():
                phrase_lists[slot].append(phrases)
        edited = {}
        for slot in slots:
            if is_past(self.deadline):
                return {}
            log_messages, log_evidence = evidence.log_messages(slot), evidence.slot_log_evidence(slot)
            new = edit_lists(edit, evidence.inputs.lists[slot], phrase_lists[slot], log_messages, log_evidence)
            if new.log_odds > SLOT_PRICE:
                edited[slot] = new
        return edited

    def _has_enough(self, slots: Mapping[Slot, object]) -> bool:
        n_marked = max((len(group & slots.keys()) for group in self.theme_marks.explicit_groups), default=0)
        return n_marked >= MIN_MARKED_ANSWERS or len(slots) >= MIN_THEME_ANSWERS
