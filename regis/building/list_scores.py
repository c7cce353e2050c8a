"""What a list is worth: how often its words become answers, by list and length.

One unit of score is `nats_per_score` nats of that frequency (measured: docs/experiments/word-lists.md). Lists' own
scores aren't comparable, so their words are compared with the new answers of the newest year below the layers. Words of
the same lists are a group. It is as likely as its words became answers, relative to words that the lists below have.
Within a group, the list's own score counts, and the oddness of the letters (`letter_plausibility`), because random
strings would crowd out real ones. In an index without clues, answers used once, in its newest year, count as new.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from regis.building import dedupe_uses
from regis.building.settings import LISTS
from regis.index import Index
from regis.index.layers.layer_files import LayersByName
from regis.index.tables import writer
from regis.models import arrays
from regis.puzzle import alphabet

MIN_USED_ANSWERS = 100  # used answers of a length that allow a comparison


def letter_plausibility(names: NDArray[np.bytes_], index: Index) -> NDArray[np.float64]:
    """Rate words of one length by their letters: (words,), LISTS.min_plausibility to 1."""
    part = index[names.itemsize]
    used_loglik = np.sort(index.letter_model.string_logliks(part.answer_letters[part.use_counts > 0]))
    if len(used_loglik) < MIN_USED_ANSWERS:
        return np.ones(len(names))
    word_loglik = index.letter_model.string_logliks(alphabet.letter_table(names))
    odder_share = np.searchsorted(used_loglik, word_loglik) / len(used_loglik)
    plausibility: NDArray[np.float64] = np.clip(odder_share / LISTS.odd_share, LISTS.min_plausibility, 1.0)
    return plausibility


MIN_NEW_ANSWERS = 50  # new answers in the lists below; with fewer, lists count as they are

WordGroup = tuple[bool, ...]


class ListedWords(NamedTuple):
    """The distinct words of lists, of one length: parallel arrays."""

    group_index: NDArray[np.int64]  # index in `word_groups`
    word_groups: list[WordGroup]  # for each layer whether it has the word; last, whether any list below has it
    list_scores: NDArray[np.float64]  # score in the list, adjusted for oddness
    is_new: NDArray[np.bool_]  # whether it wasn't an answer before the newest year
    is_hit: NDArray[np.bool_]  # whether it became an answer in that year


class HitCount(NamedTuple):
    """The expected hits of some words if they were usual words, and their hits."""

    expected_hits: float
    hits: float

    def __add__(self, other: object) -> HitCount:
        assert isinstance(other, HitCount)
        return HitCount(self.expected_hits + other.expected_hits, self.hits + other.hits)

    def hit_ratio(self, prior_ratio: float) -> float:
        """Estimate how many times as often as usual these words become answers, given a prior."""
        return (self.hits + LISTS.prior_strength * prior_ratio) / (self.expected_hits + LISTS.prior_strength)


def score_layers(layers: LayersByName, base_index: Index) -> pa.Table:
    """Join the entries of all layers that count in addition to the index below, and score their words.

    Returns a table of LAYER_SCHEMA; a word's `score` is -3 to 1 and never 0.
    """
    ordered = dedupe_uses.dedupe_layers(layers, base_index)
    entries_table = pa.concat_tables([writer.LAYER_SCHEMA.empty_table(), *ordered])
    is_word = pc.equal(entries_table["clue"], "").to_numpy(zero_copy_only=False)
    layer_numbers = np.repeat(np.arange(len(ordered)), [len(entries) for entries in ordered])
    if not is_word.any():
        return entries_table
    answers = entries_table["answer"].filter(pa.array(is_word))
    sizes, rows = pc.utf8_length(answers).to_numpy(), np.flatnonzero(is_word)
    given_scores = entries_table["score"].to_numpy()
    hit_rates = _usual_hit_rates(base_index)
    words_by_length: dict[int, ListedWords] = {}
    place: dict[int, NDArray[np.int64]] = {}
    for length in np.unique(sizes).tolist():
        here = np.flatnonzero(sizes == length)
        names = answers.take(pa.array(here)).to_numpy(zero_copy_only=False).astype(f"S{length}")
        unique, place[length] = np.unique(names, return_inverse=True)
        in_list = np.zeros((len(unique), len(ordered)), bool)
        in_list[place[length], layer_numbers[rows[here]]] = True
        best_scores = np.full(len(unique), -np.inf)
        np.maximum.at(best_scores, place[length], given_scores[rows[here]])
        words_by_length[length] = _compare_words(unique, in_list, best_scores, base_index)
    fitted_scores = _fit_scores(words_by_length, hit_rates)
    scores = given_scores.astype(np.float64)
    for length, score in fitted_scores.items():
        scores[rows[sizes == length]] = score[place[length]]
    column = writer.LAYER_SCHEMA.get_field_index("score")
    field = writer.LAYER_SCHEMA.field("score")
    return entries_table.set_column(column, field, pa.array(scores.astype(np.float32)))


def _compare_words(
    names: NDArray[np.bytes_], in_list: NDArray[np.bool_], best_scores: NDArray[np.float64], base_index: Index
) -> ListedWords:
    """Compare sorted words of one length, (words,), with the answers below.

    `in_list`, (words, layers), marks the layers that have each word; `best_scores`, (words,), is the best score in any
    layer.
    """
    known_answers = _KnownAnswers.of_length(base_index, names.dtype.itemsize)
    place, is_known = arrays.find_sorted(known_answers.names, names)
    membership = np.column_stack([in_list, _look_up(known_answers.is_listed, place, is_known)])
    groups, group = np.unique(membership, axis=0, return_inverse=True)
    scores = best_scores + np.log(letter_plausibility(names, base_index)) / LISTS.nats_per_score
    is_new = ~_look_up(known_answers.used_before, place, is_known)
    is_hit = _look_up(known_answers.newly_used, place, is_known)
    return ListedWords(group.ravel(), [tuple(row) for row in groups.tolist()], scores, is_new, is_hit)


def _fit_scores(
    words_by_length: Mapping[int, ListedWords], hit_rates: Mapping[int, float]
) -> Mapping[int, NDArray[np.float64]]:
    """Score the words of each length by how often their groups become answers, compared with usual words."""
    length_counts: dict[int, list[HitCount]] = {}
    total_counts: dict[WordGroup, HitCount] = defaultdict(lambda: HitCount(0.0, 0.0))
    for length, words in words_by_length.items():
        usual_hits = np.exp(LISTS.nats_per_score * (words.list_scores - LISTS.usual_score))
        expected = hit_rates.get(length, 0.0) * usual_hits * words.is_new
        sums = [np.bincount(words.group_index, one, len(words.word_groups)) for one in (expected, words.is_hit)]
        length_counts[length] = [HitCount(*pair) for pair in np.stack(sums, axis=1).tolist()]
        for group, one in zip(words.word_groups, length_counts[length], strict=True):
            total_counts[group] += one
    fitted_scores = {}
    for length, words in words_by_length.items():
        pairs = zip(words.word_groups, length_counts[length], strict=True)
        priors = ((one, total_counts[group].hit_ratio(1.0)) for group, one in pairs)
        ratios = np.array([one.hit_ratio(prior) if hit_rates else 1.0 for one, prior in priors])
        gains = np.log(ratios)[words.group_index] / LISTS.nats_per_score
        fitted_scores[length] = round_scores(words.list_scores + gains)
    return fitted_scores


def round_scores(scores: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Bound and round scores; none is 0."""
    bounded = np.clip(scores.astype(np.float64), LISTS.min_score, LISTS.max_score)
    return np.where(np.abs(bounded) < LISTS.smallest_score, LISTS.smallest_score, np.round(bounded, 3))


