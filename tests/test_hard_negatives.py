"""What the reader learns from: right answers among wrong ones of the kinds that it will meet."""

from collections.abc import Iterator

import numpy as np
import test_embedding

from regis.building.settings import READER
from regis.building.training import cross_encoder_trainer
from regis.building.training.cross_encoder_trainer import ClueSample, build_segmenter, draw_clues
from regis.index import Index

small, plain, taught = test_embedding.small, test_embedding.plain, test_embedding.taught


def test_the_right_answer_is_among_wrong_ones(taught: Index):
    clues = draw_clues(taught, 60, np.random.default_rng(1))
    found = cross_encoder_trainer.build_choices(taught, clues, np.random.default_rng(2))
    again = cross_encoder_trainer.build_choices(taught, clues, np.random.default_rng(2))
    assert len(found) == 60 and found == again
    for length, row, choice in zip(clues.answer_lengths.tolist(), clues.clue_rows.tolist(), found, strict=True):
        part = taught[length]
        assert choice.clue == part.clue_texts[row]
        assert choice.answers[0].encode() == part.answers[part.clue_answer_rows[row]]
        assert len(set(choice.answers)) == READER.answers_per_clue and {len(answer) for answer in choice.answers} == {
            length
        }
    rivals = [answer for choice in found for answer in choice.answers[1:]]
    listed = [answer for answer in rivals if taught[len(answer)].answer_row(answer) >= 0]
    assert 0.2 < len(listed) / len(rivals) < 0.95, "some are in a list, some are not"


def moose_choices(taught: Index) -> Iterator[tuple[str, ...]]:
    """Yield the choices of several lessons on a clue of MOOSE."""
    part = taught[5]
    sample = ClueSample(np.array([5]), np.flatnonzero(part.clue_answer_rows == part.answer_row("MOOSE"))[:1])
    for seed in range(9):
        yield cross_encoder_trainer.build_choices(taught, sample, np.random.default_rng(seed))[0].answers


def test_answers_alike_are_among_them(taught: Index):
    """Listed answers that differ in one letter, whatever the encoder prefers, and strings that differ in few."""
    for right, *wrong in moose_choices(taught):
        assert right == "MOOSE" and {"GOOSE", "MOUSE"} <= set(wrong)
        apart = [sum(x != y for x, y in zip(right, answer, strict=True)) for answer in wrong]
        assert apart.count(1) + apart.count(2) >= 3


def test_the_most_similar_of_the_encoders_answers_is_a_choice(taught: Index, monkeypatch):
    """If no other listed answer is chosen."""
    monkeypatch.setattr(cross_encoder_trainer, "ENCODER_NEGATIVES", 0)
    monkeypatch.setattr(cross_encoder_trainer, "NEIGHBOR_NEGATIVES", 0)
    for _, *wrong in moose_choices(taught):
        (alike,) = [answer for answer in wrong if taught[5].answer_row(answer) >= 0]
        assert sum(x != y for x, y in zip("MOOSE", alike, strict=True)) <= 2


def test_words_that_answers_are_cut_into(taught: Index):
    segmenter = build_segmenter(taught)
    words = [word.decode("ascii") for word in segmenter.words.tolist()]
    assert {"CITY", "RIVER"} <= set(words) and words == sorted(words) and segmenter.word_counts.min() >= 1
    assert all(word.isalpha() and word.isupper() for word in words)
    assert segmenter.segment("LONGRIVER") == "long river"
