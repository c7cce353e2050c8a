"""A transformer's weights in fewer bits: eight once it was taught, four where an index is distilled.

With eight, a vector of all-MiniLM-L6 is off by 2 % of its length. With four, the vectors of tokens too, the file is a
quarter as large. What that costs: docs/measured.md.
"""

from __future__ import annotations

from regis.models.bert import WORDS
from regis.models.tensors import Blocks, Floats, Tensors, unpacked


def quantised(network: Tensors, bits: int) -> Tensors:
    """`network`, whatever it is kept in, with the weights of its layers in so many bits."""

    def smaller(name: str, values: Floats) -> Floats | Blocks:
        weight = values.ndim == 2 and name.startswith("layer.")
        return Blocks.of(values, bits) if weight or (name == WORDS and bits == 4) else values

    return {name: smaller(name, values) for name, values in unpacked(network).items()}
