"""The reader of a clue and its answers, and how it cuts answers into words: a slow, obvious version gives the same
results; and damage is noticed."""

from pathlib import Path

import corpus
import numpy as np
import pytest
import strong
from slow_bert import SlowBert

from regis.errors import IndexDamaged
from regis.index import Index
from regis.index.tables import learned_models
from regis.models.neural.cross_encoder import FITTED_FILE, CrossEncoder, WordSegmenter
from regis.models.neural.transformer import MAX_CLUE_TOKENS, MODEL_FILE, TOKENIZER_FILE
from regis.models.text.wordpiece import WordPieceTokenizer

SPELLER = WordSegmenter.from_word_counts(dict.fromkeys(corpus.HINTS, 5.0))
ASKED = [
    ("Long river", ["NILE", "LION"]),
    ("City of light, perhaps", ["PARIS", "BADGER", "PARISNILE", "XQ"]),
    ("", ["EAGLE"]),
    ("Fast hunter", ["FALCON"]),
    ("Famous " * 40, ["OSTRICH", "OAKOAKOAK"]),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader") / "reader"
    strong.write_reader(folder)
    return folder


@pytest.fixture(scope="module")
def reader(home: Path) -> CrossEncoder:
    return CrossEncoder(home, SPELLER)


def slowly(home: Path, clue: str, answer: str) -> float:
    """Return the odds of one answer after its clue."""
    slow, words = SlowBert(home / MODEL_FILE), WordPieceTokenizer(home / TOKENIZER_FILE, MAX_CLUE_TOKENS)
    first, second = words.encode_text(clue), words.encode_text(SPELLER.segment(answer))[1:]
    said, x = slow.begun(first), slow.begun(second, len(first), 1)
    return float(slow.read(x, np.vstack([said, x]))[0])


def test_it_says_what_a_slow_one_says(home: Path, reader: CrossEncoder):
    for (clue, answers), odds in zip(ASKED, reader.log_odds(ASKED), strict=True):
        assert np.allclose(odds, [slowly(home, clue, answer) for answer in answers], atol=5e-3)


def test_answers_do_not_see_each_other(reader: CrossEncoder):
    together = reader.log_odds(ASKED)
    for (clue, answers), odds in zip(ASKED, together, strict=True):
        for answer, one in zip(answers, odds.tolist(), strict=True):
            assert reader.log_odds([(clue, [answer])])[0][0] == pytest.approx(one, abs=1e-4)
        backwards = reader.log_odds([(clue, answers[::-1])])[0]
        assert np.allclose(backwards[::-1], odds, atol=1e-4)
    assert np.ptp(np.concatenate(together)) > 0.1, "they are not all alike"


def test_an_index_has_one_or_none(tmp_path: Path, whole: Index):
    index = strong.with_reader(tmp_path, trust=0.25)
    assert index.cross_encoder is not None and index.cross_encoder.trust == 0.25
    assert index.cross_encoder.segment("PARISNILE") == "paris nile"
    assert whole.cross_encoder is None


@pytest.mark.parametrize(
    "name", [f"reader/{MODEL_FILE}", f"reader/{TOKENIZER_FILE}", f"reader/{FITTED_FILE}", "reader.arrays"]
)
@pytest.mark.parametrize("data", [b"", b"{}", b'{"trust": 99}', b"\xff" * 5000, None])
def test_damage_is_reported(name: str, data: bytes | None, tmp_path: Path):
    index = strong.with_reader(tmp_path)
    path = index.folder / name
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(IndexDamaged):
        learned_models.read_cross_encoder(Index(index.folder, index.manifest).files)


def test_a_transformer_is_no_reader(tmp_path: Path):
    strong.write_reader(tmp_path / "reader")
    strong.write_network(tmp_path / "transformer")
    (tmp_path / "reader" / MODEL_FILE).write_bytes((tmp_path / "transformer" / MODEL_FILE).read_bytes())
    with pytest.raises(ValueError, match="doesn't match"):
        CrossEncoder(tmp_path / "reader", SPELLER)


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
