"""Similarity to past clues by meaning, compared with a slow way; the table of embeddings, written and damaged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import shared
import strong
import tiny
from corpus import HINTS

from regis.building.training import ranking_weights as learn
from regis.building.training import transformer as training
from regis.candidates.finder import Evidence, Query, QueryResults, encode_queries
from regis.candidates.finders import FINDERS
from regis.candidates.ranking import weights
from regis.candidates.ranking.ranker import Ranker
from regis.candidates.ranking.weights import DEFAULT_WEIGHTS, Weights
from regis.candidates.settings import CANDIDATES
from regis.errors import IndexDamaged
from regis.index import Index, Manifest, Partition
from regis.index.storage.index_files import IndexFiles
from regis.index.tables import schema
from regis.models.neural import transformer
from regis.models.neural.transformer import (
    INT8_UNIT,
    quantize_embeddings,
    reduce_vectors,
)
from regis.solving.retrieval import retrieve_clue_candidates

CLUES = ["Striped hunter", "Fjord city", "City by the long river", "nothing that anybody knows", "___ city", "東京"]


def meaning(index: Index, clue: str) -> np.ndarray:
    """Return the embedding in a query for `clue`."""
    found = encode_queries([Query(clue, "????")], index)[0].clue_embedding
    assert found is not None
    return found


def past(part: Partition, answer: int) -> dict[int, np.ndarray]:
    """Return the embeddings of the visible clues of `answer`, by row."""
    return {
        int(row): embedding / np.float32(INT8_UNIT)
        for row, embedding in zip(part.clues_by_answer, part.clue_embeddings, strict=True)
        if part.clue_answer_rows[row] == answer and part.clue_counts[row]
    }


def slowly(part: Partition, answer: int, embedding: np.ndarray) -> list[float]:
    """Return one row of the `similar` features, clue by clue."""
    cosine = [float(other @ embedding) for other in past(part, answer).values()]
    votes = sum(np.exp(CANDIDATES.vote_sharpness * (c - 1)) for c in cosine) + CANDIDATES.min_votes
    return [max(cosine, default=-1), np.log(votes), np.log(votes / (len(cosine) + CANDIDATES.prior_clues))]


# what is said


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("clue", CLUES)
def test_it_says_what_the_slow_way_says(clue: str, hidden: bool, strong_index: Index):
    index = strong_index.before_newest_year() if hidden else strong_index
    embedding = meaning(strong_index, clue)
    for length in (3, 5, 11):
        part = index[length]
        answers = np.arange(len(part.answers), dtype=np.int32)
        said = weights.similarity_features(part, answers, embedding)
        assert said.shape == (len(answers), len(weights.SIMILARITY_FEATURES)) and said.dtype == np.float32
        assert said == pytest.approx(np.array([slowly(part, row, embedding) for row in answers]), abs=1e-4)


@pytest.mark.parametrize("clue", CLUES)
def test_the_nearest_is_the_largest_cosine(clue: str, strong_index: Index):
    part, embedding = strong_index[5], meaning(strong_index, clue)
    largest = weights.similarity_features(part, np.arange(len(part.answers), dtype=np.int32), embedding)[:, 0]
    for answer in range(len(part.answers)):
        near, cosines = weights.find_nearest_clue(part, answer, embedding), past(part, answer)
        if near is None:
            assert not cosines and largest[answer] == -1
        else:
            row, cosine = near
            assert cosine == pytest.approx(largest[answer], abs=1e-5)
            assert cosine == pytest.approx(float(cosines[row] @ embedding), abs=1e-5)


@pytest.mark.parametrize("clue", ["", "?!", "..."])
def test_a_clue_without_a_word_has_no_embedding(clue: str, strong_index: Index):
    assert encode_queries([Query(clue, "????")], strong_index)[0].clue_embedding is None
    made = np.exp((found := retrieve_clue_candidates(clue, "?????", strong_index)).logp).sum() + found.missing
    assert made == pytest.approx(1)


# weighing


def unread(findings: QueryResults) -> QueryResults:
    """Return the same without the clue's embedding."""
    return findings._replace(query=replace(findings.query, clue_embedding=None))


