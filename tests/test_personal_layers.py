"""Adding puzzles to an index: the result is as if built with them, once only, all or nothing."""

import hashlib
import itertools
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import strong
import test_embedding
import tiny
from corpus import entry
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_cli import one_sentence

from regis import cli, text
from regis.building.additions import AddOutcome
from regis.building.personal_layers import add_layers
from regis.building.training.ranking_weights import fit_weights
from regis.building.training.train import learn_encoder
from regis.corpora.entry import Entry, Reject, Relation, Source
from regis.corpora.readers import puzzle_archive
from regis.index import Index
from regis.index.layers import layer_files
from regis.index.storage import validation
from regis.index.tables import schema, writer
from regis.models.neural.transformer import TransformerEncoder, quantize_embeddings, reduce_vectors
from regis.puzzle import formats
from regis.system import paths
from regis.system.progress import show_nothing

Puzzles = dict[str, list[Entry | Reject]]


def added(folder: Path, puzzles: Puzzles, patch: pytest.MonkeyPatch) -> AddOutcome:
    """Add puzzles given by the rows that the reader would yield."""
    patch.setattr(
        puzzle_archive, "read_puzzles", lambda path: (puzzle_archive.ArchivedPuzzle(*item) for item in puzzles.items())
    )
    (folder.parent / "puzzles").mkdir(exist_ok=True)
    return add_layers(of_puzzles(folder.parent / "puzzles"), folder)


def of_puzzles(*paths: Path) -> list[Source]:
    return [Source("puzzle-archive", path) for path in paths]


@pytest.fixture
def copy(whole: Index, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole.folder, tmp_path / "index"))


def digests(folder: Path) -> dict[str, str]:
    """Hash the files of the index in use at `folder`, and of the one below it."""
    home = paths.index_home(folder)
    below = validation.try_read_json(home / "manifest.json").get("base")
    places = {"": home} | ({"below/": folder / below} if below else {})
    return {
        f"{place}{name}": hashlib.sha256(content).hexdigest()
        for place, inner in places.items()
        for name, content in shared.files(inner).items()
    }


def clue_rows(index: Index) -> dict[tuple[str, str], tuple[object, ...]]:
    """Return the contents of the clue tables, by clue key and answer."""
    found = {}
    for length in index.lengths:
        part = index[length]
        for row in writer.read_pair_rows(part).to_pylist():
            counted = tuple(row[name] for name in ("clue", "count", "latest", "last", "previous"))
            found[row["key"], row["answer"]] = counted
    return found


def used_answers(index: Index) -> dict[str, tuple[int, int]]:
    """Return count and last year of every used answer."""
    parts = [part for length in index.lengths if (part := index[length]) is not None]
    rows = [(part, row) for part in parts for row in np.flatnonzero(part.use_counts)]
    return {part.answers[row].decode(): (int(part.use_counts[row]), int(part.last_years[row])) for part, row in rows}


ANSWERS = st.sampled_from(["OSLO", "LION", "ZZYZX", "QUAYS", "AB", "A" * 21, "NOVELWORD", *list(corpus.HINTS)[:6]])
CLUES = st.sampled_from(["Fjord city", "FJORD CITY!", "Word nobody said", "Proud roarer", "___", "Striped hunter"])
ENTRIES = st.builds(
    entry, ANSWERS, CLUES, st.sampled_from([None, 1999, 2003, 2005, 2007]), st.sampled_from(["tst", "new"])
)
FEW = [
    *corpus.rows((2004,))[::12], entry("OSLO", "Fjord city", 2005), entry("LISTED", weight=0.5),
    Relation("runner", "hare", "kind", "dictionary"), Relation("tiger", "tigers", "s", "dictionary"),
]  # fmt: skip


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a small index. Don't change it."""
    return corpus.index(tmp_path_factory.mktemp("few"), FEW).folder


def gives_way(undated: list[Entry], other: list[Entry]) -> bool:
    """Return whether `other` is the same puzzle with a year."""
    same, copy = (Counter((text.clue_key(e.clue), e.answer) for e in puzzle) for puzzle in (undated, other))
    return same == copy and not any(e.year for e in undated) and any(e.year for e in other)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(ENTRIES, min_size=1, max_size=5), min_size=1, max_size=3))
