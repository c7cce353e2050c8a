"""Layers: an index depends only on its layers and the index below, and without layers it is as before."""

import random
import shutil
import string
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import strong
import test_embedding
import tiny
from test_cli import one_sentence
from test_personal_layers import clue_rows, digests, used_answers

from regis import cli, text
from regis.building import dedupe_uses, list_scores
from regis.building.build import build_index
from regis.building.distil import distil
from regis.building.personal_layers import add_layers, remove_layers
from regis.building.training import phrase_pieces, train
from regis.building.training.train import learn_encoder
from regis.corpora.entry import Source
from regis.errors import IndexError_, SourceError, UsageError
from regis.index import Index
from regis.index.layers import layer_files, stacking
from regis.index.storage import manifest, validation
from regis.index.tables import schema, writer
from regis.models.strings.phrase_model import PhraseModel
from regis.models.text import clue_features
from regis.puzzle import alphabet
from regis.solving.pipeline import solve
from regis.solving.retrieval import retrieve_clue_candidates
from regis.system import paths
from regis.system.progress import show_nothing

WORDS = "ZEBU\nOslo Accords\nLION\nQuay side\n"


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        test_embedding.few_buckets(patch)
        patch.setattr(list_scores, "MIN_USED_ANSWERS", 5)
        yield


def make(folder: Path, network: Path) -> None:
    """Make an index with both encoders, and a distilled index from it."""
    index = shared.copied(corpus.rows((2004, 2005)), folder)
    learn_encoder(index.folder, epochs=1, progress=show_nothing)
    index = strong.with_network(Index.open(index.folder), network)
    distil(index.folder, folder / "starter", epochs=1)


@pytest.fixture(scope="module")
def made(network: Path) -> Path:
    """Return the folder of the two. Don't change their files."""
    return shared.once("made", lambda folder: make(folder, network))


