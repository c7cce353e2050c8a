"""A built index begins with the starter's answers, encoders, phrases, and weights."""

import shutil
from dataclasses import replace
from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import test_stack
import tiny
from test_cli import one_sentence
from test_personal_layers import digests, forms, used_answers
from test_stack import table, words

from regis import cli
from regis.building.build import build_index
from regis.building.personal_layers import add_layers, remove_layers
from regis.building.settings import ENCODERS
from regis.building.training import ranking_weights, train
from regis.building.training.train import learn_encoder
from regis.candidates.ranking.weights import Weights
from regis.corpora.entry import RELATION_KINDS, Source
from regis.errors import UsageError
from regis.index import Index
from regis.index.tables import schema
from regis.models.text import clue_features
from regis.solving.pipeline import solve
from regis.solving.retrieval import retrieve_clue_candidates
from regis.system import paths
from regis.system.progress import show_nothing

small, made, starter = test_stack.small, test_stack.made, test_stack.starter

ROWS = "tst\t2007\tZEBU\tHumped grazer\ntst\t2007\tTIGER\tStriped hunter in the grass\n"


@pytest.fixture
def own(made: Path, starter: Path, tmp_path: Path) -> Index:
    """Return an index built from two clues and four words."""

    def make(folder: Path) -> None:
        build_index([table(folder, ROWS), words(folder)], folder / "index", starter_folder=made / "starter")

    shutil.copytree(shared.once("begun", make) / "index", tmp_path / "data" / "index")
    return Index.open(tmp_path / "data" / "index")


def test_three_words_make_no_ruins(own: Index, starter: Path):
    first = Index.open(starter)
    assert own.manifest.begun == first.fingerprint and own.manifest.latest_year == 2007
    mine, theirs = used_answers(own), used_answers(first)
    assert {one: known for one, known in theirs.items() if one not in ("ZEBU", "TIGER")}.items() <= mine.items()
    assert mine["ZEBU"] == (1, 2007)
    for part in first.partitions():
        assert np.isin(part.answers, own[part.length].answers).all()
        assert forms(own, part.length) == forms(first, part.length), "relations of words are inherited"
        rows = np.searchsorted(own[part.length].answers, part.answers)
        assert (
            own[part.length].list_scores[rows][part.use_counts == 0] >= part.list_scores[part.use_counts == 0]
        ).all()
    assert solve(tiny.puzzle(), own).fill.cells


def test_later_uses_come_to_those_that_the_starter_knows(own: Index, starter: Path):
    """Without the newest year, as for fitting weights, the sources make no difference."""
    theirs, mine = used_answers(Index.open(starter)), used_answers(own)
    assert mine["TIGER"] == (theirs["TIGER"][0] + 1, 2007) and theirs["TIGER"][0] > 1
    before = own.before_newest_year()[5]
    row = before.answer_row("TIGER")
    assert (before.use_counts[row], before.last_years[row]) == theirs["TIGER"] and before.is_live[row]


def test_what_is_added_pushes_no_answer_of_the_starters_out(own: Index, tmp_path: Path):
    """They have uses but no clues, and a merge mustn't drop these uses."""
    before = used_answers(own), {part.length: part.is_live.sum() for part in own.partitions()}, letters(own)
    more = [words(tmp_path, text="QUAGGA\nOKAPI\n"), table(tmp_path, "tst\t2008\tZEBU\tOx of Asia\n")]
    add_layers(more, own.folder)
    after = Index.open(own.folder)
    assert {**used_answers(after), "ZEBU": before[0]["ZEBU"]} == before[0] and used_answers(after)["ZEBU"] == (2, 2008)
    assert all(part.is_live.sum() >= before[1][part.length] for part in after.partitions())
    np.testing.assert_array_equal(letters(after), before[2])
    remove_layers(["mywords", "more"], own.folder)
    assert used_answers(Index.open(own.folder)) == before[0]


def test_what_is_added_counts_as_if_it_had_been_built_in(made: Path, starter: Path, tmp_path: Path):
    """Clues of years that the starter knows may be the starter's; only additional uses of an answer count."""
    rows = [row for row in corpus.rows((2004, 2005)) if isinstance(row, corpus.Entry) and row.clue]
    lines = [f"tst\t{row.year}\t{row.answer}\t{row.clue}\n" for row in rows] + [
        f"tst\t2005\tZEBU\tOx {i}\n" for i in "ab"
    ]
    half = len(lines) // 2
    build_index([table(tmp_path, "".join(lines))], tmp_path / "all", starter_folder=starter)
    build_index([table(tmp_path, "".join(lines[:half]))], tmp_path / "half", starter_folder=starter)
    add_layers([table(tmp_path, "".join(lines[half:]))], tmp_path / "half")
    built, grown = Index.open(tmp_path / "all"), Index.open(tmp_path / "half")
    once = used_answers(built)
    assert used_answers(grown) == once and once["ZEBU"][0] == 2
    for length in built.lengths:  # a build removes the starter's uses by their mean age
        decayed = [one[length].decayed_uses[one[length].use_counts > 0] for one in (grown, built)]
        np.testing.assert_allclose(*decayed, rtol=0.25)


