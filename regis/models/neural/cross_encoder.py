"""The reader: a small transformer that reads a clue together with answers (a cross-encoder, Nogueira 2019).

It judges whether the words of an answer fit the clue, even if no list has the answer. It learned from the best wrong
answers of the lists. A clue is read once for all its answers: each answer sees the clue and itself. Reading is slow, so
only a few answers are read (measured: docs/experiments/reader.md).

    reader/model.safetensors   see regis.models.neural.bert; its last layer makes one number
           tokenizer.json      as written by the tokenizers library
           fitted.json         how much its odds count relative to a list's, and how that was fitted

`WordSegmenter` cuts an answer into words (Viterbi): REDSEA is red sea. It knows half a million words, stored as sorted
bytes; without rare words, SLOES would be read as sloe s.
"""

from __future__ import annotations

import functools
import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from regis.models import arrays
from regis.models.arrays import Float32Array
from regis.models.neural.bert import Bert, TextBatch
from regis.models.neural.transformer import MAX_CLUE_TOKENS, MODEL_FILE, TOKENIZER_FILE, mask_gaps
from regis.models.settings import STRINGS
from regis.models.text.wordpiece import WordPieceTokenizer

MAX_WORD_LETTERS = 15

SHORT_WORD_RARITY = {1: 200.0, 2: 3.0}
"""How many times rarer words of one and two letters count than they are; most are abbreviations."""

ONE_LETTER_WORDS = frozenset("AI")


FITTED_FILE = "fitted.json"

MAX_TOKENS = 2 * MAX_CLUE_TOKENS  # of a clue and an answer
DEFAULT_TRUST = 0.5  # weight of its log odds if none was fitted; a cautious guess

TokenizedClue = tuple[Sequence[int], Sequence[Sequence[int]]]  # the tokens of a clue, and the tokens of its answers


class WordSegmenter:
    def __init__(self, words: NDArray[np.bytes_], word_counts: NDArray[np.float32]) -> None:
        """Take sorted words in capitals, of at most MAX_WORD_LETTERS letters, and their counts, all above 0."""
        self.words = words
        self.word_counts = word_counts
        self._log_total = math.log(float(word_counts.sum()) or 1) + STRINGS.cost_per_word
        self._known_costs: dict[str, float] = {}

    @classmethod
    def from_word_counts(cls, word_counts: Mapping[str, float]) -> WordSegmenter:
        words = sorted(
            word for word in word_counts if 0 < len(word) <= MAX_WORD_LETTERS and word.isascii() and word.isalpha()
        )
        return cls(np.array(words, f"S{MAX_WORD_LETTERS}"), np.array([word_counts[word] for word in words], np.float32))

    def segment(self, answer: str) -> str:
        """Cut `answer`, in capitals, into lowercase words separated by spaces."""
        return self.cut(answer, 1)[0]

    def cut(self, answer: str, n_ways: int) -> list[str]:
        """Return the likeliest ways to cut `answer` into words, best first."""
        pieces = {
            answer[i:j] for i in range(len(answer)) for j in range(i + 1, min(len(answer), i + MAX_WORD_LETTERS) + 1)
        }
        costs = self._known_costs
        if not costs.keys() >= pieces:
            costs = self._cost_pieces(sorted(pieces))
        best = [[(0.0, 0, "")]]  # for each beginning: the cheapest ways, with the start of the last word
        for end in range(1, len(answer) + 1):
            ways = (
                (cost + costs[answer[start:end]], start, f"{words} {answer[start:end]}")
                for start in range(max(0, end - MAX_WORD_LETTERS), end)
                for cost, _, words in best[start]
            )
            best.append(heapq.nsmallest(n_ways, ways))
        return [words.strip().lower() for _, _, words in best[-1]]

    def _cost_pieces(self, pieces: Iterable[str]) -> dict[str, float]:
        """Return the cost of each piece as a word, in nats; cached. A thread that reads the old cache keeps it."""
        if len(self._known_costs) > 65_536:  # a puzzle's answers share most pieces
            self._known_costs = {}
        costs = self._known_costs
        new_pieces = [piece for piece in pieces if piece not in costs]
        piece_array = np.array(new_pieces, f"S{MAX_WORD_LETTERS}")
        places, is_word = arrays.find_sorted(self.words, piece_array)
        counts = np.array([STRINGS.unseen_count * STRINGS.unseen_letter_factor ** len(piece) for piece in new_pieces])
        counts[is_word] = self.word_counts[places[is_word]]
        rarities = [
            1.0 if piece in ONE_LETTER_WORDS else SHORT_WORD_RARITY.get(len(piece), 1.0) for piece in new_pieces
        ]
        costs.update(zip(new_pieces, (self._log_total - np.log(counts / rarities)).tolist(), strict=True))
        return costs


