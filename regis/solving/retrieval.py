"""Retrieval: what an index knows about a puzzle's clues, before any letter counts.

Each clue gets all answers of its length, whatever letters are known, so that probabilities always mean the same.
Retrieval also answers a filler's questions (ClueKnowledge).

"See 17-Across" is replaced by the clue of 17-Across. A confident answer is inserted into the clues that refer to it:
"With 23-Down, first of a line" becomes "___ adam, first of a line".

P(unlisted) is fitted on the newest year of an index, mostly the New York Times. Other publishers and later years have
more new answers (`missing_odds_factor`), but not more long ones, which are often new anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from regis import text
from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import Query
from regis.candidates.ranking.ranker import Ranker
from regis.candidates.unlisted_prior import UnlistedPrior
from regis.index import Index
from regis.models.arrays import Float32Array, normalize_rows
from regis.models.strings.string_model import StringModel
from regis.models.text import clue_style
from regis.models.text.clue_form import (
    EntryReference,
    find_references,
    insert_answers,
    is_shared_clue,
    strip_references,
)
from regis.models.text.clue_style import normalize_typography, strip_full_stops
from regis.puzzle import Direction, Puzzle, Slot
from regis.solving.filler import ClueKnowledge, ReaderScore, SlotLength, SolverInput
from regis.solving.settings import CONFIDENCE, LANGUAGE_MODEL
from regis.system.progress import FOREVER, is_past

AFFECTED_LENGTHS = range(3, 6)


_FITTED_PUBLISHER = re.compile(r"(?i)\bnew york times\b|\bn\.?y\.? ?times\b|\bnyt\b")


def missing_odds_factor(puzzle: Puzzle, newest_year: int | None) -> float:
    """Return the factor on the odds that an answer of AFFECTED_LENGTHS is unlisted, for an index of `newest_year`."""
    is_fitted = _FITTED_PUBLISHER.search(f"{puzzle.title} {puzzle.author} {puzzle.copyright} {puzzle.publisher}")
    if puzzle.date is not None and newest_year is not None:
        years_later = max(puzzle.date.year - newest_year - 1, 0)
    else:
        years_later = 0 if is_fitted else 2
    return min(
        1.0 + (0.0 if is_fitted else CONFIDENCE.other_publisher_odds) + CONFIDENCE.odds_per_year * years_later,
        CONFIDENCE.max_odds_factor,
    )


def retrieve_clue_candidates(clue: str, pattern: str, index: Index) -> CandidateList:
    """Retrieve the answers to one clue that match `pattern` ('P?I'), with probabilities."""
    (clue,) = _normalize_clues([(clue, len(pattern))], index)
    query = Query(clue, "?" * len(pattern), original_clue=clue)
    return index.get_cached(Ranker).rank_queries([query])[0].condition_on(pattern)


def retrieve_lists_by_length(clue: str, index: Index) -> Mapping[int, tuple[float, CandidateList]]:
    """Retrieve the answers to a clue of every length that the index has, each list with the probability of its length.

    A length is probable if it is common and its list suits the clue. Answers that are unrelated to the clue measure
    that: the less of their probability without a clue they keep, the better the list suits the clue.
    """
    weights: dict[int, float] = {}
    lists: dict[int, CandidateList] = {}
    for length in index.lengths:
        pattern, rows = "?" * length, index.manifest.lengths[str(length)]
        lists[length] = retrieve_clue_candidates(clue, pattern, index)
        clueless = retrieve_clue_candidates("", pattern, index)
        typical_rows = clueless.top_k(min(51, len(clueless)))
        places = [lists[length].find_answer(clueless.answer(row)) for row in typical_rows]
        losses = [
            clueless.logp[row] - lists[length].logp[place] for row, place in zip(typical_rows, places, strict=True)
        ]
        weights[length] = max(rows["clues"], 1) * float(np.exp(np.median(losses))) if losses else 0.0
    total = sum(weights.values())
    return {length: (weight / total, lists[length]) for length, weight in weights.items() if weight}


def retrieve_candidates(puzzle: Puzzle, index: Index, deadline: float = FOREVER) -> SolverInput:
    """Retrieve a list of candidates for each clue of a puzzle, before any letter counts.

    After the deadline (time.monotonic) lists are empty. The filler's later questions also go to the index.
    """
    normalized = _normalize_clues([(clue, len(slot)) for slot, clue in puzzle.clues.items()], index)
    puzzle = replace(puzzle, clues=dict(zip(puzzle.clues, normalized, strict=True)))
    wording = resolve_references(puzzle, {})
    if index.transformer is not None:
        index.transformer.begin_puzzle(wording.values())
    factor = missing_odds_factor(puzzle, index.manifest.newest_year)
    retrieval = _Retrieval(puzzle, index, factor, wording, wording, AnswerSimilarity(index))
    queries = [retrieval.make_query(slot, clue, len(slot)) for slot, clue in wording.items()]
    lists = retrieval.ranker.rank_queries(queries, deadline)
    retrieval.lists.update(zip(wording.items(), lists, strict=True))
    return retrieval.make_inputs(deadline)


def _normalize_clues(clues: Sequence[tuple[str, int]], index: Index) -> list[str]:
    """Normalize a puzzle's clues, each with its answer's length, unless the index has a clue as it is."""
    typed = [(normalize_typography(clue), length) for clue, length in clues]
    has_enumerations = clue_style.has_enumerations(typed)
    styled = [(clue, clue_style.normalize_style(clue, length, has_enumerations), length) for clue, length in typed]
    return strip_full_stops([_prefer_indexed(clue, bare, length, index) for clue, bare, length in styled])


def _prefer_indexed(clue: str, normalized: str, length: int, index: Index) -> str:
    """Return the clue as it is if the index has it in this form, else `normalized`."""
    key = text.clue_key(clue)
    is_indexed = key != text.clue_key(normalized) and len(index[length].find_uses(key).answer_rows)
    return clue if is_indexed else normalized


@dataclass(frozen=True)
class _Retrieval(ClueKnowledge):
    """What an index knows about a puzzle's clues in one wording; each wording of a clue is queried once."""

    puzzle: Puzzle
    index: Index
    missing_odds_factor: float
    first_wording: Mapping[Slot, str]
    wording: Mapping[Slot, str]
    similarity: AnswerSimilarity
    lists: dict[tuple[Slot, str], CandidateList] = field(default_factory=dict)  # of all wordings
    models: dict[str, StringModel] = field(default_factory=dict)  # of unlisted answers, by clue

    @property
    def ranker(self) -> Ranker:
        return self.index.get_cached(Ranker)

    def make_query(self, slot: Slot, clue: str, length: int) -> Query:
        factor = self.missing_odds_factor if length in AFFECTED_LENGTHS else 1.0
        return Query(clue, "?" * length, self.puzzle.clues.get(slot, ""), factor)

    def make_inputs(self, deadline: float) -> SolverInput:
        """Mix each clue's list for its present wording with the list for its first; if late, return only the latter."""
        first = self.first_wording
        new = [(slot, clue) for slot, clue in self.wording.items() if (slot, clue) not in self.lists]
        pairs = [
            (self.make_query(slot, clue, len(slot)), self.make_query(slot, first[slot], len(slot)))
            for slot, clue in new
        ]
        self.lists.update((new[i], candidates) for i, candidates in self.ranker.rank_rewordings(pairs, deadline))
        lists = {
            slot: self.lists.get((slot, clue), self.lists[slot, first[slot]]) for slot, clue in self.wording.items()
        }
        return SolverInput(lists, self.index.string_model, self)

    @property
    def has_reader(self) -> bool:
        return self.index.has_cross_encoder

    def string_models(self, slots: Sequence[Slot]) -> list[StringModel]:
        clues, known = [self.wording[slot] for slot in slots], self.models
        if new := list(dict.fromkeys(clue for clue in clues if clue not in known)):
            models = self.index.get_cached(UnlistedPrior).models_for_clues(new)
            known.update(zip(new, models, strict=True))
        return [known[clue] for clue in clues]

    def reword(self, answers: Mapping[Slot, str], deadline: float) -> SolverInput | None:
        wording = resolve_references(self.puzzle, answers)
        return replace(self, wording=wording).make_inputs(deadline) if wording != self.wording else None

    def lists_of_length(
        self, slot_lengths: Collection[SlotLength], depth: int | None, deadline: float
    ) -> Mapping[SlotLength, CandidateList]:
        queries = [self.make_query(slot, self.wording[slot], length) for slot, length in slot_lengths]
        return dict(zip(slot_lengths, self.ranker.rank_queries(queries, deadline, depth), strict=True))

    def score_strings(self, strings: Mapping[Slot, Sequence[str]]) -> Mapping[Slot, Sequence[ReaderScore]]:
        reader = self.index.cross_encoder
        assert reader is not None, "only where there is one"
        log_odds = reader.log_odds([(self.wording[slot], words) for slot, words in strings.items()])
        trust, segment = reader.trust, reader.segment
        return {
            slot: [
                ReaderScore(trust * odds, segment(word), odds) for word, odds in zip(words, row.tolist(), strict=True)
            ]
            for (slot, words), row in zip(strings.items(), log_odds, strict=True)
        }

    def language_logps(
        self, strings: Mapping[Slot, Sequence[str]], deadline: float
    ) -> Mapping[Slot, Mapping[str, float]]:
        if not strings or is_past(deadline - LANGUAGE_MODEL.max_seconds):
            return {}
        from regis.models.neural.language_model import installed_model  # most people don't have it

        model, reader = installed_model(), self.index.cross_encoder
        if model is None or reader is None:
            return {}
        cuts = {slot: [reader.segmenter.cut(word, 2) for word in words] for slot, words in strings.items()}
        logps = model.log_probabilities([(self.wording[slot], ways) for slot, ways in cuts.items()])
        return {
            slot: dict(zip(words, row, strict=True)) for (slot, words), row in zip(strings.items(), logps, strict=True)
        }

    def similarity_rank(self, answer: str, other_answers: Collection[str]) -> int | None:
        return self.similarity.rank_answer(answer, other_answers)


