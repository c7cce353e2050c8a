"""What reads a clue and answers together: what a slow, obvious one makes of the same file, and what damage does."""

import math
from pathlib import Path

import corpus
import numpy as np
import pytest
import strong

from regis.errors import IndexDamaged
from regis.index import Index, learned, schema
from regis.models import tensors
from regis.models.bert import HEADS, PLACES, TYPES, WORDS, quantised
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
    """The odds of one answer, the clue read before it, in float64."""
    held = {name: values.astype(np.float64) for name, values in tensors.unpacked(tensors.read(home / MODEL)).items()}
    words = WordPiece(home / TOKENIZER, LONGEST)
    first, second = words.encode(clue), words.encode(SPELLER.said(answer))[1:]

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ held[f"{name}.weight"].T + held[f"{name}.bias"]

    def normal(x: np.ndarray, name: str) -> np.ndarray:
        x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
        return x * held[f"{name}.weight"] + held[f"{name}.bias"]

    def seen(x: np.ndarray, others: np.ndarray) -> np.ndarray:
        query, key, value = (
            np.split(dense(of, f"layer.0.{name}"), HEADS, axis=1)
            for of, name in ((x, "query"), (others, "key"), (others, "value"))
        )
        heads = []
        for q, k, v in zip(query, key, value, strict=True):
            chance = np.exp(q @ k.T / math.sqrt(q.shape[1]))
            heads.append(chance / chance.sum(axis=1, keepdims=True) @ v)
        return dense(np.hstack(heads), "layer.0.attention")

    places = held[PLACES][: len(first) + len(second)]
    said = normal(held[WORDS][first] + places[: len(first)] + held[TYPES][0], "norm")
    x = normal(held[WORDS][second] + places[len(first) :] + held[TYPES][1], "norm")
    x = normal(x + seen(x, np.vstack([said, x])), "layer.0.attention.norm")
    inner = dense(x, "layer.0.intermediate")
    inner *= 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
    x = normal(x + dense(inner, "layer.0.output"), "layer.0.output.norm")
    return float(dense(x.mean(axis=0, keepdims=True), "turn")[0, 0])


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
