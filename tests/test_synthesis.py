"""Coined answers: words of clues, joined, and known answers with another ending, by the rules of English spelling."""

import itertools
import random
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from regis import text
from regis.building import synthesis
from regis.building.settings import COINING
from regis.building.synthesis import CLUE_PAIRS, CLUE_WORDS, OTHER_ENDINGS, AnswerCoiner, CoinedAnswer
from regis.corpora.entry import INFLECTION_KINDS
from regis.corpora.inflection import add_ending, base_forms, irregular_ending, pluralise, regular_forms

FORMS = [
    ("OPEN", "s", "OPENS"), ("OPEN", "ed", "OPENED"), ("OPEN", "ing", "OPENING"), ("OPEN", "er", "OPENER"),
    ("TIME", "s", "TIMES"), ("TIME", "ed", "TIMED"), ("TIME", "ing", "TIMING"), ("TREE", "s", "TREES"),
    ("MAN", "s", "MEN"), ("LIE", "ed", "LAY"), ("LIE", "ing", "LYING"), ("LAY", "ed", "LAID"), ("LAY", "ing", "LAYING"),
]  # fmt: skip


def coined_from(*clues: tuple[str, str], forms: list[tuple[str, str, str]] | None = None) -> dict[str, CoinedAnswer]:
    """Return the answers coined from (clue, answer)s; of equal ones, the one with the highest score."""
    coiner = AnswerCoiner()
    for clue, answer in clues:
        coiner.count_clue(text.clue_key(clue), answer)
    return {one.answer: one for one in sorted(coiner.coin_answers(forms or []), key=lambda one: one.score)}


def test_words_are_scored_by_how_common_they_are():
    found = coined_from(("Red sea", "A"), ("Red hen", "B"), ("Red", "C"), ("Hen ox", "D"))
    assert {name: one.score for name, one in found.items()} == {"RED": 1.0, "HEN": 2 / 3, "SEA": 1 / 3}
    assert {one.source for one in found.values()} == {CLUE_WORDS}


WORDS = ["red", "sea", "blue", "bird", "of", "the", "one", "hot", "dog", "stand", "___"]
CLUES = [" ".join(random.Random(i).choices(WORDS, k=4)) for i in range(80)]


@pytest.mark.parametrize(("common", "commonest"), [(0, 0), (2, 1), (4, 3)])
def test_pairs_and_triples_are_those_of_a_plain_count(monkeypatch: pytest.MonkeyPatch, common: int, commonest: int):
    settings = replace(COINING, common_in_pairs=common, common_in_triples=commonest, min_productivity=2)
    monkeypatch.setattr(synthesis, "COINING", settings)
    answers = ["REDSEA", "REDBIRD", "BLUEBIRD", "HOTSEA", "HOTDOG", "SEADOG", "ONESTAND"]
    found = coined_from(*zip(CLUES, itertools.cycle(answers)))
    keys = [text.clue_key(clue).split() for clue in dict.fromkeys(CLUES)]
    words = Counter(word for key in keys for word in key)
    rank = [word for word, _ in words.most_common()]
    begun, ended = defaultdict(int), defaultdict(int)
    for answer in answers:
        for first, second in itertools.product(words, repeat=2):
            if (first + second).upper() == answer:
                begun[first] += 1
                ended[second] += 1
    expected = {}
    triples = Counter(t for key in keys for t in zip(key, key[1:], key[2:], strict=False))
    for triple, n in triples.items():
        if n > 1 and text.BLANK_TOKEN not in triple and not {triple[0], triple[2]} & set(rank[:commonest]):
            expected["".join(triple).upper()] = COINING.triple_score if n > 2 else COINING.twice_triple_score
    for (a, b), n in Counter(p for key in keys for p in itertools.pairwise(key)).items():
        rare, productive = not {a, b} & set(rank[:common]), begun[a] * ended[b] >= 2
        if text.BLANK_TOKEN in (a, b) or not ((rare and n > 1) or (productive and (rare or n > 1))):
            continue
        expected[(a + b).upper()] = (
            COINING.once_pair_score if n == 1 else COINING.pair_score if rare else COINING.common_pair_score
        )
    assert len(expected) > 10
    assert {name: one.score for name, one in found.items() if one.source == CLUE_PAIRS} == expected
    assert all(
        text.normalize_answer(one.display_text) == name for name, one in found.items() if one.source == CLUE_PAIRS
    )


def test_known_answers_take_endings():
    clues = [("x", answer) for answer in ("OPEN", "ASH", "ASHTREE", "SNOW", "SNOWMEN", "TREES")]
    found = coined_from(*clues, forms=FORMS)
    known = {name for name, one in found.items() if one.score == COINING.inflected_score}
    assert known == {"OPENS", "OPENED", "OPENING", "OPENER", "ASHTREES", "SNOWMAN"}
    assert {one.source for one in found.values()} == {OTHER_ENDINGS}


