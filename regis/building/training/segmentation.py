"""Learning the pieces that new answers are made of (regis.models.phrases), from the rarest answers of an index.

What comes next is like what came last: answers that were used once or twice are the nearest thing to answers never used
before. Pieces are the words of the clues and the short answers; Aho-Corasick finds every place where one stands in
a rare answer; EM over all ways to cut the answer up finds how likely each piece is as the first, a middle and the last.
How far to trust the result is measured, by length, on answers that are new in the newest year; so is how far their
clues may lean the pieces, where there is an encoder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import ahocorasick
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from regis.building.training.spelling import words_of_clues
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.index import Index, Partition, tables
from regis.models import ngram
from regis.models.phrases import FIRST, LAST, MIDDLE, PhraseModel
from regis.models.pieces import LONGEST, commonness
from regis.models.unlisted import StringModel
from regis.puzzle import alphabet

RARE = 2  # answers used at most so often are learned from; those of at least SHORTEST letters
SHORTEST = 6
LONGEST_ANSWER = 9  # letters of an answer that becomes a piece as it is
MOST = 100_000  # how many rare answers are learned from, at most
ROUNDS = 8

PRIOR_BY_USE, PRIOR_ALIKE = 0.8, 0.1
"""How many pseudo-counts are there, as shares of all answers, by a piece's use, and alike? (Measured:
docs/measured.md.)"""

ENOUGH = 300
STEP = 1 / 8  # in nats, to which chances are rounded: so they take a third of the place
SHARES = np.linspace(0.02, 0.98, 49)
STRENGTH = 20  # a length's share counts as much as that of the next shorter length when it has so many new answers
LEANS = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
ASKED = 300  # clues of new answers that the lean is fitted on
SEED = 5


class Matches(NamedTuple):
    """Every place where a piece stands in an answer, and does not fill it: parallel arrays."""

    answer: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    piece: NDArray[np.int64]


class Fitted(NamedTuple):
    """The phrase model of an index, P(made of pieces) of new answers by length, and how far clues lean the pieces."""

    model: PhraseModel
    share: Mapping[int, float]
    lean: float


def fit(index: Index) -> Fitted | None:
    """What `index` teaches of new answers; None if it is too small."""
    before = index.as_it_was()
    then = _model(before)
    now = _model(index)
    if then is None or now is None:
        return None
    both = _both(index, before, SHORTEST - 1)
    new = [word for part, earlier in both for word in _words(part, (part.count > 0) & ~earlier.exists)]
    if len(new) < ENOUGH:
        return None
    used = [ngram.trigram_counts(part.letters, (part.count > 0).astype(np.float64)) for part in before.parts()]
    strings = StringModel(ngram.LetterModel.from_counts(np.sum(used, axis=0)), then)
    return Fitted(now, _shares(new, strings), _lean(index, before, strings))


def _model(index: Index) -> PhraseModel | None:
    used = dict(sorted(_pieces(index).items()))  # in the order of the tree that they become (models.tree)
    pieces = list(used)
    parts = (part for part in index.parts() if part.length >= SHORTEST)
    rare = [word for part in parts for word in _words(part, (part.count >= 1) & (part.count <= RARE))]
    if len(rare) < ENOUGH:
        return None
    if len(rare) > MOST:
        rare = [rare[i] for i in np.random.default_rng(SEED).permutation(len(rare))[:MOST]]
    chances = _em(_matches(rare, pieces), np.array([len(w) for w in rare]), np.array(list(used.values()), float))
    return PhraseModel(pieces, np.exp(np.rint(np.log(chances) / STEP) * STEP))


def table(model: PhraseModel) -> pa.Table:
    """As it is written; see tables.PIECES."""
    chances = (pa.array(row, pa.float32()) for row in model.chances)
    return pa.table([pa.array(model.pieces.astype(str), pa.string()), *chances], schema=tables.PIECES)


def _pieces(index: Index) -> dict[str, int]:
    """The pieces there are, and how often each is used."""
    used = {word: count for word, count in words_of_clues(index).items() if len(word) <= LONGEST}
    for part in (part for part in index.parts() if part.length <= LONGEST_ANSWER):
        for row in np.flatnonzero(part.count > 0):
            answer = alphabet.word(part.letters[row])
            used[answer] = used.get(answer, 0) + int(part.count[row])
    return used


def _both(index: Index, before: Index, shortest: int) -> Iterator[tuple[Partition, Partition]]:
    """The partitions of each length from `shortest` on: now, and before the newest year."""
    parts = zip(index.parts(), before.parts(), strict=True)
    return ((now, then) for now, then in parts if now.length >= shortest)


def _words(part: Partition, which: NDArray[np.bool_]) -> list[str]:
    """The answers of one length that a mask names."""
    found: list[str] = part.names[which].astype(str).tolist()
    return found


def _matches(answers: list[str], pieces: list[str]) -> Matches:
    automaton = ahocorasick.Automaton()
    for i, piece in enumerate(pieces):
        automaton.add_word(piece, (i, len(piece)))
    automaton.make_automaton()
    found = [
        (row, end + 1 - size, end + 1, piece)
        for row, answer in enumerate(answers)
        for end, (piece, size) in automaton.iter(answer)
        if size < len(answer)
    ]
    return Matches(*np.array(found, dtype=np.int64).reshape(-1, 4).T)


def _em(found: Matches, lengths: NDArray[np.int64], used: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chances (3, pieces) of each piece as first, middle and last; those of the middle sum to P(one more piece)."""
    kind = np.where(found.start == 0, FIRST, np.where(found.end == lengths[found.answer], LAST, MIDDLE))
    longest, rows = int(lengths.max()), np.arange(len(lengths))
    by_end = [np.flatnonzero(found.end == i) for i in range(longest + 1)]
    by_start = [np.flatnonzero(found.start == i) for i in range(longest + 1)]
    common = commonness(used) / commonness(used).sum()
    prior = len(lengths) * (PRIOR_BY_USE * common + PRIOR_ALIKE / len(used))
    chances = np.stack([common, common / 3, common])
    for _ in range(ROUNDS):
        chance = chances[kind, found.piece]
        ahead = np.zeros((len(lengths), longest + 1))
        ahead[:, 0] = 1
        for end, at in enumerate(by_end):
            flow = ahead[found.answer[at], found.start[at]] * chance[at]
            ahead[:, end] += np.bincount(found.answer[at], flow, len(lengths))
        behind = np.zeros_like(ahead)
        behind[rows, lengths] = 1
        for start, at in reversed(list(enumerate(by_start))):
            flow = behind[found.answer[at], found.end[at]] * chance[at]
            behind[:, start] += np.bincount(found.answer[at], flow, len(lengths))
        whole = behind[:, 0][found.answer]
        posterior = np.divide(
            ahead[found.answer, found.start] * chance * behind[found.answer, found.end],
            whole, out=np.zeros(len(whole)), where=whole > 0,
        )  # fmt: skip
        counts = np.stack([np.bincount(found.piece, posterior * (kind == k), len(used)) for k in range(3)])
        more = counts[MIDDLE].sum() / max(counts[MIDDLE].sum() + counts[LAST].sum(), 1)
        chances = counts + prior
        chances /= chances.sum(axis=1, keepdims=True)
        chances[MIDDLE] *= more
    return chances


