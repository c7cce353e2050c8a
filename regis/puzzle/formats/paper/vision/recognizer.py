"""PP-OCR, the network of PaddleOCR that reads the picture of a line; rapidocr carries it, and onnxruntime runs it.

Why it and not Tesseract: docs/experiments/line-reader.md.
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

from regis.puzzle.formats.paper.vision import UnreadablePicture
from regis.system.os_errors import describe_install

NETWORK_PACKAGE = "rapidocr"
NETWORK_FILES = "models/*_rec_*.onnx"
HEIGHT = 48  # pixels of a line that the network was taught on
MAX_WIDTH = 6000
MAX_THREADS = 4  # more take memory, and no less time
POWER = 0.25  # of a character's probability: of 435 clues whose least sure one had 0.5 to 0.7, 7 were wrong


LATIN = "".join(map(chr, (*range(0x21, 0x7C), 0x7D, 0x7E, *range(0xA1, 0x180)))) + " “”‘’–—…€™♀♂♠♣♥♦★☆♪♭♯"
"""What clues are printed in. The network knows 18,710 signs, and takes a dash for a Chinese one."""


class Character(NamedTuple):
    """A character, its middle in pixels from the left, and how likely it is right."""

    text: str
    middle: float
    probability: float


@cache
def open_network() -> tuple[Any, list[str]]:
    """Open the network, and list what its outputs stand for; the first is for none."""
    try:
        import onnxruntime
    except ImportError:
        raise UnreadablePicture(
            f"can't be read, because onnxruntime can't be loaded; {describe_install('paper')}"
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
    except Exception:  # those of onnxruntime have no base of their own
        raise UnreadablePicture(
            f"can't be read, because rapidocr has no network for lines; {describe_install('paper')}"
        ) from None
    return network, ["", *characters.splitlines(), " "]


def recognize(picture: Any, alphabet: str = LATIN) -> list[Character]:
    """Read the characters of a line, only those in an alphabet.

    Parameters
    ----------
    picture : (height, width) grey, from above the line's capitals to below its feet.
    """
    height, width = picture.shape
    interpolation = cv2.INTER_AREA if height > HEIGHT else cv2.INTER_CUBIC
    size = min(round(width * HEIGHT / height), MAX_WIDTH), HEIGHT
    pixels = cv2.resize(picture, size, interpolation=interpolation).astype(np.float32) / 127.5 - 1
    network, signs = open_network()
    # (steps, signs): what is seen at each step from left to right; one character lasts for several
    probabilities = network.run(None, {network.get_inputs()[0].name: np.repeat(pixels[None, None], 3, axis=1)})[0][0]
    places = [i for i, sign in enumerate(signs) if not i or sign in alphabet]
    probabilities, signs = probabilities[:, places], [signs[i] for i in places]
    best = probabilities.argmax(axis=1)
    edges = [0, *(np.flatnonzero(np.diff(best)) + 1), len(best)]
    return [
        Character(
            signs[best[start]],
            (start + end) / 2 * width / len(best),
            float(probabilities[start:end, best[start]].max()) ** POWER,
        )
        for start, end in pairwise(edges)
        if best[start]
    ]
