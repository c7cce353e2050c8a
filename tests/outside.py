"""A user's program with the strictest types: `mypy` checks it, and `test_api` runs it."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path

import regis
from regis import errors


def report(file: Path, index: Path) -> list[str]:
    """List what Regis says about the first entry of a puzzle, once with a letter in its first square."""
    opened: regis.Index = regis.open_index(index)
    puzzle: regis.Puzzle = regis.read_puzzle(file)
    slot = puzzle.grid.slots[0]
    begun = dataclasses.replace(puzzle, given={slot.cells[0]: "Q"})
    result: regis.Result = regis.solve(begun, index=opened, filler="belief", seconds=60.0, reveal=True)
    answer = result[str(slot)]
    cells: Mapping[tuple[int, int], str] = result.cells
    best: list[tuple[str, float]] = [(guess.answer, guess.probability) for guess in regis.guess(answer.clue, len(slot))]
    hint = result.select_entries(str(slot)).hint()
    entry: str = hint.slot.direction.name if hint is not None else "none"
    sure: bool = result.is_confident
    why: str = result.explain(str(slot), limit=3).why
    try:
        regis.solve(puzzle, index=opened, filler="magic")
    except errors.UsageError as error:
        return [answer.answer, cells[slot.cells[0]], best[0][0], entry, str(sure), why, str(error), str(result)]
    return []


def mistakes() -> None:
    """Have a type error in each line; if a type checker misses one, it reports a needless comment."""
    regis.slove("monday.puz")  # type: ignore[attr-defined]
    regis.solve(17)  # type: ignore[arg-type]
    regis.solve("monday.puz", seconds="5")  # type: ignore[arg-type]
    len(regis.guess("Sea eagle", "?R?E")[0].answr)  # type: ignore[attr-defined]