def _lean(index: Index, before: Index, strings: StringModel) -> float:
    """How far the clues of new answers are best believed about the pieces: the likeliest of LEANS."""
    if not before.encoders or strings.phrases is None:
        return 0.0
    asked = []  # clues of the newest year whose answers were in no list before, with these answers
    for now, then in _both(index, before, SHORTEST):
        rows = [int(row) for row in np.flatnonzero(now.clue_latest > 0) if not then.exists[now.clue_answer[row]]]
        asked += [(now.clue_column[row], alphabet.word(now.letters[now.clue_answer[row]])) for row in rows]
    chosen = np.random.default_rng(SEED).permutation(len(asked))[:ASKED]
    prior = UnlistedPrior(before, strings)
    total = np.zeros(len(LEANS))
    for clue, word in (asked[i] for i in chosen):
        codes = alphabet.codes(word)
        for i, lean in enumerate(LEANS):
            model = prior.about([clue], lean)[0].phrases
            assert model is not None
            if not np.isneginf(weight := model.weight(codes)):
                total[i] += weight - model.base(len(word))
    return LEANS[int(total.argmax())]


def _shares(new: list[str], model: StringModel) -> Mapping[int, float]:
    """P(made of pieces) by length: the share under which the new answers are likeliest."""
    assert model.phrases is not None
    shares: dict[int, float] = {}
    before = np.zeros(len(SHARES))
    for length in sorted({len(word) for word in new}):
        base = model.phrases.base(length)
        if np.isneginf(base):
            continue
        seen = [alphabet.codes(word) for word in new if len(word) == length]
        by_letters = model.by_letters(np.stack([ngram.certain(codes) for codes in seen]))[0]
        by_pieces = np.array([model.phrases.weight(codes) for codes in seen]) - base
        likely = np.logaddexp(np.log(SHARES)[:, None] + by_pieces, np.log1p(-SHARES)[:, None] + by_letters).sum(axis=1)
        total = likely + before
        shares[length] = round(float(SHARES[total.argmax()]), 3)
        before = likely * min(STRENGTH / len(seen), 1)
    return shares
