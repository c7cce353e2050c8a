"""Printed pages as a scanner or a phone sees them, for bench_paper.py; needs opencv-python-headless.

A photograph is made in the order of the light: the sheet is curved, a shadow falls on it, it's seen at an angle and out
of focus, with noise, and saved as a JPEG of quality 60. Random choices have a seed.
"""

from __future__ import annotations

import io

import installation  # noqa: F401

# isort: split
import cv2
import numpy as np
import pypdfium2
from fpdf import FPDF
from numpy.typing import NDArray

PHOTO_DPI = 300
CURVE = 0.012  # rise of the page's middle rows, as a share of its height
TILT = 0.05  # shift of the corners, as a share of the page's sides
TABLE = 70  # gray
SHADOW = 0.6  # share of the light that is left in the shadow
BLUR = 1.2  # pixels
NOISE = 6.0  # of 255
JPEG_QUALITY = 60


def render_pages(pdf: bytes, dpi: int) -> list[NDArray[np.uint8]]:
    """Render each page: (height, width) gray."""
    return [page.render(scale=dpi / 72, grayscale=True).to_numpy() for page in pypdfium2.PdfDocument(pdf)]


def take_picture(pdf: bytes, kind: str, seed: int) -> bytes:
    """Photograph the pages, or scan them at the resolution in `kind`; several pages become a PDF of pictures."""
    if kind == "photograph":
        pages = enumerate(render_pages(pdf, PHOTO_DPI))
        return pack([_photograph(page, np.random.default_rng([seed, n])) for n, page in pages])
    return pack([cv2.imencode(".png", page)[1].tobytes() for page in render_pages(pdf, int(kind.split()[0]))])


def pack(pictures: list[bytes]) -> bytes:
    """Return the one picture, or a PDF of several."""
    if len(pictures) == 1:
        return pictures[0]
    document = FPDF(unit="pt", format="letter")
    for picture in pictures:
        document.add_page()
        document.image(io.BytesIO(picture), 0, 0, document.w, document.h)
    return bytes(document.output())


def _photograph(page: NDArray[np.uint8], rng: np.random.Generator) -> bytes:
    height, width = page.shape
    y, x = np.mgrid[:height, :width].astype(np.float32)
    rise = rng.uniform(-CURVE, CURVE) * height
    curved = cv2.remap(page, x, y + np.float32(rise) * np.sin(np.pi * x / width), cv2.INTER_LINEAR, borderValue=255)
    edge = rng.uniform(0.2, 0.8) * width + rng.uniform(-0.5, 0.5) * (y - height / 2)
    light = SHADOW + (1 - SHADOW) / (1 + np.exp((edge - x) / (0.03 * width)))
    lit = curved * light.astype(np.float32)
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    seen = corners * 1.0 + rng.uniform(-TILT, TILT, (4, 2)) * [width, height] + [0.1 * width, 0.1 * height]
    view = cv2.getPerspectiveTransform(corners, seen.astype(np.float32))
    photo = cv2.warpPerspective(lit, view, (int(1.2 * width), int(1.2 * height)), borderValue=TABLE)
    noisy = cv2.GaussianBlur(photo, (0, 0), BLUR) + rng.normal(0, NOISE, photo.shape)
    data = np.clip(noisy, 0, 255).astype(np.uint8)
    return cv2.imencode(".jpg", data, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes()
