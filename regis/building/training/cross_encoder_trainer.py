"""Training of the reader: all-MiniLM-L6 learns from words which answer fits a clue.

Each example of this cross-encoder (models.neural.cross_encoder) is a choice: of several answers, each read with the
clue, the right one should score highest (softmax). The wrong answers are of the kinds that it will meet: an encoder's
best, the most similar of these, answers that differ in one letter, and strings with one or two changed letters. New
clues are drawn more often. Training starts from the starter's reader, or else from the index's transformer, and uses a
CUDA device if there is one.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis import text
from regis.building.settings import ENCODERS, READER
from regis.building.training import minilm
from regis.building.training.base_encoder import rehearsal_chances
from regis.building.training.checkpoints import CheckpointedTrainer
from regis.building.training.phrase_pieces import count_clue_words
from regis.index import Index, Partition
from regis.index.tables import schema
from regis.models.neural import tensor_file
from regis.models.neural.bert import quantize_network
from regis.models.neural.cross_encoder import FITTED_FILE, MAX_TOKENS, TokenizedClue, WordSegmenter, join_texts
from regis.models.neural.transformer import MAX_CLUE_TOKENS, MODEL_FILE, TOKENIZER_FILE, mask_gaps
from regis.models.text.wordpiece import WordPieceTokenizer
from regis.puzzle.alphabet import codes_to_word
from regis.system.files import array_file

ENCODER_NEGATIVES = 4  # wrong answers in a choice that an encoder prefers
NEIGHBOR_NEGATIVES = 2  # wrong answers in a choice that differ in one letter


class AnswerChoice(NamedTuple):
    clue: str
    answers: tuple[str, ...]  # the first is right


class ClueSample(NamedTuple):
    answer_lengths: NDArray[np.int64]
    clue_rows: NDArray[np.int64]  # in the clue table of that length


def draw_clues(
    index: Index, clue_count: int, generator: np.random.Generator, starter_year: int | None = None
) -> ClueSample:
    """Draw clues of `index` in random order, newer ones more often, and clues up to `starter_year` less often."""
    lengths, rows, chances = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    newest_year = index.manifest.newest_year or 0
    for part in index.partitions():
        if 3 <= part.length <= 21 and len(part.answers) > 1:
            live = np.flatnonzero(part.clue_counts > 0)
            lengths.append(np.full(len(live), part.length))
            rows.append(live)
            last_years = part.clue_last_years[live].astype(np.int64)
            by_age = 0.5 ** ((newest_year - last_years).clip(0, ENCODERS.max_clue_age) / ENCODERS.clue_half_life)
            chances.append(by_age if starter_year is None else by_age * rehearsal_chances(last_years, starter_year))
    length, row, chance = np.concatenate(lengths), np.concatenate(rows), np.concatenate(chances)
    p = chance / chance.sum() if len(chance) else None
    chosen = generator.choice(len(row), min(clue_count, len(row)), replace=False, p=p)
    return ClueSample(length[chosen], row[chosen])


def build_choices(index: Index, clue_sample: ClueSample, generator: np.random.Generator) -> list[AnswerChoice]:
    """Add wrong answers to the right answers of the clues, in order."""
    choices: dict[int, AnswerChoice] = {}
    for length in np.unique(clue_sample.answer_lengths).tolist():
        places = np.flatnonzero(clue_sample.answer_lengths == length)
        part = index[length]
        rows = clue_sample.clue_rows[places]
        clue_texts = part.clue_texts.take_texts(rows)
        answer_rows = part.clue_answer_rows[rows].astype(np.int64)
        pools = _draw_encoder_pools(index, part, clue_texts, generator)
        for place, clue, answer, pool in zip(places.tolist(), clue_texts, answer_rows.tolist(), pools, strict=True):
            choices[place] = AnswerChoice(clue, _choose_answers(part, answer, pool[pool != answer], generator))
    return [choices[place] for place in range(len(clue_sample.clue_rows))]


def _draw_encoder_pools(
    index: Index, part: Partition, clues: list[str], generator: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Yield for each clue rows of the best encoder's answers, drawn without replacement (Gumbel)."""
    encoder_name = schema.TRANSFORMER if index.transformer is not None else schema.ENCODER
    vectors = index.encoders[encoder_name].encode(clues)
    score = part.answer_vectors(encoder_name).score(vectors)
    uniform = generator.random(score.shape, np.float32).clip(1e-9, 1 - 1e-7)
    score = score / READER.sampling_temperature - np.log(-np.log(uniform))
    score[:, ~part.is_live] = -np.inf
    count = min(READER.encoder_pool, score.shape[1])
    yield from np.argpartition(-score, count - 1, axis=1)[:, :count]


