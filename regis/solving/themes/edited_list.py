"""A slot's list with edited phrases in it: half of what is believed before any crossing is theirs.

A phrase that its list has already is none of them; what they are not, the list and the string model are as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import Evidence
from regis.models.numeric.arrays import Float64Array, Positions
from regis.models.numeric.top_k import top_k_indices
from regis.puzzle import Slot
from regis.puzzle.alphabet import codes_to_word, row_hashes, table_to_words
from regis.solving.filler import Fill, SolverInput, no_rewording
from regis.solving.inference.evidence import SlotEvidence, crossing_loglik
from regis.solving.moves.move import Proposal
from regis.solving.solved_puzzle import Theme
from regis.solving.state import State
from regis.solving.themes.edit_kinds import Edit
from regis.solving.themes.edit_scoring import LetterTable, apply_edit

P_SLOT_EDITED = 0.5  # P(a slot of the theme has an edited phrase); a guess
MAX_EDITED_ANSWERS = 300  # edited phrases that join a list, the likeliest

THEME_FINDER = "theme"  # the name of an edit as evidence


@dataclass(frozen=True)
class EditedList:
    """What an edit makes of phrases for one slot, the likeliest first, by their probability alone."""

    edit: Edit
    letters: LetterTable  # (answers, length)
    logp: Float64Array  # (answers,) natural logs
    phrases: Sequence[str]  # of which the answers were made
    log_odds: float  # of all of them given the crossings, against all that was known

    def original_phrase(self, answer: str) -> str | None:
        """Return the phrase that was changed to `answer`."""
        return self._by_answer.get(answer)

    @cached_property
    def _by_answer(self) -> dict[str, str]:
        return dict(zip(table_to_words(self.letters), self.phrases, strict=True))


def edit_lists(
    edit: Edit,
    candidates: CandidateList,
    phrase_lists: Iterable[CandidateList],
    log_messages: Float64Array,
    log_evidence: float,
) -> EditedList:
    """Edit lists of phrases for a slot.

    Parameters
    ----------
    edit : what is done to the phrases.
    candidates : the slot's own list; its answers are left out.
    phrase_lists : of each length that a phrase may have.
    log_messages : (length, 26) natural logs, what the crossings say of the slot's cells.
    log_evidence : natural log probability of all that the slot may be without an edit, given the crossings.

    Returns
    -------
    The MAX_EDITED_ANSWERS that fit the crossings best.
    """
    tables, logps, phrases = [np.empty((0, len(log_messages)), np.uint8)], [np.empty(0)], list[str]()
    for phrase_list in phrase_lists:
        letters, logp, rows = apply_edit(
            edit, phrase_list.letters, phrase_list.logp.astype(np.float64), log_messages, log_evidence
        )
        best = _best_rows(logp + crossing_loglik(letters, log_messages))
        tables.append(letters[best])
        logps.append(logp[best])
        phrases += [phrase_list.answer(i) for i in rows[best].tolist()]
    letters, logp = np.concatenate(tables), np.concatenate(logps)
    first_rows, logp = merge_duplicates(letters, logp)
    letters, phrases = letters[first_rows], [phrases[i] for i in first_rows.tolist()]
    fit = logp + crossing_loglik(letters, log_messages)
    best = _best_rows(fit)
    best = best[[candidates.find_answer(codes_to_word(row)) is None for row in letters[best]]]
    log_odds = float(np.logaddexp.reduce(fit[best], initial=-np.inf)) - log_evidence
    best = best[np.argsort(-logp[best], kind="stable")]
    return EditedList(edit, letters[best], logp[best], [phrases[i] for i in best.tolist()], log_odds)


def _best_rows(fit: Float64Array) -> Positions:
    """Return the MAX_EDITED_ANSWERS best rows in order, equal ones as they come; an edit makes a million of a list."""
    rows = top_k_indices(fit, MAX_EDITED_ANSWERS)
    return rows[np.argsort(-fit[rows], kind="stable")[:MAX_EDITED_ANSWERS]]


def merge_duplicates(letters: LetterTable, logp: Float64Array) -> tuple[Positions, Float64Array]:
    """Merge equal answers.

    Parameters
    ----------
    letters : (k, length), 0 to 25.
    logp : (k,) natural logs.

    Returns
    -------
    The first row of each answer, (answers,), and the natural log probability of all its rows together, (answers,).
    """
    _, first_rows, answer_of_row = np.unique(row_hashes(letters), return_index=True, return_inverse=True)
    total = np.full(len(first_rows), -np.inf)
    np.logaddexp.at(total, answer_of_row, logp)
    return first_rows, total


def merge_lists(candidates: CandidateList, edited_list: EditedList) -> CandidateList:
    """Put edited phrases into a slot's list, with the share P_SLOT_EDITED of its probability."""

    def explain(i: int) -> tuple[Evidence, ...]:
        reason = f"{edited_list.phrases[i]} with {edited_list.edit.description}"
        return (Evidence(THEME_FINDER, "edit", reason, float(np.exp(edited_list.logp[i])), 0, None),)

    unedited = replace(candidates, logp=candidates.logp + np.log1p(-P_SLOT_EDITED))
    logp, missing = edited_list.logp + np.log(P_SLOT_EDITED), candidates.missing * (1 - P_SLOT_EDITED)
    return unedited.add_answers(edited_list.letters, logp, missing, explain)


def rested_evidence(state: State) -> SlotEvidence:
    """Return the evidence of slots by the input that the beliefs of a filled grid rest on."""
    beliefs = state.fill.propagated_beliefs
    return SlotEvidence(beliefs.final_inputs(state.inputs), beliefs)


def propose_edited_lists(
    state: State,
    move: str,
    inputs: SolverInput,
    lists: Mapping[Slot, CandidateList],
    price: float,
    edited_lists: Mapping[Slot, EditedList],
    is_theme: Callable[[Mapping[Slot, str]], bool],
) -> Proposal:
    """Propose a grid with the `lists` into which edited phrases are merged; they are a theme if `is_theme` of those
    that stand there then."""

    def find_theme(fill: Fill) -> Theme | None:
        phrases = {slot: x for slot, new in edited_lists.items() if (x := new.original_phrase(fill.answer(slot)))}
        return Theme(next(iter(edited_lists.values())).edit.description, phrases) if is_theme(phrases) else None

    theme_inputs = replace(inputs, lists={**inputs.lists, **lists}, with_cross_references=no_rewording)
    return Proposal(move, state.puzzle, theme_inputs, price, squares=state.squares, find_theme=find_theme)
