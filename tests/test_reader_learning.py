"""Teaching the reader, with a tiny one of our own: what it changes in an index, stopping and going on.

Needs the extra `transformer-learning`, and is skipped without it.
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
from regis.building.add import add, remove
from regis.building.training import network, reader, train, unfinished
from regis.building.training.spelling import speller
from regis.corpora.entry import Source
from regis.errors import UsageError
from regis.index import Index, schema
from regis.models.reader import MODEL
from regis.solving.pipeline import solve
from regis.system.progress import silent

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
LESSONS = 200


@pytest.fixture(scope="module", autouse=True)
def small(tmp_path_factory: pytest.TempPathFactory):
    """A network of one layer that knows the words of the test corpus, and fewer buckets for the base encoder."""
    with strong.pretrained(tmp_path_factory.mktemp("pretrained"), network, train) as patch:
        patch.setattr(reader, "CLUES", 16)
        patch.setattr(reader, "AT_ONCE", 64)
        patch.setattr(reader, "WARM_UP", 3)
        yield


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = shared.copied(corpus.rows((2004, 2005)), tmp_path).folder
    train.learn_encoder(folder, epochs=1, progress=silent)
    return folder


def learn(folder: Path) -> None:
    train.learn_reader(folder, lessons=LESSONS, epochs=1, progress=silent)


@pytest.mark.filterwarnings("ignore")
def test_an_index_is_taught_stops_and_goes_on(copy: Path, monkeypatch: pytest.MonkeyPatch):
    other = Path(shutil.copytree(copy, copy.with_name("other")))
    before = shared.files(copy)
    learn(copy)
    index = Index.open(copy)
    assert index.reader is not None and solve(tiny.puzzle(), index).solution.cells
    after = shared.files(copy)
    same = {name for name in before if name != "manifest.json"}
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert {name.split("/")[0] for name in after.keys() - before.keys()} == {schema.READER}

    steps: list[int] = []
    teach = reader.Course.teach

    def stop(self: reader.Course, *arguments) -> None:
        steps.append(self.done)
        if self.done == 5:
            raise KeyboardInterrupt
        teach(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(reader.Course, "teach", stop)
        with pytest.raises(KeyboardInterrupt):
            learn(other)
    assert shared.files(other) == before, "an index is changed whole or not at all"
    halfway = unfinished.beside(other)
    assert {path.suffix for path in halfway.iterdir()} == {".npz", ".pt"}
    steps.clear()
    monkeypatch.setattr(reader.Course, "teach", lambda self, *a: (teach(self, *a), steps.append(self.done)))
    learn(other)
    assert not halfway.exists()
    assert steps == list(range(5, -(-LESSONS // 16))), "what was taught before is not taught again"
    asked = [("Fjord city", ["OSLO", "ROME", "XYZQ"]), ("Striped hunter", ["TIGER", "OTTER"])]
    for mine, theirs in zip(index.reader.odds(asked), Index.open(other).reader.odds(asked), strict=True):  # type: ignore
        assert np.allclose(mine, theirs, atol=0.02), "stopping changes nothing"


@pytest.mark.filterwarnings("ignore")
def test_numpy_reads_what_torch_wrote_and_it_is_distilled(copy: Path, tmp_path: Path):
    index = Index.open(copy)
    course = reader.Course(index, speller(index), 16)
    with torch.no_grad():
        for values in course.network.parameters():
            values += 0.1 * torch.randn_like(values)
        asked = [("Fjord city", ("OSLO", "ROME")), ("Striped hunter of the jungle", ("TIGER", "TIGRE"))]
        right = course.network.eval()([course.asked(clue, answers) for clue, answers in asked]).cpu().numpy()
    course.export(tmp_path, {"trust": 0.75})
    shutil.copytree(tmp_path / schema.READER, copy / schema.READER)
    strong.list_files(index)
    taught = Index.open(copy)
    assert taught.reader is not None and taught.reader.trust == 0.75
    found = np.stack(taught.reader.odds(asked))
    assert np.linalg.norm(found - right) < 0.05 * np.linalg.norm(right)
    distil.distil(copy, tmp_path / "small", epochs=1)
    small = Index.open(tmp_path / "small").reader
    assert small is not None and small.trust == 0.75
    assert 0 < np.linalg.norm(np.stack(small.odds(asked)) - found) < 0.5 * np.linalg.norm(right)
    sizes = [(folder / schema.READER / MODEL).stat().st_size for folder in (tmp_path / "small", copy)]
    assert sizes[0] < 0.75 * sizes[1]


@pytest.mark.filterwarnings("ignore")
def test_it_begins_where_the_transformer_ends(strong_index: Index):
    course = reader.Course(strong_index, speller(strong_index), 16)
    other = reader.Course(shared.index(corpus.rows((2004, 2005))), speller(strong_index), 16)
    name = "bert.encoder.layer.0.output.dense.weight"
    mine, theirs = (one.network.state_dict()[name] for one in (course, other))
    assert not torch.allclose(mine, theirs)


@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_of_something_else_is_refused(copy: Path, tmp_path: Path):
    index = Index.open(copy)
    words = speller(index)
    reader.Course(index, words, 16).save(tmp_path / "one.pt")
    with pytest.raises(UsageError, match="delete it"):
        reader.Course(index, words, 64).resume(tmp_path / "one.pt")
    (tmp_path / "one.pt").write_bytes(b"x")
    with pytest.raises(UsageError, match="delete it"):
        reader.Course(index, words, 16).resume(tmp_path / "one.pt")


def test_without_an_encoder_there_are_no_lessons(tmp_path: Path):
    folder = shared.copied(corpus.rows((2004, 2005)), tmp_path).folder
    with pytest.raises(UsageError, match="regis learn"):
        learn(folder)


@pytest.mark.filterwarnings("ignore")
def test_layers_come_and_go_and_the_reader_stays(copy: Path, tmp_path: Path):
    words = tmp_path / "words.txt"
    words.write_text("QUOKKA\nAXOLOTL\n")
    source = Source("word-list", words)
    add([source], copy)
    for _ in range(2):  # the second time there is one already
        learn(copy)
        taught = (copy / schema.READER / MODEL).read_bytes()
        remove(["words"], copy)
        assert (copy / schema.READER / MODEL).read_bytes() == taught and Index.open(copy).reader is not None
        add([source], copy)
        assert (copy / schema.READER / MODEL).read_bytes() == taught and Index.open(copy).reader is not None


@pytest.mark.filterwarnings("ignore")
def test_too_little_to_learn_on_is_said_before_any_lesson(tmp_path: Path):
    index = corpus.index(tmp_path, [corpus.entry("LION", f"Proud roarer {i}", 2005) for i in range(40)])
    train.learn_encoder(index.folder, epochs=1, progress=silent)
    with pytest.raises(UsageError, match="too few clues"):
        learn(index.folder)


@pytest.mark.filterwarnings("ignore")
def test_other_lessons_that_were_interrupted_come_first(copy: Path):
    halfway = unfinished.beside(copy)
    halfway.mkdir()
    begun = halfway / f"{Index.open(copy).fingerprint}.pt"
    begun.touch()
    with pytest.raises(UsageError, match="--transformer` was interrupted"):
        learn(copy)
    begun.rename(begun.with_suffix(".reader.pt"))
    with pytest.raises(UsageError, match="--reader` was interrupted"):
        train.learn_encoder(copy, epochs=1, progress=silent)
