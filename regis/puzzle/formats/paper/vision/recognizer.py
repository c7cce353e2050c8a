"""Reads the picture of a line with PP-OCR, the neural network of PaddleOCR.

The package rapidocr contains the network, and onnxruntime runs it. It reads better than Tesseract:
docs/experiments/line-reader.md.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from regis.puzzle.formats.paper import PAPER_EXTRA
from regis.puzzle.formats.paper.vision import UnreadablePicture
from regis.system.os_errors import describe_install

NETWORK_PACKAGE = "rapidocr"
NETWORK_FILES = "models/*_rec_*.onnx"
HEIGHT = 48  # pixels; height of the lines that the network was trained on
MAX_WIDTH = 6000  # pixels
MAX_THREADS = 4  # more use memory and save no time
CALIBRATION_POWER = 0.25  # exponent of probabilities: of 435 clues with a minimum of 0.5 to 0.7, only 7 were wrong


LATIN = "".join(map(chr, (*range(0x21, 0x7C), 0x7D, 0x7E, *range(0xA1, 0x180)))) + " “”‘’–—…€™♀♂♠♣♥♦★☆♪♭♯"
"""The characters of clues. The network knows 18,710, and mistakes a dash for a Chinese one."""


class Character(NamedTuple):
    """A recognized character."""

    text: str
    middle: float  # pixels from the left
    probability: float


@cache
def open_network() -> tuple[Any, list[str]]:
    """Open the network; return it with the character of each output, '' for the first, which means none."""
    try:
        import onnxruntime
    except ImportError:
        raise UnreadablePicture(
            f"can't be read, because onnxruntime can't be loaded; {describe_install(PAPER_EXTRA)}"
        ) from None
    package = find_spec(NETWORK_PACKAGE)
    folders = (package.submodule_search_locations if package else None) or []
    paths = sorted(path for folder in folders for path in Path(folder).glob(NETWORK_FILES))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(os.cpu_count() or 1, MAX_THREADS)
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        network = onnxruntime.InferenceSession(paths[-1], options, providers=["CPUExecutionProvider"])
        characters = network.get_modelmeta().custom_metadata_map["character"]
    except MemoryError:
        raise
    except Exception:  # the errors of onnxruntime have no common base class
        raise UnreadablePicture(
            f"can't be read, because rapidocr has no network for lines; {describe_install(PAPER_EXTRA)}"
        ) from None
    return network, ["", *characters.splitlines(), " "]


def recognize(picture: Any, alphabet: str = LATIN) -> list[Character]:
    """Read the characters of a line that are in an alphabet.

    Parameters
    ----------
    picture : (height, width) grayscale, from above the capitals to below the baseline.
    """
    height, width = picture.shape
    interpolation = cv2.INTER_AREA if height > HEIGHT else cv2.INTER_CUBIC
    size = min(round(width * HEIGHT / height), MAX_WIDTH), HEIGHT
    pixels = cv2.resize(picture, size, interpolation=interpolation).astype(np.float32) / 127.5 - 1
    network, outputs = open_network()
    # (steps, outputs) from left to right; a character spans several steps
    probabilities = network.run(None, {network.get_inputs()[0].name: np.repeat(pixels[None, None], 3, axis=1)})[0][0]
    allowed = [i for i, text in enumerate(outputs) if not i or text in alphabet]
    probabilities, outputs = probabilities[:, allowed], [outputs[i] for i in allowed]
    best = probabilities.argmax(axis=1)
    edges = [0, *(np.flatnonzero(np.diff(best)) + 1), len(best)]
    return [
        Character(
            outputs[best[start]],
            (start + end) / 2 * width / len(best),
            float(probabilities[start:end, best[start]].max()) ** CALIBRATION_POWER,
        )
        for start, end in pairwise(edges)
        if best[start]
    ]
