"""What a call of the library may be given: what the types in its signature say, and what `Kind` says beyond them.

Everything else is a UsageError in one sentence, before anything is opened or worked out.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)

from regis import text
from regis.errors import UsageError
from regis.puzzle import BLOCK, Cell, Grid, Puzzle, entry_names
from regis.puzzle.formats.document import MAX_CONTENT, shape

P = ParamSpec("P")
T = TypeVar("T")


class Kind(NamedTuple):
    """What values of an annotated type have to be: in words, and as a test."""

    words: str
    holds: Callable[[Any], bool]


def _above_0(number: Any) -> bool:
    try:
        return 0 < float(number) < float("inf")
    except OverflowError:  # more digits than a float has
        return False


def _is_name(path: Any) -> bool:
    try:
        return b"\0" not in os.fsencode(path) and isinstance(os.fspath(path), str) and bool(os.fspath(path))
    except (TypeError, UnicodeError):
        return False


@runtime_checkable
class Readable(Protocol):
    """A file that is open, in binary mode."""

    def read(self, size: int = ..., /) -> bytes: ...


PathLike = Annotated[str | os.PathLike[str], Kind("the name of a file or folder", _is_name)]
Count = Annotated[int, Kind("a whole number above 0", _above_0)]
Seconds = Annotated[float, Kind("a number above 0", _above_0)]

WORDS: dict[Any, str] = {
    str: "text",
    bool: "True or False",
    NoneType: "None",
    bytes: "the bytes of a file",
    Readable: "a file opened in binary mode",
    dt.date: "a datetime.date",
    Grid: "a regis.puzzle.Grid",
    Mapping[Cell, str]: "a mapping of (row, column) to letters, as {(0, 1): 'D'}",
}
UNIONS = (Union, UnionType)
NUMBERS = {int: Integral, float: Real}  # with those of numpy and others


def checked(call: Callable[P, T]) -> Callable[P, T]:
    """`call`, which raises UsageError for arguments that its signature does not allow."""
    signature = inspect.signature(call)

    @functools.wraps(call)
    def asked(*args: P.args, **named: P.kwargs) -> T:
        try:
            given = signature.bind(*args, **named).arguments
        except TypeError as cause:
            by_name = [f"{one.name}=" for one in signature.parameters.values() if one.kind is one.KEYWORD_ONLY]
            help = f"; what goes by its name: {', '.join(by_name)}" if by_name and "too many" in str(cause) else ""
            raise UsageError(f"{call.__name__}: {cause}{help}") from cause
        for name, value in given.items():
            if name != "self" and not fits(value, _types(call)[name]):
                raise UsageError(f"{call.__name__}: {_wrong(value, name, _types(call)[name])}")
        return call(*args, **named)

    return asked


def fits(value: object, kind: Any) -> bool:
    """Whether `value` is of a type, with all that is in it: what mappings, tuples, sets and dataclasses hold."""
    outer, inner = get_origin(kind), get_args(kind)
    if outer is Annotated:
        return fits(value, inner[0]) and inner[1].holds(value)
    if outer in UNIONS:
        return any(fits(value, one) for one in inner)
    if kind in NUMBERS:
        return isinstance(value, NUMBERS[kind]) and not isinstance(value, bool)
    if not isinstance(value, outer or kind):
        return False
    if outer is tuple and inner and inner[-1] is not ...:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(fits, value, inner))
    if isinstance(value, Mapping) and len(inner) > 1:
        return all(fits(key, inner[0]) and fits(one, inner[1]) for key, one in value.items())
    if isinstance(value, Collection) and inner:
        return all(fits(one, inner[0]) for one in value)
    fields = _types(kind) if hasattr(kind, "__dataclass_fields__") else {}
    return all(fits(getattr(value, name), one) for name, one in fields.items())


def sound(puzzle: Puzzle) -> Puzzle:
    """`puzzle` with the person's letters as capitals without accents, and a clue, if only an empty one, for each slot.

    Raises UsageError where letters, circles or clues belong to no square or entry, or where letters are none, and
    PuzzleError for a grid of no shape.
    """
    grid = puzzle.grid
    shape([[x != BLOCK for x in row] for row in grid.rows], "the puzzle")
    white = frozenset(grid.cells)
    through = [(cell, slot.direction) for slot in grid.words for cell in slot.cells]
    whole = all(len(slot) > 1 and white.issuperset(slot.cells) for slot in grid.words)
    if not whole or len(set(through)) < len(through):
        raise UsageError(
            "the words of a grid are of two white squares or more, each in one across and one down at most"
        )
    if len(set(map(str, grid.words))) < len(grid.words):
        raise UsageError("two words of a grid have the same number and direction; number them otherwise")
    for name, cells in (("given", puzzle.given), ("circles", puzzle.circles), ("shaded", puzzle.shaded)):
        if outside := set(cells) - white:
            raise UsageError(f"{name} names {min(outside)}, where the grid has no white square; count from (0, 0)")
    if strange := set(puzzle.clues) - set(grid.slots):
        raise UsageError(f"a clue is for {min(map(str, strange))}, which is no entry of the grid; take it out")
    given = {cell: text.fold(content).upper() for cell, content in puzzle.given.items()}
    for cell, content in given.items():
        if not (content.isascii() and content.isalnum() and len(content) <= MAX_CONTENT):
            raise UsageError(
                f"given has {puzzle.given[cell]!r:.50} at {cell}; a square takes letters, A to Z, or digits"
            )
    clues = {slot: puzzle.clues.get(slot, "") for slot in grid.slots}
    return dataclasses.replace(puzzle, clues=clues, given=given)


def _wrong(value: object, name: str, kind: Any) -> str:
    """What is wrong with `value`, which does not fit; of a dataclass that is asked for, with what it holds."""
    of: Any = type(value)
    asked = of in (kind, *get_args(kind)) and hasattr(of, "__dataclass_fields__")
    for field, inner in _types(of).items() if asked else ():
        if not fits(held := getattr(value, field), inner):
            return f"in {name}, {_wrong(held, field, inner)}"
    if type(value) is str and not value:
        return f"{name} is empty; it has to be {_words(kind)}"
    shown = f"{value!r:.60}" if type(value) is str else _shown(value)
    return f"{name} has to be {_words(kind)}; {shown} is not"


def _words(kind: Any) -> str:
    """'text or None' for `str | None`."""
    if kind in WORDS:
        return WORDS[kind]
    outer, inner = get_origin(kind), get_args(kind)
    if outer in UNIONS:
        return " or ".join(map(_words, inner))
    if outer is Annotated:
        return str(inner[1].words)
    if outer is Iterable:
        return f"several, each {_words(inner[0])}"
    if outer is Mapping:
        return f"a mapping of {_words(inner[0])} to {_words(inner[1])}"
    return f"a regis.{kind.__name__}" if isinstance(kind, type) and not inner else str(kind)


def _shown(value: object) -> str:
    """A number as it is, anything else by its type: whatever it is may say nothing of itself, or too much."""
    if isinstance(value, float) or (type(value) is int and value.bit_length() < 64):
        return str(value)
    held = ", with what it holds," if isinstance(value, Mapping | Set | tuple) else ""
    return f"a value of type {type(value).__name__}{held}"


@functools.cache
def _types(of: Callable[..., object]) -> dict[str, Any]:
    """The types of a call's arguments or of a dataclass's fields."""
    return get_type_hints(of, include_extras=True)


def one_entry(entry: str) -> str:
    """`entry`, the name of a single one. Raises UsageError."""
    if len(entry_names.names(entry)) > 1:
        raise UsageError(f"{entry!r} names several entries; name one, or take `only`")
    return entry