def resolve_references(puzzle: Puzzle, answers: Mapping[Slot, str]) -> dict[Slot, str]:
    """Replace each slot's references to other entries with their clues or their known `answers`."""
    slots = _slots_by_reference(puzzle)
    wording = {}
    for slot in puzzle.grid.slots:
        clue = puzzle.clues.get(slot, "")
        references = {r: slots[r] for r in find_references(clue) if r in slots and slots[r] != slot}
        wording[slot] = _word_clue(puzzle, clue, references, answers) if references else clue
    return wording


def _slots_by_reference(puzzle: Puzzle) -> dict[EntryReference, Slot]:
    return {EntryReference(slot.number, slot.direction is Direction.ACROSS): slot for slot in puzzle.grid.slots}


def _word_clue(
    puzzle: Puzzle, clue: str, references: Mapping[EntryReference, Slot], answers: Mapping[Slot, str]
) -> str:
    """Reword a clue that refers to the entries of `references`."""
    stripped = strip_references(clue)
    words = " ".join(answers[slot].lower() for slot in references.values() if slot in answers)
    if not stripped:
        other_clues = (strip_references(puzzle.clues.get(slot, "")) for slot in references.values())
        stripped = next(filter(None, other_clues), "")
        return f"{words} ___, {stripped}" if words else stripped or clue
    if not words:
        return clue
    if is_shared_clue(clue):
        return f"___ {words}, {stripped}"
    return insert_answers(clue, {r: answers[slot].lower() for r, slot in references.items() if slot in answers})


