"""The reader: a small transformer that reads a clue and answers to it together (a cross-encoder: Nogueira 2019).

The encoders know answers by name; this one sees that the words of an answer fit those of its clue, listed or not. It
was taught to tell right answers from the best wrong ones (regis.building.training.reader), and says how much likelier
one is right than they. The clue is read once: it does not look at the answers, each of which looks at the clue and at
itself. Still it is slow, so it is asked about few, and in one wording (measured: docs/measured.md).

    reader/model.safetensors   see regis.models.bert; its turn makes one number
           tokenizer.json      as written by the tokenizers library
           words.parquet       word, used: what answers are cut into (regis.models.spelling)
           fitted.json         how much its odds count beside a list's, and how it was fitted
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from regis.models.bert import Bert, Texts
from regis.models.spelling import Speller
from regis.models.tensors import Floats
from regis.models.transformer import LONGEST, MODEL, TOKENIZER, spoken
from regis.models.wordpiece import WordPiece
from regis.system.held import Place

WORDS, FITTED = "words.parquet", "fitted.json"

KEPT = 1 << 12  # answers of which is remembered how they are said
PLACES = 2 * LONGEST  # of a clue and an answer
BATCH = 4  # clues with their answers, as long as each other, that are in one table;
TOGETHER = 32  # and that go through a layer together

TRUST = 0.5
"""How much do its odds count where nothing was fitted? A guess, on the safe side."""

Asked = tuple[Sequence[int], Sequence[Sequence[int]]]  # the tokens of a clue, and of its answers


def together(asked: Sequence[Asked]) -> Texts:
    """Each clue and its answers as one text, in which the answers do not see each other, nor the clue them."""
    sizes = [[len(clue), *map(len, answers)] for clue, answers in asked]
    longest = max(map(sum, sizes))
    tokens, places, part = np.zeros((3, len(asked), longest), np.int64)
    part -= 1  # padding is of no part
    for row, ((clue, answers), its) in enumerate(zip(asked, sizes, strict=True)):
        end = sum(its)
        tokens[row, :end] = np.concatenate([clue, *answers])
        part[row, :end] = np.repeat(np.arange(len(its)), its)
        starts = np.repeat(np.cumsum(its) - its, its)
        places[row, :end] = np.arange(end) - starts + np.where(part[row, :end] > 0, len(clue), 0)
    there = part >= 0
    sees = (part[:, :, None] == part[:, None, :]) | (part[:, None, :] == 0)
    return Texts(tokens, there, places, (part > 0).astype(np.int64), sees)


class Reader:
    """`odds(asked)` and `said(answer)` are all that others need of it; the odds count `trust` times."""

    def __init__(self, folder: Place, speller: Speller, trust: float = TRUST) -> None:
        """Raises OSError, ValueError or KeyError if it is not a reader's folder."""
        self._network = Bert(folder / MODEL)
        self._words = WordPiece(folder / TOKENIZER, LONGEST)
        self.said = functools.lru_cache(KEPT)(speller.said)  # each is asked for twice: to be read, and to be told
        self.trust = trust
        tokens, places, numbers = self._network.sizes
        if tokens <= self._words.last or places < PLACES or numbers != 1:
            raise ValueError(f"the network in {folder} does not go with its pieces of words")

    def odds(self, asked: Sequence[tuple[str, Sequence[str]]]) -> list[Floats]:
        """For each clue with its answers, in capitals, natural log odds, up to a constant, that each is right."""
        read = [(self._words.encode(spoken(clue)), [self._tokens(answer) for answer in its]) for clue, its in asked]
        order = sorted(range(len(read)), key=lambda i: len(read[i][0]) + sum(map(len, read[i][1])))
        odds: list[Floats] = [np.zeros(0, np.float32)] * len(read)
        for some in (order[i : i + TOGETHER] for i in range(0, len(order), TOGETHER)):
            found = self._read([read[i] for i in some])
            ends = np.cumsum([len(read[i][1]) for i in some])
            for i, its in zip(some, np.split(found, ends[:-1]), strict=True):
                odds[i] = its
        return odds

    def _tokens(self, answer: str) -> list[int]:
        """The tokens of an answer, that of an end behind."""
        return self._words.encode(self.said(answer))[1:]

    def _read(self, asked: Sequence[Asked]) -> Floats:
        """The odds of all answers, clue after clue."""
        sizes = np.array([size for clue, answers in asked for size in (len(clue), *map(len, answers))])
        clues = np.cumsum([0, *(1 + len(answers) for _, answers in asked[:-1])])
        tables = [together(asked[i : i + BATCH]) for i in range(0, len(asked), BATCH)]
        odds = self._network.turned(self._network.states(tables), sizes)
        return np.delete(odds[:, 0], clues)
