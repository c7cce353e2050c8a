"""Training the reader, with a tiny network of our own: changes to an index, stopping, and resuming.

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
from regis.building.training import cross_encoder_trainer, minilm, train
from regis.building.training.cross_encoder_trainer import build_segmenter
from regis.errors import UsageError
from regis.index import Index
from regis.index.tables import schema
from regis.models.neural.transformer import MODEL_FILE
from regis.solving.pipeline import solve
from regis.system import paths
from regis.system.progress import show_nothing

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
LESSONS = 200


@pytest.fixture(scope="module", autouse=True)
def small(tmp_path_factory: pytest.TempPathFactory):
    """Make a network of one layer that knows the words of the test corpus, with fewer buckets for the base encoder."""
    with strong.pretrained(tmp_path_factory.mktemp("pretrained"), minilm, train) as patch:
        patch.setattr(cross_encoder_trainer, "CLUES_PER_STEP", 16)
        patch.setattr(cross_encoder_trainer, "CLUES_PER_DRAW", 64)
        patch.setattr(cross_encoder_trainer, "WARM_UP_STEPS", 3)
        yield


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = shared.copied(corpus.rows((2004, 2005)), tmp_path).folder
    train.learn_encoder(folder, epochs=1, progress=show_nothing)
    return folder


def learn(folder: Path) -> None:
    train.learn_cross_encoder(folder, clue_count=LESSONS, epochs=1, progress=show_nothing)


@pytest.mark.filterwarnings("ignore")
def test_learning_goes_on_where_the_starter_stands(copy: Path, tmp_path: Path):
    learn(copy)
    distil.distil(copy, tmp_path / "starter", epochs=1)
    starter = Index.open(tmp_path / "starter")
    assert starter.cross_encoder is not None
    later = shared.copied(corpus.rows((2004, 2005, 2006)), tmp_path / "later")
    taught = cross_encoder_trainer.CrossEncoderTrainer(later, build_segmenter(later), LESSONS, starter)
    clue, answers = "Fjord city", ["OSLO", "BERGEN", "ROME"]
    with torch.no_grad():
        begun = taught.network.eval()([taught.encode_choice(clue, answers)])[0].numpy()
    known = starter.cross_encoder.log_odds([(clue, answers)])[0]
    assert np.allclose(begun - begun.mean(), known - known.mean(), atol=0.1)
    rows = list(zip(taught._clue_sample.answer_lengths, taught._clue_sample.clue_rows, strict=True))
    years = np.array([later[int(length)].clue_last_years[row] for length, row in rows])
    everything = cross_encoder_trainer.draw_clues(later, LESSONS, np.random.default_rng(1))
    all_years = [later[int(n)].clue_last_years[row] for n, row in zip(*everything, strict=True)]
    assert np.mean(years > starter.manifest.latest_year) > np.mean(np.array(all_years) > 2005), "what is new, first"


@pytest.mark.filterwarnings("ignore")
def test_an_index_is_taught_stops_and_goes_on(copy: Path):
    other = Path(shutil.copytree(copy, copy.with_name("other")))
    home = paths.index_home(copy)
    tables = {path.name: shared.files(path) for path in home.glob("length=*")}
    learn(copy)
    assert {path.name: shared.files(path) for path in paths.index_home(copy).glob("length=*")} == tables
    index = Index.open(copy)
    assert index.cross_encoder is not None and solve(tiny.puzzle(), index).fill.cells
    steps = strong.stop_and_go_on(other, learn, cross_encoder_trainer.CrossEncoderTrainer, 5)
    assert steps == list(range(5, -(-LESSONS // 16))), "what was taught before is not taught again"
    asked = [("Fjord city", ["OSLO", "ROME", "XYZQ"]), ("Striped hunter", ["TIGER", "OTTER"])]
    for mine, theirs in zip(
        index.cross_encoder.log_odds(asked), Index.open(other).cross_encoder.log_odds(asked), strict=True
    ):  # type: ignore
        assert np.allclose(mine, theirs, atol=0.02), "stopping changes nothing"


@pytest.mark.filterwarnings("ignore")
def test_numpy_reads_what_torch_wrote_and_it_is_distilled(copy: Path, tmp_path: Path):
    index = Index.open(copy)
    course = cross_encoder_trainer.CrossEncoderTrainer(index, build_segmenter(index), 16)
    with torch.no_grad():
        for values in course.network.parameters():
            values += 0.1 * torch.randn_like(values)
        asked = [("Fjord city", ("OSLO", "ROME")), ("Striped hunter of the jungle", ("TIGER", "TIGRE"))]
        right = course.network.eval()([course.encode_choice(clue, answers) for clue, answers in asked]).cpu().numpy()
    course.write_reader(tmp_path, {"trust": 0.75})
    home = index.files.path
    shutil.copytree(tmp_path / schema.CROSS_ENCODER, home / schema.CROSS_ENCODER)
    shutil.copy(schema.part_path(tmp_path, schema.CROSS_ENCODER), home)
    taught = shared.list_files(index)
    assert taught.cross_encoder is not None and taught.cross_encoder.trust == 0.75
    found = np.stack(taught.cross_encoder.log_odds(asked))
    assert np.linalg.norm(found - right) < 0.05 * np.linalg.norm(right)
    distil.distil(home, tmp_path / "small", epochs=1)
    small = Index.open(tmp_path / "small").cross_encoder
    assert small is not None and small.trust == 0.75
    assert 0 < np.linalg.norm(np.stack(small.log_odds(asked)) - found) < 0.5 * np.linalg.norm(right)
    homes = [paths.index_home(folder) for folder in (tmp_path / "small", copy)]
    sizes = [(folder / schema.CROSS_ENCODER / MODEL_FILE).stat().st_size for folder in homes]
    assert sizes[0] < 0.75 * sizes[1]


def test_without_an_encoder_there_are_no_lessons(tmp_path: Path):
    folder = shared.copied(corpus.rows((2004, 2005)), tmp_path).folder
    with pytest.raises(UsageError, match="regis learn"):
        learn(folder)


@pytest.mark.filterwarnings("ignore")
def test_too_little_to_learn_on_is_said_before_any_lesson(tmp_path: Path):
    index = corpus.index(tmp_path, [corpus.entry("LION", f"Proud roarer {i}", 2005) for i in range(40)])
    train.learn_encoder(index.folder, epochs=1, progress=show_nothing)
    with pytest.raises(UsageError, match="too few clues"):
        learn(index.folder)