def _choose_answers(
    part: Partition, answer_row: int, encoder_pool: NDArray[np.int64], generator: np.random.Generator
) -> tuple[str, ...]:
    """Return the right answer and distinct wrong ones."""
    letters = part.answer_letters[answer_row]
    letters_apart = (part.answer_letters != letters).sum(axis=1)
    encoder_pool = generator.permutation(encoder_pool[part.is_live[encoder_pool]])
    most_alike = encoder_pool[np.argsort(letters_apart[encoder_pool], kind="stable")[:1]]
    neighbors = generator.permutation(np.flatnonzero((letters_apart == 1) & part.is_live))[:NEIGHBOR_NEGATIVES]
    negatives = np.concatenate([encoder_pool[:ENCODER_NEGATIVES], most_alike, neighbors])
    rows = dict.fromkeys([answer_row, *negatives.tolist()])
    answers = dict.fromkeys(codes_to_word(part.answer_letters[row]) for row in rows)
    while len(answers) < READER.answers_per_clue:
        changed = letters.copy()
        for i in generator.permutation(len(letters))[: 1 if generator.random() < READER.one_letter_share else 2]:
            changed[i] = generator.choice(np.delete(np.arange(26), changed[i]))
        answers[codes_to_word(changed)] = None
    return tuple(answers)[: READER.answers_per_clue]


def build_segmenter(index: Index, known_segmenter: WordSegmenter | None = None) -> WordSegmenter:
    """Build a segmenter from the words of the index's clues and lists.

    Words of `known_segmenter` stay, because a starter has words without text; the larger count wins.
    """
    word_counts = Counter({word: count for word, count in count_clue_words(index).items() if count >= 2})
    for part in index.partitions():
        for display_text in part.display_text_array.drop_null().to_pylist():
            word_counts.update(map(text.normalize_answer, display_text.split()))
    if known_segmenter is not None:
        known_counts = zip(known_segmenter.words.tolist(), known_segmenter.word_counts.tolist(), strict=True)
        word_counts |= Counter({word.decode(): count for word, count in known_counts})
    return WordSegmenter.from_word_counts(word_counts)


CLUES_PER_STEP = 48  # choices per step
CLUES_PER_DRAW = 2048  # choices that are drawn together

WARM_UP_STEPS = 100  # steps in which the rate rises


