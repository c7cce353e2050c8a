"""A solved puzzle as a page of its own, and as a fragment for notebooks.

The page is one file that loads nothing and runs nothing. It can be printed, is light or dark as the screen is, and
hides the answers at a click; a person's own letters stay. All that comes from the puzzle is escaped, and its writing
direction kept to itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby

from regis.puzzle import Direction
from regis.render import grid
from regis.render.drawing import svg
from regis.render.squares import Square, squares
from regis.solving.solution import Answer, Solved
from regis.system.terminal import Screen, plain

STYLE = """
:root{color-scheme:light dark;--ink:#111;--paper:#fff;--square:#fff;--block:#111;--rule:#ccc;--soft:#555}
@media(prefers-color-scheme:dark){
:root{--ink:#ddd;--paper:#151515;--square:#2b2b2b;--block:#000;--rule:#444;--soft:#aaa}}
@media print{:root{color-scheme:light;--ink:#000;--paper:#fff;--square:#fff;--block:#000;--rule:#bbb;--soft:#333}}
body{margin:1rem auto;padding:0 1rem;max-width:84rem;color:var(--ink);background:var(--paper);
font:1rem/1.4 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:0}
h2{font-size:1.1rem;margin:1rem 0 .3rem}
p{margin:.3rem 0}
.about{color:var(--soft)}
main{display:grid;gap:0 2rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr))}
@media print{body{margin:0;padding:0;max-width:none;font-size:9pt}main{display:block;columns:2}}
"""
"""Of any page."""

SHEET = """
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.15rem .6rem .15rem 0;border-bottom:1px solid var(--rule)}
th,td:first-child,td:last-child{white-space:nowrap}
th:first-child,td:first-child,th:last-child,td:last-child{text-align:right}
td:nth-child(2){width:100%;min-width:7em}
td:nth-child(3){font-family:ui-monospace,monospace;font-size:.875em;min-width:6em}
thead th{font-weight:normal;font-size:.8rem;color:var(--soft)}
@media(max-width:30rem){th,td{padding-right:.4rem}td:nth-child(3){min-width:5em}}
@media(min-width:68rem){main{grid-template-columns:minmax(20rem,30rem) repeat(2,minmax(20rem,1fr))}}
#answers:not(:checked)~* .answer,#answers:not(:checked)~.answer{display:none}
@media print{#answers,label,details{display:none}td:nth-child(3){min-width:8em}
svg,tr{break-inside:avoid}h2{break-after:avoid}}
"""
"""Of a puzzle's."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""What a browser lets the page do: show itself."""


def render(solved: Solved, file: str, screen: Screen) -> str:
    """The page; the screen makes no difference."""
    puzzle = solved.puzzle
    title = _text(puzzle.title) or _text(file)
    about = [puzzle.author, puzzle.date.isoformat() if puzzle.date else "", puzzle.copyright]
    lines = [" · ".join(f"<bdi>{_text(x)}</bdi>" for x in about if plain(x)), _text(puzzle.notes)]
    lines.append(f"Filled by Regis, {solved.filler}, with index {solved.index}.")
    body = (
        f'<h1 dir="auto">{title}</h1>\n'
        + "".join(f'<p class="about" dir="auto">{line}</p>\n' for line in lines if line)
        + '<input type="checkbox" id="answers" checked> <label for="answers">Show the answers</label>\n'
        f"<main>\n<div>\n{svg(solved)}"
        f'<p class="answer">{" ".join(_legend(solved))}</p>\n{_in_words(solved)}</div>\n'
        + "".join(f"<section>\n<h2>{name}</h2>\n{table}</section>\n" for name, table in _entries(solved))
        + "</main>\n"
    )
    return page(title, SHEET, body)


def page(title: str, style: str, body: str) -> str:
    """A whole page; all three are HTML already."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{title}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def fragment(solved: Solved) -> str:
    """One <div>: title, grid, entries."""
    title = f"<p><strong>{_text(solved.puzzle.title)}</strong></p>" if plain(solved.puzzle.title) else ""
    lists = "".join(f"<details><summary>{name}</summary>\n{table}</details>\n" for name, table in _entries(solved))
    return f"<div>{title}\n{svg(solved)}{lists}</div>\n"


def _legend(solved: Solved) -> Iterator[str]:
    yield _text(grid.legend(solved, Screen()))
    if any(square.doubt for square in squares(solved)):
        yield "The less sure a letter is, the denser its square is hatched."
    if solved.wrong is not None:
        count = sum(x.wrong for x in squares(solved))
        yield f"Struck through: wrong, by the solution in the file; {count} letter{'s' * (count != 1)}."


def _in_words(solved: Solved) -> str:
    """The grid row by row for those who do not see it."""
    rows = groupby(squares(solved), key=lambda square: square.row)
    said = "".join(f"<li>{', '.join(map(_said, row))}</li>\n" for _, row in rows)
    return f'<details class="answer"><summary>The grid in words, row by row</summary>\n<ol>\n{said}</ol></details>\n'


def _said(square: Square) -> str:
    if square.block or not square.letter:
        return "block" if square.block else "empty"
    marks = [f"{square.sure:.0%} sure"] * bool(square.doubt) + ["wrong"] * square.wrong
    return _text(square.letter.rstrip("?").upper()) + (f" ({', '.join(marks)})" if marks else "")


def _entries(solved: Solved) -> Iterator[tuple[str, str]]:
    """'Across' and 'Down', each with its table, if there are such entries."""
    for direction in Direction:
        if rows := "".join(_entry(solved, a) for a in solved.answers if a.slot.direction is direction):
            head = '<tr><th>No.</th><th>Clue</th><th class="answer">Answer</th><th class="answer">Sure</th></tr>'
            yield direction.name.capitalize(), f"<table>\n<thead>{head}</thead>\n{rows}</table>\n"


def _entry(solved: Solved, answer: Answer) -> str:
    wrong = " <strong>wrong</strong>" if not (solved.wrong or set()).isdisjoint(answer.slot.cells) else ""
    return (
        f'<tr><td>{answer.slot.number}</td><td dir="auto">{_text(answer.clue) or "(no clue)"}</td>'
        f'<td class="answer">{_text(grid.word(solved, answer.slot, Screen()))}{wrong}</td>'
        f'<td class="answer">{answer.confidence:.0%}</td></tr>\n'
    )


def _text(text: str) -> str:
    return escape(plain(text))
