"""Relations on disk: what went in comes out; damage is noticed; an index without them works."""

from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import tiny

from regis.corpora.entry import RELATIONS, Relation
from regis.errors import IndexDamaged
from regis.index import Index, schema
from regis.models import features


def answers(index: Index, head: str, length: int) -> set[tuple[str, str, str]]:
    """(answer, kind, ending) of all that stands under the word or phrase `head`."""
    part = index[length]
    assert part is not None and index.relations is not None
    said = index.relations.said(np.array([features.code(head)], np.uint64))
    written = index.relations.written(said.word, length, len(part.names))
    return {
        (part.names[row].decode(), RELATIONS[said.kind[way]], RELATIONS[ending] if ending else "")
        for way, row, ending in zip(*written, strict=True)
    }


def test_every_relation_is_found_under_its_head(whole: Index):
    for head, word, kind in corpus.RELATIONS:
        part = whole[len(word)]
        if kind in ("gloss", *RELATIONS[6:]) or part is None or part.answer_row(word.upper()) < 0:
            continue
        assert (word.upper(), kind, "") in answers(whole, head, len(word))


def test_forms_are_listed_and_found(whole: Index):
    assert answers(whole, "hunter", 6) == {("TIGERS", "kind", "s")}
    part = whole[6]
    row = part.answer_row("TIGERS")
    assert part.count[row] == 0 and part.score[row] > 0


def test_what_nobody_said_is_not_there(whole: Index):
    assert whole.relations is not None
    none = np.array([features.code("no such head")], np.uint64)
    assert whole.relations.sizes(none).tolist() == [0] and not len(whole.relations.said(none).word)
    assert not len(whole.relations.bases(none)[0])


def test_bases_are_what_words_are_forms_of(whole: Index):
    assert whole.relations is not None
    _, bases, endings = whole.relations.bases(np.array([features.code("hunters")], np.uint64))
    assert bases.tolist() == [features.code("hunter")] and [RELATIONS[e] for e in endings] == ["s"]


def test_equal_relations_become_one(tmp_path: Path):
    rows = [corpus.entry("OSLO", "Fjord city", 2001), *[Relation("capital", "Oslo", "kind", "a")] * 3]
    index = corpus.index(tmp_path, [*rows, Relation("Capital!", "OSLO", "kind", "a")])
    assert answers(index, "capital", 4) == {("OSLO", "kind", "")}
    assert index.relations is not None
    assert index.relations.sizes(np.array([features.code("capital")], np.uint64)).tolist() == [1]


def test_an_index_without_relations_works(tmp_path: Path):
    index = corpus.index(tmp_path, [corpus.entry("OSLO", "Fjord city", 2001)])
    assert index.relations is None
    assert not len(tiny.findings("Fjord city", "????", index).found["reference"].answers)


FILES = [(name, None) for name in ("heads", "starts", "words", "kinds", "sources", "inflected", "bases", "endings")]


@pytest.mark.parametrize(("name", "length"), [*FILES, ("words", 6), ("rows", 6), ("endings", 6)])
@pytest.mark.parametrize("damage", ["type", "cut", "values", "junk"])
def test_damage_is_one_sentence(name: str, length: int | None, damage: str, tmp_path: Path):
    index = shared.copied(corpus.rows(), tmp_path)
    path = index.folder / schema.relations_file(name, length)
    values = np.load(path)
    if damage == "values" and name in ("heads", "words", "inflected", "bases") and length is None:
        pytest.skip("every number is a hash or a word that somebody may have")
    if damage == "junk":
        path.write_bytes(b"no array")
    else:
        changed = {"type": values.astype(np.float32), "cut": values[:-1], "values": values[::-1] + 200}[damage]
        np.save(path, changed.astype(values.dtype) if damage != "type" else changed)
    with pytest.raises(IndexDamaged, match="relations"):
        tiny.findings("hunters of the jungle", "??????", Index(index.folder, index.manifest))