def letters(index: Index) -> np.ndarray:
    return index.trigram_counts


def test_what_a_source_counts_is_not_counted_twice(made: Path, starter: Path, tmp_path: Path):
    rows = [row for row in corpus.rows((2004, 2005)) if isinstance(row, corpus.Entry) and row.clue]
    source = table(tmp_path, "".join(f"tst\t{row.year}\t{row.answer}\t{row.clue}\n" for row in rows))
    build_index([source], tmp_path / "same", starter_folder=starter)
    assert used_answers(Index.open(tmp_path / "same")) == used_answers(Index.open(starter))


@pytest.mark.parametrize("home", [schema.ENCODER, schema.TRANSFORMER])
def test_the_encoders_are_the_starters(home: str, own: Index, starter: Path):
    first = Index.open(starter)
    said = ["Humped grazer", "Striped hunter", "City on seven hills"]
    assert np.array_equal(own.encoders[home].encode(said), first.encoders[home].encode(said))
    for part in first.partitions():
        rows = np.searchsorted(own[part.length].answers, part.answers)
        before, after = part.answer_vectors(home), own[part.length].answer_vectors(home)
        assert np.array_equal(before.bias, after.bias[rows])
        assert np.array_equal(before.vectors.dequantize(slice(None)), after.vectors.dequantize(rows)), (
            "packed as they were"
        )
    four = own[4].answer_vectors(home)
    assert four.vectors.dequantize(np.array([own[4].answer_row("ZEBU")])).any()
    eight = own[8]
    assert not eight.answer_vectors(home).vectors.dequantize(np.array([eight.answer_row("QUAYSIDE")])).any()


def test_past_clues_are_found_and_not_yet_compared(own: Index):
    assert own.transformer is not None and not own.has_clue_embeddings and own.embed_clues(["Humped grazer"]) is None
    found = retrieve_clue_candidates("Striped hunter in the grass", "?????", own)
    assert found.answer(0) == "TIGER" and any("Striped hunter" in reason.text for reason in found.explain(0))


def test_what_sources_say_of_words_is_joined_to_what_the_starter_says(starter: Path, tmp_path: Path):
    first = Index.open(starter)
    (tmp_path / "syn.txt").write_text("hunter,tiger,stalker\nzebu,humped one\n", encoding="utf-8")
    build_index(
        [table(tmp_path, ROWS), Source("thesaurus", tmp_path / "syn.txt")], tmp_path / "own", starter_folder=starter
    )
    own = Index.open(tmp_path / "own")
    assert said(first, "hunter", 5) == {("TIGER", "kind", "dictionary")}
    assert said(own, "hunter", 5) == {("TIGER", "kind", "dictionary"), ("TIGER", "synonym", "syn")}
    assert said(own, "hunter", 7) == said(first, "hunter", 7) | {("STALKER", "synonym", "syn")}
    assert said(own, "zebu", 9) == {("HUMPEDONE", "synonym", "syn")}
    assert said(own, "grazer", 5) == said(first, "grazer", 5) == {("ZEBRA", "kind", "dictionary")}
    assert [form[1:] for form in forms(own, 5)].count((b"TIGER", 0)) == 1, "one word in both"
    assert (b"TIGERS", RELATION_KINDS.index("s")) in [form[1:] for form in forms(own, 6)]


def said(index: Index, head: str, length: int) -> set[tuple[str, str, str]]:
    """Return (answer, kind, publisher) of everything under the word `head`."""
    found = index.relations.find_relations(np.array([clue_features.hash_word(head)], np.uint64))
    written = index.relations.find_answers(found.word_numbers, length, len(index[length].answers))
    return {
        (
            index[length].answers[row].decode(),
            RELATION_KINDS[found.relation_kinds[way]],
            index.manifest.publishers[found.source_numbers[way]],
        )
        for way, row, ending in zip(*written, strict=True)
        if not ending
    }


def test_weights_for_an_index_with_clues_are_the_starters(own: Index, starter: Path, tmp_path: Path):
    first = Index.open(starter)
    with_clues = first.fitted_values[schema.WEIGHTS_WITH_CLUES_KEY]
    got = own.fitted_values
    assert got == {schema.WEIGHTS_KEY: with_clues, schema.UNLISTED_KEY: first.fitted_values[schema.UNLISTED_KEY]}
    assert Weights.read_weights(own).to_json() == Weights.from_json(with_clues).to_json()


def test_the_same_gives_the_same(own: Index, starter: Path, tmp_path: Path):
    build_index([table(tmp_path, ROWS), words(tmp_path)], tmp_path / "again", starter_folder=starter)
    again, first = (digests(folder) for folder in (tmp_path / "again", own.folder))
    assert {name for name, digest in again.items() if first.get(name) != digest} <= {"manifest.json"}
    assert again.keys() == first.keys()
    assert Index.open(tmp_path / "again").fingerprint == own.fingerprint