def test_verbs_before_a_particle_take_their_other_forms():
    found = coined_from(("x", "TIMEOUT"), ("x", "LAYUP"), ("x", "OPENAIR"), ("x", "TREEUP"), forms=FORMS)
    known = {name for name, one in found.items() if one.score == COINING.particle_score}
    assert known == {"TIMEOUT", "TIMESOUT", "TIMEDOUT", "TIMINGOUT", "LAYUP", "LAIDUP", "LAYINGUP"}


def test_what_was_asked_often_takes_an_s():
    clues = [("x", answer) for answer in ("WAWA", "SKY", "BUS", "EMU") for _ in range(COINING.min_plural_uses)]
    found = coined_from(*clues[:-1], forms=FORMS)
    assert {name for name, one in found.items() if one.score == COINING.plural_score} == {"WAWAS", "SKIES"}


def test_what_a_dictionary_inflects_takes_no_other_s():
    often = [("x", answer) for answer in ("MAN", "HERO") for _ in range(COINING.min_plural_uses)]
    found = coined_from(*often, forms=FORMS)
    assert {"MEN", "HEROES"} <= found.keys() and not {"MANS", "HEROS"} & found.keys()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("pony", "ponies ponied ponying ponier poniest"),
        ("play", "plays played playing player playest"),
        ("box", "boxes boxed boxing boxer boxest"),
        ("church", "churches churched churching churcher churchest"),
        ("stop", "stops stopped stopping stopper stoppest"),
        ("quit", "quits quitted quitting quitter quittest"),
        ("visit", "visits visited visiting visiter visitest"),
        ("bake", "bakes baked baking baker bakest"),
        ("tie", "ties tied tying tier tiest"),
        ("see", "sees seed seeing seer seest"),
        ("dye", "dyes dyed dyeing dyer dyest"),
        ("big", "bigs bigged bigging bigger biggest"),
        ("at", "ats atted atting atter attest"),
    ],
)
def test_the_rules(word: str, said: str):
    assert [add_ending(word, e) for e in INFLECTION_KINDS] == said.split()


@pytest.mark.parametrize(
    ("lemma", "part", "said"),
    [
        ("hot dog", "noun", [("s", "hot dogs")]),
        ("give up", "verb", [("s", "gives up"), ("ed", "gived up"), ("ing", "giving up")]),
        ("bake", "verb", [("s", "bakes"), ("ed", "baked"), ("ing", "baking"), ("er", "baker")]),
        ("happy", "adj", [("er", "happier"), ("est", "happiest")]),
        ("beautiful", "adj", []),
        ("far off", "adj", []),
        ("well", "adv", []),
    ],
)
def test_forms(lemma: str, part: str, said: list[tuple[str, str]]):
    assert regular_forms(lemma, part) == said


@pytest.mark.parametrize(
    ("noun", "said"),
    [
        ("hero", "heroes"), ("folk hero", "folk heroes"), ("veto", "vetoes"), ("piano", "pianos"), ("radio", "radios"),
        ("knife", "knives"), ("timber wolf", "timber wolves"), ("leaf", "leaves"), ("elf", "elves"), ("life", "lives"),
        ("chief", "chiefs"), ("safe", "safes"), ("golf", "golfs"), ("lowlife", "lowlifes"), ("relief", "reliefs"),
        ("cliff", "cliffs"), ("pony", "ponies"),
    ],
)  # fmt: skip
def test_plurals(noun: str, said: str):
    assert pluralise(noun) == said


@pytest.mark.parametrize(
    ("verbs", "is_doubled"),
    [("prefer occur admit omit expel begin regret control", True),
     ("offer suffer vomit limit enter pilfer cancel open", False)],
)  # fmt: skip
def test_a_stressed_end_doubles_its_letter(verbs: str, is_doubled: bool):
    for verb in verbs.split():
        stem = verb + verb[-1] * is_doubled
        assert [add_ending(verb, e) for e in ("ed", "ing", "er")] == [stem + e for e in ("ed", "ing", "er")]


def test_irregular_forms_tell_their_ending():
    told = [("mice", "noun"), ("gave", "verb"), ("giving", "verb"), ("better", "adj"), ("best", "adj")]
    assert [irregular_ending(*one) for one in told] == ["s", "ed", "ing", "er", "est"]


@pytest.mark.parametrize(
    "word", ["pony", "play", "box", "stop", "bake", "tie", "see", "dye", "big", "visit", "undergo"]
)
@pytest.mark.parametrize("rest", ["", " off"])
def test_bases_are_what_a_form_is_made_of(word: str, rest: str):
    for one in INFLECTION_KINDS:
        assert (word + rest, one) in base_forms(add_ending(word, one) + rest)


@pytest.mark.parametrize("word", ["", "a", "cat", "up", "es", "ing", "s", "far off", " "])
def test_what_has_no_ending_has_no_base(word: str):
    assert base_forms(word) == []
