"""One small puzzle in every format, for tests: the files in examples/formats, and the same as a .puz and a zipped .jpz.

All say the same, as far as their formats can: a rebus square, circles or a shaded square, two letters that somebody
wrote, a clue in five scripts, two lines of notes.
"""

import io
import re
import zipfile
from pathlib import Path

from make_puzzles import puz_bytes

from regis.puzzle import Puzzle, formats
from regis.puzzle.formats import PuzzleFile
from regis.puzzle.formats.shared.document import Document

FOLDER = Path(__file__).parents[1] / "examples" / "formats"

ROWS = ("#DEMO", "BELOW", "OLIVE", "RATER", "EYED#")
CLUES = {
    "1A": "Try-before-you-buy version of a program", "1D": "Bad news on the departures board",
    "2D": "Cream of the crop", "3D": "Packed up and changed one's address", "4D": "People with debts",
    "5A": "On a lower deck", "5D": "Dull talker at a party", "6A": "Оливка, ελιά, زيتون, オリーブ or 🫒",
    "7A": "Those who give one to five stars", "8A": 'Looked at "with interest" & <more>',
}  # fmt: skip
REBUS = {(3, 4): "RS"}
GIVEN = {(0, 4): "O", (1, 0): "B"}
CIRCLES = frozenset({(1, 4), (2, 0)})
SHADED = frozenset({(2, 2)})
ABOUT = {
    "title": "Sampler, naïve edition",
    "author": "The Regis developers",
    "copyright": "© 2026, MIT licence",
    "notes": "The circled letters are a cry of pain.\nTwo squares are not what they seem.",
}
SOLUTION_PARTS = {
    "sampler-crosshare.json": r'(?<="grid": \[)[^]]*',
    "sampler-guardian.json": '(?<="solution": ")[A-Z]+',
    "sampler-nyt-v6.json": '(?<="answer": ")[A-Z]+',
    "sampler-puzzleme.json": r'(?<="box": \[).*?(?=\]\])',
    "sampler-uclick.json": '(?<="AllAnswer": ")[A-Z-]+',
    "sampler-uclick.xml": '(?<=[av]=")[A-Z-]+(?=")',
    "sampler-wsj.json": '(?<="Letter": ")[A-Z]+',
    "sampler.cfp": '(?<=<GRID width="5">)[^<]*|(?<=letters=")[A-Z]+',
    "sampler.exolve": r"(?<=exolve-grid:)[^:]*(?=\n  exolve)",
}
"""The places of the solution in files of websites and setters; other files have no text in all capitals."""
SILENT = {"guardian": ("copyright",), "nyt-v6": ("copyright",), "uclick": ("notes",), "wsj": ("copyright",)}
"""Fields that a format can't hold, or says in its own words."""
ONE_LETTER = ("guardian", "uclick")
"""Formats without rebus squares."""
ONE_STRING = ("sampler-uclick.json", "sampler-uclick.xml", "sampler.cfp")
"""Files with all or some of their solution in one string."""
FILL = ("#---O", "B----", "-----", "-----", "----#")


def puz(**other: object) -> bytes:
    """Return the .puz, in version 2.0 for its scripts; `other` are arguments of `puz_bytes`."""
    what = {"fill": FILL, "rebus": REBUS, "circles": CIRCLES, "version": "2.0", **ABOUT, **other}
    return puz_bytes(ROWS, list(CLUES.values()), **what)


def zipped(name: str, data: bytes) -> bytes:
    """Return a zip with one member."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return stream.getvalue()


FILES = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir())}
FILES |= {"sampler.puz": puz(), "zipped.jpz": zipped("sampler.xml", FILES["sampler.jpz"])}


def file(name: str) -> PuzzleFile:
    return PuzzleFile(name, FILES[name])


def read(data: bytes, name: str = "x") -> tuple[Puzzle, tuple[str, ...]]:
    """Return the puzzle in a file, and the warnings."""
    return formats.read_puzzle(PuzzleFile(name, data))


def clues(data: bytes) -> dict[str, str]:
    """Return the clues in a file, by entry names."""
    return {str(slot): clue for slot, clue in read(data)[0].clues.items()}


def document(data: bytes, name: str = "x") -> tuple[str, Document]:
    """Return the detected format of `data`, and its document."""
    found = next(key for key, format in formats.FORMATS.items() if format.detect(data))
    return found, formats.FORMATS[found].read(data, name)


def overwritten(name: str, letter: str) -> bytes:
    """Return the file with every letter of its solution replaced, and nothing else changed."""
    if name.endswith(".puz"):
        plain = tuple(re.sub("[A-Z]", letter, row) for row in ROWS)
        return puz_bytes(plain, list(CLUES.values()), fill=FILL, circles=CIRCLES, version="2.0", **ABOUT)
    if name == "zipped.jpz":
        return zipped("sampler.xml", overwritten("sampler.jpz", letter))
    text = FILES[name].decode()
    if name in SOLUTION_PARTS:
        several = "[A-Z]" if name in ("sampler-guardian.json", *ONE_STRING) else "[A-Z]+"
        return re.sub(
            SOLUTION_PARTS[name], lambda part: re.sub(several, letter, part[0]), text, flags=re.DOTALL
        ).encode()
    if name.endswith(".jpz"):
        return re.sub('solution="[A-Z]+"', f'solution="{letter}"', text).encode()
    if name.endswith((".json", ".ipuz")):
        grid = re.compile(r'"(grid|solution)": \[.*?\](?=,\n +"(gridnums|saved))', re.DOTALL)
        return grid.sub(lambda m: re.sub('"[A-Z]+"', f'"{letter}"', m[0]), text).encode()
    text = re.sub(" ~ [A-Z]+", f" ~ {letter}", text)
    rows = re.compile("^(\t?)([#.A-Za-z1]{5})$", re.MULTILINE)
    return rows.sub(lambda m: m[1] + re.sub("[A-Z1]", letter, re.sub("[a-z]", letter.lower(), m[2])), text).encode()
