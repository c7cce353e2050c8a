"""A distilled index is small and has no clues, but is still an index; packed vectors stay close to the originals."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import corpus
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shared
import test_embedding
import tiny
from test_cli import one_sentence

from regis import cli, text
from regis.building.distil import distil
from regis.building.personal_layers import add_layers, remove_layers
from regis.building.training import ranking_weights
from regis.building.training.train import learn_encoder
from regis.candidates.ranking.weights import Weights
from regis.corpora.entry import Source
from regis.errors import IndexDamaged, UsageError
from regis.index import Index
from regis.index.storage import packed
from regis.index.storage.index_files import list_unpacked_indexes
from regis.index.storage.validation import read_manifest
from regis.index.tables import schema
from regis.models.neural.vector_table import TieredPQ, encode_pq, learn_codebook
from regis.models.text import clue_features
from regis.solving.pipeline import solve
from regis.solving.retrieval import retrieve_clue_candidates
from regis.system import paths
from regis.system.parallel.workers import Workers
from regis.system.progress import show_nothing

LONG_AGO = "The clues of a corpus must not be in here"


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        test_embedding.few_buckets(patch)
        patch.setattr(ranking_weights, "MIN_CLUES", 100)
        yield


def make(folder: Path) -> None:
    """Make an index with an encoder, and a distilled index from it."""
    rows = [*corpus.rows((2003, 2004, 2005)), corpus.entry("OTTER", LONG_AGO, 2003)]
    index = corpus.index(folder, rows)
    learn_encoder(index.folder, epochs=2, progress=show_nothing)
    distil(index.folder, folder / "starter", epochs=2)


@pytest.fixture(scope="module")
def taught() -> Index:
    return Index.open(shared.once("distilled", make) / "index")


@pytest.fixture(scope="module")
def distilled() -> Index:
    return Index.open(shared.once("distilled", make) / "starter")


def test_it_is_smaller_and_not_a_clue_is_in_it(distilled: Index, taught: Index):
    """Codebooks have the same size for few vectors as for many."""
    records = (read_manifest(paths.index_home(index.folder)) for index in (distilled, taught))
    sizes = [sum(size for name, size in record.files.items() if "book" not in name) for record in records]
    assert sizes[0] < 0.7 * sizes[1]
    assert distilled.manifest.without_clues
    for length in distilled.lengths:
        part = distilled[length]
        assert part is not None and not len(part.clue_texts) and not len(part.posting_features)
    known = {word for word in LONG_AGO.lower().split() if len(word) > 4}
    for path in paths.index_home(distilled.folder).rglob("*"):
        if path.suffix == ".parquet":
            table = pq.read_table(path, partitioning=None)
            said = [table[name].to_pylist() for name in table.schema.names if pa.types.is_string(table[name].type)]
            texts = " ".join(str(value).lower() for column in said for value in column if value is not None)
        else:
            texts = path.read_bytes().decode("latin-1").lower() if path.is_file() else ""
        assert not any(word in texts.split() for word in known), path
        assert LONG_AGO.lower() not in texts


def test_answers_and_their_counts_stay(distilled: Index, taught: Index):
    for length in taught.lengths:
        small, whole = distilled[length], taught[length]
        assert small is not None and whole is not None
        used = whole.use_counts > 0
        assert set(whole.answers[used]) <= set(small.answers)
        for row in np.flatnonzero(used).tolist():
            at = small.answer_row(whole.answers[row].decode())
            assert (small.use_counts[at], small.last_years[at]) == (whole.use_counts[row], whole.last_years[row])


def test_a_clue_that_comes_again_is_known(distilled: Index, taught: Index):
    for row in [r for r in corpus.rows((2003, 2004, 2005)) if getattr(r, "clue", "")][::29]:
        assert distilled.has_pair(row.clue, row.answer) and taught.has_pair(row.clue, row.answer)
        assert distilled.last_pair_year(row.clue, row.answer) == taught.last_pair_year(row.clue, row.answer)
        pattern = "?" * len(row.answer)
        mine, theirs = (tiny.findings(row.clue, pattern, index).results["nearby"] for index in (distilled, taught))
        part, full = distilled[len(row.answer)], taught[len(row.answer)]
        share = dict(zip(full.answers[theirs.answer_rows], theirs.feature_columns["share of same clue"], strict=True))
        assert set(mine.feature_columns["nearby"]) == {1.0}
        for name, its in zip(part.answers[mine.answer_rows], mine.feature_columns["share of same clue"], strict=True):
            assert its == pytest.approx(share[name])
        among = retrieve_clue_candidates(row.clue, pattern, distilled)
        place = among.find_answer(row.answer)
        assert place is not None
        assert any(
            (reason.finder, text.clue_key(reason.text)) == ("nearby", text.clue_key(row.clue))
            for reason in among.explain(place)
        )
    assert not distilled.has_pair("never said", "OTTER")


def test_which_words_the_clues_of_an_answer_have_is_known(distilled: Index, taught: Index):
    for length in (4, 5, 6):
        small, whole = distilled[length], taught[length]
        found = clue_features.extract_features(list(whole.clue_keys))
        left_out = 0
        each = [*{*zip(found.codes.tolist(), found.kinds.tolist(), strict=True)}]
        codes = np.array([code for code, _ in each], np.uint64)
        for (code, kind), mine, its in zip(
            each, small.answers_with_features(codes), whole.answers_with_features(codes), strict=True
        ):
            clues = {*found.rows[found.codes == code].tolist()}
            here, there = small.answers[mine], whole.answers[its]
            assert there.tolist() == sorted({whole.answers[whole.clue_answer_rows[row]] for row in clues})
            kept = kind == clue_features.STEM or (kind == clue_features.PAIR and len(clues) > 1)
            assert here.tolist() == (there.tolist() if kept else [])
            left_out += not kept
        assert left_out
        assert not len(small.answers_with_features(clue_features.hash_stems(["xylophone"]))[0])
        assert small.used_answer_count == whole.used_answer_count > 0


def test_it_is_unpacked_once(distilled: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """If nothing can be kept, it is unpacked in memory, with the same result."""
    home = paths.index_home(distilled.folder)
    found = []
    for cache in ("", str(tmp_path / "cache"), str(tmp_path / "cache"), "/proc/none"):
        monkeypatch.setenv(paths.CACHE_VARIABLE, cache)
        index = Index.open(home)
        assert (index.folder, index.fingerprint) == (home, distilled.fingerprint)
        solved = solve(tiny.puzzle(), index)
        found.append((solved.fill, [answer.evidence for answer in solved.answers]))
        assert index.manifest.unpacked_from == ("" if cache in ("", "/proc/none") else distilled.fingerprint)
    assert all(one == found[0] for one in found)
    assert len(list_unpacked_indexes(tmp_path / "cache" / "regis")) == 1
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(packed, "unpack_arrays", lambda *_: pytest.fail("it was unpacked before"))
    assert solve(tiny.puzzle(), Index.open(home)).fill == found[0][0]


def test_what_was_unpacked_and_damaged_is_told_and_made_again(distilled: Index, tmp_path: Path, monkeypatch):
    monkeypatch.setenv(paths.CACHE_VARIABLE, str(tmp_path))
    files = Index.open(distilled.folder).files
    part = schema.part_path(files.path, schema.length_part(4, schema.TABLES))
    part.write_bytes(part.read_bytes()[:-70] + bytes(70))
    with pytest.raises(IndexDamaged, match="regis doctor --clear"):
        solve(tiny.puzzle(), Index.open(distilled.folder))
    part.unlink()  # reported before anything is read
    assert solve(tiny.puzzle(), Index.open(distilled.folder)).fill.cells


def unpacked(of: Index, folder: Path) -> Path:
    """Return a copy of an index that isn't packed."""
    of.files.copy_to(folder, [])
    Index.open_finished(folder, of.manifest)
    return folder


