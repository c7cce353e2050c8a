"""Training of the strong encoder, and embedding of an index's clues with it (models.neural.transformer).

all-MiniLM-L6 is trained further on the index's clues. Answers start from the base encoder's, as an initial target. If
the index began with the starter, both sides start from the starter's, and most clues that the starter knows are left
out. The network learns by AdamW in bfloat16, the answers by Adagrad. Workers share the embedding
(regis.system.parallel); each task is read alone, so they don't change a byte.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.building.settings import ENCODERS
from regis.building.training.answer_table import AnswerTable
from regis.building.training.base_encoder import ClueExamples, collect_examples, rehearsal_chances
from regis.building.training.checkpoints import CheckpointedTrainer
from regis.building.training.minilm import export_tensors, load_bert, load_tensors, pretrained_folder
from regis.errors import IndexUnreadable
from regis.index import Index, Partition
from regis.index.storage.index_files import IndexFiles
from regis.index.tables import schema, writer
from regis.models.arrays import Float32Array, normalize_rows
from regis.models.neural import tensor_file
from regis.models.neural.bert import quantize_network
from regis.models.neural.transformer import (
    MAX_CLUE_TOKENS,
    MODEL_FILE,
    REDUCED_DIMENSIONS,
    TOKENIZER_FILE,
    TransformerEncoder,
    mask_gaps,
    pad_tokens,
    quantize_embeddings,
    reduce_vectors,
)
from regis.models.neural.vector_table import DIMENSIONS
from regis.models.text.wordpiece import WordPieceTokenizer
from regis.system.files import array_file
from regis.system.parallel.workers import Workers, map_tasks, results_in_order

CLUES_PER_BATCH = 384
WARM_UP_STEPS = 200  # steps in which the network's rate rises; the answers wait for these steps, then their rate rises


def build_network(pretrained_home: Path) -> Any:
    """Build the torch module from tokens and mask, (clues, tokens), to vectors, (clues, DIMENSIONS).

    It consists of the MiniLM in `pretrained_home`, the mean over its tokens, and a linear map.
    """
    import torch

    class Network(torch.nn.Module):  # type: ignore[misc]  # torch is skipped
        def __init__(self) -> None:
            super().__init__()
            self.bert = load_bert(pretrained_home)
            self.turn = torch.nn.Linear(self.bert.config.hidden_size, DIMENSIONS)

        def forward(self, tokens: Any, mask: Any) -> Any:
            states = self.bert(input_ids=tokens, attention_mask=mask).last_hidden_state
            there = mask[:, :, None].to(states.dtype)
            return self.turn((states * there).sum(1) / there.sum(1)).float()

    torch.manual_seed(1)
    return Network()


class TransformerTrainer(CheckpointedTrainer):
    """The transformer in training on one view of an index, and the vectors of answers."""

    def __init__(self, index: Index, answer_table: AnswerTable, epochs: int, starter: Index | None = None) -> None:
        """Start from the pretrained network and `answer_table`, or from both sides of `starter`."""

        home = pretrained_folder()
        self.network = build_network(home)
        self.answer_table = answer_table
        starter_year = None
        if starter is not None and starter.transformer is not None:
            starter_year = starter.manifest.latest_year or 0
            answer_table.start_from(index, starter, schema.TRANSFORMER, starter.transformer)
            load_tensors(self.network.state_dict(), starter.files.verified_path(f"{schema.TRANSFORMER}/{MODEL_FILE}"))
        word_pieces = WordPieceTokenizer(home / TOKENIZER_FILE, MAX_CLUE_TOKENS)

        def read_tokens(part: Partition, rows: NDArray[np.intp]) -> list[NDArray[np.int32]]:
            clues = part.clue_texts.take_texts(rows)
            return [np.array(word_pieces.encode_text(mask_gaps(clue)), np.int32) for clue in clues]

        self.clue_examples = list(collect_examples(index, read_tokens))
        generator = np.random.default_rng(1)
        self.batch_plan = [batch for _ in range(epochs) for batch in self._shuffle_batches(generator, starter_year)]
        self.total_steps = len(self.batch_plan)
        rate = ENCODERS.continued_network_rate if starter_year is not None else ENCODERS.network_rate
        self.make_optimizer([([p for p in self.network.parameters() if p.requires_grad], rate)])

    def _shuffle_batches(
        self, generator: np.random.Generator, starter_year: int | None
    ) -> list[tuple[ClueExamples, NDArray[np.int64]]]:
        """Shuffle one epoch in batches of one answer length and similar token counts.

        Every clue comes once, but only a share of the clues last used up to `starter_year`.
        """
        batches = []
        for examples in self.clue_examples:
            rows = np.arange(len(examples.answer_rows))
            if starter_year is not None:
                rows = rows[generator.random(len(rows)) < rehearsal_chances(examples.last_years, starter_year)]
            order = generator.permutation(rows)
            sizes = np.array([len(tokens) for tokens in examples.clue_inputs])
            for i in range(0, len(order), 8 * CLUES_PER_BATCH):
                chunk = order[i : i + 8 * CLUES_PER_BATCH]
                chunk = chunk[np.argsort(sizes[chunk], kind="stable")]
                batches += [(examples, chunk[j : j + CLUES_PER_BATCH]) for j in range(0, len(chunk), CLUES_PER_BATCH)]
        return [batches[i] for i in generator.permutation(len(batches))]

    def train_step(self) -> None:
        self.train_clues(*self.batch_plan[self.steps_done])

    def train_clues(self, examples: ClueExamples, rows: NDArray[np.int64]) -> None:
        import torch

        generator = np.random.default_rng([1, self.steps_done])  # so that resuming gives the same results
        self.answer_table.generator = generator
        tokens, mask = pad_tokens([examples.clue_inputs[row] for row in rows])
        inner = np.zeros(mask.shape, bool)
        inner[:, 1:-1] = mask[:, 2:] == 1  # neither the first token nor the last
        mask[inner & (generator.random(mask.shape) < ENCODERS.token_dropout)] = 0
        with torch.autocast("cpu", torch.bfloat16):
            vectors = self.network(torch.from_numpy(tokens), torch.from_numpy(mask))
        progress = self.steps_done / len(self.batch_plan)
        warm_up = min(1.0, (self.steps_done + 1) / WARM_UP_STEPS)
        answer_warm_up = min(1.0, max(0.0, self.steps_done / WARM_UP_STEPS - 1))
        answer_rate = ENCODERS.answer_rate * answer_warm_up * (1 - 0.9 * progress)
        clue_vectors = vectors.detach().numpy()
        clue_gradient = self.answer_table.update_answers(
            examples.answer_length, examples.answer_rows[rows], clue_vectors, examples.clue_weights[rows], answer_rate
        )
        gradient = torch.from_numpy(clue_gradient * np.float32(64 / len(rows)))
        self.move_network(warm_up * (1 - 0.95 * progress), lambda: vectors.backward(gradient))

    def state_dict(self) -> dict[str, Any]:
        import torch

        answers = {name: torch.from_numpy(values) for name, values in self.answer_table.state_arrays().items()}
        return {**super().state_dict(), "answers": answers}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        super().load_state_dict(state)
        self.answer_table.load_state_arrays({name: values.numpy() for name, values in state["answers"].items()})

    def write_transformer(self, index_folder: Path) -> None:
        """Write the transformer's files into the index: 8-bit network, vocabulary, answer vectors."""
        home = index_folder / schema.TRANSFORMER
        home.mkdir(parents=True, exist_ok=True)
        tensor_file.write_tensors(home / MODEL_FILE, quantize_network(export_tensors(self.network, MAX_CLUE_TOKENS), 8))
        shutil.copyfile(pretrained_folder() / TOKENIZER_FILE, home / TOKENIZER_FILE)
        self.answer_table.write_vectors(index_folder, schema.TRANSFORMER)


