"""What reads a clue and answers together: what a slow, obvious one makes of the same file, and what damage does."""

from pathlib import Path

import corpus
import numpy as np
import pytest
import strong
from slow_bert import SlowBert

from regis.errors import IndexDamaged
from regis.index import Index, learned, schema
from regis.models import tensors
from regis.models.bert import quantised
from regis.models.reader import FITTED, MODEL, TOKENIZER, Reader
from regis.models.reader import WORDS as USED
from regis.models.spelling import Speller
from regis.models.transformer import LONGEST
from regis.models.wordpiece import WordPiece

SPELLER = Speller.of(dict.fromkeys(corpus.HINTS, 5.0))
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
def reader(home: Path) -> Reader:
    return Reader(home, SPELLER)


def slowly(home: Path, clue: str, answer: str) -> float:
    """The odds of one answer, the clue read before it."""
    slow, words = SlowBert(home / MODEL), WordPiece(home / TOKENIZER, LONGEST)
    first, second = words.encode(clue), words.encode(SPELLER.said(answer))[1:]
    said, x = slow.begun(first), slow.begun(second, len(first), 1)
    return float(slow.read(x, np.vstack([said, x]))[0])


def test_it_says_what_a_slow_one_says(home: Path, reader: Reader):
    for (clue, answers), odds in zip(ASKED, reader.odds(ASKED), strict=True):
        assert np.allclose(odds, [slowly(home, clue, answer) for answer in answers], atol=5e-3)


def test_answers_do_not_see_each_other(reader: Reader):
    together = reader.odds(ASKED)
    for (clue, answers), odds in zip(ASKED, together, strict=True):
        for answer, one in zip(answers, odds.tolist(), strict=True):
            assert reader.odds([(clue, [answer])])[0][0] == pytest.approx(one, abs=1e-4)
        backwards = reader.odds([(clue, answers[::-1])])[0]
        assert np.allclose(backwards[::-1], odds, atol=1e-4)
    assert np.ptp(np.concatenate(together)) > 0.1, "they are not all alike"


def test_the_clue_matters(reader: Reader):
    odds = [reader.odds([(clue, ["NILE"])])[0][0] for clue in ("Long river", "Fjord city", "Red fruit")]
    assert len({round(float(one), 3) for one in odds}) == 3


def test_four_bits_are_read(home: Path, tmp_path: Path, reader: Reader):
    small = tmp_path / "reader"
    strong.write_reader(small)
    tensors.write(small / MODEL, quantised(tensors.read(home / MODEL), 4))
    found, right = (np.concatenate(one.odds(ASKED)) for one in (Reader(small, SPELLER), reader))
    assert 0 < np.abs(found - right).max() < 1


def test_an_index_has_one_or_none(tmp_path: Path, whole: Index):
    index = strong.with_reader(tmp_path, trust=0.25)
    assert index.reader is not None and index.reader.trust == 0.25
    assert index.reader.said("PARISNILE") == "paris nile"
    assert whole.reader is None


@pytest.mark.parametrize("name", [MODEL, TOKENIZER, USED, FITTED])
@pytest.mark.parametrize("data", [b"", b"{}", b'{"trust": 99}', b"\xff" * 5000, None])
def test_damage_is_told_of(name: str, data: bytes | None, tmp_path: Path):
    index = strong.with_reader(tmp_path)
    path = index.folder / schema.READER / name
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(IndexDamaged):
        learned.reader(Index(index.folder, index.manifest).home)


def test_a_transformer_is_no_reader(tmp_path: Path):
    strong.write_reader(tmp_path / "reader")
    strong.write_network(tmp_path / "transformer")
    (tmp_path / "reader" / MODEL).write_bytes((tmp_path / "transformer" / MODEL).read_bytes())
    with pytest.raises(ValueError, match="go with"):
        Reader(tmp_path / "reader", SPELLER)
