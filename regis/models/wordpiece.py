"""Text as the numbers of word pieces, as BERT reads it (Schuster 2012, Devlin 2019).

Clues are cut into words and marks, without capitals and accents; a word that is not in the vocabulary into the longest
pieces that are. It reads the file that the tokenizers library writes, and gives what that library gives, for BERT's
settings alone (lower case, `##` before a piece that goes on).
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache

from regis.system.held import Place

UNKNOWN, FIRST, LAST = "[UNK]", "[CLS]", "[SEP]"
NEEDED = frozenset((UNKNOWN, FIRST, LAST, "[MASK]"))
LONGEST_WORD = 100  # letters; a longer word is not known
REMEMBERED = 1 << 14  # words whose pieces are kept: three quarters of the time when a million clues are read

IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""Each is a word of its own. 2B920, where BERT itself has 2B820, is what the tokenizers library has."""


class WordPiece:
    """`encode(clue)` is all that others need of it."""

    def __init__(self, file: Place, most: int) -> None:
        """Reads the vocabulary from `file`; texts are cut after `most` pieces.

        Raises OSError, or ValueError if it is not one.
        """
        try:
            settings = json.loads(file.read_bytes())
            self._vocabulary: dict[str, int] = settings["model"]["vocab"]
            marks = [one["content"] for one in settings["added_tokens"]]
            self._first, self._last, self._unknown = (self._vocabulary[name] for name in (FIRST, LAST, UNKNOWN))
            numbers = self._vocabulary.values()
            if set(map(type, numbers)) != {int} or min(numbers) < 0:
                raise TypeError("a piece without a number")
            if not NEEDED <= set(marks) <= self._vocabulary.keys():
                raise KeyError("a mark")
            self._marks = re.compile("(" + "|".join(re.escape(mark) for mark in marks) + ")")
            self._known = frozenset(marks)
        except (KeyError, TypeError, AttributeError, RecursionError) as cause:
            raise ValueError(f"{file} is no vocabulary") from cause
        self._most = most - 2
        self._pieces = lru_cache(maxsize=REMEMBERED)(self._cut)
        self.last = max(self._vocabulary.values())

    def encode(self, text: str) -> list[int]:
        """The numbers of `text`, that of a beginning before them and that of an end behind."""
        found: list[int] = []
        parts = self._marks.split(text)
        for word in (word for part in parts for word in ([part] if part in self._known else _words(part))):
            found += self._pieces(word) if len(word) <= LONGEST_WORD else [self._unknown]
            if len(found) >= self._most:
                break
        return [self._first, *found[: self._most], self._last]

    def _cut(self, word: str) -> tuple[int, ...]:
        """The longest piece that begins the word, then the longest that goes on, and so forth."""
        found, start = [], 0
        while start < len(word):
            before = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(before + word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            found.append(number)
            start = end
        return tuple(found)


def _words(text: str) -> list[str]:
    """Words and marks, in lower case and without accents."""
    if text.isascii():
        plain = "".join(map(_ASCII.__getitem__, text))
    else:
        apart = unicodedata.normalize("NFD", "".join(map(_plain, text)))
        plain = "".join(_marked(x) for x in apart if unicodedata.category(x) != "Mn")
    return plain.split()


def _plain(x: str) -> str:
    """A character as it is kept, before accents are taken off: what cannot be seen is left out."""
    if x == "\ufffd" or (unicodedata.category(x) in ("Cc", "Cf", "Co") and x not in "\t\n\r"):
        return ""
    if x.isspace():
        return " "
    return f" {x} " if any(low <= ord(x) <= high for low, high in IDEOGRAPHS) else x


def _marked(x: str) -> str:
    """A character in lower case, marks between spaces."""
    mark = unicodedata.category(x).startswith("P") or (x.isascii() and x.isprintable() and not x.isalnum() and x != " ")
    return f" {x} " if mark else x.lower()


_ASCII = {chr(i): "".join(map(_marked, _plain(chr(i)))) for i in range(128)}
