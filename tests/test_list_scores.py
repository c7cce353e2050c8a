"""A list is worth as much as its words became new answers, by list and length, compared with lists below."""

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import corpus
import pytest
import shared

from regis.building import list_scores
from regis.building.personal_layers import add_layers
from regis.building.settings import LISTS
from regis.corpora.entry import Source
from regis.index import Index

WORDS = ["".join(letters) for letters in itertools.product("BDGLMNRST", "AEIOU", "BDGLMNRST", "AEIOU")]
EIGHTS = [f"{word}{word}" for word in WORDS]
OLD, NEW = WORDS[:120], WORDS[121:401]  # answers of 2004 that come again, and new answers of 2005
BELOW, NOTHING = WORDS[401:1200], WORDS[1200:]  # in a list below and never used, and words that no list has


def rows() -> list[corpus.Row]:
    found = [corpus.entry(word, f"No. {i} of old", 2004) for i, word in enumerate(OLD + EIGHTS[:120])]
    found += [corpus.entry(word, f"No. {i}", 2005) for i, word in enumerate(OLD + NEW + EIGHTS[120:200])]
    return [*found, *(corpus.entry(word, source="list", weight=0.5) for word in BELOW + NEW[::5])]


@pytest.fixture(scope="module", autouse=True)
def many() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(list_scores, "MIN_USED_ANSWERS", 5000)  # words made by rule don't have odd letters, but new ones
        yield


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return shared.copied(rows(), tmp_path).folder


def scores(own: Path, *lists: Sequence[str]) -> dict[str, float]:
    """Return the scores of all words after `lists` are added to the index `own`."""
    sources = []
    for i, words in enumerate(lists):
        path = own.parent / f"list-{i}.txt"
        path.write_text("\n".join(words))
        sources.append(Source("word-list", path))
    add_layers(sources, own)
    parts = Index.open(own).partitions()
    return {
        name.decode(): float(score)
        for part in parts
        for name, score in zip(part.answers, part.list_scores, strict=True)
    }


def test_a_list_is_worth_what_its_words_were(own: Path):
    """Every other word of one list became an answer, none of the other's; both are equally long."""
    good, bad = NOTHING[:60] + NEW[1:150:5] + NEW[2:150:5], NOTHING[100:220]
    found = scores(own, good, bad)
    assert found[NOTHING[0]] > LISTS.usual_score + 0.2 > LISTS.usual_score - 0.1 > found[NOTHING[100]]
    assert found[BELOW[0]] == LISTS.usual_score, "what lies below stays as it was"


def test_words_that_several_lists_have_are_worth_more_than_those_of_each(own: Path):
    both = NEW[1::5] + NOTHING[:60]
    found = scores(own, both + NOTHING[100:200], both + NOTHING[200:300])
    assert found[NOTHING[0]] > found[NOTHING[100]] + 0.3 and found[NOTHING[100]] == found[NOTHING[200]]


def test_a_list_is_worth_more_at_one_length_than_at_another(own: Path):
    found = scores(own, NEW[1::5] + NOTHING[:60] + EIGHTS[200:])
    assert found[NOTHING[0]] > found[EIGHTS[300]] + 0.3


def test_a_long_list_without_answers_counts_almost_nothing_but_stays(own: Path):
    found = scores(own, EIGHTS[200:], ["ZEBU", "OKAPI"])
    assert -2 < found[EIGHTS[-1]] < LISTS.usual_score - 0.3
    index = Index.open(own)
    assert index[8].is_live[index[8].answer_row(EIGHTS[-1])]
    assert len(index.before_newest_year()[8].matching_rows("?" * 8)) == len(EIGHTS) - 80, "also before the newest year"


def test_what_a_list_says_of_its_words_counts_within_it(own: Path):
    found = scores(own, [f"{word};{10 + i}" for i, word in enumerate(NOTHING[:200])])
    assert found[NOTHING[199]] - found[NOTHING[0]] == pytest.approx(199 / 200, abs=0.01)