# learning goes on from there


@pytest.fixture
def later(starter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an index built from the clues of two years that the starter doesn't know, enough for measuring."""
    monkeypatch.setattr(ranking_weights, "MIN_CLUES", 50)
    rows = [row for row in corpus.rows((2006, 2007)) if isinstance(row, corpus.Entry) and row.clue]
    told = "".join(f"tst\t{row.year}\t{row.answer}\t{row.clue}\n" for row in rows)
    build_index([table(tmp_path, told)], tmp_path / "later", starter_folder=starter)
    return tmp_path / "later"


@pytest.fixture
def keeps_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep everything learned: these clues are known almost surely before, and rounding would decide."""
    monkeypatch.setattr(train, "ENCODERS", replace(ENCODERS, min_gain=-np.inf))


@pytest.mark.usefixtures("keeps_all")
def test_it_goes_on_where_the_starter_stands(later: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    before = Index.open(later)
    assert cli.main(["learn", "--index", str(later), "--epochs", "3"]) == 0
    assert "clues of 2007, hidden: log loss " in capsys.readouterr().out
    index = Index.open(later)
    assert set(index.files.read_arrays(schema.ENCODER)) == {"features", "feature-scales"}
    assert index.transformer is not None and solve(tiny.puzzle(), index).fill.cells
    was, now = before[5].answer_vectors(schema.ENCODER), index[5].answer_vectors(schema.ENCODER)
    row = np.array([index[5].answer_row("TIGER")])
    old, new = was.vectors.dequantize(row)[0], now.vectors.dequantize(row)[0]
    assert 0.5 < old @ new / np.linalg.norm(old) / np.linalg.norm(new) < 1, "moved, and not begun by lot"
    assert now.score(index.encoder.encode(["Striped hunter"]))[0].argmax() == row[0]


def test_what_is_no_better_is_not_kept(later: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    def forget(trainer: train.BaseEncoderTrainer, *_: object) -> None:
        trainer.feature_vectors.values[:] = -trainer.feature_vectors.values

    monkeypatch.setattr(train, "train_encoder", forget)
    before = digests(later)
    assert cli.main(["learn", "--index", str(later)]) == 0
    assert "isn't better by 0.001 than what the index knew" in one_sentence(capsys.readouterr().err)
    assert digests(later) == before


def test_with_too_few_new_clues_nothing_is_learned(own: Index, capsys: pytest.CaptureFixture[str]):
    before = digests(own.folder)
    assert cli.main(["learn", "--index", str(own.folder)]) == 0
    assert "there are too few clues of 2007" in one_sentence(capsys.readouterr().err) and digests(own.folder) == before


def test_what_the_starter_knows_too_cannot_be_measured(later: Path, starter: Path, monkeypatch: pytest.MonkeyPatch):
    build_index([table(later.parent, "tst\t2005\tZEBU\tHumped grazer\n")], later, starter_folder=starter)
    with pytest.raises(UsageError, match="too few clues later than 2005"):
        learn_encoder(later, progress=show_nothing)
    monkeypatch.setattr(paths, "starter_folder", lambda: None)
    with pytest.raises(UsageError, match="run `regis build`"):
        learn_encoder(later, progress=show_nothing)


# where it begins with nothing


@pytest.mark.parametrize(
    "left_out", [["--until", "2004"], ["--hold-out", "{puzzles}"], ["--without-starter"]], ids=lambda words: words[0]
)
def test_nothing_is_known_that_was_to_be_left_out(left_out: list[str], starter: Path, tmp_path: Path, capsys):
    """The starter of these tests knows clues up to 2005."""
    tiny.archive(tmp_path / "puzzles", ["tst2004-09-01"])
    source = table(tmp_path, "tst\t2003\tZEBU\tHumped grazer\n")
    named = [word.format(puzzles=tmp_path / "puzzles") for word in left_out]
    assert cli.main(["build", "--source", f"xd-clues={source.path}", *named]) == 0
    err = capsys.readouterr().err
    assert ("starting from nothing" in err) == (left_out != ["--without-starter"])
    index = Index.open(paths.built_index_folder())
    assert index.manifest.begun == "" and index.encoder is None and used_answers(index) == {"ZEBU": (1, 2003)}


def test_years_that_the_starter_does_not_know_may_be_left_out(starter: Path, tmp_path: Path, capsys):
    tiny.archive(tmp_path / "puzzles", ["tst2014-09-01"])
    source = table(tmp_path, ROWS)
    more = ["--until", "2007", "--hold-out", str(tmp_path / "puzzles")]
    assert cli.main(["build", "--source", f"xd-clues={source.path}", *more]) == 0
    assert "fewer past clues" in one_sentence(capsys.readouterr().err)
    assert Index.open(paths.built_index_folder()).manifest.begun == Index.open(starter).fingerprint
