"""Weighing: everything has a probability, including the missing answer; what a clue's words say about its answer."""

import corpus
import numpy as np
import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from regis import text
from regis.candidates.ranking.ranker import Ranker
from regis.candidates.ranking.scoring import MIN_PART_LETTERS, Scorer, clue_words, min_missing, overlap_penalty
from regis.candidates.ranking.weights import DEFAULT_WEIGHTS, RANKING_FEATURES, Weights, build_feature_table
from regis.candidates.settings import CANDIDATES
from regis.corpora.entry import Entry
from regis.index import Index
from regis.puzzle.alphabet import letter_codes
from regis.solving.retrieval import retrieve_clue_candidates

CLUES = ["River player", "Striped hunter", "", "___", "мышь", "word of the year", "of the"]


def total(among) -> float:
    return float(np.exp(among.logp).sum()) + among.missing


@pytest.mark.parametrize("clue", CLUES)
@pytest.mark.parametrize("length", [2, 3, 4, 5, 6, 7, 11, 12, 40])
def test_probabilities_and_missing_sum_to_one(clue: str, length: int, whole: Index):
    among = retrieve_clue_candidates(clue, "?" * length, whole)
    assert total(among) == pytest.approx(1)
    assert (np.diff(among.logp) <= 1e-12).all(), "best first"
    assert len({among.answer(i) for i in range(len(among))}) == len(among)
    assert len(among) == len(whole[length].answer_letters), "every answer has its prior"


@pytest.mark.parametrize("pattern", ["?T???", "OT?ER", "ZZZZZ", "TIGER"])
def test_known_letters_are_bayes(pattern: str, whole: Index):
    free, known = (
        retrieve_clue_candidates("Striped hunter", "?????", whole),
        retrieve_clue_candidates("Striped hunter", pattern, whole),
    )
    assert total(known) == pytest.approx(1)
    expected = free.keep_rows(free.matching(pattern))
    assert [known.answer(i) for i in range(len(known))] == [expected.answer(i) for i in range(len(expected))]
    if len(known):
        assert known.logp - known.logp[0] == pytest.approx(expected.logp - expected.logp[0])


def test_the_answer_to_a_known_clue_comes_first_with_its_evidence(whole: Index):
    asked = [e for e in corpus.rows() if isinstance(e, Entry) and e.clue and e.answer == "OTTER"]
    clue = asked[-1].clue
    best = retrieve_clue_candidates(clue, "?????", whole)[0]
    assert best.answer == "OTTER"
    near = next(reason for reason in best.evidence if reason.finder == "nearby")
    same = [e for e in asked if e.clue == clue]
    assert (near.kind, near.text, near.score) == ("clue", clue, 1.0)
    assert (near.use_count, near.last_year) == (len(same), max(e.year or 0 for e in same))
    listed = next(reason for reason in best.evidence if reason.finder == "pattern")
    assert (listed.kind, listed.use_count) == ("answer", len(asked))


def test_features_of_a_row_do_not_depend_on_the_other_rows(whole: Index):
    _, part, rows, found = tiny.findings("Striped hunter", "?????", whole)
    made = build_feature_table(part, rows, found, 2005)
    assert made.shape == (len(rows), len(RANKING_FEATURES)) and np.isfinite(made).all()
    some = rows[::7]
    assert np.array_equal(build_feature_table(part, some, found, 2005), made[some])


@pytest.mark.parametrize("clue", ["", "?!"])
def test_without_a_word_what_is_used_more_is_likelier(clue: str, whole: Index):
    """Whatever the fitted weights are; they are fitted on clues with words."""
    odd = Weights(-np.abs(DEFAULT_WEIGHTS.feature_weights), DEFAULT_WEIGHTS.missing_by_length, {})
    for length in (4, 5, 6):
        part = whole[length]
        among = Ranker(whole, odd, 2005).rank_results(tiny.findings(clue, "?" * length, whole))
        use = [part.use_counts[part.answer_row(among.answer(i))] for i in range(len(among))]
        assert total(among) == pytest.approx(1) and use[0] > 2 * np.mean(use)