def test_an_index_with_puzzles_is_as_if_built_with_them(few: Path, tmp_path_factory, puzzles: list[list[Entry]]):
    """Except years after the corpus's newest, which count as that year, so that all of them are hidden."""
    folder = tmp_path_factory.mktemp("law")
    shutil.copytree(few, folder / "index")
    with pytest.MonkeyPatch.context() as patch:
        known = added(folder / "index", {str(i): list(p) for i, p in enumerate(puzzles)}, patch).known_puzzles
        index = Index.open(folder / "index")
        new = [p for i, p in enumerate(puzzles) if str(i) not in known]
        taken = [e for p in new if not any(gives_way(p, other) for other in new) for e in p]
        (folder / "built").mkdir()
        patch.setattr(
            writer, "make_pair_rows", lambda used, newest, right=writer.make_pair_rows, **how: right(used, 2005, **how)
        )
        built = corpus.index(folder / "built", [*FEW, *taken])
    assert clue_rows(index) == clue_rows(built) and used_answers(index) == used_answers(built)
    assert index.trigram_counts == pytest.approx(built.trigram_counts)
    assert index.manifest.latest_year == max([2005, *(e.year for e in taken if e.year)])
    assert index.manifest.newest_year == 2005
    for length in built.lengths:
        part, other = index[length], built[length]
        if part is None or other is None:
            assert other is not None and not other.use_counts.any(), "words of clues, listed by builds"
            continue
        for name in ("posting_features", "posting_starts", "posting_rows", "clue_norms"):
            assert (getattr(part, name) == getattr(other, name)).all()
        assert (np.asarray(part.reversed_keys.rows_between(0, 9**9)) == other.reversed_keys.rows_between(0, 9**9)).all()


NEW = {
    "a.puz": [entry("ZEBU", "Humped grazer", 2006, "mine"), entry("TIGER", "Striped swimmer", 2006, "mine")],
    "b.puz": [entry("AARDVARKS", "First animals", 2004), entry("TIGER", "Stripes on legs", 2004), Reject("no clue")],
}


def test_everything_else_stays_as_it_was(whole: Index, copy: Path, monkeypatch: pytest.MonkeyPatch):
    added(copy, NEW, monkeypatch)
    index = Index.open(copy)
    before, after = digests(whole.files.path), digests(index.files.path)
    assert after.keys() - before.keys() == {"layers/puzzles.parquet"} and before.keys() <= after.keys()
    changed = {name for name in before if after[name] != before[name]}
    lengths = {part for name in changed for part in name.split("/") if part.startswith("length=")}
    assert lengths == {"length=4", "length=5", "length=9"}
    assert {name for name in changed if "length=" not in name} == {f"{schema.LETTERS}.arrays", "manifest.json"}
    assert digests(copy / index.manifest.base) == before, "what lies below stays"
    old = clue_rows(whole)
    assert {key: row for key, row in clue_rows(index).items() if key in old} == old
    assert index.relations is not None and whole.relations is not None
    for length in whole.lengths:
        assert forms(index, length) == forms(whole, length)
        part, other = index[length], whole[length]
        assert part is not None and other is not None
        rows = np.searchsorted(part.answers, other.answers)
        assert (part.list_scores[rows] == other.list_scores).all()
        assert [part.display_text_array.to_pylist()[row] for row in rows] == other.display_text_array.to_pylist()


def forms(index: Index, length: int) -> list[tuple[int, bytes, int]]:
    """Return (word, answer, ending) of everything that relations lead to."""
    part = index[length]
    assert part is not None and index.relations is not None
    words, rows, endings = index.relations.read_forms(length, len(part.answers))
    return [(int(w), part.answers[r], int(e)) for w, r, e in zip(words, rows, endings, strict=True)]


