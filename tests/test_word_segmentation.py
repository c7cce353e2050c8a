"""How answers are cut: into words that are likely together."""

import random
import time

import pytest

from regis.models.neural import cross_encoder
from regis.models.neural.cross_encoder import WordSegmenter

USED = {"RED": 50, "SEA": 60, "SCROLLS": 5, "ACT": 70, "REDACT": 9, "A": 400, "I": 300, "S": 90, "AT": 200,
        "ANT": 40, "ANTS": 12, "ALE": 30, "ALES": 4, "ON": 300, "OFF": 100, "SCROLL": 20, "THE": 500}  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("REDSEASCROLLS", "red sea scrolls"), ("REDACT", "redact"), ("ANTS", "ants"), ("ONANDOFF", "on and off"),
        ("ATALE", "at ale"), ("SALES", "s ales"), ("THEQQQQ", "the qqqq"), ("", ""), ("X", "x"),
    ],
)  # fmt: skip
def test_the_likeliest_words_are_few(answer: str, said: str):
    assert WordSegmenter.from_word_counts(USED | {"AND": 400}).segment(answer) == said


def test_the_likeliest_ways_come_in_order():
    segmenter = WordSegmenter.from_word_counts(USED)
    assert segmenter.cut("SALES", 3) == ["s ales", "s ale s", "sales"]
    assert segmenter.cut("X", 3) == ["x"]


def test_letters_stay_in_their_order():
    generator = random.Random(1)
    speller = WordSegmenter.from_word_counts(USED)
    for _ in range(200):
        answer = "".join(generator.choices("ABCDERSTLNO", k=generator.randrange(1, 26)))
        assert speller.segment(answer).replace(" ", "").upper() == answer


def test_words_that_were_looked_up_are_looked_up_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cross_encoder, "MAX_CACHED_PIECES", 3)
    speller = WordSegmenter.from_word_counts(USED)
    answers = ["REDSEA", "SALES", "ANTS", "REDSEA", "THESCROLLS", "SALES"]
    found = [speller.segment(answer) for answer in answers]
    assert found == [WordSegmenter.from_word_counts(USED).segment(answer) for answer in answers]


def test_one_letter_again_and_again_and_nothing_known():
    begun = time.process_time()
    assert WordSegmenter.from_word_counts({}).segment("A" * 25).replace(" ", "") == "a" * 25
    assert WordSegmenter.from_word_counts(USED).segment("S" * 250).replace(" ", "") == "s" * 250
    assert time.process_time() - begun < 1
