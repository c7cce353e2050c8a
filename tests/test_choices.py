"""What the reader learns on: right answers among wrong ones of the kind that it will meet."""

import corpus
import numpy as np
import pytest
import shared
import test_embedding

from regis.building.training import choices
from regis.building.training.choices import ANSWERS, Clues, drawn
from regis.building.training.spelling import speller
from regis.index import Index

small = test_embedding.small


@pytest.fixture(scope="module")
def learned() -> Index:
    """An index with an encoder."""
    return Index.open(shared.once("choices", make) / "index")


def make(folder):
    from regis.building.training import train
    from regis.system.progress import silent

    built = shared.copied(corpus.rows((2004, 2005)), folder)
    train.learn_encoder(built.folder, epochs=1, progress=silent)


def test_the_right_answer_is_among_wrong_ones(learned: Index):
    clues = drawn(learned, 60, np.random.default_rng(1))
    found = choices.choices(learned, clues, np.random.default_rng(2))
    again = choices.choices(learned, clues, np.random.default_rng(2))
    assert len(found) == 60 and found == again
    for length, row, choice in zip(clues.length.tolist(), clues.row.tolist(), found, strict=True):
        part = learned[length]
        assert choice.clue == part.clue_column[row]
        assert choice.answers[0].encode() == part.names[part.clue_answer[row]]
        assert len(set(choice.answers)) == ANSWERS and {len(answer) for answer in choice.answers} == {length}
    rivals = [answer for choice in found for answer in choice.answers[1:]]
    listed = [answer for answer in rivals if learned[len(answer)].answer_row(answer) >= 0]
    assert 0.2 < len(listed) / len(rivals) < 0.95, "some are in a list, some are not"


def test_answers_alike_are_among_them(learned: Index):
    """Those of a list that differ in one letter, whatever the encoder thinks of them, and strings that do in few."""
    part = learned[5]
    rows = np.flatnonzero(part.clue_answer == part.answer_row("MOOSE"))[:1]
    for seed in range(9):
        right, *wrong = choices.choices(learned, Clues(np.array([5]), rows), np.random.default_rng(seed))[0].answers
        assert right == "MOOSE" and {"GOOSE", "MOUSE"} <= set(wrong)
        apart = [sum(x != y for x, y in zip(right, answer, strict=True)) for answer in wrong]
        assert apart.count(1) + apart.count(2) >= 3


def test_the_one_most_alike_of_those_that_the_encoder_thinks_of_is_among_them(
    learned: Index, monkeypatch: pytest.MonkeyPatch
):
    """Where no other listed answer is taken."""
    monkeypatch.setattr(choices, "THOUGHT", 0)
    monkeypatch.setattr(choices, "NEAR", 0)
    part = learned[5]
    rows = np.flatnonzero(part.clue_answer == part.answer_row("MOOSE"))[:1]
    for seed in range(9):
        wrong = choices.choices(learned, Clues(np.array([5]), rows), np.random.default_rng(seed))[0].answers[1:]
        (alike,) = [answer for answer in wrong if part.answer_row(answer) >= 0]
        assert sum(x != y for x, y in zip("MOOSE", alike, strict=True)) <= 2


def test_of_an_index_that_does_not_know_its_newest_year(learned: Index):
    before = learned.as_it_was()
    clues = drawn(before, 10_000, np.random.default_rng(1))
    live = sum(int((part.clue_count > 0).sum()) for part in before.parts() if part.length > 2)
    assert len(clues.row) == live < 10_000, "all of them, where there are not so many"
    assert all(before[n].clue_count[row] > 0 for n, row in zip(*clues, strict=True))


def test_words_that_answers_are_cut_into(learned: Index):
    taught = speller(learned)
    words = [word.decode("ascii") for word in taught.words.tolist()]
    assert {"CITY", "RIVER"} <= set(words) and words == sorted(words) and taught.used.min() >= 1
    assert all(word.isalpha() and word.isupper() for word in words)
    assert speller(learned).said("LONGRIVER") == "long river"
