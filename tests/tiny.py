"""A world small enough to write down: one 4x4 puzzle, its clues, a corpus that knows some of them, puzzle files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from make_puzzles import puz_bytes

from regis.building.build import build_index
from regis.candidates.candidate_list import CandidateList
from regis.candidates.finder import Evidence, Finder, Query, QueryResults, encode_queries
from regis.candidates.finders import FINDERS, ask_finders
from regis.corpora.entry import Source
from regis.index import Index
from regis.models.strings.letter_model import LetterModel
from regis.models.strings.string_model import StringModel
from regis.puzzle import Cell, Grid, Puzzle, Slot
from regis.puzzle.alphabet import letter_codes
from regis.solving.filler import ClueKnowledge, Fill, SolverInput
from regis.solving.solved_puzzle import Answer, SolvedPuzzle

ROWS = ("LACK", "IRON", "MERE", "BAKE")
CLUES = {
    "1A": "Be without", "5A": "Golfer's club", "6A": "Nothing but", "7A": "Cook like a loaf",
    "1D": "Arm or branch", "2D": "Length times width", "3D": "Wine stopper", "4D": "Joint that bends",
}  # fmt: skip


def grid(rows: Sequence[str] = ROWS) -> Grid:
    """Return the grid of rows of letters and `#`."""
    return Grid(tuple("".join(x if x == "#" else "." for x in row) for row in rows))


def puzzle(rows: Sequence[str] = ROWS, clues: Mapping[str, str] = CLUES, title: str = "Square") -> Puzzle:
    shape = grid(rows)
    return Puzzle(shape, {slot: clues.get(str(slot), "") for slot in shape.slots}, title=title, author="A. Tester")


def cells(rows: Sequence[str] = ROWS) -> dict[Cell, str]:
    return {(r, c): x for r, row in enumerate(rows) for c, x in enumerate(row) if x != "#"}


def solved(of: Puzzle, letters: Mapping[Cell, str], confidence: Mapping[Cell, float] | None = None) -> SolvedPuzzle:
    """Solve `of` with these letters; every cell is 99 % sure unless given."""
    sure = dict.fromkeys(letters, 0.99) | dict(confidence or {})
    solution = Fill(letters, sure, {})

    def entry(slot: Slot) -> Answer:
        near = Evidence("nearby", "clue", "Be lacking", 0.9, 3, 2001)
        far = Evidence("nearby", "clue", "Not have", 0.5, 1, None)
        low = min(sure.get(cell, 0.0) for cell in slot.cells)
        return Answer(slot, of.clues[slot], solution.answer(slot), low, (near, far), (("WANT", 0.25),))

    return SolvedPuzzle(of, solution, tuple(entry(slot) for slot in of.grid.slots), "belief", 0.25, "0123456789ab")


def puz(path: Path, rows: Sequence[str] = ROWS, title: str = "Square", solution: bool = True) -> Path:
    """Write a puzzle file. A lower-case letter in `rows` is a rebus square with that letter twice."""
    clues = [CLUES.get(str(slot), f"Clue {slot}") for slot in grid(rows).slots]
    rebus = {cell: letter.upper() * 2 for cell, letter in cells(rows).items() if letter.islower()}
    shown = [row.upper() if solution else "".join("#" if x == "#" else "X" for x in row) for row in rows]
    path.write_bytes(puz_bytes(shown, clues, title=title, rebus=rebus, version="2.0"))
    return path


def corpus(path: Path, years: Sequence[int] = (2001, 2002), known: Sequence[str] = tuple(CLUES)) -> Path:
    """Write an xd-clues table: the puzzle's clues in `known` once a year, and other answers."""
    answers = {str(slot): "".join(cells()[cell] for cell in slot.cells) for slot in grid().slots}
    rows = [("tst", year, answers[name], CLUES[name]) for name in known for year in years]
    rows += [("tst", year, word, f"Not {word.lower()} {year}") for word in ("LICE", "BALE", "MORE") for year in years]
    lines = ["pubid\tyear\tanswer\tclue", *("\t".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def index(folder: Path, known: Sequence[str], years: Sequence[int] = (2001, 2002)) -> Path:
    """Return the folder of an index of these clues."""
    build_index([Source("xd-clues", corpus(folder / "clues.tsv", years, known))], folder / "index")
    return folder / "index"


def archive(folder: Path, names: Sequence[str]) -> Path:
    """Make a folder of the same puzzle under several names: a date in a name is the puzzle's date."""
    folder.mkdir()
    for name in names:
        puz(folder / f"{name}.puz", title=name)
    return folder


def findings(clue: str, pattern: str, index: Index, finders: Mapping[str, Finder] = FINDERS) -> QueryResults:
    """Return what the finders find for one clue."""
    ((_, found),) = ask_finders(encode_queries([Query(clue, pattern)], index), index, finders)
    return found


def letters() -> LetterModel:
    """Return the model that knows nothing: all letters are equally likely."""
    return LetterModel.from_trigrams(np.zeros((27, 27, 27)))


def listed(words: Mapping[str, float] | Sequence[str], missing: float = 0.1) -> CandidateList:
    """Return a list of these answers, best first; words without probabilities are equally likely."""
    chances = words if isinstance(words, Mapping) else dict.fromkeys(words, (1 - missing) / len(words))
    best = sorted(chances, key=lambda word: -chances[word])
    table, logp = np.array([letter_codes(word) for word in best]), np.log([chances[word] for word in best])
    return CandidateList(table, logp, missing, lambda i: ())


def candidates(lists: Mapping[Slot, CandidateList]) -> SolverInput:
    """Return these lists, and nothing else."""
    return SolverInput(lists, StringModel(letters()))


class Known(ClueKnowledge):
    """Knowledge of clues by functions named as in the protocol; the rest is inherited."""

    def __init__(self, before: ClueKnowledge, **functions: Callable[..., Any] | None) -> None:
        self.before, self.functions = before, functions

    def __getattribute__(self, name: str) -> Any:
        mine = object.__getattribute__(self, "__dict__")
        if name in ("__dict__", "before", "functions"):
            return mine[name]
        if name == "has_reader":
            return mine["functions"].get("score_strings") is not None or mine["before"].has_reader
        return mine["functions"].get(name) or getattr(mine["before"], name)


def knowing(inputs: SolverInput, **functions: Callable[..., Any] | None) -> SolverInput:
    """Return the same lists, and the knowledge of these functions."""
    return replace(inputs, knowledge=Known(inputs.knowledge, **functions))


def with_unread(solved: SolvedPuzzle, **changes: Any) -> SolvedPuzzle:
    """Return the same, as if the reader's pass had begun with a state that differs by these changes."""
    assert solved.state is not None
    unread = replace(solved.state, **changes)
    return replace(solved, state=replace(solved.state, unread_state=unread), first_fill=unread.fill)
