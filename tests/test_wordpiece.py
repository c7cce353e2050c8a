"""Word pieces: the same as the tokenizers library's, for all texts."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import strong
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from regis.models.text.wordpiece import WordPieceTokenizer

PIECES = [
    *strong.MARKS, "a", "b", "##a", "##b", "ab", "##ab", "abba", "é", "e", "##e", "-", "'", "?", "$", "東", "σ", "ss",
]  # fmt: skip
MOST = 12


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[WordPieceTokenizer, Tokenizer]:
    home = tmp_path_factory.mktemp("words")
    theirs = strong.write_words(home, PIECES)
    theirs.enable_truncation(MOST)
    return WordPieceTokenizer(home / "tokenizer.json", MOST), theirs


def old(x: str) -> bool:
    """Return whether a character is so old that all libraries agree on it."""
    return unicodedata.ucd_3_2_0.category(x) == unicodedata.category(x) not in ("Cn", "Cs")


@pytest.mark.parametrize(
    "text",
    ["", " ", "abba ab", "Abbabab", "ABBA!", "b-a'b?", "é É e\u0301", "東京東", "[MASK]a[mask]", "[CLS] [SEP]",
     "a\tb\nc\x0bd", "a\x00b\ufffdc\u200bd", "Σας Σ", "ß", "İ", "a" * 100, "a" * 101, "$a$", "a " * 40, "x[MASK]" * 20,
     "zz ab zz"],
)  # fmt: skip
def test_texts_that_are_odd(text: str, both: tuple[WordPieceTokenizer, Tokenizer]):
    assert both[0].encode_text(text) == both[1].encode(text).ids


@given(
    st.text(
        st.one_of(st.sampled_from("abeé-'? $[]MASK東\u0301\t"), st.characters(exclude_categories=["Cs"]).filter(old))
    )
)
def test_any_text(both: tuple[WordPieceTokenizer, Tokenizer], text: str):
    assert both[0].encode_text(text) == both[1].encode(text).ids


def lacking(mark: str) -> Callable[[dict], object]:
    """Return a change that takes a mark, or every mark, out of a tokenizer's settings."""
    return lambda raw: raw.update(added_tokens=[one for one in raw["added_tokens"] if mark not in ("", one["content"])])


@pytest.mark.parametrize(
    "spoil",
    [
        "x", "{}", "[]", '{"model": 1, "added_tokens": []}', "[" * 100_000, *map(lacking, ("[MASK]", "[CLS]", "")),
        *(lambda raw, number=number: raw["model"]["vocab"].update(ab=number) for number in ("1", -1, None)),
    ],
)  # fmt: skip
def test_what_is_no_vocabulary(spoil: str | Callable[[dict], object], tmp_path: Path):
    strong.write_words(tmp_path, PIECES)
    path = tmp_path / "tokenizer.json"
    settings = json.loads(path.read_text())
    if not isinstance(spoil, str):
        spoil(settings)
    path.write_text(spoil if isinstance(spoil, str) else json.dumps(settings))
    with pytest.raises(ValueError):
        WordPieceTokenizer(path, MOST)
