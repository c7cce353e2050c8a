"""Why an entry was filled as it was, as text: the answer and the reason, the candidates, the crossings."""

from __future__ import annotations

from collections.abc import Sequence

from regis.render.reasons import paragraph
from regis.solving.explain import Choice, Explanation, Square
from regis.system.terminal import Screen, padded, plain, wide, wrapped

UNCHECKED = "nothing crosses here"


def render(explanation: Explanation, screen: Screen) -> str:
    """A heading and why; then candidates with their evidence, and crossings square by square."""
    answer = explanation.answer
    heading = f"{answer.slot}  {plain(answer.clue) or '(no clue)'}  {plain(answer.answer)}  {answer.confidence:.0%}"
    lines = wrapped(heading, screen.width)
    lines += wrapped(plain(explanation.why), screen.width)
    lines += ["", *wrapped("Candidates: by the clue alone, with the crossings", screen.width)]
    lines += _choices(explanation, screen)
    lines += ["", *wrapped("Crossings: square by square, what they make of its letter", screen.width)]
    lines += _squares(explanation.squares, screen)
    return "\n".join(lines) + "\n"


def _choices(explanation: Explanation, screen: Screen) -> list[str]:
    widest = max((wide(choice.candidate.answer) for choice in explanation.choices), default=0)
    lines = []
    for choice in explanation.choices:
        lines += paragraph(_head(choice, widest), choice.candidate, screen)
    alone, now = explanation.missing
    last = f"{alone:>6.1%} {now:>6.1%}  an answer in no list"
    return lines + wrapped(last, screen.width, "", "    ")


def _head(choice: Choice, widest: int) -> str:
    return f"{choice.alone:>6.1%} {choice.candidate.probability:>6.1%}  {padded(choice.candidate.answer, widest)}  "


def _squares(squares: Sequence[Square], screen: Screen) -> list[str]:
    lines = []
    for i, square in enumerate(squares, 1):
        letters = ", ".join(f"{letter} {p:.0%}" for letter, p in square.heard) or "no letter stands out"
        head = f"{i:>3}  {plain(square.letter)}  "
        rest = f"{_who(square)}: {letters}" if square.crossing or square.written else UNCHECKED
        lines += wrapped(rest, screen.width, head, " " * wide(head))
    return lines


def _who(square: Square) -> str:
    """The crossing entry with its answer, and what the person wrote."""
    crossing = f"{square.crossing.slot} {plain(square.crossing.answer)}" if square.crossing else ""
    yours = f"you wrote {plain(square.written)}" if square.written else ""
    return ", ".join(part for part in (crossing, yours) if part)
