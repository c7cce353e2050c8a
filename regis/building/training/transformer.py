"""Teaching the strong encoder: all-MiniLM-L6 goes on learning, on the clues of an index (regis.models.transformer).

The answers' side begins where the base encoder's lessons end, so that from the first step the transformer has
something to aim at. The network learns by AdamW in bfloat16, the answers by Adagrad. Everything is saved every few
minutes and when interrupted; the next run goes on from there.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.building.training import course
from regis.building.training.answers import Answers, Lesson, lessons
from regis.building.training.network import bert, exported, pretrained
from regis.index import Index, Partition, schema
from regis.models import tensors
from regis.models.bert import quantised
from regis.models.embedding import DIMENSIONS
from regis.models.transformer import LONGEST, MODEL, TOKENIZER, padded, spoken
from regis.models.wordpiece import WordPiece

BATCH = 384
RATE = 2e-4
ANSWER_RATE = 0.3
WARM_UP = 200  # steps in which the network's rate rises; the answers wait as long, then their rate rises too
LEFT_OUT = 0.1  # share of a clue's tokens left out each time it is read
SEED = 1


def network(home: Path) -> Any:
    """A torch module: tokens and mask, (clues, tokens) each, to vectors, (clues, DIMENSIONS).

    It is the MiniLM that lies in the folder `home`, the mean over its words, and a turn into the space of the answers.
    """
    import torch

    class Network(torch.nn.Module):  # type: ignore[misc]  # torch is skipped
        def __init__(self) -> None:
            super().__init__()
            self.bert = bert(home)
            self.turn = torch.nn.Linear(self.bert.config.hidden_size, DIMENSIONS)

        def forward(self, tokens: Any, mask: Any) -> Any:
            states = self.bert(input_ids=tokens, attention_mask=mask).last_hidden_state
            there = mask[:, :, None].to(states.dtype)
            return self.turn((states * there).sum(1) / there.sum(1)).float()

    torch.manual_seed(SEED)
    return Network()


class Course(course.Course):
    """The lessons of one view of an index, the network, and how far it is."""

    def __init__(self, index: Index, answers: Answers, epochs: int) -> None:
        import torch

        home = pretrained()
        self.network = network(home)
        self.answers = answers
        words = WordPiece(home / TOKENIZER, LONGEST)

        def read(part: Partition, rows: NDArray[np.intp]) -> list[NDArray[np.int32]]:
            clues = part.clue_column.of(rows)
            return [np.array(words.encode(spoken(clue)), np.int32) for clue in clues]

        self.lessons = list(lessons(index, read))
        generator = np.random.default_rng(SEED)
        self.plan = [batch for _ in range(epochs) for batch in self._batches(generator)]
        self.steps = len(self.plan)
        grown = [p for p in self.network.parameters() if p.requires_grad]
        self._optimizer = torch.optim.AdamW(grown, lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)

    def _batches(self, generator: np.random.Generator) -> list[tuple[Lesson, NDArray[np.int64]]]:
        """One epoch: every clue once, in batches of one answer length and of about as many tokens, shuffled."""
        found = []
        for lesson in self.lessons:
            order = generator.permutation(len(lesson.right))
            sizes = np.array([len(tokens) for tokens in lesson.clues])
            for i in range(0, len(order), 8 * BATCH):
                some = order[i : i + 8 * BATCH]
                some = some[np.argsort(sizes[some], kind="stable")]
                found += [(lesson, some[j : j + BATCH]) for j in range(0, len(some), BATCH)]
        return [found[i] for i in generator.permutation(len(found))]

    def step(self) -> None:
        self.teach(*self.plan[self.done])

    def teach(self, lesson: Lesson, rows: NDArray[np.int64]) -> None:
        """One step on the clues `rows` of one length."""
        import torch

        generator = self.answers.generator = np.random.default_rng([SEED, self.done])  # so that resuming is the same
        tokens, mask = padded([lesson.clues[row] for row in rows])
        inner = np.zeros(mask.shape, bool)
        inner[:, 1:-1] = mask[:, 2:] == 1  # neither the first token nor the last
        mask[inner & (generator.random(mask.shape) < LEFT_OUT)] = 0
        with torch.autocast("cpu", torch.bfloat16):
            vectors = self.network(torch.from_numpy(tokens), torch.from_numpy(mask))
        far = self.done / len(self.plan)
        warm = min(1.0, (self.done + 1) / WARM_UP)
        later = min(1.0, max(0.0, self.done / WARM_UP - 1))
        for group in self._optimizer.param_groups:
            group["lr"] = RATE * warm * (1 - 0.95 * far)
        answer_rate = ANSWER_RATE * later * (1 - 0.9 * far)
        found = vectors.detach().numpy()
        slope = self.answers.teach(lesson.length, lesson.right[rows], found, lesson.weight[rows], answer_rate)
        self._optimizer.zero_grad(set_to_none=True)
        vectors.backward(torch.from_numpy(slope * np.float32(64 / len(rows))))
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._optimizer.step()

    def state(self) -> dict[str, Any]:
        import torch

        return {
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "answers": {name: torch.from_numpy(values) for name, values in self.answers.state().items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.answers.restore({name: values.numpy() for name, values in state["answers"].items()})

    def export(self, folder: Path) -> None:
        """Writes the transformer's files under the index `folder`: the network in bytes, its words, the answers."""
        home = folder / schema.TRANSFORMER
        home.mkdir(parents=True, exist_ok=True)
        tensors.write(home / MODEL, quantised(exported(self.network, LONGEST), 8))
        shutil.copyfile(pretrained() / TOKENIZER, home / TOKENIZER)
        self.answers.save(folder, schema.TRANSFORMER)
