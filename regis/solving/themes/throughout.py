"""The search for a theme of every answer across, or of every answer down: each is a known phrase, changed alike.

Then the lists of one direction know no answer, and the grid collapses: no slot alone can show what was done. So the
lists of a direction are made anew of what a change makes of their phrases, and what the crossings say of all slots
together tells which change is tried. The grid is filled again with those lists, and all of that is kept if the whole
grid, the price paid, is then more probable. From then on clues are read with the phrases.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from regis.candidates.candidate_list import CandidateList
from regis.models.lookup import Places
from regis.models.tensors import Table
from regis.puzzle import Cell, Puzzle, Slot
from regis.puzzle.alphabet import LETTERS, words
from regis.puzzle.grid import Direction
from regis.solving.local_search import LocalSearch
from regis.solving.propagation import SURE
from regis.solving.solution import Beliefs, Candidates, Filler, Read, Solution
from regis.solving.solved import Theme
from regis.solving.surprise import Surprise, by_crossings, log_total
from regis.solving.themes.changed import SHARE, Changed, distinct, joined
from regis.solving.themes.changes import Made, Phrases
from regis.solving.themes.edits import OTHER, REVERSED, Edit
from regis.solving.themes.search import LEAST
from regis.system.deadline import passed

DOUBTED = 0.1  # of how many squares, as a share of all, none may be sure before such a theme is looked for

SLIPS = 0.05  # or of how many of the person's letters, as a share of them, more than LEAST are doubted; a guess

PRICE = 20.0
"""By how much must all that crosses fit better, and the grid be likelier, in natural log? (Measured:
docs/measured.md.)"""

WORDS = 0.5  # P(a phrase with another letter is a word again, as a list has it); a guess

Fits = dict[Slot, float]  # how much better than all else known of it the changed phrases of a slot fit, natural logs


def spoken_for(puzzle: Puzzle, beliefs: Beliefs, doubted: Collection[Cell]) -> bool:
    """Whether a grid may be one in which all answers of a direction are changed, by what is in doubt.

    Where the person wrote nearly all of it, that is their own letters: those `doubted` are not in the `puzzle`.
    """
    if len(beliefs.doubtful(SURE, puzzle.given)) > DOUBTED * len(beliefs.letters):
        return True
    return len(doubted) > max(LEAST, SLIPS * (len(doubted) + len(puzzle.given)))


def throughout(
    puzzle: Puzzle, among: Candidates, solution: Solution, fill: Filler, deadline: float, squares: Collection[Cell] = ()
) -> tuple[Theme | None, Candidates, Solution]:
    """The theme, what is known with it, and the grid filled so; None and all as it was where there is none.

    `solution` is what `fill` made of the puzzle, or what it had when it gave up. Six parameters: lists have one letter
    for each of the rebus `squares`, so that of entries through those no phrase could be told.
    """
    nothing, beliefs = (None, among, solution), solution.propagated
    known = Surprise(beliefs.candidates(among), beliefs)
    plain = [slot for slot in puzzle.grid.slots if not any(cell in squares for cell in slot.cells)]
    every = _everywhere(plain, known, deadline)
    if not every:
        return nothing
    (way, _), fits = max(every.items(), key=lambda one: _gain(one[1]))
    if _gain(fits) <= PRICE or passed(deadline):
        return nothing
    by = {slot: _changed(way, known.among.lists[slot], fit) for slot, fit in fits.items()}
    lists = {slot: joined(known.among.lists[slot].without(new.letters), new) for slot, new in by.items()}
    read = known.among.read and _reading(known.among.read, by)
    changed = replace(
        known.among,
        lists={**known.among.lists, **lists},
        knowing=lambda believed, deadline: None,
        read=read,
        hasty=False,
    )
    again = fill(puzzle, changed, deadline)
    gain = LocalSearch(puzzle, changed).worth(again) - LocalSearch(puzzle, known.among).worth(solution)
    made = {slot: phrase for slot, new in by.items() if (phrase := new.phrase(again.answer(slot)))}
    if gain <= PRICE or len(made) < LEAST or passed(deadline):
        return nothing
    return Theme(way.edit.said, made), changed, again


def _everywhere(slots: Iterable[Slot], known: Surprise, deadline: float) -> Mapping[tuple[_Way, Direction], Fits]:
    """How well each edit of all slots of each direction fits what crosses there; nothing where the time is up."""
    found: dict[tuple[_Way, Direction], Fits] = {}
    for slot in slots:
        if passed(deadline):
            return {}
        listed, messages, evidence = known.among.lists[slot], known.messages(slot), known.evidence(slot)
        for way in WAYS:
            letters, logp, _ = _made(way, listed)
            fit = log_total(logp + by_crossings(letters, messages))
            found.setdefault((way, slot.direction), {})[slot] = fit - evidence
    return found


def _gain(fits: Fits) -> float:
    """Natural log of how much better the slots fit what crosses there if each is changed or, as likely, is not."""
    return sum(float(np.logaddexp(np.log1p(-SHARE), np.log(SHARE) + fit)) for fit in fits.values())


def _reading(read: Read, by: Mapping[Slot, Changed]) -> Read:
    """Reads what was changed as it was before."""

    def before(slot: Slot, answer: str) -> str:
        return (slot in by and by[slot].phrase(answer)) or answer

    return lambda strings: read({slot: [before(slot, answer) for answer in its] for slot, its in strings.items()})


def _made(way: _Way, listed: CandidateList) -> Made:
    """All that an edit makes of the likeliest phrases of a list, and of which of its rows."""
    best = listed.foremost(way.phrases) if way.phrases else np.arange(len(listed))
    letters, which = way.made(listed.letters[best])
    parts = _parts(letters, which, listed) if len(which) > len(best) else 0.0
    rows = best[which]
    return letters, listed.logp[rows] + parts, rows


def _changed(way: _Way, listed: CandidateList, gain: float) -> Changed:
    """The same as a list of its own, each answer once; the gain is as for `changed`."""
    letters, logp, rows = _made(way, listed)
    first, logp = distinct(letters, logp)
    order = np.argsort(-logp, kind="stable")
    first = first[order]
    return Changed(way.edit, letters[first], logp[order], words(listed.letters[rows[first]]), gain)


def _parts(letters: Phrases, which: Places, listed: CandidateList) -> Table:
    """Which part of its phrase each of the changed `letters` is, as natural log; words and other strings share it."""
    known = listed.has(letters).astype(np.intp)
    count = int(which.max(initial=0)) + 1
    many = np.bincount(which + count * known, minlength=2 * count).reshape(2, count)
    shares = np.where(many.all(axis=0), [[1 - WORDS], [WORDS]], 1.0)
    parts: Table = np.log(shares[known, which] / many[known, which])
    return parts


def _reversed(phrases: Phrases) -> tuple[Phrases, Places]:
    return np.ascontiguousarray(phrases[:, ::-1]), np.arange(len(phrases))


def _one_changed(phrases: Phrases) -> tuple[Phrases, Places]:
    letters = np.tile(phrases[:, None, None], (1, phrases.shape[1], LETTERS, 1))
    for at in range(phrases.shape[1]):
        letters[:, at, :, at] = np.arange(LETTERS)
    other = np.arange(LETTERS) != phrases[:, :, None]
    return letters[other], np.nonzero(other)[0]


class _Way(NamedTuple):
    """One edit that may be done throughout."""

    edit: Edit
    made: Callable[[Phrases], tuple[Phrases, Places]]  # all that it makes of phrases, and of which each is made
    phrases: int | None  # of a list, the likeliest, at most


WAYS: Sequence[_Way] = _Way(Edit(OTHER), _one_changed, 40), _Way(Edit(REVERSED), _reversed, None)

THROUGHOUT = frozenset(way.edit.said for way in WAYS)
"""What themes are called that all answers of one direction may have."""