class CrossEncoderTrainer(CheckpointedTrainer):
    """The cross-encoder in training on one view of an index."""

    def __init__(
        self,
        index: Index,
        word_segmenter: WordSegmenter,
        clue_count: int = READER.training_clues,
        starter: Index | None = None,
    ) -> None:
        """Start from the reader of `starter`, if any, or from the transformer of `index`."""
        import torch

        home = minilm.pretrained_folder()
        self.index = index
        self._word_pieces = WordPieceTokenizer(home / TOKENIZER_FILE, MAX_CLUE_TOKENS)
        self.word_segmenter = word_segmenter
        starter = starter if starter is not None and starter.has_cross_encoder else None
        starter_year = None if starter is None else starter.manifest.latest_year
        self._clue_sample = draw_clues(index, clue_count, np.random.default_rng(1), starter_year)
        self.total_steps = -(-len(self._clue_sample.clue_rows) // CLUES_PER_STEP)
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self.network = _build_network(home, index, starter).to(self._device)
        rate = ENCODERS.network_rate if starter is None else ENCODERS.continued_network_rate
        pretrained = [p for p in self.network.bert.parameters() if p.requires_grad]
        self.make_optimizer([(pretrained, rate), (list(self.network.turn.parameters()), 10 * rate)])
        self._drawn_block: tuple[int, list[AnswerChoice]] = -1, []

    def train_step(self) -> None:
        self.train_batch(self._step_choices(self.steps_done))

    def _step_choices(self, step: int) -> Sequence[AnswerChoice]:
        """Return the choices of one step, the same after resuming."""
        batches = CLUES_PER_DRAW // CLUES_PER_STEP
        block, place = divmod(step, batches)
        if self._drawn_block[0] != block:
            block_rows = slice(block * batches * CLUES_PER_STEP, (block + 1) * batches * CLUES_PER_STEP)
            block_clues = type(self._clue_sample)(*(column[block_rows] for column in self._clue_sample))
            self._drawn_block = block, build_choices(self.index, block_clues, np.random.default_rng([1, block]))
        return self._drawn_block[1][place * CLUES_PER_STEP : (place + 1) * CLUES_PER_STEP]

    def train_batch(self, choices: Sequence[AnswerChoice]) -> None:
        """Take one step: the first answer of each choice should score highest."""
        import torch

        clues_with_answers = [self.encode_choice(choice.clue, choice.answers) for choice in choices]
        with torch.autocast(self._device, torch.bfloat16):
            odds = self.network(clues_with_answers)
        right_places = torch.zeros(len(choices), dtype=torch.long, device=self._device)
        loss = torch.nn.functional.cross_entropy(odds, right_places)
        progress = self.steps_done / self.total_steps
        warm_up = min(1.0, (self.steps_done + 1) / WARM_UP_STEPS)
        self.move_network(warm_up * max(0.02, min(1.0, 2 * (1 - progress))), loss.backward)

    def encode_choice(self, clue: str, answers: Sequence[str]) -> TokenizedClue:
        encode_text = self._word_pieces.encode_text
        answer_tokens = [encode_text(self.word_segmenter.segment(answer))[1:] for answer in answers]
        return encode_text(mask_gaps(clue)), answer_tokens

    def write_reader(self, index_folder: Path, fitted_numbers: Mapping[str, Any]) -> None:
        """Write the reader's files into the index: 8-bit network, vocabulary, words, fitted numbers."""
        home = index_folder / schema.CROSS_ENCODER
        home.mkdir(parents=True, exist_ok=True)
        tensors = minilm.export_tensors(self.network, MAX_TOKENS)
        tensor_file.write_tensors(home / MODEL_FILE, quantize_network(tensors, 8))
        shutil.copyfile(minilm.pretrained_folder() / TOKENIZER_FILE, home / TOKENIZER_FILE)
        words = {"words.word": self.word_segmenter.words, "words.used": self.word_segmenter.word_counts}
        array_file.write_arrays(schema.part_path(index_folder, schema.CROSS_ENCODER), words)
        (home / FITTED_FILE).write_text(json.dumps(fitted_numbers, indent=1) + "\n", encoding="utf-8")


def _build_network(pretrained_home: Path, index: Index, starter: Index | None) -> Any:
    """Build the torch module from clues with equal numbers of answers to log odds, (clues, answers)."""
    import torch

    class Network(torch.nn.Module):  # type: ignore[misc]  # torch is skipped
        def __init__(self) -> None:
            super().__init__()
            self.bert = minilm.load_bert(pretrained_home, attn_implementation="eager")  # takes masks for pairs
            self.bert.embeddings.word_embeddings.weight.requires_grad_(False)
            self.turn = torch.nn.Linear(self.bert.config.hidden_size, 1)

        def forward(self, asked: Sequence[TokenizedClue]) -> Any:
            order = sorted(range(len(asked)), key=lambda i: len(asked[i][0]) + sum(map(len, asked[i][1])))
            odds = [None] * len(asked)
            step = max(1, len(asked) // 4)
            for some in (order[i : i + step] for i in range(0, len(order), step)):
                for i, row in zip(some, self._read([asked[i] for i in some]), strict=True):
                    odds[i] = row
            return torch.stack(odds)

        def _read(self, asked: Sequence[TokenizedClue]) -> Any:
            texts, where = join_texts(asked), self.turn.weight.device
            columns = (texts.tokens, texts.positions, texts.token_types)
            tokens, places, kinds = (torch.from_numpy(column).to(where) for column in columns)
            sees = torch.from_numpy(texts.attention_mask)[:, None].to(where)
            away = torch.zeros(sees.shape, device=where).masked_fill(~sees, -1e4)
            states = self.bert(
                input_ids=tokens, position_ids=places, token_type_ids=kinds, attention_mask=away
            ).last_hidden_state.float()[torch.from_numpy(texts.is_token).to(where)]
            sizes = [size for clue, answers in asked for size in (len(clue), *map(len, answers))]
            part = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)).to(where)
            sums = torch.zeros(len(sizes), states.shape[1], device=where).index_add(0, part, states)
            means = sums / torch.tensor(sizes, device=where)[:, None]
            return self.turn(means).float().view(len(asked), -1)[:, 1:]  # the first is the clue itself

    torch.manual_seed(1)
    network = Network()
    if starter is not None:
        minilm.load_tensors(network.state_dict(), starter.files.verified_path(f"{schema.CROSS_ENCODER}/{MODEL_FILE}"))
    elif index.transformer is not None:
        tensor_path = index.files.verified_path(f"{schema.TRANSFORMER}/{MODEL_FILE}")
        minilm.load_tensors(network.bert.state_dict(prefix="bert."), tensor_path, READER.transformer_share)
    return network
