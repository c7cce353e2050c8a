"""Clues with answers to choose from, on which the reader learns (building.training.cross_encoder_trainer).

Beside the right answer stand wrong ones of the kind that it will meet: the best of an encoder, the most alike of them,
answers that differ in one letter, and strings with a letter or two changed. New clues are drawn more often.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.building.training.base_encoder import CLUE_HALF_LIFE, MAX_CLUE_AGE, rehearsal_chances
from regis.index import Index, Partition
from regis.index.tables import schema
from regis.puzzle.alphabet import codes_to_word

ANSWERS_PER_CLUE = 10  # to choose from, the right one among them
ENCODER_NEGATIVES = 4  # answers to choose from that an encoder thinks of
NEIGHBOUR_NEGATIVES = 2  # answers to choose from that differ in one letter
ENCODER_POOL = 24  # how many of what an encoder thinks are drawn, for those and the one with most letters alike
SAMPLING_TEMPERATURE = 1.7  # by how much log odds are divided before they are drawn from, so that not only the best are
ONE_LETTER_SHARE = 0.6  # share of the changed strings in which one letter is changed, not two
MIN_ANSWER_LENGTH = 3  # letters of the shortest answers that are learned on
MAX_ANSWER_LENGTH = 21


class AnswerChoice(NamedTuple):
    """A clue and the answers to choose from."""

    clue: str
    answers: tuple[str, ...]  # the first is right


class ClueSample(NamedTuple):
    """Clues that were drawn: parallel arrays."""

    answer_lengths: NDArray[np.int64]
    clue_rows: NDArray[np.int64]  # of the clue table of that length


def draw_clues(
    index: Index, clue_count: int, generator: np.random.Generator, starter_year: int | None = None
) -> ClueSample:
    """Draw clues of `index`, newer ones likelier, in no order; clues up to `starter_year` less often."""
    lengths, rows, chances = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    newest_year = index.manifest.newest_year or 0
    for part in index.partitions():
        if MIN_ANSWER_LENGTH <= part.length <= MAX_ANSWER_LENGTH and len(part.answers) > 1:
            live = np.flatnonzero(part.clue_counts > 0)
            lengths.append(np.full(len(live), part.length))
            rows.append(live)
            last_years = part.clue_last_years[live].astype(np.int64)
            by_age = 0.5 ** ((newest_year - last_years).clip(0, MAX_CLUE_AGE) / CLUE_HALF_LIFE)
            chances.append(by_age if starter_year is None else by_age * rehearsal_chances(last_years, starter_year))
    length, row, chance = np.concatenate(lengths), np.concatenate(rows), np.concatenate(chances)
    p = chance / chance.sum() if len(chance) else None
    chosen = generator.choice(len(row), min(clue_count, len(row)), replace=False, p=p)
    return ClueSample(length[chosen], row[chosen])


def build_choices(index: Index, clue_sample: ClueSample, generator: np.random.Generator) -> list[AnswerChoice]:
    """Put wrong answers beside the right ones of the clues, in their order."""
    choices: dict[int, AnswerChoice] = {}
    for length in np.unique(clue_sample.answer_lengths).tolist():
        places = np.flatnonzero(clue_sample.answer_lengths == length)
        part = index[length]
        rows = clue_sample.clue_rows[places]
        clue_texts = part.clue_texts.take_texts(rows)
        answer_rows = part.clue_answer_rows[rows].astype(np.int64)
        pools = _draw_encoder_pools(index, part, clue_texts, generator)
        for place, clue, answer, pool in zip(places.tolist(), clue_texts, answer_rows.tolist(), pools, strict=True):
            choices[place] = AnswerChoice(clue, _choose_answers(part, answer, pool[pool != answer], generator))
    return [choices[place] for place in range(len(clue_sample.clue_rows))]


def _draw_encoder_pools(
    index: Index, part: Partition, clues: list[str], generator: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Yield, clue by clue, rows of what the best encoder thinks, drawn without replacement (Gumbel)."""
    encoder_name = schema.TRANSFORMER if index.transformer is not None else schema.ENCODER
    vectors = index.encoders[encoder_name].encode(clues)
    score = part.answer_vectors(encoder_name).score(vectors)
    uniform = generator.random(score.shape, np.float32).clip(1e-9, 1 - 1e-7)
    score = score / SAMPLING_TEMPERATURE - np.log(-np.log(uniform))
    score[:, ~part.is_live] = -np.inf
    count = min(ENCODER_POOL, score.shape[1])
    yield from np.argpartition(-score, count - 1, axis=1)[:, :count]


def _choose_answers(
    part: Partition, answer_row: int, encoder_pool: NDArray[np.int64], generator: np.random.Generator
) -> tuple[str, ...]:
    """Return the right answer and the wrong ones, no string twice."""
    letters = part.answer_letters[answer_row]
    letters_apart = (part.answer_letters != letters).sum(axis=1)
    encoder_pool = generator.permutation(encoder_pool[part.is_live[encoder_pool]])
    most_alike = encoder_pool[np.argsort(letters_apart[encoder_pool], kind="stable")[:1]]
    neighbours = generator.permutation(np.flatnonzero((letters_apart == 1) & part.is_live))[:NEIGHBOUR_NEGATIVES]
    negatives = np.concatenate([encoder_pool[:ENCODER_NEGATIVES], most_alike, neighbours])
    rows = dict.fromkeys([answer_row, *negatives.tolist()])
    answers = dict.fromkeys(codes_to_word(part.answer_letters[row]) for row in rows)
    while len(answers) < ANSWERS_PER_CLUE:
        changed = letters.copy()
        for i in generator.permutation(len(letters))[: 1 if generator.random() < ONE_LETTER_SHARE else 2]:
            changed[i] = generator.choice(np.delete(np.arange(26), changed[i]))
        answers[codes_to_word(changed)] = None
    return tuple(answers)[:ANSWERS_PER_CLUE]
