"""Why an entry was filled as it was, as text: the answer and the reason, the candidates, the crossings."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from regis.explanation import Choice, Explanation, Square
from regis.render.reasons import paragraph
from regis.screen import Screen, plain

UNCHECKED = "nothing crosses here"


def render(explanation: Explanation, screen: Screen) -> str:
    """A heading and why; then candidates with their evidence, and crossings square by square."""
    answer = explanation.answer
    heading = f"{answer.slot}  {plain(answer.clue) or '(no clue)'}  {plain(answer.answer)}  {answer.confidence:.0%}"
    lines = textwrap.wrap(heading, screen.width)
    lines += textwrap.wrap(plain(explanation.why), screen.width)
    lines += ["", *textwrap.wrap("Candidates: by the clue alone, with the crossings", screen.width)]
    lines += _choices(explanation, screen)
    lines += ["", *textwrap.wrap("Crossings: square by square, what they make of its letter", screen.width)]
    lines += _squares(explanation.squares, screen)
    return "\n".join(lines) + "\n"


def _choices(explanation: Explanation, screen: Screen) -> list[str]:
    widest = max((len(choice.candidate.answer) for choice in explanation.choices), default=0)
    lines = []
    for choice in explanation.choices:
        lines += paragraph(_head(choice, widest), choice.candidate, screen)
    alone, now = explanation.missing
    last = f"{alone:>6.1%} {now:>6.1%}  an answer in no list"
    return lines + textwrap.wrap(last, screen.width, subsequent_indent="    ")


def _head(choice: Choice, widest: int) -> str:
    return f"{choice.alone:>6.1%} {choice.candidate.probability:>6.1%}  {choice.candidate.answer:<{widest}}  "


def _squares(squares: Sequence[Square], screen: Screen) -> list[str]:
    lines = []
    for i, square in enumerate(squares, 1):
        said = ", ".join(f"{letter} {p:.0%}" for letter, p in square.heard) or "no letter stands out"
        head = f"{i:>3}  {plain(square.letter)}  "
        rest = f"{_who(square)}: {said}" if square.crossing or square.written else UNCHECKED
        lines += textwrap.wrap(rest, screen.width, initial_indent=head, subsequent_indent=" " * len(head))
    return lines


def _who(square: Square) -> str:
    """The crossing entry with its answer, and what the person wrote."""
    crossing = f"{square.crossing.slot} {plain(square.crossing.answer)}" if square.crossing else ""
    yours = f"you wrote {plain(square.written)}" if square.written else ""
    return ", ".join(part for part in (crossing, yours) if part)
