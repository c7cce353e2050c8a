"""The strong encoder: laws of encoding with a tiny network of our own, and its use in an index."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import corpus
import numpy as np
import pytest
import tiny

from regis.building.training import transformer as training
from regis.errors import IndexDamaged, IndexUnreadable
from regis.index import Index
from regis.index.tables import schema
from regis.models.neural import transformer
from regis.models.neural.transformer import TransformerEncoder
from regis.models.neural.vector_table import DIMENSIONS
from regis.solving.pipeline import solve
from regis.system.parallel.workers import Workers


@pytest.mark.parametrize("clues", [[], [""], ["Fjord city"], ["?!", "東京", "x" * 500, "word " * 300, "___ city"]])
def test_clues_together_are_as_alone(clues: list[str], network: Path):
    together = TransformerEncoder(network).encode(clues)
    assert together.shape == (len(clues), DIMENSIONS) and together.dtype == np.float32
    for clue, vector in zip(clues, together, strict=True):
        assert TransformerEncoder(network).encode([clue])[0] == pytest.approx(vector, rel=1e-4, abs=1e-4)


def test_what_a_puzzle_gets_depends_on_no_other(network: Path, monkeypatch: pytest.MonkeyPatch):
    """A vector's last digits depend on the clues read with it, so a puzzle's clues are always read together."""
    encoder, read = TransformerEncoder(network), []
    right = encoder._network
    monkeypatch.setattr(encoder, "_network", lambda table: read.append(len(table[0])) or right(table))
    for clues in (["Fjord city", "Bean city"], ["Bean city", "Bare"], ["Bare", "Bean city"]):
        encoder.begin_puzzle(clues)
        encoder.encode(clues)
    assert read == [2, 2], "the third puzzle was the second one, begun again"


def test_clues_are_the_same_bytes_whoever_reads_them(strong_index: Index, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(training, "CLUES_PER_TASK", 7)
    read = []
    for jobs in (1, 2):
        folder = Path(shutil.copytree(strong_index.folder, tmp_path / str(jobs)))
        assert sum(training.embed_clues(strong_index, folder, Workers(jobs))) > 7 * len(strong_index.lengths)
        read.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.arrays")})
    assert read[0] == read[1] and any("embeddings" in path.name for path in read[0])


def test_a_worker_without_the_new_transformer_says_so(tmp_path: Path):
    with pytest.raises(IndexUnreadable, match="must share the index's disk"):
        training.EmbedTask(tmp_path)()


def test_it_is_weighed_and_finds(strong_index: Index):
    learned = json.loads((strong_index.folder / schema.LEARNED_FILE).read_text())
    assert learned[schema.WEIGHTS_KEY]["features"]["transformer"] > 0
    found = tiny.findings(corpus.HINTS["OSLO"], "????", strong_index).results["transformer"]
    logp = found.feature_columns["transformer"]
    assert np.exp(logp).sum() == pytest.approx(1, abs=1e-4)
    assert strong_index[4].answers[found.answer_rows[logp.argmax()]] == b"OSLO"
    assert solve(tiny.puzzle(), strong_index).fill.cells


@pytest.mark.parametrize("name", [transformer.MODEL_FILE, transformer.TOKENIZER_FILE])
@pytest.mark.parametrize(
    "spoil",
    [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b"x" * len(b),
     lambda b: b.replace(b'"city":', b'"city":99').replace(b'"data_offsets":[', b'"data_offsets":[99')],
)  # fmt: skip
def test_a_damaged_transformer_is_one_sentence(
    name: str, spoil: Callable[[bytes], bytes], strong_index: Index, tmp_path: Path
):
    folder = Path(shutil.copytree(strong_index.folder, tmp_path / "index"))
    path = folder / schema.TRANSFORMER / name
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(IndexDamaged, match="regis build"):
        solve(tiny.puzzle(), Index(folder, strong_index.manifest))
