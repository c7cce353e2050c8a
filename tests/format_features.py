"""What the samplers may have in addition: files of each format with one more feature."""

import json
import re
from collections.abc import Callable
from typing import Any

import papers
from make_puzzles import shape

from regis.puzzle.formats import FORMATS

BAR = ((2, 1), (2, 2))
CREAM = "Cream of the crop"
ITALICS = "<i>Emma</i> author"
RAISED_BY = 10  # added to the usual numbers of entries

Change = Callable[[str], str]


def put(old: str, new: str) -> Change:
    """Replace a text, which must be there."""

    def change(raw: str) -> str:
        assert old in raw, old
        return raw.replace(old, new, 1)

    return change


def raised(pattern: str) -> Change:
    """Raise the numbers after a pattern."""
    return lambda raw: re.sub(f"(?<={pattern})[1-9]", lambda found: str(int(found[0]) + RAISED_BY), raw)


def fields(change: Callable[[Any], object]) -> Change:
    """Change the fields of JSON."""

    def change_fields(raw: str) -> str:
        change(file := json.loads(raw))
        return json.dumps(file, ensure_ascii=False)

    return change_fields


def raise_xwordinfo(file: Any) -> None:
    file["gridnums"] = [n and n + RAISED_BY for n in file["gridnums"]]
    for group in file["clues"].values():
        group[:] = [f"{int(clue.split('.')[0]) + RAISED_BY}.{clue.partition('.')[2]}" for clue in group]


def raise_puzzleme(file: Any) -> None:
    file["clueNums"] = [[n and n + RAISED_BY for n in column] for column in file["clueNums"]]
    for word in file["placedWords"]:
        word["clueNum"] += RAISED_BY


def set_elements(file: Any) -> None:
    """Give Crosshare's JSON the elements of its clues, in the order of entries."""
    clues = sorted(file["clues"], key=lambda clue: (clue["num"], clue["dir"]))
    file["clueHasts"] = [{"type": "text", "value": clue["clue"]} for clue in clues]
    emma = {"type": "element", "tagName": "em", "children": [{"type": "text", "value": "Emma"}]}
    file["clueHasts"][2] = {"type": "element", "tagName": "p", "children": [emma, {"type": "text", "value": " author"}]}


def with_design(raw: str) -> str:
    """Return an .xd in named sections, with a bar in its design."""
    parts = [*raw.split("\n\n\n"), "A { bar-left: true }\n\n.....\n.....\n..A..\n.....\n....."]
    names = ("Metadata", "Grid", "Clues", "Notes", "Design")
    return "\n\n".join(f"## {name}\n\n{part}" for name, part in zip(names, parts, strict=True))


def raised_ipuz() -> bytes:
    data = papers.FILES["sampler.ipuz"]
    document = FORMATS["ipuz"].read(data, "x")
    made = FORMATS["ipuz"].write(document, "x")[0].decode()
    file = json.loads(made)

    def raise_label(square: Any) -> Any:
        if isinstance(square, dict):
            return {**square, "cell": raise_label(square["cell"])}
        return square + RAISED_BY if isinstance(square, int) and square else square

    file["puzzle"] = [[raise_label(square) for square in row] for row in file["puzzle"]]
    file["clues"] = {key: [[n + RAISED_BY, clue] for n, clue in group] for key, group in file["clues"].items()}
    return json.dumps(file).encode()


FEATURE_FILES: dict[str, dict[str, Change]] = {
    "part-filled": {
        "sampler-puzzleme.json": fields(lambda file: file.update(
            preRevealIdxs=[[(r, c) in papers.GIVEN for r in range(5)] for c in range(5)])),
        "sampler.exolve": lambda raw: put("M  O\n    B ", "M  O!\n    B!")(raw),
    },
    "numbers": {
        "sampler.jpz": raised('number="'), "sampler.json": fields(raise_xwordinfo),
        "sampler-nyt-v6.json": raised('"label": "'), "sampler-puzzleme.json": fields(raise_puzzleme),
        "sampler-guardian.json": raised('"number": '),
    },
    "lengths": {
        "sampler.ipuz": put(f'"{CREAM}"', f'{{"clue": "{CREAM}", "enumeration": "2,3"}}'),
        "sampler.jpz": put(f">{CREAM}", f' format="2,3">{CREAM}'),
        "sampler-puzzleme.json": fields(lambda file: (
            file.update(wordLengthsEnabled=True), file["placedWords"][2].update(wordLens=[2, 3]))),
    },
    "links": {
        "sampler.ipuz": put('[1, "Try', '["1,5", "Try'),
        "sampler.jpz": put('<word id="1" x="2-5" y="1"/>',
                           '<word id="1"><cells x="2-5" y="1"/><cells x="1-5" y="2"/></word>'),
        "sampler-guardian.json": put('["1-across"]', '["1-across", "5-across"]'),
        "sampler-puzzleme.json": fields(lambda file: file["placedWords"][0].update(
            boxesForWord=[{"x": x, "y": y} for x, y in ((1, 0), (2, 0), (3, 0), (4, 0), *((x, 1) for x in range(5)))])),
        "sampler-nyt-v6.json": put("[1, 2, 3, 4]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]"),
        "sampler.exolve": put(" 1 Try", " 1, 5 Try"),
    },
    "bars": {
        "sampler.ipuz": put('"circle"}}, 0,', '"circle"}}, {"style": {"barred": "R"}},'),
        "sampler.jpz": put('x="2" y="3"', 'x="2" y="3" right-bar="true"'),
        "sampler.xd": with_design,
        "sampler-crosshare.json": fields(lambda file: file.update(vBars=[11])),
        "sampler.json": fields(lambda file: file.update(rbars=[int(i == 11) for i in range(25)], bbars=[0] * 25)),
        "sampler-puzzleme.json": fields(lambda file: file["cellInfos"].append({"x": 1, "y": 2, "rightWall": True})),
        "sampler.exolve": put("O@ L ", "O@ L|"),
    },
    "italics": {
        "sampler-crosshare.json": fields(set_elements), "sampler.xd": put(CREAM, "{/Emma/} author"),
        "sampler-nyt-v6.json": put(f'{{"plain": "{CREAM}"}}', f'{{"formatted": "{ITALICS}"}}'),
        "sampler.cfp": put(CREAM, "&lt;i&gt;Emma&lt;/i&gt; author"),
        "sampler-uclick.xml": put(CREAM, "%3Ci%3EEmma%3C/i%3E author"),
        **dict.fromkeys(("sampler.ipuz", "sampler.jpz", "sampler.json", "sampler-guardian.json", "sampler-wsj.json",
                         "sampler-puzzleme.json", "sampler-uclick.json", "sampler.exolve"), put(CREAM, ITALICS)),
    },
}  # fmt: skip
"""How each file that can have a feature gets it, if the samplers don't have it."""


def files_with_feature(feature: str) -> list[bytes]:
    """Return the files with a feature."""
    files = [change(papers.FILES[name].decode()).encode() for name, change in FEATURE_FILES.get(feature, {}).items()]
    return [*files, raised_ipuz()] if feature == "numbers" else files


RAISED_NAMES = {f"{slot.number + RAISED_BY}{slot.direction.value}" for slot in shape(papers.ROWS).slots}
