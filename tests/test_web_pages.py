"""Saved web pages: a puzzle in a page's scripts or attributes is read like its own file."""

import base64
import html
import json
import time
from urllib.parse import quote

import papers
import pytest

from regis.errors import PuzzleError
from regis.puzzle import formats
from regis.puzzle.formats import PuzzleFile

JSON_FILES = [name for name in papers.FILES if name.endswith((".json", ".ipuz"))]
WAYS = {
    "script": lambda text: f"<script>var first = {{a: 1}}; window.puzzle = {text};\nstart()</script>",
    "JSON script": lambda text: f'<script type="application/json">{text}</script>',
    "within": lambda text: f'<script>go({{"props": {{"of": [1, {{"page": {text}}}]}}, "n": 2}})</script>',
    "string": lambda text: f"<script>const puzzle = JSON.parse({json.dumps(text)})</script>",
    "percent": lambda text: f'<script>window.gameData = "{quote(text)}"</script>',
    "base64": lambda text: f"<script>var rawc = '{base64.b64encode(text.encode()).decode()}'</script>",
    "attribute": lambda text: f'<div data-crossword-data="{html.escape(text)}"></div>',
}


def page(body: str) -> PuzzleFile:
    return PuzzleFile("page.html", f"<!DOCTYPE html>\n<html><body>{body}<p>{{</p></body></html>".encode())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", JSON_FILES)
def test_a_puzzle_in_a_web_page_is_read(name: str, way: str):
    plain = papers.FILES[name].decode().strip().removeprefix("ipuz(").removesuffix(")")
    text = json.dumps(json.loads(plain), ensure_ascii=way == "base64")
    own, found = papers.file(name), page(WAYS[way](text))
    assert formats.read_puzzle(found)[0].clues == formats.read_puzzle(own)[0].clues
    assert formats.read_solution(found) == formats.read_solution(own)
    assert formats.convert_file(found, "ipuz")[0]


def test_xml_in_a_string_is_read():
    text = json.dumps(papers.FILES["sampler.jpz"].decode())
    own, found = papers.file("sampler.jpz"), page(f"<script>var CrosswordPuzzleData = {text};</script>")
    assert formats.read_puzzle(found)[0] == formats.read_puzzle(own)[0]


@pytest.mark.parametrize(
    "script",
    ['{"a":' * 200_000, "{" * 400_000, '{"a": "' * 50_000, "'{" * 200_000, '["{' * 100_000, '"eyJ' + "A" * 999 + '"'],
)
def test_a_page_without_a_puzzle_is_refused_soon(script: str):
    start = time.process_time()
    with pytest.raises(PuzzleError, match=r"is a web page without a whole puzzle in it; .* or print it to a PDF"):
        formats.read_puzzle(page(f"<script>{script}</script>"))
    assert time.process_time() - start < 10