@pytest.mark.parametrize("order", list(itertools.permutations([None, 2008, 2015])))
def test_copies_of_a_puzzle_may_come_in_any_order(order: list[int | None], copy: Path, monkeypatch: pytest.MonkeyPatch):
    """An undated copy may be any dated one, which replaces it; in another year the puzzle was reprinted."""
    for year in order:
        dated = [e._replace(year=year) if isinstance(e, Entry) else e for e in NEW["a.puz"]]
        done = added(copy, {f"{year}.puz": dated}, monkeypatch)
        assert done.new_puzzles == (year is not None or year == order[0])
    part = Index.open(copy)[4]
    row = part.answer_row("ZEBU")
    assert (part.use_counts[row], part.last_years[row], Index.open(copy).manifest.layers[0].clues) == (2, 2015, 4)
    entries = layer_files.read_layers(Index.open(copy))["puzzles"].entries
    assert sorted(set(entries["year"].to_pylist())) == [2008, 2015]


def test_later_puzzles_are_hidden_with_the_newest_year(copy: Path, monkeypatch: pytest.MonkeyPatch):
    """So weights aren't fitted on a single puzzle of a new year."""
    learned_before = fit_weights(Index.open(copy))
    added(copy, NEW, monkeypatch)
    index = Index.open(copy)
    part, then = index[4], index.before_newest_year()[4]
    assert part is not None and then is not None
    zebu = part.answer_row("ZEBU")
    assert (part.use_counts[zebu], then.use_counts[zebu], then.is_live[zebu]) == (1, 0, False)
    fitted = fit_weights(index).fit_record
    assert fitted["year"] == 2005 and fitted["clues"] >= learned_before.fit_record["clues"]


# encoders


