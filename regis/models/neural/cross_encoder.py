"""The reader: a small transformer that reads a clue and answers to it together (a cross-encoder: Nogueira 2019).

The encoders know answers by name; this one sees that the words of an answer fit those of its clue, listed or not. It
was taught to tell right answers from the best wrong ones (regis.building.training.cross_encoder_trainer), and says how
much likelier one is right than they. The clue is read once: it does not look at the answers, each of which looks at the
clue and at itself. Still it is slow, so it is asked about few, and in one wording (measured:
docs/experiments/reader.md).

    reader/model.safetensors   see regis.models.neural.bert; its turn makes one number
           tokenizer.json      as written by the tokenizers library
           fitted.json         how much its odds count beside a list's, and how it was fitted
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from regis.models.neural.bert import Bert, TextBatch
from regis.models.neural.transformer import MAX_CLUE_TOKENS, MODEL_FILE, TOKENIZER_FILE, mask_gaps
from regis.models.numeric.arrays import Float32Array
from regis.models.strings.word_segmentation import WordSegmenter
from regis.models.text.wordpiece import WordPieceTokenizer

FITTED_FILE = "fitted.json"

MAX_CACHED_ANSWERS = 1 << 12  # answers of which is remembered how they are cut into words
MAX_TOKENS = 2 * MAX_CLUE_TOKENS  # of a clue and an answer
CLUES_PER_TABLE = 4  # clues with their answers, as long as each other, that are in one table;
CLUE_BATCH = 32  # and that go through a layer together
DEFAULT_TRUST = 0.5  # how much its odds count where nothing was fitted; a guess, on the safe side

TokenizedClue = tuple[Sequence[int], Sequence[Sequence[int]]]  # the tokens of a clue, and of its answers


def join_texts(tokenized_clues: Sequence[TokenizedClue]) -> TextBatch:
    """Join each clue and its answers to one text, in which the answers do not see each other, nor the clue them."""
    text_sizes = [[len(clue), *map(len, answers)] for clue, answers in tokenized_clues]
    n_tokens = max(map(sum, text_sizes))
    tokens, positions, text_numbers = np.zeros((3, len(tokenized_clues), n_tokens), np.int64)
    text_numbers -= 1  # padding is of no part
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
    """The reader: reads clues and answers together (`log_odds`); its log odds count `trust` times."""

    def __init__(self, model_folder: Path, segmenter: WordSegmenter, trust: float = DEFAULT_TRUST) -> None:
        """Read the network and its vocabulary.

        Raises
        ------
        OSError, ValueError, KeyError : it is not a reader's folder.
        """
        self._network = Bert(model_folder / MODEL_FILE)
        self._tokenizer = WordPieceTokenizer(model_folder / TOKENIZER_FILE, MAX_CLUE_TOKENS)
        self.segmenter = segmenter
        # each answer is asked for twice: to be read, and to be told
        self.segment = functools.lru_cache(MAX_CACHED_ANSWERS)(segmenter.segment)
        self.trust = trust
        n_tokens, n_positions, n_outputs = self._network.sizes
        if n_tokens <= self._tokenizer.max_token or n_positions < MAX_TOKENS or n_outputs != 1:
            raise ValueError(f"the network in {model_folder} does not go with its pieces of words")

    def log_odds(self, clues_with_answers: Sequence[tuple[str, Sequence[str]]]) -> list[Float32Array]:
        """Say how likely each answer is right.

        Parameters
        ----------
        clues_with_answers : clues, each with its answers in capitals.

        Returns
        -------
        One array a clue, (answers,) float32: natural log odds, up to a constant.
        """
        tokenized_clues = [
            (self._tokenizer.encode_text(mask_gaps(clue)), [self._tokenize_answer(answer) for answer in answers])
            for clue, answers in clues_with_answers
        ]
        sizes = [len(clue) + sum(map(len, answers)) for clue, answers in tokenized_clues]
        order = sorted(range(len(tokenized_clues)), key=sizes.__getitem__)
        odds: list[Float32Array] = [np.zeros(0, np.float32)] * len(tokenized_clues)
        for batch in (order[i : i + CLUE_BATCH] for i in range(0, len(order), CLUE_BATCH)):
            batch_odds = self._read_texts([tokenized_clues[i] for i in batch])
            ends = np.cumsum([len(tokenized_clues[i][1]) for i in batch])
            for i, answer_odds in zip(batch, np.split(batch_odds, ends[:-1]), strict=True):
                odds[i] = answer_odds
        return odds

    def _tokenize_answer(self, answer: str) -> list[int]:
        """Return the tokens of an answer, that of an end behind."""
        return self._tokenizer.encode_text(self.segment(answer))[1:]

    def _read_texts(self, tokenized_clues: Sequence[TokenizedClue]) -> Float32Array:
        """Return the log odds of all answers, (answers,), clue after clue."""
        token_counts = np.array([size for clue, answers in tokenized_clues for size in (len(clue), *map(len, answers))])
        clue_texts = np.cumsum([0, *(1 + len(answers) for _, answers in tokenized_clues[:-1])])
        starts = range(0, len(tokenized_clues), CLUES_PER_TABLE)
        batches = [join_texts(tokenized_clues[i : i + CLUES_PER_TABLE]) for i in starts]
        odds = self._network.pool_and_project(self._network.encode_tokens(batches), token_counts)
        return np.delete(odds[:, 0], clue_texts)
