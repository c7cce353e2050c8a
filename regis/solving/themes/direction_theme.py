"""The search for a theme of every answer across, or of every answer down: each is a known phrase, changed alike.

Then the lists of one direction know no answer, and the grid collapses: no slot alone can show what was done. So the
lists of a direction are made anew of what a change makes of their phrases, and what the crossings say of all slots
together tells which change is tried. The grid is filled again with those lists, and all of that is kept if the whole
grid, the price paid, is then more probable. From then on clues are read with the phrases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.models.numeric.arrays import Float64Array, Positions
from regis.models.numeric.log_space import logsumexp
from regis.puzzle import Direction, Slot
from regis.puzzle.alphabet import ALPHABET_SIZE, table_to_words
from regis.solving.filler import Filler, ScoreStrings
from regis.solving.inference.evidence import SlotEvidence, crossing_loglik
from regis.solving.inference.messages import SURE_LETTER_P
from regis.solving.moves.move import Proposal, improve
from regis.solving.state import State
from regis.solving.themes.edit_kinds import Edit, EditKind
from regis.solving.themes.edit_scoring import EditedPhrases, LetterTable
from regis.solving.themes.edited_list import (
    P_SLOT_EDITED,
    EditedList,
    merge_duplicates,
    merge_lists,
    propose_edited_lists,
    rested_evidence,
)
from regis.solving.themes.search import ThemeSettings
from regis.system.deadline import is_past

DIRECTION_THEME_MOVE = "direction theme"


@dataclass(frozen=True)
class DirectionThemeSettings:
    """When a theme of a direction is looked for, and what it costs. (docs/experiments/themes.md)"""

    min_unsure_share: float = 0.1  # of how many squares, as a share of all, must none be sure?
    min_doubted_share: float = 0.05  # or which share of the given letters is doubted, and more than there are answers
    min_theme_answers: int = ThemeSettings.min_theme_answers
    price: float = 20.0  # nats by which all that crosses must fit better, and the grid be likelier


P_EDIT_IS_WORD = 0.5  # P(a phrase with another letter is a word again, as a list has it); a guess

SlotFits = dict[Slot, float]
"""Log odds of the edited phrases of each slot, given the crossings, against all else that is known of it."""


def is_direction_theme_plausible(state: State, settings: DirectionThemeSettings = DirectionThemeSettings()) -> bool:
    """Return whether a grid may be one in which all answers of a direction are changed, by what is in doubt.

    Where the person wrote nearly all of it, that is their own letters: those doubted, which the puzzle has not.
    """
    beliefs, given = state.fill.propagated_beliefs, state.puzzle.given
    if len(beliefs.doubtful_cells(SURE_LETTER_P, given)) > settings.min_unsure_share * len(beliefs.letter_probs):
        return True
    n_doubted = len(state.doubted_letters)
    return n_doubted > max(settings.min_theme_answers, settings.min_doubted_share * (n_doubted + len(given)))


def find_direction_theme(
    state: State, filler: Filler, deadline: float, settings: DirectionThemeSettings = DirectionThemeSettings()
) -> State:
    """Find a theme that all answers of one direction have.

    A grid in which a few answers are known to be changed so may have one, too, where a person's letters let those show
    it: then the search starts from the grid without any. In entries with rebus squares no phrase could be told, since
    lists have one letter a cell.

    Parameters
    ----------
    state : a filled grid, or as far as it came before the filler gave it up.
    filler : one that propagates beliefs.
    deadline : time.monotonic.
    settings : what such a theme costs.

    Returns
    -------
    The grid filled with the theme's phrases; `state` itself where there is none.
    """
    plain = state.plain_state or state
    if state.theme and state.theme.description not in DIRECTION_THEMES:
        return state
    if not is_direction_theme_plausible(plain, settings):
        return state
    evidence = rested_evidence(plain)
    min_answers = max(settings.min_theme_answers, len(state.theme.phrases) + 1 if state.theme else 0)
    proposals = _propose_directions(plain, evidence, min_answers, deadline, settings)
    found = improve(plain.with_score(evidence.inputs), proposals, filler, deadline)
    return found if found.theme else state


def _propose_directions(
    state: State, evidence: SlotEvidence, min_answers: int, deadline: float, settings: DirectionThemeSettings
) -> Iterator[Proposal]:
    """Propose the grid with the edit and the direction that fit best, if they are worth their price."""
    slots = [slot for slot in state.puzzle.grid.slots if state.squares.keys().isdisjoint(slot.cells)]
    fits_of_edits = _fit_directions(slots, evidence, deadline)
    if not fits_of_edits:
        return
    (edit, _), fits = max(fits_of_edits.items(), key=lambda pair: _log_odds(pair[1]))
    if _log_odds(fits) <= settings.price or is_past(deadline):
        return
    lists, score_strings = evidence.inputs.lists, evidence.inputs.score_strings
    edited = {slot: edit.edit_list(lists[slot], fit) for slot, fit in fits.items()}
    merged = {slot: merge_lists(lists[slot].without_answers(new.letters), new) for slot, new in edited.items()}
    inputs = replace(
        evidence.inputs, score_strings=score_strings and _score_originals(score_strings, edited), may_give_up=False
    )
    price = state.price + settings.price
    yield propose_edited_lists(
        state, DIRECTION_THEME_MOVE, inputs, merged, price, edited, lambda phrases: len(phrases) >= min_answers
    )


def _fit_directions(
    slots: Iterable[Slot], evidence: SlotEvidence, deadline: float
) -> Mapping[tuple[DirectionEdit, Direction], SlotFits]:
    """Fit each edit of all slots of each direction to what crosses there; nothing where the time is up."""
    fits: dict[tuple[DirectionEdit, Direction], SlotFits] = {}
    for slot in slots:
        if is_past(deadline):
            return {}
        candidates, log_messages = evidence.inputs.lists[slot], evidence.log_messages(slot)
        log_evidence = evidence.slot_log_evidence(slot)
        for edit in DIRECTION_EDITS:
            letters, logp, _ = edit.edit_phrases(candidates)
            log_odds = logsumexp(logp + crossing_loglik(letters, log_messages)) - log_evidence
            fits.setdefault((edit, slot.direction), {})[slot] = log_odds
    return fits


def _log_odds(fits: SlotFits) -> float:
    """Return the log odds of all slots together, if each is changed or, as likely, is not."""
    return sum(float(np.logaddexp(np.log1p(-P_SLOT_EDITED), np.log(P_SLOT_EDITED) + fit)) for fit in fits.values())


def _score_originals(score_strings: ScoreStrings, edited: Mapping[Slot, EditedList]) -> ScoreStrings:
    """Let the reader score edited phrases as they were before."""

    def original(slot: Slot, answer: str) -> str:
        return (slot in edited and edited[slot].original_phrase(answer)) or answer

    return lambda strings: score_strings(
        {slot: [original(slot, answer) for answer in answers] for slot, answers in strings.items()}
    )


class DirectionEdit(NamedTuple):
    """An edit that may be done to all answers of one direction."""

    edit: Edit
    edit_letters: Callable[[LetterTable], tuple[LetterTable, Positions]]  # all that it makes, and of which phrases
    max_phrases: int | None  # of a list, the likeliest

    def edit_phrases(self, candidates: CandidateList) -> EditedPhrases:
        """Edit the likeliest phrases of a list: answers, (k, length), natural logs, (k,), and rows of phrases, (k,)."""
        best = candidates.top_k(self.max_phrases) if self.max_phrases else np.arange(len(candidates))
        letters, phrase_of_row = self.edit_letters(candidates.letters[best])
        log_shares = _log_shares(letters, phrase_of_row, candidates) if len(phrase_of_row) > len(best) else 0.0
        rows = best[phrase_of_row]
        return letters, candidates.logp[rows].astype(np.float64) + log_shares, rows

    def edit_list(self, candidates: CandidateList, log_odds: float) -> EditedList:
        """Edit a list, each answer once."""
        letters, logp, rows = self.edit_phrases(candidates)
        first_rows, logp = merge_duplicates(letters, logp)
        order = np.argsort(-logp, kind="stable")
        first_rows = first_rows[order]
        phrases = table_to_words(candidates.letters[rows[first_rows]])
        return EditedList(self.edit, letters[first_rows], logp[order], phrases, log_odds)


def _log_shares(letters: LetterTable, phrase_of_row: Positions, candidates: CandidateList) -> Float64Array:
    """Return each answer's share of its phrase, (k,) natural logs; words and other strings part it."""
    is_word = candidates.has_answers(letters).astype(np.intp)
    n_phrases = int(phrase_of_row.max(initial=0)) + 1
    counts = np.bincount(phrase_of_row + n_phrases * is_word, minlength=2 * n_phrases).reshape(2, n_phrases)
    shares = np.where(counts.all(axis=0), [[1 - P_EDIT_IS_WORD], [P_EDIT_IS_WORD]], 1.0)
    log_shares: Float64Array = np.log(shares[is_word, phrase_of_row] / counts[is_word, phrase_of_row])
    return log_shares


def _reverse_letters(phrases: LetterTable) -> tuple[LetterTable, Positions]:
    return np.ascontiguousarray(phrases[:, ::-1]), np.arange(len(phrases))


def _change_one_letter(phrases: LetterTable) -> tuple[LetterTable, Positions]:
    letters = np.tile(phrases[:, None, None], (1, phrases.shape[1], ALPHABET_SIZE, 1))
    for position in range(phrases.shape[1]):
        letters[:, position, :, position] = np.arange(ALPHABET_SIZE)
    is_other = np.arange(ALPHABET_SIZE) != phrases[:, :, None]
    return letters[is_other], np.nonzero(is_other)[0]


DIRECTION_EDITS: Sequence[DirectionEdit] = (
    DirectionEdit(Edit(EditKind.OTHER), _change_one_letter, 40),
    DirectionEdit(Edit(EditKind.REVERSED), _reverse_letters, None),
)

DIRECTION_THEMES = frozenset(edit.edit.description for edit in DIRECTION_EDITS)
"""What themes are called that all answers of one direction may have."""
