"""Tesseract, asked for the words of a picture; it answers in hOCR."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

import cv2

OPTIONS = ("-c", "hocr_char_boxes=1")
MAX_OCR_SECONDS = 60  # on a busy machine; MAX_SECONDS of computing end it before
LANGUAGE = "eng"
CONFIDENCE_POWER = 0.5  # of 60 clues whose least sure word Tesseract gives 81 to 90 %, one was wrong
PROPERTIES = ("bbox", "x_size", "baseline", "x_wconf", "x_bboxes")  # of hOCR


class UnreadablePicture(Exception):
    """A word of `page_objects` for why nothing can be read."""


def recognize(picture: Any, *options: str) -> ElementTree.Element:
    """Have Tesseract read a picture; the answer is hOCR."""
    command = ["tesseract", "-", "-", "-l", LANGUAGE, "--dpi", "300", *OPTIONS, *options, "hocr"]
    encoded = cv2.imencode(".pgm", picture)[1].tobytes()
    try:
        done = subprocess.run(command, input=encoded, capture_output=True, timeout=MAX_OCR_SECONDS, check=False)
    except FileNotFoundError:
        raise UnreadablePicture("tesseract") from None
    except subprocess.TimeoutExpired:
        raise UnreadablePicture("costly") from None
    if done.returncode:
        raise UnreadablePicture("language" if b"language" in done.stderr else "costly")
    return ElementTree.fromstring(done.stdout)


class Character(NamedTuple):
    """A character, and where it is from left to right, in pixels."""

    text: str
    left: float
    right: float


Word = tuple[list[Character], list[float], float]
"""Characters, the box around them in pixels, and how sure they are, from 0 to 1."""


def list_words(element: ElementTree.Element) -> Iterator[Word]:
    """List each word with its box and how sure it is, from 0 to 1."""
    for word in element.iter():
        characters = []
        for part in word.iter() if word.get("class") == "ocrx_word" else ():
            if part.get("class") == "ocrx_cinfo" and (text := (part.text or "").strip()):
                left, _, right, _ = read_properties(part)["x_bboxes"]
                characters.append(Character(text, left, right))
        if characters:
            about = read_properties(word)
            yield characters, about["bbox"], (max(about["x_wconf"][0], 0) / 100) ** CONFIDENCE_POWER


def read_properties(element: ElementTree.Element) -> dict[str, list[float]]:
    parts = (part.split() for part in element.get("title", "").split(";"))
    return {name: [float(x) for x in values] for name, *values in parts if name in PROPERTIES}