@pytest.fixture(scope="module")
def taught(few: Path, network: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make a small index with an encoder, whose answer vectors also serve for a transformer."""
    folder = Path(shutil.copytree(few, tmp_path_factory.mktemp("taught") / "index"))
    with pytest.MonkeyPatch.context() as patch:
        test_embedding.few_buckets(patch)
        learn_encoder(folder, epochs=1, progress=show_nothing)
        yield strong.with_network(Index.open(folder), network).folder


def embeddings(index: Index) -> dict[tuple[str, str], list[int]]:
    """Return the embedding of each clue, by key and answer."""
    found = {}
    for length in index.lengths:
        part = index[length]
        order, keys = part.clues_by_answer, list(part.clue_keys)
        for row, embedding in zip(order.tolist(), part.clue_embeddings.tolist(), strict=True):
            found[keys[row], part.answers[part.clue_answer_rows[row]].decode()] = embedding
    return found


def test_the_embeddings_move_along_with_their_clues(taught: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """New clues are read."""
    folder = Path(shutil.copytree(taught, tmp_path / "index"))
    before = embeddings(Index.open(folder))
    new = NEW | {"c.puz": [entry("A" * 22, "Slow runner", 2006), entry("Z" * 22, "?!", 2006)]}
    assert added(folder, new, monkeypatch).new_clues == 6
    after = embeddings(Index.open(folder))
    assert {clue: embedding for clue, embedding in after.items() if clue in before} == before
    encoder, axes = (
        TransformerEncoder(paths.index_home(folder) / schema.TRANSFORMER),
        Index.open(folder).files.read_arrays(schema.TRANSFORMER)["axes"],
    )
    clues = [(e.clue, e.answer) for rows in new.values() for e in rows if isinstance(e, Entry)]
    fresh = {(text.clue_key(clue), answer): clue for clue, answer in clues}
    assert set(after) - set(before) == set(fresh)
    for where, clue in fresh.items():
        meant = quantize_embeddings(reduce_vectors(encoder.encode([clue]), axes))[0]
        assert after[where] == meant.tolist()
    order = Index.open(folder)[22]
    assert order is not None and order.answer_clue_starts.tolist() == [0, 1, 2]


# files


def test_a_list_that_is_there_already_says_nothing_of_puzzles(copy: Path, tmp_path: Path, capsys):
    words = tmp_path / "towns.txt"
    words.write_text("ZUTPHEN\nAALBORG\n")
    for expected in ("towns: 2 words\nnew answers: 2\n", "towns: nothing new\nnew answers: 0\n"):
        assert cli.main(["add", str(words), "--index", str(copy)]) == 0
        assert capsys.readouterr().out == expected
    words.write_text("ZUTPHEN\n42\n")
    assert cli.main(["add", str(words), "--index", str(copy)]) == 0
    out, err = capsys.readouterr()
    assert out == "towns: 1 word\nfewer answers: 1\n" and "towns: 1 row left out: " in err


def test_files_folders_and_formats(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    def regis(*arguments: object) -> tuple[int, str, str]:
        code = cli.main([*map(str, arguments), "--index", str(copy)])
        return (code, *capsys.readouterr())

    def told(added: int, clues: int, answers: int, known: int) -> str:
        already = f"; {known} puzzle{'s' * (known > 1)} already in the index" if known else ""
        return f"puzzles added: {added}, with {clues} clues{already}\nnew answers: {answers}\n"

    puzzle = tiny.puz(tmp_path / "tst2014-09-01.puz")
    assert regis("add", puzzle) == (0, told(1, 8, 6, 0), "")
    other = tmp_path / "tst2014-09-01.ipuz"
    file = formats.open_file(puzzle)
    other.write_bytes(formats.convert_file(file, "ipuz")[0])
    assert regis("add", other, puzzle) == (0, told(0, 0, 0, 2), "")
    (tmp_path / "more").mkdir()
    tiny.puz(tmp_path / "more" / "unsolved.puz", solution=False)
    (tmp_path / "more" / "broken.puz").write_bytes(b"nothing")
    tiny.puz(tmp_path / "more" / "tst2015-01-01.puz")
    code, out, err = regis("add", tmp_path / "more")
    assert (code, out) == (0, told(1, 8, 0, 0)) and err.count("left out") == 2
    code, out, err = regis("index", "--all")
    assert "layer puzzles, puzzle-archive: more, 2015 to 2015" in out and "newest clue: 2015" in out
    assert "calibration: " in out


@pytest.mark.parametrize("what", ["nothing", "a table", "the format"])
@pytest.mark.parametrize("without", [["--without-layers"], ["--until", "2010"]], ids=["flag", "years left out"])
def test_a_build_keeps_what_was_added_unless_told_otherwise(
    copy: Path, tmp_path: Path, capsys, what: str, without: list[str]
):
    """Even if `what` of the index is damaged."""
    add_layers(of_puzzles(tiny.puz(tmp_path / "a.puz")), copy)
    if what == "a table":
        schema.part_path(paths.index_home(copy), schema.LETTERS).write_bytes(b"")
    elif what == "the format":
        record = paths.index_home(copy) / "manifest.json"
        record.write_text(record.read_text().replace('"format_version": ', '"format_version": 1'))
    source = f"xd-clues={tiny.corpus(tmp_path / 'clues.tsv')}"
    build = ["build", "--source", source, "--output", str(copy)]
    assert cli.main(build) == 0 and capsys.readouterr().err == ""
    (layer,) = Index.open(copy).manifest.layers
    assert layer.name == "puzzles" and layer.clues == 8 and Index.open(copy).has_pair("Be without", "LACK")
    assert cli.main([*build, *without]) == 0
    assert "add them again: puzzles" in one_sentence(capsys.readouterr().err)
    assert Index.open(copy).manifest.layers == ()


def test_a_build_does_not_lose_layers_that_cannot_be_read(copy: Path, tmp_path: Path, capsys):
    add_layers(of_puzzles(tiny.puz(tmp_path / "a.puz")), copy)
    schema.part_path(paths.index_home(copy), schema.LETTERS).write_bytes(b"")
    (paths.index_home(copy) / "layers" / "puzzles.parquet").write_bytes(b"nothing")
    before = digests(copy)
    build = ["build", "--source", f"xd-clues={tiny.corpus(tmp_path / 'clues.tsv')}", "--output", str(copy)]
    assert cli.main(build) == 1
    assert "--without-layers" in one_sentence(capsys.readouterr().err) and digests(copy) == before
    assert cli.main([*build, "--without-layers"]) == 0
    assert "add them again: puzzles" in one_sentence(capsys.readouterr().err)


# bad input
