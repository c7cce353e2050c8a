"""Text as numbers of word pieces, as BERT reads it (Schuster 2012, Devlin 2019).

Texts are cut into lowercase words and marks without accents, and unknown words into the longest known pieces. The
module reads the tokenizers library's file and gives the same results, but only for BERT's settings.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from pathlib import Path

UNKNOWN_TOKEN = "[UNK]"
FIRST_TOKEN = "[CLS]"
LAST_TOKEN = "[SEP]"
REQUIRED_TOKENS = frozenset((UNKNOWN_TOKEN, FIRST_TOKEN, LAST_TOKEN, "[MASK]"))

IDEOGRAPH_RANGES = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""Each ideograph is a word. 2B920 is as in the tokenizers library; BERT itself has 2B820."""


class WordPieceTokenizer:
    def __init__(self, vocabulary_file: Path, max_tokens: int) -> None:
        """Read the vocabulary; raises OSError, or ValueError if it isn't one. Texts end after `max_tokens` pieces."""
        try:
            settings = json.loads(vocabulary_file.read_bytes())
            self._vocabulary: dict[str, int] = settings["model"]["vocab"]
            marks = [token["content"] for token in settings["added_tokens"]]
            self._first, self._last = self._vocabulary[FIRST_TOKEN], self._vocabulary[LAST_TOKEN]
            self._unknown = self._vocabulary[UNKNOWN_TOKEN]
            token_ids = self._vocabulary.values()
            if set(map(type, token_ids)) != {int} or min(token_ids) < 0:
                raise TypeError("a piece without a number")
            if not REQUIRED_TOKENS <= set(marks) <= self._vocabulary.keys():
                raise KeyError("a mark")
            self._marks = re.compile("(" + "|".join(re.escape(mark) for mark in marks) + ")")
            self._mark_set = frozenset(marks)
        except (KeyError, TypeError, AttributeError, RecursionError) as cause:
            raise ValueError(f"{vocabulary_file} isn't a vocabulary") from cause
        self._max_pieces = max_tokens - 2
        self._pieces = lru_cache(maxsize=1 << 14)(self._cut)
        self.max_token = max(self._vocabulary.values())

    def encode_text(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces, between the numbers of the first and the last token."""
        token_ids: list[int] = []
        parts = self._marks.split(text)
        for word in (word for part in parts for word in ([part] if part in self._mark_set else _split_words(part))):
            token_ids += self._pieces(word) if len(word) <= 100 else [self._unknown]
            if len(token_ids) >= self._max_pieces:
                break
        return [self._first, *token_ids[: self._max_pieces], self._last]

    def _cut(self, word: str) -> tuple[int, ...]:
        """Cut a word into pieces, each the longest that fits."""
        token_ids, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                token_id = self._vocabulary.get(prefix + word[start:end])
                if token_id is not None:
                    break
            else:
                return (self._unknown,)
            token_ids.append(token_id)
            start = end
        return tuple(token_ids)


def _split_words(text: str) -> list[str]:
    """Split a text into lowercase words and marks without accents."""
    if text.isascii():
        plain = "".join(map(_ASCII.__getitem__, text))
    else:
        apart = unicodedata.normalize("NFD", "".join(map(_clean_character, text)))
        plain = "".join(_separate_mark(x) for x in apart if unicodedata.category(x) != "Mn")
    return plain.split()


def _clean_character(x: str) -> str:
    """Drop invisible characters, and put spaces around ideographs."""
    if x == "\ufffd" or (unicodedata.category(x) in ("Cc", "Cf", "Co") and x not in "\t\n\r"):
        return ""
    if x.isspace():
        return " "
    return f" {x} " if any(low <= ord(x) <= high for low, high in IDEOGRAPH_RANGES) else x


def _separate_mark(x: str) -> str:
    """Return a character in lower case, with spaces around a mark."""
    mark = unicodedata.category(x).startswith("P") or (x.isascii() and x.isprintable() and not x.isalnum() and x != " ")
    return f" {x} " if mark else x.lower()


_ASCII = {chr(i): "".join(map(_separate_mark, _clean_character(chr(i)))) for i in range(128)}
