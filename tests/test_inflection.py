"""Endings: the rules of English spelling, and which part of speech takes which."""

import pytest

from regis.corpora.entry import INFLECTION_KINDS
from regis.corpora.inflection import add_ending, base_forms, irregular_ending, pluralise, regular_forms


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


def test_verbs_have_plain_endings():
    """They knife, wolf, and veto."""
    found = [dict(regular_forms(verb, "verb"))["s"] for verb in ("knife", "wolf", "veto")]
    assert found == ["knifes", "wolfs", "vetoes"]


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


@pytest.mark.parametrize("noun", ["hero", "folk hero", "piano", "knife", "timber wolf", "leaf", "cliff", "hot dog"])
def test_bases_of_plurals(noun: str):
    assert (noun, "s") in base_forms(pluralise(noun))


@pytest.mark.parametrize("word", ["", "a", "cat", "up", "es", "ing", "s", "far off", " "])
def test_what_has_no_ending_has_no_base(word: str):
    assert base_forms(word) == []
