"""Relations on disk: reading returns what was written; damage is noticed; an index without them works."""

from pathlib import Path

import corpus
import numpy as np
import pytest
import shared
import tiny

from regis.corpora.entry import RELATION_KINDS
from regis.errors import IndexDamaged
from regis.index import Index
from regis.index.tables import schema
from regis.models.text import clue_features


def answers(index: Index, head: str, length: int) -> set[tuple[str, str, str]]:
    """Return (answer, kind, ending) of everything under the word or phrase `head`."""
    part = index[length]
    assert part is not None and index.relations is not None
    said = index.relations.find_relations(np.array([clue_features.hash_word(head)], np.uint64))
    written = index.relations.find_answers(said.word_numbers, length, len(part.answers))
    return {
        (part.answers[row].decode(), RELATION_KINDS[said.relation_kinds[way]], RELATION_KINDS[ending] if ending else "")
        for way, row, ending in zip(*written, strict=True)
    }


def test_every_relation_is_found_under_its_head(whole: Index):
    for head, word, kind in corpus.RELATIONS:
        part = whole[len(word)]
        if kind in ("gloss", *RELATION_KINDS[6:]) or part is None or part.answer_row(word.upper()) < 0:
            continue
        assert (word.upper(), kind, "") in answers(whole, head, len(word))


def test_bases_are_what_words_are_forms_of_and_what_nobody_said_is_not_there(whole: Index):
    assert whole.relations is not None
    none = np.array([clue_features.hash_word("no such head")], np.uint64)
    assert whole.relations.count_relations(none).tolist() == [0]
    assert not len(whole.relations.find_relations(none).word_numbers)
    assert not len(whole.relations.find_bases(none)[0])
    _, bases, endings = whole.relations.find_bases(np.array([clue_features.hash_word("hunters")], np.uint64))
    assert bases.tolist() == [clue_features.hash_word("hunter")] and [RELATION_KINDS[e] for e in endings] == ["s"]


def test_an_index_without_relations_works(tmp_path: Path):
    index = corpus.index(tmp_path, [corpus.entry("OSLO", "Fjord city", 2001)])
    assert index.relations is None
    assert not len(tiny.findings("Fjord city", "????", index).results["reference"].answer_rows)


FILES = [(name, None) for name in ("heads", "starts", "words", "kinds", "sources", "inflected", "bases", "endings")]


@pytest.mark.parametrize(("name", "length"), [*FILES, ("words", 6), ("rows", 6), ("endings", 6)])
@pytest.mark.parametrize("damage", ["type", "cut", "values", "junk"])
def test_damage_is_one_sentence(name: str, length: int | None, damage: str, tmp_path: Path):
    index = shared.copied(corpus.rows(), tmp_path)
    if damage == "values" and name in ("heads", "words", "inflected", "bases") and length is None:
        pytest.skip("every number is a hash or a word that somebody may have")
    part = schema.RELATIONS if length is None else schema.length_part(length, schema.RELATIONS)
    path = schema.part_path(index.folder, part)

    def change(arrays: dict[str, np.ndarray]) -> None:
        values = arrays[name]
        made = {"type": values.astype(np.float32), "cut": values[:-1], "values": values[::-1] + 200}[damage]
        arrays[name] = made if damage == "type" else made.astype(values.dtype)

    if damage == "junk":
        path.write_bytes(b"no array")
    else:
        shared.change_arrays(index.folder, part, change)
    with pytest.raises(IndexDamaged, match="relations"):
        tiny.findings("hunters of the jungle", "??????", Index(index.folder, index.manifest))
