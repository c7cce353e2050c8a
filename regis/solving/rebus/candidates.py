"""A rebus square as one cell: what a filler may know, once the contents of some squares are known.

The answers of a slot with rebus squares are longer than the slot, or shorter. Those that have the contents where they
belong are kept, with one letter for each content, the same across and down; so every answer is again as long as its
slot, and any filler can work with it. Answers in no list are still judged by all their letters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regis.candidates.candidate_list import CandidateList
from regis.models.ngram import certain
from regis.models.tensors import Table
from regis.models.unlisted import StringModel
from regis.puzzle import Slot
from regis.puzzle.alphabet import codes, word
from regis.solving.rebus.squares import Squares, parts, starts, tokens, whole
from regis.solving.solution import Candidates, Reading, Wanted
from regis.system.deadline import FOREVER


class Collapsing:
    """`among` with one set of squares after the other; the list of a slot is made once for the same contents.

    Lists of longer answers are asked for until the deadline (time.monotonic), and are empty then.
    """

    def __init__(self, among: Candidates, deadline: float = FOREVER) -> None:
        self.among = among
        self._deadline = deadline
        self._narrowed: dict[tuple[Slot, tuple[str, ...]], CandidateList] = {}
        self._longer: Mapping[Wanted, CandidateList] = {}  # the lists that were asked for last, together

    def ahead(self, several: Iterable[tuple[Slot, Squares]]) -> None:
        """Asks together for what `narrowed` will need for each slot with each squares."""
        new = (
            (slot, starts(parts(slot, squares))[-1])
            for slot, squares in several
            if _key(slot, squares) not in self._narrowed
        )
        self._ask(list(dict.fromkeys(new)))

    def known(self, squares: Squares) -> Candidates:
        """What is known once the contents of `squares` are."""
        rebus = [slot for slot in self.among.lists if any(cell in squares for cell in slot.cells)]
        self.ahead((slot, squares) for slot in rebus)
        return _with(self.among, squares, {slot: self.narrowed(slot, squares) for slot in rebus})

    def narrowed(self, slot: Slot, squares: Squares) -> CandidateList:
        """The answers of one slot that have the contents of its squares in their places, one letter a cell."""
        known = parts(slot, squares)
        if (key := _key(slot, squares)) not in self._narrowed:
            wanted = slot, starts(known)[-1]
            if wanted not in self._longer:
                self._ask([wanted])
            longer = self._longer[wanted]
            kept = longer.keep(longer.matching("".join(known)))
            letters = np.empty((len(kept), len(slot)), np.uint8)
            for i, (one, at, letter) in enumerate(zip(known, starts(known), tokens(slot, squares), strict=False)):
                letters[:, i] = kept.letters[:, at] if one == "?" else codes(letter)
            self._narrowed[key] = replace(kept, letters=letters)
        return self._narrowed[key]

    def _ask(self, wanted: Collection[Wanted]) -> None:
        """Asks for these lists, and keeps no others."""
        self._longer = self.among.longer(wanted, None, self._deadline) if wanted else {}


def _key(slot: Slot, squares: Squares) -> tuple[Slot, tuple[str, ...]]:
    """What the answers of a slot with these squares depend on."""
    return slot, (*parts(slot, squares), tokens(slot, squares))


def _with(among: Candidates, squares: Squares, lists: Mapping[Slot, CandidateList]) -> Candidates:
    """`among` with the `lists` of the slots that have some of the `squares`."""
    if not lists:
        return among

    def knowing(believed: Mapping[Slot, str], deadline: float) -> Candidates | None:
        new = among.knowing({slot: whole(slot, squares, answer) for slot, answer in believed.items()}, deadline)
        return None if new is None else _with(new, squares, lists)

    def read(strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[Reading]]:
        assert among.read is not None, "only where there is a reader"
        return among.read({slot: [whole(slot, squares, answer) for answer in its] for slot, its in strings.items()})

    return replace(
        among,
        lists={**among.lists, **lists},
        matching=lambda slot, known: lists[slot].given(known) if slot in lists else among.matching(slot, known),
        clued=lambda slots: [
            widened(among, slot, squares) if slot in lists else among.strings_for(slot) for slot in slots
        ],
        knowing=knowing,
        read=among.read and read,
    )


def widened(among: Candidates, slot: Slot, squares: Squares) -> StringModel:
    """What an unlisted answer of one slot with such squares looks like, one letter a cell."""
    model = among.strings_for(slot)
    return Widened(model.letters, model.phrases, model.share, model.short, parts(slot, squares), tokens(slot, squares))


@dataclass(frozen=True)
class Widened(StringModel):
    """The model of a slot's unlisted answers, asked with a row of evidence for each cell.

    `known` are its `parts`, `tokens` the letters that stand for them. A string that is longer than the slot, as the
    person wrote several letters into one of the other squares, is whole.
    """

    known: Sequence[str] = ()
    tokens: str = ""

    def with_phrases(self, evidence: Table, weight: float, marginal: Table) -> tuple[float, Table]:
        """As StringModel's, of all letters; `weight` and `marginal` are of the shown ones, and not used."""
        wide = self._wide(evidence)
        weights, marginals = self.by_letters(wide[None])
        found, letters = self._plain.with_phrases(wide, float(weights[0]), marginals[0])
        shown = np.zeros(evidence.shape)
        for i, (x, at, letter) in enumerate(zip(self.known, starts(self.known), self.tokens, strict=False)):
            shown[i] = letters[at] if x == "?" else certain(codes(letter))[0]
            found += 0.0 if x == "?" else float(np.log(evidence[i, codes(letter)[0]]))
        return found, shown

    def near(self, evidence: Table) -> StringModel:
        return replace(self, phrases=self._plain.near(self._wide(evidence)).phrases)

    def string(self, row: NDArray[np.uint8]) -> float:
        return self._plain.string(self._whole_row(row))

    def pieces(self, row: NDArray[np.uint8]) -> tuple[tuple[str, ...], float]:
        """What the phrase model makes the whole string of."""
        return self._plain.pieces(self._whole_row(row))

    def _wide(self, evidence: Table) -> Table:
        """The evidence about each letter."""
        rows = [row[None] if x == "?" else certain(codes(x)) for x, row in zip(self.known, evidence, strict=True)]
        return np.concatenate(rows)

    def _whole_row(self, row: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """All letters of the string of which `row` has one a cell."""
        if len(row) != len(self.known):
            return row
        return codes("".join(letter if x == "?" else x for x, letter in zip(self.known, word(row), strict=True)))

    @property
    def _plain(self) -> StringModel:
        return StringModel(self.letters, self.phrases, self.share, self.short)