@pytest.mark.parametrize("how", ["turned round", "the same", "of another length"])
def test_answers_of_a_word_that_cannot_be_are_damage(how: str, distilled: Index, tmp_path: Path):
    """With a manifest that matches the damage."""
    folder = unpacked(distilled, tmp_path / "index")

    def change(arrays: dict[str, np.ndarray]) -> None:
        rows = arrays["vocabulary-rows"]
        changed = {"turned round": rows[::-1], "the same": rows * 0, "of another length": rows + np.uint32(1)}
        arrays["vocabulary-rows"] = changed[how]

    shared.change_arrays(folder, schema.length_part(5, schema.TABLES), change)
    with pytest.raises(IndexDamaged, match="regis distil"):
        retrieve_clue_candidates("Striped hunter", "?????", shared.list_files(Index(folder, distilled.manifest)))


def without_dates(folder: Path) -> dict[str, bytes]:
    files = shared.files(paths.index_home(folder))
    return {name: data for name, data in files.items() if name != "manifest.json"}


def test_the_same_index_gives_the_same_and_others_may_ask(taught: Index, distilled: Index, tmp_path: Path, monkeypatch):
    asked, right = [], ranking_weights.fit_weights
    workers = Workers(2)

    def fit(index: Index, before: Index | None = None, workers: Workers | None = None) -> Weights:
        then = index.before_newest_year() if before is None else before
        asked.append((then.hides_newest_year, then.manifest.without_clues, workers))
        return right(index, before)

    monkeypatch.setattr(ranking_weights, "fit_weights", fit)
    distil(taught.folder, tmp_path / "small", epochs=2, workers=workers)
    assert without_dates(tmp_path / "small") == without_dates(distilled.folder)
    own = Path(shutil.copytree(taught.folder, tmp_path / "own"))
    learn_encoder(own, epochs=2, workers=workers, progress=show_nothing)
    assert without_dates(own) == without_dates(taught.folder)
    assert asked == [(False, True, workers), (True, False, workers), (True, False, workers)]


