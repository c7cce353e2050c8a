"""Ranking: what the finders found for a query, made into one list of probabilities.

A conditional logit: each answer of the length gets a score linear in its feature columns, and the softmax over all of
them is its probability (McFadden 1974). `missing` is the probability that the answer is in no list, which depends on
the length and on the class of the clue. The best answers are then looked at again, and `missing` with them
(models.reranker). All of it is fitted on the newest year of the index itself, with that year hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.candidates import quips, said, similar
from regis.candidates.candidate_list import CandidateList, unlisted
from regis.candidates.finders import FINDERS, search
from regis.candidates.found import Evidence, Explain, Findings, past_clue
from regis.candidates.query import Query, encoded
from regis.candidates.weights import DEFAULT, FEATURES, RERANKED, Rows, Weights, common, table
from regis.index import Index, Partition
from regis.models import lookup
from regis.models.reranker import BEST, LEAST_MISSING, outlook
from regis.models.tensors import Table
from regis.system.deadline import FOREVER, passed

LIMIT = 100_000  # how many candidates a list keeps (measured: docs/measured.md),
TOTAL = 10_000_000  # and all lists that are made together, 200 MB: each of a Sunday's 140 may still have 70,000
TOGETHER, HURRIED = 256, 32  # clues that are read together, and where there is a deadline

BESIDES = 0.3
"""How much does a clue count as it stands, once other answers have joined it? Those may be wrong, or say little.
(Measured: docs/measured.md.)"""

FARTHEST = 40.0  # natural log of how much less likely than the best an answer may be, to be sorted by 32 bits
LISTED = FEATURES.index("list score")
ALIKE = 0.8  # cosine from which a past clue that means the same is named as a reason; a guess


class Front(NamedTuple):
    """The front of a list as the reranker sees it, when it is learned and when it is used."""

    best: NDArray[np.int64]  # which answers are looked at, ascending
    logp: NDArray[np.float32]  # (best,)
    features: NDArray[np.float32]  # (best, len(RERANKED))
    outlook: NDArray[np.float32]


class Ranker:
    """Ranks answers by the `weights` (the index's own where none are given), counting years from `year`."""

    def __init__(self, index: Index, weights: Weights | None = None, year: int | None = None) -> None:
        self.index = index
        self.weights = weights or Weights.of(index)
        self.year = (index.manifest.newest_year or 0) + 1 if year is None else year
        self._by_hand = self if self.weights is DEFAULT else Ranker(index, DEFAULT, self.year)
        self._weight = dict(zip(FEATURES, self.weights.features.tolist(), strict=True))
        self._priors: dict[int, Table] = {}

    def lists(
        self, queries: Sequence[Query], deadline: float = FOREVER, limit: int | None = None
    ) -> list[CandidateList]:
        """A list for each query: the answers that fit its pattern, with what the finders say. Together is faster.

        Of each the `limit` likeliest, or with None all that there is room for.

        Queries that are not reached by the `deadline` (time.monotonic) get empty lists, in which everything is missing.
        """
        lists = [unlisted(query.length) for query in queries]
        room = _room(len(queries))
        limit = min(limit or room, room)
        for place, findings in self._found(queries, deadline):
            lists[place] = self.ranked(findings, limit=limit)
        return lists

    def mixed(
        self, pairs: Sequence[tuple[Query, Query]], deadline: float = FOREVER
    ) -> Iterator[tuple[int, CandidateList]]:
        """For each pair, both of one length, its place and a list for the first, as they come until the deadline.

        In each is a share of `BESIDES` for the second, another wording of it.
        """
        limit, found = _room(len(pairs)), self._found([query for pair in pairs for query in pair], deadline)
        for (place, first), (_, second) in zip(found, found, strict=False):  # of one length they follow each other
            yield place // 2, self.ranked(first, second, limit)

    def _found(self, queries: Sequence[Query], deadline: float) -> Iterator[tuple[int, Findings]]:
        """What is found for each query, and its place, until the deadline."""
        many = TOGETHER if deadline == FOREVER else HURRIED
        for start in range(0, len(queries), many):
            if passed(deadline):
                return
            some = encoded(queries[start : start + many], self.index)
            for place, findings in search(some, self.index, FINDERS):
                yield start + place, findings
                if passed(deadline):
                    return

    def ranked(self, findings: Findings, besides: Findings | None = None, limit: int = LIMIT) -> CandidateList:
        """What was found as a list of at most `limit` candidates, that for another wording mixed in."""
        part, rows = findings.part, findings.rows
        if not len(rows):
            return unlisted(part.length)
        logp, missing = self.probable(findings)
        if besides is not None:
            other, other_missing = self.probable(besides)
            logp = np.logaddexp(logp + np.log1p(-BESIDES), other + np.log(BESIDES))
            missing += BESIDES * (other_missing - missing)
        best = _largest(logp, limit)
        rows = rows[best]
        return CandidateList(
            part.letters.take(rows, axis=0), logp[best], missing, _from_clue(findings)[rows], _explainer(findings, rows)
        )

    def probable(self, findings: Findings) -> tuple[Table, float]:
        """Log probabilities of the answers `findings.rows`, and P(in no list): together 1.

        Where no finder has a column to say anything, as for a clue without a word, the weights set by hand hold, and
        nothing is looked at again: those that are fitted leave it to the encoders how common an answer is. Of the best
        answers those that the clue says (candidates.said) count for little. A part of a quip is seldom listed
        (candidates.quips), and a puzzle may have more answers in no list than was fitted (Query.oftener).
        """
        logp, fitted = self._fitted(findings)
        query = findings.query
        missing = fitted * query.oftener / (1 + fitted * (query.oftener - 1))
        missing = max(missing, quips.least_missing(query.clue, findings.part.length))
        if missing > fitted:
            logp = logp + (np.log1p(-missing) - np.log1p(-fitted))
        return logp, missing

    def _fitted(self, findings: Findings) -> tuple[Table, float]:
        """The same by the weights, and by what the clue says."""
        missing = self.weights.missing_at(findings.part.length, findings.query.kind)
        if not any(len(found.answers) for found in findings.found.values() if found.features):
            return log_softmax(self._by_hand.scores(findings)) + np.log1p(-missing), missing
        logp = log_softmax(self.scores(findings))
        if self.weights.reranker is None:
            return _unsaid(findings, _best(logp), logp + np.log1p(-missing), missing)
        best, *seen = self.front(findings, logp)
        add, add_missing = self.weights.reranker.look(*seen)
        in_list, in_none = np.log1p(-missing), float(np.log(max(missing, LEAST_MISSING))) + add_missing
        others = max(1 - float(np.exp(logp[best]).sum()), 0.0) if len(best) < len(logp) else 0.0
        logp[best] += add
        total = np.logaddexp(np.log(others + np.exp(logp[best]).sum()) + in_list, in_none)
        return _unsaid(findings, best, logp + (in_list - total), float(np.exp(in_none - total)))

    def scores(self, findings: Findings) -> Table:
        """table @ weights, (rows,), in a fifth of the time: most answers have few columns but 0."""
        _, part, rows, found = findings
        score: Table = self._prior(part)[rows]
        sparse = [rows[:0]]
        for name, one in found.items():
            if not FINDERS[name].dense:
                sparse.append(one.answers if one.features else rows[:0])
            elif len(one.answers):
                place, which = common(rows, one.answers)
                unused = part.count[rows[place]] == 0
                for feature, values in one.features.items():
                    more = self._weight.get(f"{feature}, never used", 0.0)
                    score[place] += values[which] * (self._weight[feature] + more * unused)
        place, _ = common(rows, lookup.distinct(np.concatenate(sparse)))
        score[place] = table(part, rows[place], found, self.year) @ self.weights.features
        return score

    def front(self, findings: Findings, logp: Table) -> Front:
        """What the reranker is shown of the answers with log probabilities `logp` among themselves, (rows,).

        Without an embedding of the clue all that `similar` says is 0.
        """
        query, part, rows, found = findings
        best = _best(logp)
        seen = np.zeros((len(best), len(RERANKED)), np.float32)
        seen[:, : len(FEATURES)] = table(part, rows[best], found, self.year)
        seen[:, LISTED] = np.maximum(seen[:, LISTED], 0.0)  # networks were taught on scores from 0 to 1
        if query.embedding is not None:
            seen[:, len(FEATURES) :] = similar.similar(part, rows[best], query.embedding)
        short = logp[best].astype(np.float32)
        missing = self.weights.missing_at(part.length, query.kind)
        return Front(best, short, seen, outlook(part.length, query.kind, missing, short, seen))

    def _prior(self, part: Partition) -> Table:
        """The score of every answer of `part` before any clue is asked, (answers,); made once."""
        if part.length not in self._priors:
            everything = np.arange(len(part.letters), dtype=np.int32)
            columns = table(part, everything, {}, self.year)
            self._priors[part.length] = columns @ self.weights.features
        return self._priors[part.length]


def _room(lists: int) -> int:
    """How many candidates each of so many lists that are made together may have."""
    return min(LIMIT, TOTAL // max(lists, 1))


def _unsaid(findings: Findings, best: NDArray[np.int64], logp: Table, missing: float) -> tuple[Table, float]:
    """Log probabilities and P(in no list), once those of the answers `best` that their clue says count for little."""
    less = said.again(findings.query.clue, findings.part.letters.take(findings.rows[best], axis=0))
    if (less < 1).any():
        left = 1 - float(np.exp(logp[best]) @ (1 - less))
        logp[best] += np.log(less)
        logp, missing = logp - np.log(left), missing / left
    return logp, missing


def _best(logp: Table) -> NDArray[np.int64]:
    """The places of the best answers, as many as are looked at again, ascending.

    None of them is worse than the BEST-th of the largest of each of several parts, so most are passed over at once.
    """
    size = len(logp) // (2 * BEST)  # of a part
    if size > 1:
        largest = logp[: len(logp) // size * size].reshape(-1, size).max(axis=1)
        some = np.flatnonzero(logp >= np.partition(largest, -BEST)[-BEST])
        return some[np.sort(np.argpartition(-logp[some], BEST - 1)[:BEST])]
    return np.sort(np.argpartition(-logp, BEST)[:BEST]) if len(logp) > BEST else np.arange(len(logp))


def log_softmax(score: Table) -> Table:
    """Natural logs of the probabilities that answers with this `score` have among themselves."""
    score = score - score.max()
    logp: Table = score - np.log(np.exp(score).sum())
    return logp


def _largest(values: Table, limit: int) -> NDArray[np.int64]:
    """The order of the largest `values`, so many at most, equal ones as they come; found before they are sorted."""
    if limit >= len(values):
        return _descending(values)
    some = lookup.largest(values, limit)
    return some[_descending(values[some])[:limit]]


def _descending(values: Table) -> NDArray[np.int64]:
    """The order of `values`, largest first, equal ones as they come: a stable sort in a quarter of its time.

    Numbers of 32 bits are sorted by their lower half and then by their upper one (radix sort). What is nearer than
    1e-8 counts as equal.
    """
    less = values.max() - values
    if less.max() > FARTHEST:
        return np.argsort(less, kind="stable")
    keys = (less * (2**32 / (FARTHEST + 1))).astype(np.uint32)
    low = np.argsort(keys.astype(np.uint16), kind="stable")
    order: NDArray[np.int64] = low[np.argsort((keys >> 16).astype(np.uint16)[low], kind="stable")]
    return order


def _from_clue(findings: Findings) -> NDArray[np.bool_]:
    """Which of all answers of the length some past clue speaks for."""
    spoken = np.zeros(len(findings.part.letters), bool)
    for name, found in findings.found.items():
        if FINDERS[name].past_clues:
            spoken[found.answers] = True
    return spoken


def _explainer(findings: Findings, rows: Rows) -> Explain:
    """The evidence for the i-th of the answers `rows`, looked up only when somebody asks."""
    part, embedding = findings.part, findings.query.embedding
    each = [found.explain for found in findings.found.values()]

    def explain(i: int) -> tuple[Evidence, ...]:
        row = int(rows[i])
        reasons = [reason for one in each for reason in one(row)]
        near = None if embedding is None else similar.nearest(part, row, embedding)
        if near is not None and near[1] >= ALIKE:
            paraphrase = past_clue("similar", "paraphrase", part, *near)
            if all(reason.text != paraphrase.text for reason in reasons if reason.kind == "clue"):
                reasons.append(paraphrase)
        return tuple(reasons)

    return explain
