"""What a listed string is worth, learned from the strings that became answers; and which strings stay out."""

import itertools
import random
from collections.abc import Sequence
from pathlib import Path

import corpus
import numpy as np
import pytest
from corpus import entry

from regis.building import list_prior
from regis.building.build import UNLIKELY_ANSWER, build_index
from regis.building.training import ranking_weights
from regis.corpora.entry import Source
from regis.index import Index, Manifest

pytestmark = pytest.mark.usefixtures("reader")

WORDS = ["".join(letters) for letters in itertools.product("BDGLMNRST", "AEIOU", "BDGLMNRST", "AEIOU", "LNRST")]
random.Random(1).shuffle(WORDS)
OLD, NEW, NEVER = WORDS[:600], WORDS[600:1000], WORDS[1000:3000]
"""Answers since 2003, new answers of 2005 and 2006, and strings that never were answers."""

GOOD = NEW[::2] + NEW[1::4] + NEVER[:300]  # half of this list became answers
BAD = NEW[3::4] + NEVER[300:1500]  # hardly any of this list did
FRESH = NEVER[:300]  # strings of the good list that weren't answers yet
STALE = NEVER[300:1500]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Correct for a thousand strings in place of millions, each much likelier; don't fit weights."""
    fewer_strings(monkeypatch)


def fewer_strings(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(list_prior, "USUAL_SHARE", 1e-3)
    patch.setattr(ranking_weights, "SAMPLE_CLUES", 1)


def random_strings(count: int) -> list[str]:
    lot = random.Random(5)
    return ["".join(lot.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=lot.randint(3, 9))) for _ in range(count)]


def clues() -> list[corpus.Row]:
    found: list[corpus.Row] = []
    for year in (2003, 2004, 2005, 2006):
        found += [entry(word, f"No. {i} of old", year) for i, word in enumerate(OLD)]
        found += [entry(word, f"No. {i} of {year}", year) for i, word in enumerate(NEW[year % 2 :: 2]) if year > 2004]
    return found


def built(
    folder: Path, lists: dict[str, Sequence[str]], rows: Sequence[corpus.Row] = (), **options: int
) -> tuple[Manifest, dict[str, float]]:
    """Return the manifest of an index of the clues and of `lists`, and the score of each answer."""
    folder.mkdir(exist_ok=True)
    sources = [corpus.write(folder / "rows.json", rows or clues())]
    for name, lines in lists.items():
        (folder / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
        sources.append(Source("word-list", folder / f"{name}.txt"))
    record = build_index(sources, folder / "index", **options)  # type: ignore[arg-type]
    parts = Index.open(folder / "index").partitions()
    pairs = (zip(part.answers, part.list_scores, strict=True) for part in parts)
    return record, {name.decode(): float(score) for name, score in itertools.chain(*pairs)}


def mean(scores: dict[str, float], words: Sequence[str]) -> float:
    """Return the mean score of words; missing words count as almost nothing."""
    return float(np.mean([scores.get(word, -1.0) for word in words]))


def test_a_string_counts_as_its_list_did(tmp_path: Path):
    _, scores = built(tmp_path, {"good": GOOD, "bad": BAD})
    assert mean(scores, FRESH) > mean(scores, STALE) + 0.4


def test_what_is_popular_is_worth_more(tmp_path: Path):
    """The strings that a list scores best became answers."""
    strings = NEW + NEVER[:1200]
    ranked = [f"{word};{2000 - i}" for i, word in enumerate(strings)]
    _, scores = built(tmp_path, {"ranked": ranked})
    assert mean(scores, NEVER[:100]) > mean(scores, NEVER[1000:1100]) + 0.3


def test_random_strings_stay_out_and_harm_nothing(tmp_path: Path):
    junk = random_strings(20_000)
    _, before = built(tmp_path / "without", {"good": GOOD, "bad": BAD})
    record, after = built(tmp_path / "with", {"good": GOOD, "bad": BAD, "junk": junk})
    fate = record.sources[-1]
    assert fate.rejected[UNLIKELY_ANSWER] > 0.99 * len(set(junk))
    assert fate.read == fate.kept + sum(fate.rejected.values())
    assert len(after) < len(before) + 100
    assert abs(mean(after, FRESH) - mean(before, FRESH)) < 0.1


def test_a_list_under_two_names_an_endless_item_and_another_script_change_nothing_much(tmp_path: Path):
    odd = ["X" * 30_000, "мышь", "東京", "Ω", "\u202e", "e" + "\u0301" * 400, "two words", "a" * 70_000]
    _, before = built(tmp_path / "without", {"good": GOOD, "bad": BAD})
    for name, more in (("twice", {"again": GOOD}), ("odd", {"bad": BAD + odd})):
        record, after = built(tmp_path / name, {"good": GOOD, "bad": BAD, **more})
        assert record.sources[-1].kept > 0
        assert mean(after, FRESH) == pytest.approx(mean(before, FRESH), abs=0.05)
        assert len(set(before) ^ set(after)) < 0.05 * len(before)


def test_the_best_strings_are_kept_up_to_the_limit(tmp_path: Path):
    lists = {"good": GOOD, "bad": BAD}
    _, everything = built(tmp_path / "all", lists)
    _, few = built(tmp_path / "few", lists, max_listed=50)
    kept = set(few) & set(NEVER)
    assert 0 < len(kept) <= 50 < len(set(everything) & set(NEVER))
    assert min(everything[word] for word in kept) >= max(everything[word] for word in set(FRESH) - kept)
    _, none = built(tmp_path / "none", lists, max_listed=0)
    assert not set(none) & set(NEVER) and set(OLD + NEW) <= set(none)


def test_an_answer_of_the_newest_year_is_listed_before_it_only_if_it_scores_well(tmp_path: Path):
    """Otherwise the hidden year would have its new answers in lists, unlike other years."""
    _, scores = built(tmp_path, {"good": GOOD, "junk": [*random_strings(20_000), NEW[3]]}, max_listed=0)
    index = Index.open(tmp_path / "index")
    past = index.before_newest_year()[5]
    newest = [word for word in NEW if scores[word] == 0 and past.use_counts[past.answer_row(word)] == 0]
    assert newest and not any(past.is_live[past.answer_row(word)] for word in newest)


@pytest.mark.parametrize(("years", "min_new"), [((2005,), None), ((2005, 2005), None), ((), 1000)])
def test_without_earlier_years_or_enough_new_answers_lists_count_as_they_are(
    tmp_path: Path, years: tuple[int, ...], min_new: int | None, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(list_prior, "MIN_NEW_ANSWERS", min_new or list_prior.MIN_NEW_ANSWERS)
    rows = [entry(word, f"No. {i}", years[i % len(years)]) for i, word in enumerate(OLD + NEW) if years]
    _, scores = built(tmp_path, {"good": GOOD, "bad": BAD}, rows)
    assert {scores[word] for word in NEVER[:1500]} == {0.5}
