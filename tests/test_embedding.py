"""The clue encoder: laws of encoding, and what learning changes in an index: everything or nothing."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import corpus
import numpy as np
import pytest
import shared
import test_finders
import tiny

from regis.building.build import show_nothing
from regis.building.personal_layers import add_layers, remove_layers
from regis.building.training import base_encoder as learning
from regis.building.training import checkpoints, train
from regis.building.training.train import learn_encoder
from regis.corpora.entry import Source
from regis.errors import IndexDamaged, UsageError
from regis.index import Index
from regis.index.storage import publish
from regis.index.tables import learned_models, schema
from regis.models.neural import bag_encoder
from regis.models.neural.bag_encoder import BagEncoder, hash_features, weigh_features
from regis.models.neural.vector_table import DIMENSIONS, AnswerVectors, Int8Rows, quantize_rows
from regis.solving.pipeline import solve
from regis.system import paths

SMALL = 1 << 12
"""Buckets for the few features of the test corpus; with the usual number, most of the time goes into empty ones."""

EPOCHS = 2


def few_buckets(patch: pytest.MonkeyPatch) -> None:
    for module in (bag_encoder, learned_models, learning):
        patch.setattr(module, "BUCKET_COUNT", SMALL)


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        few_buckets(patch)
        yield


@pytest.fixture(scope="module")
def plain() -> Path:
    """Return an index that hasn't learned. Don't change it."""
    return shared.index(corpus.rows((2004, 2005))).folder


@pytest.fixture(scope="module")
def taught(plain: Path) -> Index:
    """Return the same with an encoder. Don't change it."""

    def make(folder: Path) -> None:
        learn_encoder(Path(shutil.copytree(plain, folder / "index")), epochs=EPOCHS, progress=show_nothing)

    return Index.open(shared.once("taught", make) / "index")


@pytest.fixture
def copy(plain: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(plain, tmp_path / "index", ignore=shutil.ignore_patterns("derived")))


# encoding


@pytest.fixture(scope="module")
def lot() -> BagEncoder:
    """Return an encoder with random vectors."""
    table, scales = quantize_rows(np.random.default_rng(1).standard_normal((SMALL, DIMENSIONS)).astype(np.float32))
    return BagEncoder(Int8Rows(table, scales))


CLUES = ["Fjord city", "", "___", "?!", "Striped hunter, for one", "a", "東京", "x" * 500, "word " * 300]


def test_clues_together_are_as_alone(lot: BagEncoder):
    together = lot.encode(CLUES)
    assert together.shape == (len(CLUES), DIMENSIONS) and together.dtype == np.float32
    for clue, vector in zip(CLUES, together, strict=True):
        assert lot.encode([clue])[0] == pytest.approx(vector, abs=1e-6)
    assert np.isfinite(together).all()
    for clues in ([], [""], ["", "?!"]):  # without features
        assert np.array_equal(lot.encode(clues), np.zeros((len(clues), DIMENSIONS)))


def test_the_same_key_gives_the_same_vector_except_for_signs_of_form(lot: BagEncoder):
    one, other, backwards = lot.encode(["Fjord city", "FJORD: city!", "City fjord"])
    assert np.array_equal(one, other) and not np.allclose(one, backwards)
    plain, pun, said = lot.encode(["Fjord city", "Fjord city?", '"Fjord city"'])
    assert not np.allclose(plain, pun) and not np.allclose(plain, said) and not np.allclose(pun, said)


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_quantised_keeps_its_promise(size: float):
    vectors = (np.random.default_rng(2).standard_normal((50, DIMENSIONS)) * size).astype(np.float32)
    rounded, scales = quantize_rows(vectors)
    assert rounded.dtype == np.int8 and scales.dtype == np.float16 and np.abs(rounded.astype(int)).max() <= 127
    back = rounded.astype(np.float32) * scales.astype(np.float32)[:, None]
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    assert (np.abs(back - vectors) <= largest / 220).all()


def test_scores_are_dot_product_and_bias(monkeypatch: pytest.MonkeyPatch):
    """In batches of any size."""
    lot = np.random.default_rng(3)
    table, scales = quantize_rows(lot.standard_normal((9, DIMENSIONS)).astype(np.float32))
    vectors = AnswerVectors(Int8Rows(table, scales), lot.standard_normal(9).astype(np.float32))
    clues = lot.standard_normal((2, DIMENSIONS)).astype(np.float32)
    whole = table.astype(np.float64) * scales.astype(np.float64)[:, None]
    expected = [[sum(whole[i] * clue) + vectors.bias[i] for i in range(9)] for clue in clues]
    for together in (1, 4, 9, 100):
        monkeypatch.setattr("regis.models.neural.vector_table.SCORE_BATCH", together)
        assert vectors.score(clues) == pytest.approx(np.array(expected), abs=1e-3)
    assert vectors.score(clues[:0]).shape == (0, 9)


# learning


def test_what_is_saved_is_what_is_read(plain: Path, tmp_path: Path):
    index = Index.open(plain)
    trainer = learning.BaseEncoderTrainer(index)
    trainer.write_encoder(tmp_path)
    read = Index(tmp_path, index.manifest)
    assert read.encoder is not None
    state = trainer.answer_table.state_arrays()
    for length, start in trainer.answer_table.length_offsets.items():
        part = read[length]
        vectors = part.answer_vectors(schema.ENCODER)
        rows = slice(start, start + len(vectors.bias))
        own = state["own values"][rows]  # nothing was learned yet, so letters add nothing
        assert vectors.vectors.dequantize(slice(None)) == pytest.approx(own, abs=float(np.abs(own).max()) / 220)
        assert vectors.bias == pytest.approx(state["bias values"][rows], rel=1e-2, abs=1e-3)
    found = hash_features(["fjord city"], ["Fjord city"])
    weights = weigh_features(found.starts, found.kinds)
    exact = (trainer.feature_vectors.values[found.buckets] * weights[:, None]).sum(axis=0)
    assert read.encoder.encode(["Fjord city"])[0] == pytest.approx(exact, abs=0.01)