def test_what_needs_clues_says_so(distilled: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for work in (
        lambda: learn_encoder(distilled.folder, progress=show_nothing),
        lambda: distil(distilled.folder, tmp_path / "out"),
    ):
        with pytest.raises(UsageError, match="has no clue texts"):
            work()


def test_without_an_encoder_there_is_nothing_to_distil(whole: Index, tmp_path: Path, capsys: pytest.CaptureFixture):
    assert cli.main(["distil", "--index", str(whole.folder), "--output", str(tmp_path / "out")]) == 2
    assert "regis learn" in one_sentence(capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["encoder/feature-book.npy", "length=5/encoder/often.npy",
                                  "length=5/tables/vocabulary-rows.parquet"])  # fmt: skip
@pytest.mark.parametrize("spoil", [lambda raw: raw[: len(raw) // 2], lambda raw: b"\x7f" * len(raw)])
def test_damage_is_one_sentence(name: str, spoil: Callable[[bytes], bytes], distilled: Index, tmp_path: Path):
    path = Path(shutil.copytree(paths.index_home(distilled.folder), tmp_path / "index")) / name
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(IndexDamaged, match="regis distil"):
        retrieve_clue_candidates("Striped hunter", "?????", Index.open(tmp_path / "index"))


def test_what_was_added_to_the_one_before_lies_on_the_new_one(taught: Index, distilled: Index, tmp_path: Path):
    out, words = Path(shutil.copytree(distilled.folder, tmp_path / "out")), tmp_path / "mine.txt"
    words.write_text("QUOKKA\n")
    add_layers([Source("word-list", words)], out)
    record = distil(taught.folder, out, epochs=2)
    assert [layer.name for layer in record.layers] == ["mine"] and Index.open(out)[6].answer_row("QUOKKA") >= 0
    remove_layers(["mine"], out)
    assert Index.open(out).fingerprint == distilled.fingerprint


def test_the_index_with_the_clues_is_not_replaced(taught: Index, tmp_path: Path):
    before = shared.files(taught.folder)
    (tmp_path / "link").symlink_to(taught.folder)
    for out in (taught.folder, tmp_path / "link", taught.folder / ".." / taught.folder.name):
        with pytest.raises(UsageError, match="choose another folder"):
            distil(taught.folder, out, epochs=1)
    assert shared.files(taught.folder) == before


# packing


@pytest.mark.parametrize(("parts", "error"), [(16, 0.9), (32, 0.6), (64, 0.3)])
def test_packed_vectors_are_near(parts: int, error: float):
    vectors = np.random.default_rng(3).normal(size=(3000, 128)).astype(np.float32) * 7
    packed = encode_pq(vectors, learn_codebook(vectors, parts))
    assert packed.codes.shape == (3000, parts) and packed.codes.nbytes == 3000 * parts
    off = np.linalg.norm(packed.dequantize(slice(None)) - vectors, axis=1) / np.linalg.norm(vectors, axis=1)
    assert off.mean() < error
    rows = np.array([5, 5, 2999])
    assert np.array_equal(packed.dequantize(rows), packed.dequantize(slice(None))[rows])


@pytest.mark.parametrize("clues", [0, 1, 3, 40])
def test_packed_vectors_are_scored_as_they_lie(clues: int):
    """With the codebook for few clues, else unpacked in batches; each vector in its tier."""
    lot = np.random.default_rng(6)
    vectors = lot.normal(size=(3000, 64)).astype(np.float32)
    asked = lot.normal(size=(clues, 70)).astype(np.float32)
    tier = lot.integers(0, 3, 3000)
    tiers = [tier == i for i in range(3)]
    books = [learn_codebook(vectors, parts) for parts in (32, 16, 4)]
    packed = [encode_pq(vectors[of], book)._replace(dimensions=70) for of, book in zip(tiers, books, strict=True)]
    whole = np.zeros((3000, 70), np.float32)
    for of, one in zip(tiers, packed, strict=True):
        whole[of] = one.dequantize(slice(None))
        assert one.score(asked) == pytest.approx(asked @ whole[of].T, abs=1e-3)
    together = TieredPQ.from_tiers(tiers, packed)
    assert np.array_equal(together.dequantize(slice(None)), whole)
    assert together.score(asked) == pytest.approx(asked @ whole.T, abs=1e-3)
    rows = lot.integers(0, 3000, 50)
    some = together.take_rows(rows)
    assert np.array_equal(some.dequantize(slice(None)), whole[rows])
    assert some.score(asked) == pytest.approx(asked @ whole[rows].T, abs=1e-3)
    both = some.concat_rows([together, together.take_rows(rows[:0])])
    assert np.array_equal(both.dequantize(slice(None)), np.concatenate([whole[rows], whole]))
    assert both.score(asked) == pytest.approx(asked @ np.concatenate([whole[rows], whole]).T, abs=1e-3)
