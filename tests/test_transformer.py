"""The strong encoder: laws of encoding with a tiny network of our own, and what an index does with it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import corpus
import numpy as np
import pytest
import tiny

from regis.building.training import reading
from regis.building.training.fresh import Fresh
from regis.errors import IndexDamaged, IndexUnreadable
from regis.index import Index, schema
from regis.models import transformer
from regis.models.embedding import DIMENSIONS
from regis.models.transformer import Transformer, padded, spoken
from regis.solving.pipeline import solve
from regis.system.crew import Crew

CLUES = [
    "Fjord city",
    "Bean city",
    "city",
    "",
    "東京",
    "___ city",
    "Capital on a fjord, with nothing else to do",
    "x" * 500,
]


@pytest.mark.parametrize("clues", [[], [""], ["Fjord city"], ["?!", "東京", "x" * 500, "word " * 300, "___ city"]])
def test_clues_together_are_as_alone(clues: list[str], network: Path):
    together = Transformer(network).encode(clues)
    assert together.shape == (len(clues), DIMENSIONS) and together.dtype == np.float32
    for clue, vector in zip(clues, together, strict=True):
        assert Transformer(network).encode([clue])[0] == pytest.approx(vector, rel=1e-4, abs=1e-4)


def test_what_was_read_is_remembered_up_to_a_bound(network: Path, monkeypatch: pytest.MonkeyPatch):
    encoder = Transformer(network)
    monkeypatch.setattr(transformer, "REMEMBERED", 3)
    first = encoder.encode(["Fjord city", "Bean city"])
    for clue in ("a", "b", "c", "Fjord city", "d"):
        encoder.encode([clue])
    assert np.array_equal(encoder.encode(["Fjord city", "Bean city", "Fjord city"])[:2], first)


def test_who_is_reading_keeps_what_it_has_when_another_puzzle_is_begun(network: Path, monkeypatch: pytest.MonkeyPatch):
    encoder = Transformer(network)
    right = encoder._network
    encoder.encode(["Fjord city"])

    def interrupted(*tables: object) -> object:
        encoder.begin(["Another clue"])
        return right(*tables)

    monkeypatch.setattr(encoder, "_network", interrupted)
    assert encoder.encode(["Fjord city", "Bean city"]).shape == (2, DIMENSIONS)


def test_what_a_puzzle_gets_depends_on_no_other(network: Path, monkeypatch: pytest.MonkeyPatch):
    """A vector's last digits depend on what is read with it; so all of a puzzle is, whatever was read before."""
    encoder, read = Transformer(network), []
    right = encoder._network
    monkeypatch.setattr(encoder, "_network", lambda table: read.append(len(table[0])) or right(table))
    for clues in (["Fjord city", "Bean city"], ["Bean city", "Bare"], ["Bare", "Bean city"]):
        encoder.begin(clues)
        encoder.encode(clues)
    assert read == [2, 2], "the third puzzle was the second one, begun again"


def test_clues_are_the_same_bytes_whoever_reads_them(
    strong_index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(reading, "TOGETHER", 7)
    read = []
    for jobs in (1, 2):
        folder = Path(shutil.copytree(strong_index.folder, tmp_path / str(jobs)))
        assert sum(reading.embed_clues(strong_index, folder, Crew(jobs))) > 7 * len(strong_index.lengths)
        read.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.npy")})
    assert read[0] == read[1] and any(path.name == "clues.npy" for path in read[0])


def test_who_lacks_what_was_taught_says_so(strong_index: Index, tmp_path: Path):
    for folder in (tmp_path, strong_index.folder):
        model = Fresh(folder / schema.TRANSFORMER / transformer.MODEL, "12345678")
        with pytest.raises(IndexUnreadable, match="must share the disk"):
            reading.Reading(folder, model)()


def test_gaps_are_masked_words():
    assert spoken("___ Beta Kappa").split() == ["[MASK]", "Beta", "Kappa"]
    assert spoken("well-known A-B") == "well-known A-B"


def test_padding_keeps_every_token():
    table, mask = padded([[5, 6], [], [7, 8, 9]])
    assert table.tolist() == [[5, 6, 0], [0, 0, 0], [7, 8, 9]] and mask.sum(axis=1).tolist() == [2, 0, 3]
    assert padded([[]])[0].shape == (1, 1)


def test_each_is_a_vector_of_its_own(network: Path):
    assert len(np.unique(Transformer(network).encode(CLUES).round(1), axis=0)) == len(CLUES)


def test_it_is_weighed_and_finds(strong_index: Index):
    learned = json.loads((strong_index.folder / schema.LEARNED).read_text())
    assert learned[schema.WEIGHTS]["features"]["transformer"] > 0
    found = tiny.findings(corpus.HINTS["OSLO"], "????", strong_index).found["transformer"]
    logp = found.features["transformer"]
    assert np.exp(logp).sum() == pytest.approx(1, abs=1e-4)
    assert strong_index[4].names[found.answers[logp.argmax()]] == b"OSLO"
    assert solve(tiny.puzzle(), strong_index).solution.cells


@pytest.mark.parametrize("name", [transformer.MODEL, transformer.TOKENIZER])
@pytest.mark.parametrize("spoil", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b"x" * len(b)])
def test_a_damaged_transformer_is_one_sentence(
    name: str, spoil: Callable[[bytes], bytes], strong_index: Index, tmp_path: Path
):
    folder = Path(shutil.copytree(strong_index.folder, tmp_path / "index"))
    path = folder / schema.TRANSFORMER / name
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(IndexDamaged, match="regis build"):
        solve(tiny.puzzle(), Index(folder, strong_index.manifest))


def test_a_piece_with_a_number_that_is_too_large(strong_index: Index, tmp_path: Path):
    folder = Path(shutil.copytree(strong_index.folder, tmp_path / "index"))
    path = folder / schema.TRANSFORMER / transformer.TOKENIZER
    path.write_text(path.read_text().replace('"city":', '"city":99'))
    with pytest.raises(IndexDamaged, match="regis build"):
        solve(tiny.puzzle(), Index(folder, strong_index.manifest))