@pytest.fixture(scope="module")
def reranked(strong_index: Index) -> Weights:
    """Return the weights of the index with a reranker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learn, "MIN_CLUES", 50)
        patch.setattr(learn, "SAMPLE_CLUES", 150)
        return learn.fit_weights(strong_index)


@pytest.mark.parametrize("clue", [*CLUES, "", "?!"])
def test_the_best_are_looked_at_with_it(clue: str, strong_index: Index, reranked: Weights):
    weights = reranked
    assert weights.reranker is not None
    for length in strong_index.lengths:
        findings = tiny.findings(clue, "?" * length, strong_index)
        ranker = Ranker(strong_index, weights, 2006)
        among = ranker.rank_results(findings)
        assert np.exp(among.logp).sum() + among.missing == pytest.approx(1)
        plain = Ranker(strong_index, replace(weights, reranker=None), 2006).rank_results(unread(findings))
        blind = ranker.rank_results(unread(findings))
        changed = clue in CLUES[:3] and length == 5
        assert not changed or not np.allclose(among.logp, plain.logp, rtol=0, atol=1e-6)
        assert not changed or not np.allclose(among.logp, blind.logp, rtol=0, atol=1e-6)
        if findings.query.clue_embedding is None:
            assert among.logp == pytest.approx(plain.logp), "nobody has anything to say"
            by_hand = replace(
                DEFAULT_WEIGHTS, missing_by_length=weights.missing_by_length, missing_factors=weights.missing_factors
            )
            hand = Ranker(strong_index, by_hand, 2006).rank_results(findings)
            assert among.logp == pytest.approx(hand.logp) and among.missing == hand.missing


def told(index: Index, clue: str, answer: str, *finders: str) -> tuple[Evidence, ...]:
    """Return the evidence for `answer` from these finders, and from the transformer for past clues."""
    some = {name: FINDERS[name] for name in ("pattern", *finders)}
    among = Ranker(index, DEFAULT_WEIGHTS, 2006).rank_results(tiny.findings(clue, "?" * len(answer), index, some))
    place = among.find_answer(answer)
    assert place is not None
    return among.explain(place)


@pytest.mark.parametrize("answer", ["CAIRO", "ROME", "SNAIL"])
def test_a_past_clue_in_other_words_is_named(answer: str, strong_index: Index):
    """A network that adds words up finds the same meaning in any order of words."""
    _, reason = told(strong_index, " ".join(reversed(HINTS[answer].split())), answer)
    part = strong_index[len(answer)]
    row = list(part.clue_texts).index(reason.text)
    assert part.answers[part.clue_answer_rows[row]].decode() == answer
    assert (reason.finder, reason.kind) == ("similar", "paraphrase")
    assert CANDIDATES.min_paraphrase_cosine <= reason.score < 1.01
    assert (reason.use_count, reason.last_year) == (part.clue_counts[row], part.clue_last_years[row])


# the table


@pytest.fixture
def copy(strong_index: Index, tmp_path: Path) -> Path:
    return shared.copy_index(strong_index, tmp_path / "index").folder


EMBEDDINGS = schema.length_part(4, schema.CLUE_EMBEDDINGS)


def test_every_clue_is_written_next_to_those_of_its_answer(strong_index: Index):
    encoder, axes = strong_index.transformer, strong_index.files.read_arrays(schema.TRANSFORMER)["axes"]
    assert encoder is not None
    for length in strong_index.lengths:
        part = strong_index[length]
        assert sorted(part.clues_by_answer.tolist()) == list(range(len(part.clue_answer_rows)))
        assert part.answer_clue_starts[[0, -1]].tolist() == [0, len(part.clue_answer_rows)]
        for answer in range(len(part.answers)):
            rows = part.clues_by_answer[part.answer_clue_starts[answer] : part.answer_clue_starts[answer + 1]]
            assert rows.tolist() == np.flatnonzero(part.clue_answer_rows == answer).tolist()
        meant = reduce_vectors(encoder.encode(part.clue_texts.take_texts(part.clues_by_answer)), axes)
        assert np.abs(part.clue_embeddings - quantize_embeddings(meant).astype(int)).max(initial=0) <= 1
        size = np.linalg.norm(part.clue_embeddings.astype(float), axis=1)
        assert size == pytest.approx(np.full(len(size), INT8_UNIT), rel=0.03)


def written(folder: Path) -> dict[tuple[str, str], np.ndarray]:
    """Return everything that the transformer wrote about past clues."""
    parts = [schema.TRANSFORMER, *(schema.length_part(n, schema.CLUE_EMBEDDINGS) for n in Index.open(folder).lengths)]
    files = IndexFiles(folder)
    return {(part, name): values.copy() for part in parts for name, values in files.read_arrays(part).items()}


@pytest.mark.parametrize("together, batch, remembered", [(2048, 16, 4096), (7, 16, 4096), (2048, 3, 4096), (64, 5, 70)])
def test_the_same_however_many_are_read_together(copy: Path, monkeypatch, together: int, batch: int, remembered: int):
    before = written(copy)
    monkeypatch.setattr(training, "CLUES_PER_TASK", together)
    monkeypatch.setattr(transformer, "CLUES_PER_TABLE", batch)
    monkeypatch.setattr(transformer, "MAX_CACHED_CLUES", remembered)
    strong.read_all(Index.open(copy))
    for name, values in written(copy).items():
        assert values == pytest.approx(before[name], abs=0 if values.dtype == np.uint32 else 1)


# damage


def refused(folder: Path, record: Manifest, name: str) -> None:
    """Check that every use of the table reports its damage in one sentence, with its name unless opening does."""
    index = Index(folder, record)
    part = index[4]
    with pytest.raises(IndexDamaged, match="regis build") as told:
        weights.similarity_features(part, np.arange(len(part.answers), dtype=np.int32), meaning(index, "Fjord city"))
    assert "\n" not in str(told.value) and name in str(told.value)
    with pytest.raises(IndexDamaged, match="regis build"):
        retrieve_clue_candidates("Fjord city", "OSLO", Index(folder, record)).explain(0)


def swapped(values: np.ndarray) -> np.ndarray:
    """Return the array with its first two rows exchanged; they may belong to one answer."""
    return values[[1, 0, *range(2, len(values))]]


def numberless(values: np.ndarray) -> np.ndarray:
    return np.where(np.arange(values.size).reshape(values.shape) == 5, np.nan, values).astype(values.dtype)


@pytest.mark.parametrize(
    ("part", "name", "change"),
    [
        *((EMBEDDINGS, "embeddings", change) for change in (
            lambda v: v[:-1], lambda v: v[:, :-1], lambda v: v.ravel(), lambda v: v.astype(np.float32),
            lambda v: v.view(np.uint8),
        )),
        *((EMBEDDINGS, "rows", change) for change in (
            lambda v: v[:-1], lambda v: v.astype(np.int32), lambda v: v[None], lambda v: v + np.uint32(1),
            lambda v: v[::-1], np.sort, swapped,
        )),
        *((schema.TRANSFORMER, "axes", change) for change in (
            lambda v: v[:-1], lambda v: v.astype(np.float64), numberless, lambda v: v * np.float32(1e30),
            lambda v: v * np.float32(1.1),
        )),
    ],
)  # fmt: skip
def test_tables_that_cannot_be(copy: Path, strong_index: Index, part: str, name: str, change):
    shared.change_arrays(copy, part, lambda arrays: arrays.update({name: change(arrays[name])}))
    refused(copy, strong_index.manifest, part)
