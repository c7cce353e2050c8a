"""Training the transformer, with a tiny network of our own: changes to an index, stopping, and resuming.

These tests need the extra `transformer-learning`, and are skipped without it.
"""

import shutil
from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import strong
import tiny

from regis.building import distil
from regis.building.training import base_encoder, minilm, train, transformer
from regis.candidates.ranking.weights import Weights
from regis.errors import UsageError
from regis.index import Index
from regis.index.tables import schema
from regis.models.neural.bert import Bert
from regis.models.neural.transformer import MODEL_FILE, pad_tokens
from regis.solving.pipeline import solve
from regis.system import paths
from regis.system.progress import show_nothing

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

EPOCHS = 2
PRETRAINED = minilm.pretrained_folder  # the real one


@pytest.fixture(scope="module", autouse=True)
def small(tmp_path_factory: pytest.TempPathFactory):
    """Make a transformer of one layer that knows the words of the test corpus, with fewer buckets for the base
    encoder."""
    with strong.pretrained(tmp_path_factory.mktemp("pretrained"), train, transformer) as patch:
        patch.setattr(transformer, "CLUES_PER_BATCH", 64)
        patch.setattr(transformer, "WARM_UP_STEPS", 5)
        yield


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return shared.copied(corpus.rows((2004, 2005)), tmp_path).folder


def learn(folder: Path) -> None:
    train.learn_encoder(folder, epochs=1, transformer_epochs=EPOCHS, progress=show_nothing)


@pytest.mark.filterwarnings("ignore")
def test_an_index_is_taught_stops_and_goes_on(copy: Path):
    other = Path(shutil.copytree(copy, copy.with_name("other")))
    learn(copy)
    index = Index.open(copy)
    assert index.transformer is not None and solve(tiny.puzzle(), index).fill.cells
    assert Weights.read_weights(index).feature_weights.any()
    vector = index.transformer.encode(["Fjord city"])
    assert np.allclose(vector, index.transformer.encode(["Fjord city", "x " * 20])[:1], atol=1e-5)
    table = base_encoder.BaseEncoderTrainer(index.before_newest_year()).answer_table
    whole = transformer.TransformerTrainer(index.before_newest_year(), table, EPOCHS)
    steps = strong.stop_and_go_on(other, learn, transformer.TransformerTrainer, 2)
    assert steps == [*range(2, whole.total_steps)], "what was taught before the interruption is not taught again"
    part = schema.length_part(4, schema.TRANSFORMER)
    mine, theirs = (Index.open(folder).files.read_arrays(part)["answers"] for folder in (copy, other))
    assert np.mean(np.abs(mine.astype(int) - theirs) <= 2) > 0.99, "stopping changes nothing"


def test_numpy_reads_what_torch_wrote(copy: Path, tmp_path: Path):
    index = Index.open(copy)
    taught = transformer.TransformerTrainer(index, base_encoder.BaseEncoderTrainer(index).answer_table, 1)
    tokens, mask = pad_tokens([[2, 7, 8, 3], [2, 3], [2, 9, 9, 9, 6, 3]])
    with torch.no_grad():
        for values in taught.network.parameters():
            values += 0.1 * torch.randn_like(values)
        right = taught.network.eval()(torch.from_numpy(tokens), torch.from_numpy(mask)).numpy()
    taught.write_transformer(tmp_path)
    found = Bert(tmp_path / schema.TRANSFORMER / MODEL_FILE)((tokens, mask))
    assert np.linalg.norm(found - right) < 0.02 * np.linalg.norm(right)


@pytest.mark.filterwarnings("ignore")
def test_what_was_taught_is_distilled_and_learning_goes_on_there(copy: Path, tmp_path: Path):
    learn(copy)
    distil.distil(copy, tmp_path / "starter", epochs=1)
    starter, large = Index.open(tmp_path / "starter"), Index.open(copy).transformer
    assert starter.transformer is not None and large is not None
    found, right = (one.encode(list(corpus.HINTS.values())) for one in (starter.transformer, large))
    assert 0 < np.linalg.norm(found - right) < 0.5 * np.linalg.norm(right), "four bits are fewer than eight"
    homes = [paths.index_home(folder) for folder in (tmp_path / "starter", copy)]
    sizes = [(home / schema.TRANSFORMER / MODEL_FILE).stat().st_size for home in homes]
    assert sizes[0] < 0.75 * sizes[1]
    later = shared.copied(corpus.rows((2004, 2005, 2006)), tmp_path / "later")
    table = base_encoder.BaseEncoderTrainer(later).answer_table
    trainer = transformer.TransformerTrainer(later, table, 1, starter)

    clues = list(corpus.HINTS.values())[:5]
    tokens, mask = pad_tokens([starter.transformer._tokenizer.encode_text(clue) for clue in clues])
    with torch.no_grad():
        vectors = trainer.network.eval()(torch.from_numpy(tokens), torch.from_numpy(mask)).numpy()
    known = starter.transformer.encode(clues)
    assert np.linalg.norm(vectors - known) < 0.03 * np.linalg.norm(known)
    rows = slice(table.length_offsets[4], table.length_offsets[4] + len(later[4].answers))
    place = np.searchsorted(starter[4].answers, later[4].answers).clip(max=len(starter[4].answers) - 1)
    there = starter[4].answers[place] == later[4].answers
    inherited = starter[4].answer_vectors(schema.TRANSFORMER).vectors.dequantize(place[there])
    assert np.allclose(table.own_vectors.values[rows][there], inherited, atol=1e-3)

    read = {(id(examples), row) for examples, rows in trainer.batch_plan for row in rows.tolist()}
    for examples in trainer.clue_examples:
        new = np.flatnonzero(examples.last_years > starter.manifest.latest_year)
        assert {(id(examples), row) for row in new.tolist()} <= read, "what is new is read"
    assert len(read) < sum(len(examples.answer_rows) for examples in trainer.clue_examples), "most else is not"


def test_a_checkpoint_of_something_else_is_refused(copy: Path, tmp_path: Path):
    index = Index.open(copy)
    taught = transformer.TransformerTrainer(index, base_encoder.BaseEncoderTrainer(index).answer_table, 1)
    taught.save_checkpoint(tmp_path / "one.pt")
    with pytest.raises(UsageError, match="delete it"):
        transformer.TransformerTrainer(index, base_encoder.BaseEncoderTrainer(index).answer_table, 3).resume_checkpoint(
            tmp_path / "one.pt"
        )
    (tmp_path / "one.pt").write_bytes(b"x")
    with pytest.raises(UsageError, match="delete it"):
        taught.resume_checkpoint(tmp_path / "one.pt")


def test_what_is_lacking_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(minilm.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="transformer-learning"):
        PRETRAINED()