@pytest.fixture
def starter(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a starter; the person has nothing else."""
    folder = Path(shutil.copytree(paths.index_home(made / "starter"), tmp_path / "ships" / "starter"))
    monkeypatch.setattr(paths, "starter_folder", lambda: folder)
    monkeypatch.setenv(paths.DATA_VARIABLE, str(tmp_path / "data"))
    return folder


def make_on_starter(folder: Path, made: Path) -> None:
    """Make an index that begins with the starter."""
    (folder / "data").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "starter_folder", lambda: made / "starter")
        patch.setenv(paths.DATA_VARIABLE, str(folder / "data"))
        add_layers([words(folder, "first.txt", "FIRST")], folder / "index", begin_with_starter=True)
        remove_layers(["first"], folder / "index")


@pytest.fixture(params=["on the starter", "on one that was built"])
def own(request: pytest.FixtureRequest, made: Path, starter: Path, tmp_path: Path) -> Path:
    """Return a person's own index."""
    is_begun = request.param == "on the starter"
    home = shared.once("on-starter", lambda folder: make_on_starter(folder, made)) if is_begun else made
    return Path(shutil.copytree(home / "index", tmp_path / "data" / "index"))


def words(folder: Path, name: str = "mywords.txt", text: str = WORDS) -> Source:
    (folder / name).write_text(text, encoding="utf-8")
    return Source("word-list", folder / name)


def table(folder: Path, rows: str = "nyt\t2006\tZEBU\tHumped grazer\nnyt\t2006\tLION\tNew roarer\n") -> Source:
    (folder / "more.tsv").write_text(f"pubid\tyear\tanswer\tclue\n{rows}", encoding="utf-8")
    return Source("xd-clues", folder / "more.tsv")


def puzzle(folder: Path, name: str = "tst2014-09-01.puz", **how: bool) -> Source:
    return Source("puzzle-archive", tiny.puz(folder / name, **how))


def tables(folder: Path) -> dict[str, str]:
    """Return the contents of the files except the manifest, which has dates."""
    return {name: digest for name, digest in digests(folder).items() if not name.endswith(".json")}


# laws


def test_without_its_layers_an_index_is_as_it_was(own: Path, tmp_path: Path):
    before = digests(own)
    add_layers([words(tmp_path), table(tmp_path), puzzle(tmp_path)], own)
    assert [layer.name for layer in Index.open(own).manifest.layers] == ["more", "mywords", "puzzles"]
    assert digests(own) != before
    remove_layers(["mywords", "puzzles"], own)
    assert [layer.name for layer in Index.open(own).manifest.layers] == ["more"]
    remove_layers(["more"], own)
    assert digests(own) == before


def test_the_order_does_not_matter_nor_that_a_source_moves(own: Path, tmp_path: Path):
    other = Path(shutil.copytree(own, tmp_path / "other"))
    sources = [words(tmp_path), table(tmp_path), puzzle(tmp_path)]
    for source in sources:
        add_layers([source], own)
    for source in reversed(sources):
        add_layers([source], other)
        source.path.unlink()
    assert tables(own) == tables(other) and Index.open(own).fingerprint == Index.open(other).fingerprint


def test_a_list_takes_the_place_of_the_one_before(own: Path, tmp_path: Path):
    other = Path(shutil.copytree(own, tmp_path / "other"))
    add_layers([words(tmp_path, text="OKAPI\nZEBU\n")], own)
    assert add_layers([words(tmp_path)], own).changed_layers[0].words == 4
    assert Index.open(own)[5].answer_row("OKAPI") < 0
    add_layers([words(tmp_path)], other)
    assert tables(own) == tables(other)


def test_puzzles_grow_in_one_layer(own: Path, tmp_path: Path):
    other = Path(shutil.copytree(own, tmp_path / "other"))
    both = [puzzle(tmp_path), puzzle(tmp_path, "tst2015-01-01.puz")]
    for one in both:
        assert add_layers([one], own).new_puzzles == 1
    assert add_layers(both, other).new_puzzles == 2
    (layer,) = Index.open(own).manifest.layers
    assert len(layer.sources) == 2 and layer.clues == 16 and tables(own) == tables(other)


def test_adding_the_same_twice_changes_nothing(own: Path, tmp_path: Path):
    sources = [words(tmp_path), table(tmp_path), puzzle(tmp_path)]
    done = add_layers([*sources, puzzle(tmp_path, "copy of tst2014-09-01.puz")], own)
    assert done.new_puzzles == len(done.known_puzzles) == 1, "also in one go"
    before = digests(own)
    done = add_layers(sources, own)
    assert digests(own) == before and len(done.known_puzzles) == 1 and done.unchanged_layers == ["mywords", "more"]
    assert not done.changed_layers and not done.new_puzzles
    (tmp_path / "twice").mkdir()
    twice = words(tmp_path / "twice", "twice.txt", WORDS + WORDS)
    (layer,) = add_layers([twice, twice], own).changed_layers
    assert layer.words == 4


def old_row(year: int = 2005) -> str:
    """Return a use of a clue in the index below, as a line of a clue table."""
    row = next(row for row in corpus.rows((2005,)) if isinstance(row, corpus.Entry))
    return f"tst\t{year}\t{row.answer}\t{row.clue}\n"


def test_clues_that_lie_below_are_not_counted_twice(own: Path, tmp_path: Path):
    """A table with nothing new replaces itself."""
    before, used = digests(own), used_answers(Index.open(own))
    assert add_layers([table(tmp_path, old_row())], own).unchanged_layers == ["more"] and digests(own) == before
    done = add_layers([table(tmp_path, old_row() + "tst\t2006\tZEBU\tHumped grazer\n")], own)
    assert done.changed_layers[0].clues == 2
    assert used_answers(Index.open(own)) == used | {"ZEBU": (1, 2006)}
    done = add_layers([table(tmp_path, old_row())], own)
    assert done.unchanged_layers == [] and done.new_answers < 0
    (layer,) = Index.open(own).manifest.layers
    assert layer.clues == 1 and used_answers(Index.open(own)) == used
    assert add_layers([words(tmp_path)], own).changed_layers[0].words == 4
    remove_layers(["more", "mywords"], own)
    assert digests(own) == before


@pytest.mark.parametrize("kind", ["index", "starter"])
def test_what_counts_is_what_the_slow_way_says(kind: str, made: Path):
    """A use counts as often as in the layer with the most; a list's use counts only if it is unknown below.

    Undated uses count by how many more uses of the pair one layer has than all layers have dated ones. Older layers
    don't name a use's puzzle.
    """
    below, draw = Index.open(made / kind), random.Random(7)
    old = [row for row in corpus.rows((2004, 2005)) if isinstance(row, corpus.Entry) and row.clue]
    for _ in range(20):
        stacked, expected, most = {}, Counter[tuple[str, str, int]](), Counter[tuple[str, str]]()
        for name in ("a", "b", "c")[: draw.randint(1, 3)]:
            drawn = [draw.choice(old[:6]) for _ in range(draw.randint(0, 8))]
            rows = [(text.clue_key(row.clue), row.clue, row.answer, draw.choice([0, 2005, 2007])) for row in drawn]
            listed = [("", "", "ZEBU", 0, None, 0.5)] * draw.randint(0, 1)
            grows = draw.random() < 0.5
            record = manifest.SourceRecord("puzzle-archive" if grows else "xd-clues", "", "", 0, 0, 0, {}, None, None)
            about = manifest.LayerRecord(name, "", (record,), (), len(rows), len(listed), 0)
            stacked[name] = layer_files.Layer(
                about, layer_files.make_entries([*((*row, None, 0.0) for row in rows), *listed])
            )
            new = [
                (key, answer, year)
                for key, clue, answer, year in rows
                if grows or (last := below.last_pair_year(clue, answer)) is None or year > last
            ]
            expected |= Counter(new)
            most |= Counter((key, answer) for key, answer, _ in new)
        for (key, answer), many in most.items():
            dated = sum(expected[key, answer, year] for year in (2005, 2007))
            expected[key, answer, 0] = max(many - dated, 0)
        tables_ = dedupe_uses.dedupe_layers(stacked, below)
        found = [row for table_ in tables_ for row in table_.to_pylist()]
        assert Counter((row["key"], row["answer"], row["year"]) for row in found if row["clue"]) == +expected
        words_ = [sum(not row["clue"] for row in table_.to_pylist()) for table_ in tables_]
        assert words_ == [stacked[name].record.words for name in sorted(stacked)]


# what they bring


def test_what_was_added_is_found(own: Path, tmp_path: Path):
    add_layers([words(tmp_path), table(tmp_path), puzzle(tmp_path)], own)
    index = Index.open(own)
    assert retrieve_clue_candidates("Humped grazer", "????", index).find_answer("ZEBU") == 0
    assert index.has_pair("Be without", "LACK") and index.last_pair_year("Humped grazer", "ZEBU") == 2006
    assert index.manifest.latest_year == 2014 and index.manifest.newest_year == 2005
    eight = index[8]
    assert eight.display_text_array[eight.answer_row("QUAYSIDE")].as_py() == "Quay side" and eight.is_live.all()
    assert solve(tiny.puzzle(), index).fill.cells == tiny.cells()


def test_counts_are_those_of_all_together(made: Path, starter: Path, tmp_path: Path):
    """With the starter, whose tables are packed, and with an index that has the clues themselves."""
    whole, own = Path(shutil.copytree(made / "index", tmp_path / "whole")), tmp_path / "data" / "index"
    rows = [row for row in corpus.rows((2006,)) if isinstance(row, corpus.Entry) and row.clue][::3]
    told = "".join(f"tst\t{row.year}\t{row.answer}\t{row.clue}\n" for row in rows)
    add_layers([table(tmp_path, told)], own, begin_with_starter=True)
    add_layers([table(tmp_path, told)], whole)
    packed, plain = Index.open(own), Index.open(whole)
    assert used_answers(packed) == used_answers(plain)
    for (key, answer), (_, count, _, last, _) in clue_rows(plain).items():
        uses, row = packed[len(answer)].find_uses(key), packed[len(answer)].answer_row(answer)
        here = uses.answer_rows == row
        assert (uses.use_counts[here].tolist(), uses.last_years[here].tolist()) == ([count], [last])
    assert packed.trigram_counts == pytest.approx(plain.trigram_counts)
    for length in (4, 5, 9):
        mine, theirs = packed[length], plain[length]
        for word in {word for key in list(theirs.clue_keys) for word in key.split()} - {text.BLANK_TOKEN}:
            stem = clue_features.hash_stems([word])
            (here,), (there,) = mine.answers_with_features(stem), theirs.answers_with_features(stem)
            assert mine.answers[here].tolist() == theirs.answers[there].tolist()
    new = clue_features.hash_pairs(*np.split(clue_features.hash_words(["be", "without"]), 2))
    assert not len(packed[4].answers_with_features(new)[0])
    add_layers([puzzle(tmp_path)], own)
    assert packed[4].answers[0] < b"LACK"
    assert b"LACK" in (more := Index.open(own)[4]).answers[more.answers_with_features(new)[0]]


@pytest.mark.parametrize("home", [schema.ENCODER, schema.TRANSFORMER])
def test_vectors_move_along_as_they_are(home: str, own: Path, tmp_path: Path):
    before = Index.open(own)[4]
    never = [name.decode() for name in before.answers[before.use_counts == 0]]
    assert never
    rows = f"tst\t2006\t{never[0]}\tSomething new\ntst\t2006\tZEBU\tHumped grazer\n"
    add_layers([table(tmp_path, rows)], own)
    index = Index.open(own)
    after = index[4]
    was, now = before.answer_vectors(home), after.answer_vectors(home)
    for row, name in enumerate(before.answers.tolist()):
        at = after.answer_row(name.decode())
        here, there = was.vectors.dequantize(np.array([row])), now.vectors.dequantize(np.array([at]))
        assert was.bias[row] == now.bias[at] and np.array_equal(here, there)
    assert after.use_counts[after.answer_row(never[0])] == 1
    meant = now.vectors.dequantize(np.array([after.answer_row("ZEBU")]))[0]
    assert meant.any() and meant @ index.encoders[home].encode(["Humped grazer"])[0] > -0.1, "not against its clue"
    assert solve(tiny.puzzle(), index).fill.cells


PIECES = PhraseModel(["LION", "OSLO", "S"], np.array([[0.6, 0.3, 0.1], [0.1, 0.1, 0.1], [0.2, 0.2, 0.6]]))
PHRASES = "Mos Eisley\nMos Espa\nQUAYSIDE\nR2 unit\nOslo Accords\n"


def with_pieces(made: Path, folder: Path, model: PhraseModel = PIECES) -> Path:
    """Copy a built index, too small for its own phrases, with pieces of phrases."""
    own = Path(shutil.copytree(made / "index", folder / "data" / "index"))
    index = Index.open(own)
    writer.write_pieces(index.files.path, model.pieces.astype(str).tolist(), model.piece_probabilities)
    shared.list_files(index)
    return own


def pieces(own: Path) -> list[bytes]:
    phrases = Index.open(own).string_model.phrase_model
    assert phrases is not None
    return phrases.pieces.tolist()


def test_pieces_of_layers_join_those_that_are_learned(made: Path, starter: Path, tmp_path: Path, monkeypatch):
    own = with_pieces(made, tmp_path)
    learned = PhraseModel(["LION", "S", "STAR"], PIECES.piece_probabilities)
    monkeypatch.setattr(phrase_pieces, "fit_phrases", lambda index: phrase_pieces.FittedPhrases(learned, {8: 0.5}, 0.0))
    monkeypatch.setattr(train, "_measure_gain", kept(train._measure_gain))
    add_layers([words(tmp_path, text=PHRASES)], own)
    assert learn_encoder(own, epochs=1, progress=show_nothing).is_kept
    assert {b"STAR", b"EISLEY", b"OSLO"} <= set(pieces(own))
    before = digests(own)
    add_layers([words(tmp_path, "other.txt", "OKAPI")], own)
    remove_layers(["other"], own)
    assert digests(own) == before
    remove_layers(["mywords"], own)
    assert pieces(own) == [b"LION", b"S", b"STAR"]


def test_the_words_of_a_phrase_become_pieces(made: Path, starter: Path, tmp_path: Path):
    """For unlisted answers: 'Mos Eisley' teaches that EISLEY is a word."""
    own = with_pieces(made, tmp_path)
    before = Index.open(own).string_model
    add_layers([words(tmp_path, text=PHRASES)], own)
    after = Index.open(own).string_model
    assert before.phrase_model is not None and after.phrase_model is not None
    new = set(after.phrase_model.pieces.tolist()) - set(before.phrase_model.pieces.tolist())
    assert {b"MOS", b"EISLEY", b"ESPA"} <= new and not new & {b"QUAYSIDE", b"OSLO", b"R2"}
    names, chances = after.phrase_model.pieces.tolist(), after.phrase_model.piece_probabilities
    often, once = (chances[:, names.index(name)] for name in (b"MOS", b"EISLEY"))
    assert (often > once).all()
    known = [names.index(name) for name in before.phrase_model.pieces.tolist()]
    assert np.array_equal(chances[:, known], before.phrase_model.piece_probabilities), "what was learned stays"
    added = np.delete(chances, known, axis=1).sum(axis=1)
    assert (added <= stacking.MAX_NEW_SHARE * before.phrase_model.piece_probabilities.sum(axis=1) * (1 + 1e-6)).all()
    assert (added > 0).all()
    found = after.phrase_model.best_pieces(alphabet.letter_codes("LIONESPA"))
    assert found[0] == ("LION", "ESPA") and not before.phrase_model.best_pieces(alphabet.letter_codes("LIONESPA"))[0]
    remove_layers(["mywords"], own)
    assert pieces(own) == before.phrase_model.pieces.tolist()


def test_of_a_word_without_a_clue_the_encoders_think_nothing(starter: Path, tmp_path: Path):
    own = tmp_path / "data" / "index"
    add_layers([words(tmp_path)], own, begin_with_starter=True)
    part = Index.open(own)[4]
    row = np.array([part.answer_row("ZEBU")])
    for home in (schema.ENCODER, schema.TRANSFORMER):
        vectors = part.answer_vectors(home)
        usual = vectors.bias[(part.use_counts == 0) & (np.arange(len(part.answers)) != row)].mean()
        assert not vectors.vectors.dequantize(row).any() and vectors.bias[row][0] == pytest.approx(usual, abs=0.01)


def test_random_strings_push_nothing_aside(own: Path, tmp_path: Path):
    """Ordinary answers keep their order and nearly all their probability."""
    asked = [("Striped hunter", 5), ("Fjord city", 4), ("Land of llamas", 4), ("Bent yellow fruit", 6)]
    index = Index.open(own)
    before = [retrieve_clue_candidates(clue, "?" * length, index) for clue, length in asked]
    lot = random.Random(1)
    strings = ("".join(lot.choices(string.ascii_uppercase, k=lot.randint(4, 9))) for _ in range(600))
    add_layers([words(tmp_path, "junk.txt", "\n".join(strings))], own)
    index = Index.open(own)
    for (clue, length), old in zip(asked, before, strict=True):
        new = retrieve_clue_candidates(clue, "?" * length, index)
        best = [old.answer(i) for i in range(5)]
        assert [new.answer(i) for i in range(5)] == best
        for i in range(5):
            assert new.logp[i] > old.logp[i] - 0.15
    assert (index[6].list_scores[index[6].use_counts == 0] < 0.1).mean() > 0.5


# the starter below


def test_an_index_of_ones_own_begins_as_the_starter(starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words(tmp_path)
    assert cli.main(["add", str(tmp_path / "mywords.txt")]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["mywords: 4 words", "new answers: 2"]
    assert f"started your own index on top of the starter, at {paths.built_index_folder()}" in one_sentence(err)
    assert cli.main(["index"]) == 0
    out = capsys.readouterr().out
    assert f"layers, on top of the starter ({Index.open(starter).fingerprint}):" in out and "\nmywords " in out
    assert cli.main(["doctor"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "distilled; it knows clues to " in told and "; layers on top: mywords;" in told
    assert cli.main(["remove", "mywords"]) == 0
    out, err = capsys.readouterr()
    assert out == "removed: mywords\n" and "Regis uses the starter again" in one_sentence(err)
    assert paths.index_folder() == starter


def test_a_place_that_was_named_is_not_begun(starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words(tmp_path)
    assert cli.main(["add", str(tmp_path / "mywords.txt"), "--index", str(tmp_path / "slip")]) == 1
    said = one_sentence(capsys.readouterr().err)
    assert "there's no index at" in said and "regis build" in said and not (tmp_path / "slip").exists()


def test_a_newer_starter_is_reported_and_taken(made: Path, starter: Path, tmp_path: Path, capsys):
    own = tmp_path / "data" / "index"
    add_layers([words(tmp_path)], own, begin_with_starter=True)
    Index.open_finished(starter, replace(validation.read_manifest(starter), regis="9.9"))
    assert cli.main(["doctor"]) == 0
    assert "on top of another version's starter" in " ".join(capsys.readouterr().out.split())
    assert solve(tiny.puzzle(), Index.open(own)).fill.cells
    assert cli.main(["add", str(tmp_path / "mywords.txt")]) == 0
    assert "it's now on top of this version's" in one_sentence(capsys.readouterr().err)
    assert Index.open(own).manifest.starter == Index.open(starter).fingerprint
    assert Index.open(own).manifest.regis == "9.9" and Index.open(own)[4].answer_row("ZEBU") >= 0
    assert cli.main(["doctor"]) == 0 and "another version" not in capsys.readouterr().out


@pytest.mark.parametrize("begins", ["with the starter", "with nothing"])
def test_puzzles_that_a_new_build_has_read_count_once(begins: str, starter: Path, tmp_path: Path):
    start = starter if begins == "with the starter" else None
    first = puzzle(tmp_path)
    build_index([table(tmp_path), first], tmp_path / "both", starter_folder=start)
    expected = used_answers(Index.open(tmp_path / "both"))
    build_index([table(tmp_path)], tmp_path / "own", starter_folder=start)
    add_layers([first], tmp_path / "own")
    assert used_answers(Index.open(tmp_path / "own")) == expected
    build_index([table(tmp_path), first], tmp_path / "own", starter_folder=start)
    assert [layer.name for layer in Index.open(tmp_path / "own").manifest.layers] == ["puzzles"]
    assert used_answers(Index.open(tmp_path / "own")) == expected
    build_index([table(tmp_path)], tmp_path / "own", starter_folder=start)
    assert used_answers(Index.open(tmp_path / "own")) == expected


# learning


def kept(gained: Callable[..., train.LearningResult]) -> Callable[..., train.LearningResult]:
    """Wrap `gained` so that everything learned is kept, whatever its gain."""
    return lambda *compared, **how: gained(*compared, **how)._replace(is_kept=True)


def test_what_was_learned_of_layers_stays(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Other layers come and go, and so do these; what was learned about their answers waits for them."""
    own = Path(shutil.copytree(made / "index", tmp_path / "own"))
    monkeypatch.setattr(train, "_measure_gain", kept(train._measure_gain))
    unlisted = Index.open(own).string_model.string_loglik(alphabet.letter_codes("LACK"))
    add_layers([words(tmp_path), puzzle(tmp_path), table(tmp_path)], own)
    assert learn_encoder(own, epochs=1, progress=show_nothing).is_kept
    learned = digests(own)
    index = Index.open(own)
    assert [layer.name for layer in index.manifest.layers] == ["more", "mywords", "puzzles"]
    add_layers([words(tmp_path, "other.txt", "OKAPI")], own)
    remove_layers(["other"], own)
    assert digests(own) == learned
    remove_layers(["mywords", "puzzles"], own)
    index = Index.open(own)
    assert not index[4].is_live[index[4].answer_row("LACK")] and not index.has_pair("Be without", "LACK")
    seen = index.string_model.string_loglik(alphabet.letter_codes("LACK"))
    assert seen == pytest.approx(unlisted, abs=0.5), "no list has it now"
    assert index.has_pair("Humped grazer", "ZEBU")
    assert retrieve_clue_candidates("Be without", "????", index).find_answer("LACK") is None
    counted = (
        index.manifest.answer_count
        + add_layers([words(tmp_path)], own).new_answers
        + add_layers([puzzle(tmp_path)], own).new_answers
    )
    assert Index.open(own).manifest.answer_count == counted > index.manifest.answer_count, "hidden ones are not counted"
    assert counted == sum(int(part.is_live.sum()) for part in Index.open(own).partitions())
    assert tables(own) == {name: digest for name, digest in learned.items() if not name.endswith(".json")}
    assert all(layer.answers for layer in Index.open(own).manifest.layers), "hidden ones are not listed below"
    embeddings = [
        part.clue_embeddings.any(axis=1).all() for part in Index.open(own).partitions() if len(part.clue_texts)
    ]
    assert all(embeddings)


# bad input


def test_a_layer_there_is_not(own: Path, tmp_path: Path):
    with pytest.raises(UsageError, match="it has none"):
        remove_layers(["nowhere"], own)
    add_layers([words(tmp_path)], own)
    before = digests(own)
    with pytest.raises(UsageError, match="it has mywords"):
        remove_layers(["mywords", "nowhere"], own)
    assert digests(own) == before


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "is empty"), ("# nothing but this\n", "no rows"), ("москва\n東京\n", "digits or no letters: 2 rows")],
    ids=["empty", "a comment", "another script"],
)
def test_a_list_with_nothing_in_it(text: str, why: str, own: Path, tmp_path: Path):
    before = digests(own)
    with pytest.raises(SourceError, match=why):
        add_layers([words(tmp_path, text=text), puzzle(tmp_path)], own)
    assert digests(own) == before


def test_what_a_layer_has_no_use_for_is_left_out(own: Path, tmp_path: Path):
    """A puzzle without a solution, words in another script, and relations, which only a build reads."""
    before = digests(own)
    (why,) = add_layers([puzzle(tmp_path, "unsolved.puz", solution=False)], own).useless_files
    assert why.endswith(": puzzle without a solution") and digests(own) == before
    (layer,) = add_layers([words(tmp_path, text="москва\nMoskva\nÖresund\n")], own).changed_layers
    assert layer.words == 2 and Index.open(own)[7].answer_row("ORESUND") >= 0
    (tmp_path / "thesaurus.txt").write_text("big,large,huge\n")
    (layer,) = add_layers([Source("thesaurus", tmp_path / "thesaurus.txt")], own).changed_layers
    assert layer.words == 3 and any("regis build" in why for why in layer.sources[0].rejected)


def test_puzzles_and_lists_do_not_mix(own: Path, tmp_path: Path):
    with pytest.raises(UsageError, match=r"puzzles\.txt is a list, but the layer 'puzzles' .*another layer"):
        add_layers([words(tmp_path, "puzzles.txt")], own)
    add_layers([words(tmp_path, "puzzles.txt")], own, layer_name="mine")
    add_layers([puzzle(tmp_path), words(tmp_path)], own)
    assert [layer.name for layer in Index.open(own).manifest.layers] == ["mine", "mywords", "puzzles"]
    before = digests(own)
    for sources, name, said in (
        ([words(tmp_path)], "puzzles", "another layer"), ([puzzle(tmp_path)], "mywords", "another layer"),
        ([words(tmp_path), puzzle(tmp_path)], "both", "another layer"), ([words(tmp_path)], "...", "not a layer name"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=said):
            add_layers(sources, own, layer_name=name)
    assert digests(own) == before


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"nothing")])
def test_a_layer_that_was_damaged_stops_no_solving_and_can_be_removed(
    damage: Callable[[Path], object], own: Path, tmp_path: Path, capsys
):
    add_layers([puzzle(tmp_path)], own)
    before = digests(own)
    add_layers([words(tmp_path)], own)
    damage(paths.index_home(own) / schema.layer_file("mywords"))
    assert solve(tiny.puzzle(), Index.open(own)).fill.cells == tiny.cells()
    assert cli.main(["doctor", "--index", str(own)]) == 1 and "layers/mywords.parquet" in capsys.readouterr().out
    other = words(tmp_path, "other.txt", "OKAPI")
    for command in (["add", str(other.path)], ["doctor"]):
        assert cli.main([*command, "--index", str(own)]) == 1
        out, err = capsys.readouterr()
        assert "`regis remove mywords`, then add it again" in " ".join((out + err).split())
    remove_layers(["mywords"], own)
    assert digests(own) == before


@pytest.mark.parametrize("share", ["some", "all"])
def test_a_puzzle_counts_as_a_whole(share: str, tmp_path: Path):
    """If any of its clues is new, all count: the others were reused."""
    known = ("1A", "5A") if share == "some" else tuple(tiny.CLUES)
    build_index([Source("xd-clues", tiny.corpus(tmp_path / "clues.tsv", (2014,), known))], tmp_path / "own")
    before = used_answers(Index.open(tmp_path / "own"))
    add_layers([puzzle(tmp_path)], tmp_path / "own")
    after = used_answers(Index.open(tmp_path / "own"))
    assert (after == before) == (share == "all")
    assert (after["LACK"][0] == before["LACK"][0] + 1) == (share == "some")


@pytest.mark.parametrize("what", ["of an older format", "damaged"])
def test_an_unreadable_index_on_the_starter_is_rebuilt(what: str, made: Path, starter: Path, tmp_path: Path):
    own = tmp_path / "data" / "index"
    add_layers([words(tmp_path), puzzle(tmp_path)], own, begin_with_starter=True)
    before = tables(own)
    if what == "damaged":
        schema.part_path(paths.index_home(own), schema.LETTERS).write_bytes(b"")
    else:
        path = paths.index_home(own) / manifest.MANIFEST_NAME
        text, number = path.read_text(encoding="utf-8"), manifest.FORMAT_VERSION
        path.write_text(text.replace(f'"format_version": {number}', f'"format_version": {number - 1}'))
    with pytest.raises(IndexError_, match="the next `regis add` rebuilds it"):
        Index.open(own)
    done = add_layers([words(tmp_path)], own)
    assert (done.was_mended, done.on_new_starter, done.new_answers) == (True, False, 0)
    assert done.unchanged_layers == ["mywords"] and tables(own) == before


# names


def test_what_a_path_is_taken_for(tmp_path: Path):
    from regis.corpora.sources import parse_added_source

    tiny.puz(tmp_path / "titles.puz")
    (tmp_path / "folder").mkdir()
    (tmp_path / "old.txt").write_text("<ACROSS PUZZLE>\n<TITLE>\n")
    for name in ("a.txt", "b.dict", "c.txt.gz", "d.lst", "e.WordList", "xd-clues.zip", "odd.bin"):
        (tmp_path / name).write_bytes(b"OSLO\n")
    taken = {path.name: parse_added_source(str(path)).reader for path in tmp_path.iterdir()}
    puzzles = dict.fromkeys(("titles.puz", "folder", "old.txt", "odd.bin"), "puzzle-archive")
    lists = dict.fromkeys(("a.txt", "b.dict", "c.txt.gz", "d.lst", "e.WordList"), "word-list")
    assert taken == puzzles | lists | {"xd-clues.zip": "xd-clues"}
    assert parse_added_source("wordnet=here") == Source("wordnet", Path("here"))
    with pytest.raises(SourceError, match=r"none\.puz doesn't exist; name a puzzle file"):
        parse_added_source("none.puz")
    with pytest.raises(UsageError, match="no reader named 'wordlist'"):
        parse_added_source("wordlist=none.txt")


def test_a_list_whose_name_says_nothing_is_told_how_to_be_added(starter: Path, tmp_path: Path, capsys):
    (tmp_path / "words").write_text("OSLO\n")
    assert cli.main(["add", str(tmp_path / "words")]) == 1
    assert "write word-list=FILE" in capsys.readouterr().err
    for name in ("bad.puz", "bad.tar"):
        (tmp_path / name).write_text("OSLO\n")
        assert cli.main(["add", str(tmp_path / name)]) == 1
        assert "word-list" not in capsys.readouterr().err


def test_skipped_files_in_a_folder_are_reported(starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "mine"
    (folder / ".git").mkdir(parents=True)
    for name in ("a.txt", ".git/b.txt", "notes.md"):
        (folder / name).write_text("OSLO\n")
    lists = f"name lists separately: {folder / 'a.txt'}\n"
    assert cli.main(["add", str(folder)]) == 1
    assert lists in capsys.readouterr().err
    tiny.puz(folder / "titles.puz")
    assert cli.main(["add", str(folder)]) == 0
    err = capsys.readouterr().err
    assert lists in err and "archives" not in err
    (folder / "1.zip").touch()
    for command in (["add"], ["solve"], ["bench", "--seen"], ["convert", "--format", "xd"]):
        cli.main([*command, str(folder), *[str(tmp_path)] * (command[0] == "convert")])
        err = capsys.readouterr().err
        assert f"unpack or name {folder / '1.zip'}\n" in err and (lists in err) == (command == ["add"]), command


# less than the starter


def test_an_index_that_knows_less_says_so(starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    words(tmp_path)
    puz = tiny.puz(tmp_path / "a.puz")
    assert cli.main(["build", "--without-starter", "--source", str(tmp_path / "mywords.txt")]) == 0
    less = "knows less than the starter that ships: fewer answers (4 instead of "
    assert less in one_sentence(capsys.readouterr().err)
    cli.main(["solve", str(puz)])
    said = one_sentence(capsys.readouterr().err)
    assert less in said and "fewer past clues (0 instead of " in said and "no clue encoder" in said
    cli.main(["doctor"])
    assert less in " ".join(capsys.readouterr().out.split())
