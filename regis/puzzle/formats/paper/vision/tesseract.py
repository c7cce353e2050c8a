"""Tesseract, asked for the words of a picture; it answers in hOCR."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

import cv2

MAX_OCR_SECONDS = 60  # on a busy machine; MAX_SECONDS of computing end it before
LANGUAGE = "eng"
CONFIDENCE_POWER = 0.2  # of 1,144 clues whose least sure word Tesseract gives 36 to 81 %, 11 were wrong
ONE_BLOCK = ("--psm", "6")  # of text, line below line
PROPERTIES = ("bbox", "x_size", "baseline", "x_wconf", "x_bboxes")  # of hOCR


class UnreadablePicture(Exception):
    """A word of `page_objects` for why nothing can be read."""


def recognize(picture: Any, *options: str) -> ElementTree.Element:
    """Have Tesseract read a picture; the answer is hOCR."""
    command = ["tesseract", "-", "-", "-l", LANGUAGE, "--dpi", "300", *ONE_BLOCK, *options, "hocr"]
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


class Word(NamedTuple):
    """What Tesseract took for a word, the box around it in pixels, and how sure it is, from 0 to 1."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    probability: float


class Line(NamedTuple):
    """Words, the box around them, where their feet are at its left and how they rise, and their size; in pixels."""

    words: list[Word]
    left: float
    top: float
    right: float
    bottom: float
    foot: float
    slope: float
    size: float


def recognize_lines(picture: Any) -> list[Line]:
    """Have Tesseract read a picture line by line."""
    lines = []
    for element in recognize(picture).iter():
        about = read_properties(element) if "x_size" in element.get("title", "") else {}
        if about.get("x_size", [0.0])[0]:
            left, top, right, bottom = about["bbox"]
            slope, offset = about.get("baseline", [0.0, 0.0])
            words = list(list_words(element))
            lines.append(Line(words, left, top, right, bottom, bottom + offset, slope, about["x_size"][0]))
    return lines


def list_words(line: ElementTree.Element) -> Iterator[Word]:
    """List the words of a line, none of them empty."""
    for element in line.iter():
        text = "".join("".join(element.itertext()).split()) if element.get("class") == "ocrx_word" else ""
        if text:
            about = read_properties(element)
            left, top, right, bottom = about["bbox"]
            probability = (max(about["x_wconf"][0], 0) / 100) ** CONFIDENCE_POWER
            yield Word(text, left, top, right, bottom, probability)


def read_properties(element: ElementTree.Element) -> dict[str, list[float]]:
    parts = (part.split() for part in element.get("title", "").split(";"))
    return {name: [float(x) for x in values] for name, *values in parts if name in PROPERTIES}