class _KnownAnswers(NamedTuple):
    """The answers below, of one length: parallel arrays."""

    names: NDArray[np.bytes_]
    used_before: NDArray[np.bool_]  # before the newest year
    newly_used: NDArray[np.bool_]  # used in that year for the first time
    is_listed: NDArray[np.bool_]  # in any list
    score: NDArray[np.float32]

    @classmethod
    def of_length(cls, base_index: Index, length: int) -> _KnownAnswers:
        part = base_index[length]
        rows = np.flatnonzero(part.is_live)
        if base_index.manifest.without_clues:
            newly_used = (part.use_counts == 1) & (part.last_years == (base_index.manifest.newest_year or 0))
        else:
            newly_used = (part.use_counts > 0) & (base_index.before_newest_year()[length].use_counts == 0)
        is_listed = part.list_scores != 0
        if base_index.relations is not None and len(rows):
            is_listed[base_index.relations.read_forms(length, len(part.answers))[1]] = True
        used_before = (part.use_counts > 0) & ~newly_used
        return cls(part.answers[rows], used_before[rows], newly_used[rows], is_listed[rows], part.list_scores[rows])


def _usual_hit_rates(base_index: Index) -> Mapping[int, float]:
    """Estimate, by length, how often a word with LISTS.usual_score became an answer; empty if unknown."""
    length_counts = {}
    for length in base_index.lengths:
        known_answers = _KnownAnswers.of_length(base_index, length)
        candidates_mask = known_answers.is_listed & ~known_answers.used_before
        scored = candidates_mask & (known_answers.score != 0)
        default = known_answers.score[scored].mean() if scored.any() else LISTS.usual_score
        score = np.where(known_answers.score != 0, known_answers.score, default)[candidates_mask]
        expected = float(np.exp(LISTS.nats_per_score * (score - LISTS.usual_score)).sum())
        length_counts[length] = HitCount(expected, float(known_answers.newly_used[candidates_mask].sum()))
    total_count = sum(length_counts.values(), HitCount(0.0, 0.0))
    if total_count.hits < MIN_NEW_ANSWERS:
        return {}
    rate = total_count.hits / total_count.expected_hits
    counts = {length: HitCount(rate * one.expected_hits, one.hits) for length, one in length_counts.items()}
    return {length: rate * count.hit_ratio(1.0) for length, count in counts.items()}


def _look_up(values: NDArray[np.bool_], place: NDArray[np.int64], is_known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return `values` at each `place`, False for unknown words."""
    return is_known & (values[place] if len(values) else False)
