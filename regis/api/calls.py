"""What a call of the library may be given: what the types in its signature say, and what `Constraint` says beyond them.

Everything else is a UsageError in one sentence, before anything is opened or worked out.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from regis import text
from regis.errors import ArgumentError, UsageError
from regis.puzzle import BLOCK, Cell, Grid, Puzzle, entry_names
from regis.puzzle.formats.files import ReadableFile
from regis.puzzle.formats.shared.squares import MAX_CONTENT, build_grid

P = ParamSpec("P")
T = TypeVar("T")


class Constraint(NamedTuple):
    """What values of an annotated type have to be: in words, and as a test."""

    description: str
    is_satisfied: Callable[[Any], bool]


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


PathLike = Annotated[str | os.PathLike[str], Constraint("the name of a file or folder", _is_name)]
Count = Annotated[int, Constraint("a whole number above 0", _above_0)]
Seconds = Annotated[float, Constraint("a number above 0", _above_0)]

TYPE_DESCRIPTIONS: dict[Any, str] = {
    str: "text",
    bool: "True or False",
    NoneType: "None",
    bytes: "the bytes of a file",
    ReadableFile: "a file opened in binary mode",
    dt.date: "a datetime.date",
    Grid: "a regis.puzzle.Grid",
    Callable[[int], object]: "a function of a number",
    Mapping[Cell, str]: "a mapping of (row, column) to letters, as {(0, 1): 'D'}",
}
UNION_TYPES = (Union, UnionType)
NUMBER_TYPES = {int: Integral, float: Real}  # with those of numpy and others


def check_arguments(call: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function so that it raises ArgumentError for arguments that its signature does not allow."""
    signature = inspect.signature(call)

    @functools.wraps(call)
    def checked(*args: P.args, **named: P.kwargs) -> T:
        try:
            given = signature.bind(*args, **named).arguments
        except TypeError as cause:
            by_name = [f"{name}=" for name, x in signature.parameters.items() if x.kind is x.KEYWORD_ONLY]
            help = f"; these must be named: {', '.join(by_name)}" if by_name and "too many" in str(cause) else ""
            raise ArgumentError(f"{call.__name__}: {cause}{help}") from cause
        for name, value in given.items():
            if name != "self" and not is_of_type(value, _type_hints(call)[name]):
                raise ArgumentError(f"{call.__name__}: {_describe_mismatch(value, name, _type_hints(call)[name])}")
        return call(*args, **named)

    return checked


def is_of_type(value: object, kind: Any) -> bool:
    """Return whether `value` is of a type, with all that mappings, tuples, sets and dataclasses in it hold."""
    outer, inner = get_origin(kind), get_args(kind)
    if outer is Annotated:
        return is_of_type(value, inner[0]) and inner[1].is_satisfied(value)
    if outer in UNION_TYPES:
        return any(is_of_type(value, one) for one in inner)
    if kind in NUMBER_TYPES:
        return isinstance(value, NUMBER_TYPES[kind]) and not isinstance(value, bool)
    if not isinstance(value, outer or kind):
        return False
    if outer is tuple and inner and inner[-1] is not ...:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(is_of_type, value, inner))
    if isinstance(value, Mapping) and len(inner) > 1:
        return all(is_of_type(key, inner[0]) and is_of_type(one, inner[1]) for key, one in value.items())
    if isinstance(value, Collection) and inner:
        return all(is_of_type(one, inner[0]) for one in value)
    fields = _type_hints(kind) if hasattr(kind, "__dataclass_fields__") else {}
    return all(is_of_type(getattr(value, name), one) for name, one in fields.items())


def normalize_puzzle(puzzle: Puzzle) -> Puzzle:
    """Write the person's letters as capitals without accents, and give each slot a clue, if only an empty one.

    Raises UsageError where letters, circles or clues belong to no square or entry, or where letters are none, and
    PuzzleError for a grid of no shape.
    """
    grid = puzzle.grid
    build_grid(grid.rows, "the puzzle", BLOCK)
    white = frozenset(grid.cells)
    through = [(cell, slot.direction) for slot in grid.given_slots for cell in slot.cells]
    whole = all(len(slot) > 1 and white.issuperset(slot.cells) for slot in grid.given_slots)
    if not whole or len(set(through)) < len(through):
        raise UsageError(
            "an entry needs two white squares or more, and a square can be in one entry across and one down"
        )
    if len(set(map(str, grid.given_slots))) < len(grid.given_slots):
        raise UsageError("two entries have the same number and direction; change one")
    for name, cells in (("given", puzzle.given), ("circles", puzzle.circles), ("shaded", puzzle.shaded)):
        if outside := set(cells) - white:
            raise UsageError(f"{name} names {min(outside)}, which isn't a white square; count from (0, 0)")
    if strange := set(puzzle.clues) - set(grid.slots):
        raise UsageError(f"a clue is for {min(map(str, strange))}, which isn't an entry of the grid; remove it")
    given = {cell: text.fold_accents(content).upper() for cell, content in puzzle.given.items()}
    for cell, content in given.items():
        if not (content.isascii() and content.isalnum() and len(content) <= MAX_CONTENT):
            raise UsageError(f"given has {puzzle.given[cell]!r:.50} at {cell}; use letters A to Z or digits")
    clues = {slot: puzzle.clues.get(slot, "") for slot in grid.slots}
    return dataclasses.replace(puzzle, clues=clues, given=given)


def _describe_mismatch(value: object, name: str, kind: Any) -> str:
    """Say what is wrong with `value`; where a dataclass is asked for and given, with what it holds."""
    kinds = (one for one in (kind, *get_args(kind)) if hasattr(one, "__dataclass_fields__"))
    asked_for: Any = next((one for one in kinds if isinstance(value, one)), None)
    for field, inner in _type_hints(asked_for).items() if asked_for else ():
        if not is_of_type(content := getattr(value, field), inner):
            return f"in {name}, {_describe_mismatch(content, field, inner)}"
    if type(value) is str and not value:
        return f"{name} is empty; it must be {_describe_type(kind)}"
    shown = f"{value!r:.60}" if type(value) is str else _describe_value(value)
    return f"{name} must be {_describe_type(kind)}, not {shown}"


def _describe_type(kind: Any) -> str:
    """Put a type into words: 'text or None' for `str | None`."""
    if kind in TYPE_DESCRIPTIONS:
        return TYPE_DESCRIPTIONS[kind]
    outer, inner = get_origin(kind), get_args(kind)
    if outer in UNION_TYPES:
        return " or ".join(map(_describe_type, inner))
    if outer is Annotated:
        return str(inner[1].description)
    if outer is Iterable:
        return f"several, each {_describe_type(inner[0])}"
    if outer is Mapping:
        return f"a mapping of {_describe_type(inner[0])} to {_describe_type(inner[1])}"
    return f"a regis.{kind.__name__}" if isinstance(kind, type) and not inner else str(kind)


def _describe_value(value: object) -> str:
    """Write a number as it is, anything else by its type: what it says of itself may be nothing, or too much."""
    is_short = isinstance(value, float) or (type(value) is int and value.bit_length() < 64)
    return str(value) if is_short else f"this value of type {type(value).__name__}"


@functools.cache
def _type_hints(of: Callable[..., object]) -> dict[str, Any]:
    """Return the types of a call's arguments or of a dataclass's fields."""
    return get_type_hints(of, include_extras=True)


def require_one_entry(entry: str) -> str:
    """Return `entry` if it is the name of a single one. Raises UsageError."""
    if len(entry_names.parse_entry_names(entry)) > 1:
        raise UsageError(f"{entry!r} names several entries; name one, or use `select_entries`")
    return entry