def test_clues_come_to_mean_their_answers(taught: Index):
    """The right answer is now likelier than chance, among answers of its length, for nearly every clue."""
    right = []
    for answer, hint in corpus.HINTS.items():
        part = taught[len(answer)]
        score = test_finders.column(test_finders.find("meaning", hint, "?" * len(answer), taught), "meaning")
        right.append(score[part.answer_row(answer)] > -np.log(len(part.answer_letters)))
    assert np.mean(right) > 0.9


@pytest.mark.parametrize("clue", test_finders.CLUES, ids=range(len(test_finders.CLUES)))
def test_meaning_keeps_the_contract_of_finders(clue: str, taught: Index):
    for index in (taught, taught.before_newest_year()):
        for pattern in ("???", "?????", "?A???", "ZZZZZ"):
            test_finders.keeps_the_contract("meaning", clue, pattern, 400, index)


def test_learning_is_the_same_each_time_and_again(copy: Path, taught: Index):
    for _ in range(2):
        record = learn_encoder(copy, epochs=EPOCHS, progress=show_nothing).manifest
        mine, other = shared.files(paths.index_home(copy)), shared.files(taught.files.path)
        assert record.fingerprint == taught.fingerprint == Index.open(copy).fingerprint
        assert mine == other, [name for name in mine if mine[name] != other.get(name)]
    assert {path.name for path in copy.parent.iterdir()} == {"index", ".index.regis-lock"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("at", ["train_batch", "write_encoder", "fit_index", "publish_index"])
def test_stopped_half_way_it_changes_nothing(copy: Path, monkeypatch: pytest.MonkeyPatch, at: str, error: type):
    before = shared.files(copy)

    homes = {"fit_index": train, "publish_index": publish}
    home = homes.get(at, learning.BaseEncoderTrainer)
    monkeypatch.setattr(home, at, Mock(side_effect=error))
    with pytest.raises(error):
        learn_encoder(copy, epochs=1, progress=show_nothing)
    assert shared.files(copy) == before
    assert {path.name for path in copy.parent.iterdir()} == {"index", ".index.regis-lock"}


def wait(index: Path, kind: str = ".pt") -> Path:
    """Leave the same files as an interrupted training."""
    waiting = checkpoints.checkpoint_folder(index) / f"{Index.open(index).fingerprint}{kind}"
    waiting.parent.mkdir()
    waiting.write_bytes(b"hours")
    return waiting


def refused(index: Path, option: str = "--transformer", why: str = "; finish it first") -> None:
    with pytest.raises(UsageError, match=f"{option}` was interrupted{why}"):
        learn_encoder(index, epochs=1, progress=show_nothing)


def add_word(index: Path, folder: Path) -> None:
    (folder / "words.txt").write_text("QUOKKA\n")
    add_layers([Source("word-list", folder / "words.txt")], index)


@pytest.mark.parametrize(("kind", "option"), [(".pt", "--transformer"), (".reader.pt", "--reader")])
def test_lessons_that_wait_to_go_on_are_not_forgotten(copy: Path, tmp_path: Path, kind: str, option: str):
    """Under any name of the index. Adding a layer takes them away, and removing it brings them back."""
    linked = tmp_path / "linked"
    linked.symlink_to(copy)
    wait(linked, kind)
    for name in (copy, linked):
        refused(name, option)
    add_word(copy, tmp_path)
    refused(copy, option, " and can't continue.*`regis remove`")
    remove_layers(["words"], copy)
    refused(copy, option)


@pytest.mark.parametrize(
    "rows",
    [
        [corpus.entry("OSLO", "Fjord city", 2001)],
        [corpus.entry("OSLO", "Fjord city"), corpus.entry("LIMA", "Bean city")],
        [corpus.entry("OSLO", "?", 2001)],
        [corpus.entry("OSLO", weight=0.5)],
        [row for row in corpus.rows((2005,)) if len(row) > 1 and len(row[0]) == 4],
    ],
    ids=["one clue", "no years", "no words", "no clues", "one length"],
)
def test_very_small_indexes_learn(rows: list[corpus.Row], tmp_path: Path):
    folder = corpus.index(tmp_path, rows).folder
    learn_encoder(folder, epochs=1, progress=show_nothing)
    index = Index.open(folder)
    assert index.encoder is not None and solve(tiny.puzzle(), index).fill.cells


# damage

ENCODED = [
    (schema.ENCODER, "features"), (schema.ENCODER, "feature-scales"),
    *((schema.length_part(4, schema.ENCODER), name) for name in ("answers", "scales", "bias")),
]  # fmt: skip


@pytest.mark.parametrize(("part", "name"), ENCODED)
@pytest.mark.parametrize("spoil", [lambda v: v[:0], lambda v: v[:-1], lambda v: v.astype(np.float64), None])
def test_a_damaged_encoder_is_one_sentence(part: str, name: str, spoil, taught: Index, tmp_path: Path):
    folder = shared.copy_index(taught, tmp_path / "index").folder
    shared.change_arrays(folder, part, lambda arrays: arrays.update({name: spoil(arrays[name])}) if spoil else None)
    if spoil is None:
        schema.part_path(folder, part).write_bytes(b"x" * 1000)
    with pytest.raises(IndexDamaged, match="regis build"):
        solve(tiny.puzzle(), Index(folder, taught.manifest))