class AnswerSimilarity:
    """How well answers go together, by the vectors of clue encoders: BETH with AMY and MEG (Harris 1954)."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known_scores: dict[tuple[frozenset[str], int], Float32Array] = {}

    def rank_answer(self, answer: str, group: Collection[str]) -> int | None:
        """Rank an answer, from 1, among used answers of its length outside a group by similarity to the group's mean.

        None if it is in the group, or if it, the whole group, or the encoders are unknown.
        """
        partition = self._index[len(answer)]
        row = partition.answer_row(answer)
        if row < 0 or answer in group:
            return None
        key = frozenset(group), len(answer)
        if key not in self._known_scores:
            self._known_scores[key] = self._score_answers(*key)
        scores = self._known_scores[key]
        if not len(scores):
            return None
        as_similar = np.flatnonzero((scores >= scores[row]) & (partition.use_counts > 0))
        not_counted = [partition.answer_row(other) for other in (answer, *group) if len(other) == len(answer)]
        return 1 + int((~np.isin(as_similar, not_counted)).sum())

    def _score_answers(self, group: frozenset[str], length: int) -> Float32Array:
        """Score each answer of a length against the group, (answers,); empty if nothing is known."""
        partitions = [(self._index[len(answer)], answer) for answer in sorted(group)]
        known = [(partition, row) for partition, answer in partitions if (row := partition.answer_row(answer)) >= 0]
        if not known or not self._index.encoders:
            return np.zeros(0, np.float32)
        scores = np.zeros(len(self._index[length].answer_letters), np.float32)
        for home in self._index.encoders:
            vectors = [partition.answer_vectors(home).vectors.dequantize(np.array([row])) for partition, row in known]
            mean: Float32Array = np.mean(normalize_rows(np.concatenate(vectors)), axis=0, keepdims=True)
            scores += self._index[length].answer_vectors(home).vectors.score(mean)[0]
        return scores
