"""Teaching the reader: all-MiniLM-L6 learns which answer is right from its words and those of the clue (models.reader).

Each lesson is a choice (building.training.choices): of some answers, each read with the clue, the right one should
score highest (softmax). It begins where the transformer of the index ends, if it has one. Everything is saved every few
minutes and when interrupted; the next run goes on from there. It computes on a CUDA device where there is one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from regis.building.training import course, network, spelling
from regis.building.training.choices import Choice, choices, drawn
from regis.index import Index, schema
from regis.models import tensors
from regis.models.bert import quantised
from regis.models.reader import FITTED, PLACES, WORDS, Asked, together
from regis.models.spelling import Speller
from regis.models.transformer import LONGEST, MODEL, TOKENIZER, spoken
from regis.models.wordpiece import WordPiece

CLUES = 48  # choices of a step
AT_ONCE = 2048  # choices that are drawn together
LESSONS = 400_000
"""How many clues are learned on? Three hours on two cores; what more of them give: docs/measured.md."""

RATE = 2e-4
WARM_UP = 100  # steps in which the rate rises
TAKEN_OVER = 0.8  # share of the transformer's weights in those that it begins with; the rest is the pretrained ones'
SEED = 1


class Course(course.Course):
    """The lessons of one view of an index, the network, and how far it is."""

    def __init__(self, index: Index, speller: Speller, lessons: int = LESSONS) -> None:
        import torch

        home = network.pretrained()
        self.index = index
        self._words = WordPiece(home / TOKENIZER, LONGEST)
        self.speller = speller
        self._clues = drawn(index, lessons, np.random.default_rng(SEED))
        self.steps = -(-len(self._clues.row) // CLUES)
        self._device = network.device()
        self.network = _network(home, index).to(self._device)
        ours = [p for name, p in self.network.named_parameters() if not name.startswith("turn") and p.requires_grad]
        groups = [{"params": ours, "times": 1.0}, {"params": list(self.network.turn.parameters()), "times": 10.0}]
        self._optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
        self._choices: tuple[int, list[Choice]] = -1, []

    def step(self) -> None:
        self.teach(self._lesson(self.done))

    def _lesson(self, step: int) -> Sequence[Choice]:
        """What is chosen in one step; the same whenever it is asked, so that resuming is the same."""
        batches = AT_ONCE // CLUES
        block, place = divmod(step, batches)
        if self._choices[0] != block:
            some = slice(block * batches * CLUES, (block + 1) * batches * CLUES)
            clues = type(self._clues)(*(column[some] for column in self._clues))
            self._choices = block, choices(self.index, clues, np.random.default_rng([SEED, block]))
        return self._choices[1][place * CLUES : (place + 1) * CLUES]

    def teach(self, lesson: Sequence[Choice]) -> None:
        """One step."""
        import torch

        asked = [self.asked(choice.clue, choice.answers) for choice in lesson]
        with torch.autocast(self._device, torch.bfloat16):
            odds = self.network(asked)
        right = torch.zeros(len(lesson), dtype=torch.long, device=self._device)
        loss = torch.nn.functional.cross_entropy(odds, right)
        far = self.done / self.steps
        for group in self._optimizer.param_groups:
            rate = RATE * group["times"]
            group["lr"] = rate * min(1.0, (self.done + 1) / WARM_UP) * max(0.02, min(1.0, 2 * (1 - far)))
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._optimizer.step()

    def asked(self, clue: str, answers: Sequence[str]) -> Asked:
        """A clue and its answers, in letters, as the network reads them."""
        return self._words.encode(spoken(clue)), [self._words.encode(self.speller.said(a))[1:] for a in answers]

    def state(self) -> dict[str, Any]:
        return {"network": self.network.state_dict(), "optimizer": self._optimizer.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        self.network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])

    def export(self, folder: Path, fitted: Mapping[str, Any]) -> None:
        """Writes the reader's files under the index `folder`: network in bytes, its pieces, words, what was fitted."""
        home = folder / schema.READER
        home.mkdir(parents=True, exist_ok=True)
        tensors.write(home / MODEL, quantised(network.exported(self.network, PLACES), 8))
        shutil.copyfile(network.pretrained() / TOKENIZER, home / TOKENIZER)
        pq.write_table(spelling.table(self.speller), home / WORDS, compression="zstd", write_page_checksum=True)
        (home / FITTED).write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


def _network(home: Path, index: Index) -> Any:
    """A torch module: clues with answers, the same number for each, to odds, (clues, answers)."""
    import torch

    class Network(torch.nn.Module):  # type: ignore[misc]  # torch is skipped
        def __init__(self) -> None:
            super().__init__()
            self.bert = network.bert(home, attn_implementation="eager")  # which takes who sees whom
            self.bert.embeddings.word_embeddings.weight.requires_grad_(False)
            self.turn = torch.nn.Linear(self.bert.config.hidden_size, 1)

        def forward(self, asked: Sequence[Asked]) -> Any:
            order = sorted(range(len(asked)), key=lambda i: len(asked[i][0]) + sum(map(len, asked[i][1])))
            odds = [None] * len(asked)
            step = max(1, len(asked) // 4)
            for some in (order[i : i + step] for i in range(0, len(order), step)):
                for i, row in zip(some, self._read([asked[i] for i in some]), strict=True):
                    odds[i] = row
            return torch.stack(odds)

        def _read(self, asked: Sequence[Asked]) -> Any:
            texts, where = together(asked), self.turn.weight.device
            tokens, places, kinds = (torch.from_numpy(a).to(where) for a in (texts.tokens, texts.places, texts.kinds))
            sees = torch.from_numpy(texts.sees)[:, None].to(where)
            away = torch.zeros(sees.shape, device=where).masked_fill(~sees, -1e4)
            states = self.bert(
                input_ids=tokens, position_ids=places, token_type_ids=kinds, attention_mask=away
            ).last_hidden_state.float()[torch.from_numpy(texts.there).to(where)]
            sizes = [size for clue, answers in asked for size in (len(clue), *map(len, answers))]
            part = torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)).to(where)
            sums = torch.zeros(len(sizes), states.shape[1], device=where).index_add(0, part, states)
            means = sums / torch.tensor(sizes, device=where)[:, None]
            return self.turn(means).float().view(len(asked), -1)[:, 1:]  # the first is the clue itself

    torch.manual_seed(SEED)
    made = Network()
    if index.transformer is not None:
        held = tensors.unpacked(tensors.read(index.home / schema.TRANSFORMER / MODEL))
        with torch.no_grad():
            for name, values in made.bert.state_dict(prefix="bert.").items():
                known = torch.tensor(held[network.plain(name)])
                values[: len(known)].lerp_(known, TAKEN_OVER)
    return made