@pytest.mark.parametrize("clue", ["Striped hunter", "Fjord city", "___ city", "?", "Word of the year"])
def test_scores_are_features_times_weights(clue: str, whole: Index):
    lot = np.random.default_rng(4)
    for length in whole.lengths:
        weights = Weights(lot.normal(size=len(RANKING_FEATURES)), {5: 0.1}, {})
        for pattern in ("?" * length, "A" + "?" * (length - 1)):
            findings = tiny.findings(clue, pattern, whole)
            for year in (2005, 2010):
                slow = (
                    build_feature_table(findings.partition, findings.answer_rows, findings.results, year)
                    @ weights.feature_weights
                )
                assert Scorer(whole, weights, year).score_answers(findings) == pytest.approx(slow, abs=1e-6)


REPEATED, PARTIAL = CANDIDATES.repeated_factor, CANDIDATES.partial_factor


def factors(clue: str, *answers: str) -> list[float]:
    return overlap_penalty(clue, np.array([letter_codes(answer) for answer in answers])).tolist()


@pytest.mark.parametrize(
    ("clue", "answer", "factor"),
    [
        ("Sushi offering", "SUSHI", REPEATED), ("Sushi offering", "UNAGI", 1),
        ("Offerings of a bar", "OFFERING", REPEATED),
        ("Offer", "OFFERS", REPEATED), ("Swear off", "SWEAROFF", PARTIAL),
        ("Get along", "ALONG", REPEATED),
        ("Small bird", "REDBIRD", PARTIAL), ("Bird", "BIRDS", REPEATED), ("Some pie", "MAGPIE", 1),
        ("A to Z", "ATOZ", 1),
        ("Tora! Tora! ___!", "TORA", 1), ("___ Tora! Tora!", "TORATORA", 1), ("", "ANY", 1),
        ("Über alles", "UBER", REPEATED),
        ("Cards", "CARDSHARP", PARTIAL), ("I, for one", "I", 1), ("It's an art", "ART", REPEATED),
        ("Starting", "START", REPEATED),
        ("1990's style", "NINETIES", 1), ("No. 1 hit", "HIT", REPEATED),
    ],
)  # fmt: skip
def test_what_a_clue_says_counts_for_little(clue: str, answer: str, factor: float):
    assert factors(clue, answer) == [factor]


@given(st.text("abcde _'-", max_size=30), st.lists(st.text("ABCDE", min_size=5, max_size=5), min_size=1, max_size=20))
def test_it_is_what_a_slow_look_says(clue: str, answers: list[str]):
    said = clue_words(clue)
    stems = {text.stem_word(one.lower()) for one in said}

    def slow(answer: str) -> float:
        alike = any(answer[:3] == one[:3] for one in said)  # words with the same stem begin alike
        if answer in said or (alike and text.stem_word(answer.lower()) in stems):
            return REPEATED
        parts = [one for one in said if CANDIDATES.min_part_letters <= len(one) < len(answer) - 1]
        return PARTIAL if any(answer.startswith(one) or answer.endswith(one) for one in parts) else 1.0

    assert factors(clue, *answers) == [slow(answer) for answer in answers]


@pytest.mark.parametrize(
    "clue",
    ["Start of a quip", "Quip, part 2", "QUIP: PART 2", "Quote: Pt. II", "Quip (part 2)", "Quip -- Part 2",
     "More of quip", "End of the Twain quote", "Part 2 of today's riddle", "2nd part of verse", "First half of a quote",
     "Joke, part two", "Still more of the quip", "Verse continued", "With 3-Down, end of the quip",
     "was ___, End of the quip"],
)  # fmt: skip
def test_clues_for_parts(clue: str):
    assert (
        0
        < min_missing(clue, MIN_PART_LETTERS)
        < min_missing(clue, 9)
        < min_missing(clue, 15)
        == min_missing(clue, 25)
        < 1
    )
    assert min_missing(clue, MIN_PART_LETTERS - 1) == 0, "short parts are words, nearly always"


@pytest.mark.parametrize(
    "clue",
    ["", "Quip", "Author of the quip", "Riddle's answer", "Start of the day", "Part 2", "Verse part", "Poet's end"],
)
def test_other_clues(clue: str):
    assert min_missing(clue, 15) == 0