def join_texts(tokenized_clues: Sequence[TokenizedClue]) -> TextBatch:
    """Join each clue and its answers into one text, in which each answer sees only the clue and itself."""
    text_sizes = [[len(clue), *map(len, answers)] for clue, answers in tokenized_clues]
    n_tokens = max(map(sum, text_sizes))
    tokens, positions, text_numbers = np.zeros((3, len(tokenized_clues), n_tokens), np.int64)
    text_numbers -= 1  # padding belongs to no part
    for row, ((clue, answers), sizes) in enumerate(zip(tokenized_clues, text_sizes, strict=True)):
        end = sum(sizes)
        tokens[row, :end] = np.concatenate([clue, *answers])
        text_numbers[row, :end] = np.repeat(np.arange(len(sizes)), sizes)
        starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
        positions[row, :end] = np.arange(end) - starts + np.where(text_numbers[row, :end] > 0, len(clue), 0)
    is_token = text_numbers >= 0
    attention_mask = (text_numbers[:, :, None] == text_numbers[:, None, :]) | (text_numbers[:, None, :] == 0)
    return TextBatch(tokens, is_token, positions, (text_numbers > 0).astype(np.int64), attention_mask)


class CrossEncoder:
    """The reader; its log odds are multiplied by `trust`."""

    def __init__(self, model_folder: Path, segmenter: WordSegmenter, trust: float = DEFAULT_TRUST) -> None:
        """Read network and vocabulary; raises OSError, ValueError, or KeyError if the folder has no reader."""
        self._network = Bert(model_folder / MODEL_FILE)
        self._tokenizer = WordPieceTokenizer(model_folder / TOKENIZER_FILE, MAX_CLUE_TOKENS)
        self.segmenter = segmenter
        # each answer is segmented twice: for reading, and for the report
        self.segment = functools.lru_cache(4096)(segmenter.segment)
        self.trust = trust
        n_tokens, n_positions, n_outputs = self._network.sizes
        if n_tokens <= self._tokenizer.max_token or n_positions < MAX_TOKENS or n_outputs != 1:
            raise ValueError(f"the network in {model_folder} doesn't match its word pieces")

    def log_odds(self, clues_with_answers: Sequence[tuple[str, Sequence[str]]]) -> list[Float32Array]:
        """Compute the log odds that each answer, in capitals, is right: (answers,) per clue, up to a constant."""
        tokenized_clues = [
            (self._tokenizer.encode_text(mask_gaps(clue)), [self._tokenize_answer(answer) for answer in answers])
            for clue, answers in clues_with_answers
        ]
        sizes = [len(clue) + sum(map(len, answers)) for clue, answers in tokenized_clues]
        order = sorted(range(len(tokenized_clues)), key=sizes.__getitem__)
        odds: list[Float32Array] = [np.zeros(0, np.float32)] * len(tokenized_clues)
        for batch in (order[i : i + 32] for i in range(0, len(order), 32)):
            batch_odds = self._read_texts([tokenized_clues[i] for i in batch])
            ends = np.cumsum([len(tokenized_clues[i][1]) for i in batch])
            for i, answer_odds in zip(batch, np.split(batch_odds, ends[:-1]), strict=True):
                odds[i] = answer_odds
        return odds

    def _tokenize_answer(self, answer: str) -> list[int]:
        return self._tokenizer.encode_text(self.segment(answer))[1:]

    def _read_texts(self, tokenized_clues: Sequence[TokenizedClue]) -> Float32Array:
        """Return the log odds of all answers, (answers,), clue after clue."""
        token_counts = np.array([size for clue, answers in tokenized_clues for size in (len(clue), *map(len, answers))])
        clue_texts = np.cumsum([0, *(1 + len(answers) for _, answers in tokenized_clues[:-1])])
        starts = range(0, len(tokenized_clues), 4)
        batches = [join_texts(tokenized_clues[i : i + 4]) for i in starts]
        odds = self._network.pool_and_project(self._network.encode_tokens(batches), token_counts)
        return np.delete(odds[:, 0], clue_texts)
