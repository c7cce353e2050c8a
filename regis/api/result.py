"""A solved puzzle for programs: answers by entry, letters, doubts, a hint, reasons, pages, and files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regis.ancestors import find_filler
from regis.api.calls import Count, PathLike, check_arguments, require_one_entry
from regis.api.puzzle import Puzzle, write_puzzle_file
from regis.errors import EntryMissing, UsageError, unknown_name
from regis.evaluation.score import Score
from regis.index import Index
from regis.puzzle import BLOCK, Cell, entry_names, formats
from regis.puzzle.formats import PuzzleFile
from regis.render import RENDERERS, drawing, reasons
from regis.render import html as page
from regis.solving import explanation, pipeline
from regis.solving import hint as hints
from regis.solving.hint import Hint
from regis.solving.solved_puzzle import Answer, SolvedPuzzle
from regis.system.files import atomic
from regis.system.terminal import Screen


class Explanation(explanation.Explanation):
    """Why an answer is what it is. `print` shows it as the command line does, a notebook as a table."""

    def __str__(self) -> str:
        return reasons.render_explanation(self, Screen()).rstrip()

    def _repr_html_(self) -> str:
        return page.render_explanation(self)


class IndexAddress(NamedTuple):
    """What a result knows of its index in another process."""

    folder: Path
    fingerprint: str


@dataclass(frozen=True, repr=False, eq=False)
class Result(Mapping[str, Answer]):
    """A solved puzzle: a mapping from the names of its entries, such as "17A", to their answers.

    `print` shows it as the command line does, and a notebook draws it.
    """

    solved: SolvedPuzzle
    opened_index: Index | IndexAddress
    puzzle: Puzzle
    name: str  # of the file, as named
    file: PuzzleFile | None = None  # which it came from; None for a puzzle that a program made
    source_path: Path | None = None  # the file, folder or zip that was named

    def __iter__(self) -> Iterator[str]:
        return (str(answer.slot) for answer in self.answers)

    def __len__(self) -> int:
        """Count the entries."""
        return len(self.answers)

    def __eq__(self, other: object) -> bool:
        """Return whether puzzle, answers, letters, confidence, and index are the same."""
        return isinstance(other, Result) and self._value == other._value

    def __hash__(self) -> int:
        return hash((self.puzzle, frozenset(self.cells.items()), self.solved.index_fingerprint))

    @property
    def _value(self) -> tuple[object, ...]:
        solved = self.solved
        return self.puzzle, self.answers, self.cells, self.confidence, solved.filler, solved.index_fingerprint

    @cached_property
    def index(self) -> Index:
        """The index it was solved with. Raises IndexUnreadable if another process can no longer find it."""
        if isinstance(self.opened_index, Index):
            return self.opened_index
        return Index.open_by_fingerprint(*self.opened_index)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Every entry in clue order: slot, clue, answer, confidence, evidence, alternatives."""
        return self.solved.answers

    @property
    def cells(self) -> Mapping[Cell, str]:
        """The content of each filled square, by (row, column) from 0. A rebus square has several letters."""
        return self.solved.fill.cells

    @property
    def confidence(self) -> Mapping[Cell, float]:
        """The probability that each filled square is right."""
        return self.solved.fill.confidence

    @property
    def seconds(self) -> float:
        """How long solving took."""
        return self.solved.seconds

    @property
    def timed_out(self) -> bool:
        """Whether time ran out, so that squares may be empty or guesses."""
        return self.solved.is_out_of_time

    @property
    def is_confident(self) -> bool:
        """Whether every square is filled and at least 90% sure."""
        return self.solved.is_confident

    @property
    def is_hardly_explained(self) -> bool:
        """Whether the clues hardly explain the grid, as if from another puzzle. Most letters may be wrong."""
        return self.solved.is_hardly_explained

    @property
    def doubted_letters(self) -> Mapping[Cell, float]:
        """Your letters that are probably wrong, each with the probability that it's right."""
        return self.solved.given_check.doubted_letters

    def __getitem__(self, entry: str) -> Answer:
        """Return the answer to an entry: `result["17A"]`. Raises EntryMissing, a KeyError, if there's no such entry."""
        try:
            return self.select_entries(require_one_entry(entry) if isinstance(entry, str) else entry).answers[0]
        except UsageError as cause:
            raise EntryMissing(str(cause)) from None

    @check_arguments
    def select_entries(self, entries: str) -> Result:
        """Keep only these entries: `result.select_entries("17A,23D")`. Raises EntryMissing if one doesn't exist."""
        slots = entry_names.find_slots(entries, self.solved.puzzle, self.name)
        if missing := set(slots) - {answer.slot for answer in self.answers}:
            raise EntryMissing(f"this result was narrowed down without {min(map(str, missing))}; use the whole one")
        return replace(self, solved=self.solved.restrict_to(slots))

    @check_arguments
    def hint(self) -> Hint | None:
        """Choose the most helpful letter, or a few answers to one entry; None if the grid is full or unsure."""
        solved = self.solved
        if solved.inputs is None:  # they stayed in another process
            again = pipeline.solve(solved.puzzle, self.index, find_filler(solved.filler))
            solved = again.restrict_to([answer.slot for answer in self.answers])
        return hints.find_hint(solved)

    @check_arguments
    def explain(self, entry: str | None = None, limit: Count = 5) -> Explanation:
        """Explain why an answer is what it is. This solves again what another filler or process solved.

        Parameters
        ----------
        entry : its name, such as "17A"; None for the least sure one.
        limit : how many candidates to list at most.

        Raises
        ------
        errors.EntryMissing : there's no such entry.
        """
        solved = self.solved
        if entry is None and not self.answers:
            raise EntryMissing("the puzzle has no entries to explain")
        (slot,) = solved.least_sure_slots if entry is None else (self[require_one_entry(entry)].slot,)
        if solved.fill.beliefs is None:
            solved = pipeline.solve(solved.puzzle, self.index)
        (explained,) = explanation.explain(solved, [slot], limit)
        return Explanation(**vars(explained))

    def score(self) -> Score:
        """Count how many letters and words are right by the file's solution. Raises PuzzleError if it has none."""
        return self.puzzle.score(self.cells)

    @check_arguments
    def json(self) -> dict[str, Any]:
        """Return what `regis solve --format json` writes, as a dict."""
        return dict(json.loads(RENDERERS["json"](self.solved, self.name, Screen())))

    @property
    def letter_grid(self) -> NDArray[np.str_]:
        """The contents of all squares as an array.

        Returns
        -------
        (rows, columns) texts: `#` for a block, '' for an empty square, several letters for a rebus square.
        """
        return np.array(self.solved.puzzle.grid.map_cells(lambda cell: self.cells.get(cell, ""), BLOCK))

    @property
    def confidence_grid(self) -> np.ma.MaskedArray[tuple[int, int], np.dtype[np.float64]]:
        """The probabilities that squares are right as an array.

        Returns
        -------
        (rows, columns) float64, 0 for an empty square. Blocks are masked nans, so `.min()` is a square's.
        """
        rows = self.solved.puzzle.grid.map_cells(lambda cell: self.confidence.get(cell, 0.0), np.nan)
        masked: np.ma.MaskedArray[tuple[int, int], np.dtype[np.float64]] = np.ma.masked_invalid(np.array(rows))
        return masked

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict per entry, from column names to values, for `pandas.DataFrame` or `csv.DictWriter`."""
        return [
            {
                "entry": str(answer.slot),
                "number": answer.slot.number,
                "direction": answer.slot.direction.name.lower(),
                "length": len(answer.slot),
                "clue": answer.clue,
                "answer": answer.answer,
                "confidence": answer.confidence,
                "alternatives": list(answer.alternatives),
            }
            for answer in self.answers
        ]

    @property
    def html(self) -> str:
        """The page that `regis solve --format html` writes."""
        return RENDERERS["html"](self.solved, self.name, Screen())

    @property
    def svg(self) -> str:
        """The grid as a picture."""
        return RENDERERS["svg"](self.solved, self.name, Screen())

    @check_arguments
    def save(self, path: PathLike) -> None:
        """Write the result in the name's format: .txt, .json, .html, .svg, .png, or a puzzle file with these letters.

        Parameters
        ----------
        path : the file. Puzzle files are .puz, .ipuz, and .xd, without what the format can't hold.

        Raises
        ------
        errors.UsageError : the name has another ending; the puzzle's own file can't be overwritten, or has changed
            since it was read; or a solution in the file would be lost.
        errors.OutputError : the file can't be written.
        """
        file = Path(path)
        ending = file.suffix.lower().removeprefix(".")
        if ending == "png":
            data: str | bytes = drawing.render_png(self.solved)
        elif ending in formats.WRITABLE_FORMATS:
            filled = replace(self.solved.puzzle, given=dict(self.cells))
            data, _ = (
                formats.write_puzzle(filled, self.name, ending)
                if self.file is None
                else formats.write_fill(self.file, ending, self.cells)
            )
        else:
            kinds = {"txt": "text"} | {name: name for name in RENDERERS if name != "text"}
            if ending not in kinds:
                suffixes = [f".{name}" for name in (*kinds, "png", *formats.WRITABLE_FORMATS)]
                raise unknown_name("format to save as", f".{ending}", suffixes)
            data = RENDERERS[kinds[ending]](self.solved, self.name, Screen())
        if self.source_path is not None and not formats.can_fill_in_place(self.source_path, ending):
            atomic.check_writable(file, [self.source_path])
        elif self.file and self.source_path and formats.has_changed(file, self.file, self.source_path, data):
            raise UsageError(f"{file} has changed since it was read; solve it again, or save to another file")
        if isinstance(data, bytes):
            write_puzzle_file(file, data)
        else:
            atomic.write_file(file, data)

    def __str__(self) -> str:
        return RENDERERS["text"](self.solved, self.name, Screen()).rstrip()

    def __repr__(self) -> str:
        return f"<Result {self.name}: {len(self.answers)} entries, {'sure' if self.is_confident else 'not all sure'}>"

    def _repr_html_(self) -> str:
        return page.render_fragment(self.solved)

    def __reduce__(self) -> tuple[type[Result], tuple[object, ...]]:
        """Leave what is open in this process: the index by its address, and lists and beliefs."""
        address = IndexAddress(self.index.folder.absolute(), self.index.fingerprint)
        return Result, (self.solved.detach(), address, self.puzzle, self.name, self.file, self.source_path)
