"""The starter that ships: small, whole, without clues, and it solves small puzzles."""

import functools
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from regis.evaluation import score
from regis.index import Index
from regis.index.tables import schema
from regis.puzzle import formats
from regis.solving.explanation import explain
from regis.solving.pipeline import solve
from regis.solving.solved_puzzle import SolvedPuzzle
from regis.system import paths

ROOT = Path(__file__).parent.parent
MAX_BYTES = 95_000_000  # keeps the wheel below 100 MB
MAX_TABLE_BYTES = 51_000_000  # of everything except the transformer's and the reader's files
NEWEST_YEAR = 2025  # last year of the clues it was trained on; later ones are kept for measuring
SMALL = sorted(
    path
    for path in ROOT.glob("examples/**/*.puz")
    if path.stem in ("mini", "midi", "rebus", "added", "either") or "minis" in path.parts
)


@pytest.fixture(scope="module")
def starter() -> Index:
    folder = paths.shipped_path("starter")
    assert folder is not None
    return Index.open(folder)


def test_it_is_small_and_no_later_than_it_says(starter: Index):
    sizes = {path: path.stat().st_size for path in starter.folder.rglob("*") if path.is_file()}
    assert sum(sizes.values()) <= MAX_BYTES
    networks = {schema.TRANSFORMER, schema.CROSS_ENCODER}
    assert sum(size for path, size in sizes.items() if networks.isdisjoint(path.parts)) <= MAX_TABLE_BYTES
    assert starter.manifest.without_clues and starter.manifest.latest_year == NEWEST_YEAR


def test_the_notice_names_every_list_that_it_has_strings_of(starter: Index):
    lists = {source.file.partition(".")[0] for source in starter.manifest.sources if source.reader == "word-list"}
    rows = (ROOT / "NOTICE.md").read_text(encoding="utf-8").partition("## Lists")[2].splitlines()
    assert lists and lists == {row.split("|")[1].strip() for row in rows if row.count("|") == 4} - {"list", "---"}


def test_nobodys_sentences_are_in_it(starter: Index):
    """Only two tables have text: the words of phrases, and the words that answers are cut into."""
    for path in starter.folder.rglob("*.parquet"):
        table = pq.read_table(path, partitioning=None)
        for name in table.schema.names:
            if pa.types.is_string(table[name].type) and table[name].null_count < len(table):
                assert path.name in ("pieces.parquet", "words.parquet")
                assert all(len(piece) < 25 for piece in table[name].to_pylist())


def test_nothing_is_written_into_it_where_the_cache_cannot_be(monkeypatch: pytest.MonkeyPatch):
    """Derived arrays are computed each time."""
    folder = paths.shipped_path("starter")
    assert folder is not None
    monkeypatch.setattr(paths, "cache_folder", lambda: None)
    before = sorted(folder.rglob("*"))
    (file,) = formats.open_files(ROOT / "examples" / "mini.puz")
    assert solve(formats.read_puzzle(file)[0], Index.open(folder)).fill.cells
    assert sorted(folder.rglob("*")) == before


def test_clues_that_come_again_are_known_by_their_numbers(starter: Index):
    assert starter.manifest.clue_count > 500_000


@functools.cache
def solve_file(path: Path, starter: Index) -> SolvedPuzzle:
    (file,) = formats.open_files(path)
    return solve(formats.read_puzzle(file)[0], starter)


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_small_puzzles_come_out_whole(path: Path, starter: Index):
    (file,) = formats.open_files(path)
    puzzle, _ = formats.read_puzzle(file)
    truth = score.read_truth(file)
    assert truth is not None
    solved = solve_file(path, starter)
    assert score.score_fill(solved.fill, puzzle, truth).is_whole
    tells_of_one_mind(solved)
    if "minis" not in path.parts:
        known = solve(replace(puzzle, given={cell: x for cell, x in truth.items() if x.isalnum()}), starter)
        tells_of_one_mind(known)
        assert not known.doubted_letters


def tells_of_one_mind(solved: SolvedPuzzle) -> None:
    """Check that the probabilities of an answer and its rivals sum to at most 1, and are the same everywhere."""
    slots = solved.puzzle.grid.slots
    for answer, why in zip(solved.answers, explain(solved, slots, 10), strict=True):
        two = solved.find_two_answers(answer.slot)
        others = {word: p for word, p in answer.alternatives if two is None or word != two.second_answer}
        assert answer.confidence + sum(others.values()) <= 1 + 1e-6
        told = {choice.answer: choice.probability for choice in why.candidates}
        listed = {choice.answer for choice in why.candidates if choice.clue_rank is not None}
        assert sum(told[word] for word in listed) + why.missing_probability <= 1 + 1e-6
        assert "is on no list" not in why.why or answer.answer not in listed
        for word, p in others.items():
            assert two or told.get(word, p) == pytest.approx(p, abs=1e-3)
        if answer.answer in told and not two:
            assert told[answer.answer] == pytest.approx(answer.confidence, abs=1e-6)
        elif not two:
            assert why.missing_probability >= answer.confidence - 1e-3


def test_the_rebus_the_themed_answers_and_the_two_answers_of_the_examples_are_found(starter: Index):
    rebus, added, either = (solve_file(ROOT / f"examples/{name}.puz", starter) for name in ("rebus", "added", "either"))
    assert set(rebus.rebus_squares.values()) == {"CAT"} and len(rebus.rebus_squares) == 4
    themed = {"BITTENPART", "FATTENFARM", "FLATTENTIRE"}  # on no list
    assert themed <= {answer.answer for answer in added.answers} and not added.rebus_squares
    (one,) = either.two_answer_entries
    assert {one.first_answer, one.second_answer} == {"CAT", "DOG"}