CLUES_PER_TASK = 2048  # clues in a task, which are read between two steps of the progress bar

EmbeddingBytes = NDArray[np.int8]


@dataclass(frozen=True)
class EmbedTask:
    index_folder: Path  # of the index in progress; the machines of a cluster must share its disk

    def __call__(self) -> Callable[[list[str]], EmbeddingBytes]:
        if not (self.index_folder / schema.TRANSFORMER).is_dir():
            raise IndexUnreadable(
                f"{self.index_folder} isn't there; the machines of a cluster must share the index's disk"
            )
        shape = DIMENSIONS, REDUCED_DIMENSIONS
        axes = IndexFiles(self.index_folder).read_array(schema.TRANSFORMER, "axes", np.float32, shape)
        return partial(_embed_batch, TransformerEncoder(self.index_folder / schema.TRANSFORMER), axes)


def embed_clues(index: Index, index_folder: Path, workers: Workers | None = None) -> Iterator[int]:
    """Write embeddings of all clues of `index` by the transformer in `index_folder`; yield how many more are done.

    The clues of an answer are adjacent, in the order of the clue table.
    """
    transformer = TransformerEncoder(index_folder / schema.TRANSFORMER)
    axes_path = schema.part_path(index_folder, schema.TRANSFORMER)
    array_file.write_arrays(axes_path, {"axes": _principal_axes(index, transformer)})

    def read_tasks() -> Iterator[list[str]]:
        for part in index.partitions():
            order = writer.order_by_answer(part)
            for start in range(0, len(order), CLUES_PER_TASK):
                yield part.clue_texts.take_texts(order[start : start + CLUES_PER_TASK])

    results = results_in_order(map_tasks(EmbedTask(index_folder.absolute()), read_tasks(), workers or Workers()))
    for part in index.partitions():
        order = writer.order_by_answer(part)
        embeddings = np.zeros((len(order), REDUCED_DIMENSIONS), np.int8)
        for start in range(0, len(order), CLUES_PER_TASK):
            embedded = next(results)
            embeddings[start : start + CLUES_PER_TASK] = embedded
            yield len(embedded)
        writer.write_clue_embeddings(index_folder, part.length, embeddings, order)


def _embed_batch(transformer: TransformerEncoder, axes: Float32Array, clues: list[str]) -> EmbeddingBytes:
    transformer.begin_puzzle(clues)
    return quantize_embeddings(reduce_vectors(transformer.encode(clues), axes))


def _principal_axes(index: Index, transformer: TransformerEncoder) -> Float32Array:
    """Find the principal components, (DIMENSIONS, REDUCED_DIMENSIONS), of sampled clues' vectors."""
    interval = max(index.manifest.clue_count // 20_000, 1)
    columns = [part.clue_texts for part in index.partitions()]
    clues = [clue for column in columns for clue in column.take_texts(np.arange(0, len(column), interval))]
    vectors = normalize_rows(transformer.encode(clues))
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    return np.ascontiguousarray(axes[:, ::-1][:, :REDUCED_DIMENSIONS], np.float32)
