"""What a solved puzzle gives a program: its answers, letters and doubts, a hint, reasons, pages, a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regis.calls import Count, PathLike, checked, one_entry
from regis.errors import PuzzleError, UsageError, unknown
from regis.index import Index
from regis.puzzle import BLOCK, Cell, entry_names, formats
from regis.puzzle.formats import PuzzleFile
from regis.render import RENDERERS, png
from regis.render import html as page
from regis.solving import hint as hints
from regis.solving import pipeline
from regis.solving.explain import Explanation, explain
from regis.solving.hint import Hint
from regis.solving.solved import Answer, Solved, Theme
from regis.system import atomic
from regis.system.terminal import Screen


@dataclass(frozen=True, repr=False)
class Result:
    """A solved puzzle. `print` shows it as the command line does, and a notebook draws it."""

    solved: Solved
    index: Index
    name: str
    file: PuzzleFile | None = None  # which it came from; None for a puzzle that a program made
    place: Path | None = None  # the file, folder or zip that was named

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.answers)

    def __len__(self) -> int:
        """How many entries there are."""
        return len(self.answers)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Every entry in clue order: slot, clue, answer, confidence, evidence, alternatives."""
        return self.solved.answers

    @property
    def cells(self) -> Mapping[Cell, str]:
        """What each filled square holds, by (row, column) from 0; several letters in a rebus square."""
        return self.solved.solution.cells

    @property
    def confidence(self) -> Mapping[Cell, float]:
        """P(right) of each filled square."""
        return self.solved.solution.confidence

    @property
    def theme(self) -> Theme | None:
        """What Regis believes that answers have in common: `said`, and the `phrases` of which they were made."""
        return self.solved.theme

    @property
    def sure(self) -> bool:
        """Whether every square is filled and at least 90 % sure."""
        return self.solved.sure

    @property
    def doubts(self) -> Mapping[Cell, float]:
        """The person's letters that are probably wrong, each with P(right)."""
        return self.solved.checked.wrong

    @checked
    def __getitem__(self, entry: str) -> Answer:
        """`result["17A"]`. Raises PuzzleError if there is no such entry."""
        return self.only(one_entry(entry)).answers[0]

    @checked
    def only(self, entries: str) -> Result:
        """`result.only("17A,23D")`: the same without the other entries."""
        slots = entry_names.slots(entries, self.solved.puzzle, self.name)
        if gone := set(slots) - {answer.slot for answer in self.answers}:
            raise PuzzleError(f"this result was narrowed down to others than {min(map(str, gone))}; ask the whole one")
        return replace(self, solved=self.solved.only(slots))

    @checked
    def hint(self) -> Hint | None:
        """The letter that helps most, or a few answers to one entry; None if all is written or nothing sure enough."""
        return hints.hint(self.solved)

    @checked
    def explain(self, entry: str, limit: Count = 5) -> Explanation:
        """Why an entry is filled as it is, with up to `limit` candidates; what another filler solved, `belief` does.

        Raises PuzzleError if there is no such entry.
        """
        slot, solved = self[entry].slot, self.solved
        if solved.solution.beliefs is None:
            solved = pipeline.solve(solved.puzzle, self.index)
        return explain(pipeline.answered(solved, reveal=True), [slot], limit)[0]

    @checked
    def json(self) -> dict[str, Any]:
        """What `regis solve --format json` writes."""
        return dict(json.loads(RENDERERS["json"](self.solved, self.name, Screen())))

    @property
    def letters(self) -> NDArray[np.str_]:
        """What the squares hold, (rows, columns): `#` for a block, '' for an empty one."""
        return np.array(self.solved.puzzle.grid.drawn(lambda cell: self.cells.get(cell, ""), BLOCK))

    @property
    def sureness(self) -> NDArray[np.float64]:
        """P(right) of the squares, (rows, columns): nan for a block, 0 for an empty one."""
        return np.array(self.solved.puzzle.grid.drawn(lambda cell: self.confidence.get(cell, 0.0), np.nan))

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each entry. Raises UsageError where pandas is not installed."""
        if find_spec("pandas") is None:
            raise UsageError("to_pandas needs pandas; install it beside Regis: pip install pandas")
        import pandas

        rows = [(str(one.slot), one.clue, one.answer, one.confidence) for one in self]
        return pandas.DataFrame(rows, columns=["entry", "clue", "answer", "confidence"])

    @property
    def html(self) -> str:
        """The page that `regis solve --format html` writes."""
        return RENDERERS["html"](self.solved, self.name, Screen())

    @property
    def svg(self) -> str:
        """The grid as a picture."""
        return RENDERERS["svg"](self.solved, self.name, Screen())

    @checked
    def save(self, path: PathLike) -> None:
        """Writes the result as the name says: .txt, .json, .html, .svg, .png, or a puzzle file with these letters.

        Puzzle files are .puz, .ipuz and .xd; what such a file has no place for is left out. Raises UsageError for
        another name and for that of the file which was solved, unless its letters can be written into it and all else
        stays, or where that has changed since, or where another solution than the file's own would be lost, and
        OutputError where nothing can be written.
        """
        file = Path(path)
        ending = file.suffix.lower().removeprefix(".")
        if ending == "png":
            data: str | bytes = png.render(self.solved)
        elif ending in formats.WRITABLE:
            whole = replace(self.solved.puzzle, given=dict(self.cells))
            data, _ = (
                formats.drawn(whole, self.name, ending)
                if self.file is None
                else formats.filled(self.file, ending, self.cells)
            )
        else:
            kinds = {"txt": "text"} | {name: name for name in RENDERERS if name != "text"}
            if ending not in kinds:
                raise unknown("format to save as", f".{ending}", [f".{x}" for x in (*kinds, "png", *formats.WRITABLE)])
            data = RENDERERS[kinds[ending]](self.solved, self.name, Screen())
        if self.place is not None and not formats.fills(self.place, ending):
            atomic.check(file, [self.place])
        elif self.file and self.place and formats.changed(file, self.file, self.place, data):
            raise UsageError(f"{file} has changed since it was read; solve it again, or save beside it")
        if isinstance(data, bytes) and formats.bereft(file, data):
            raise UsageError(f"{file} has a solution, which would be lost; solve the file itself, or save beside it")
        atomic.write(file, data)

    def __str__(self) -> str:
        return RENDERERS["text"](self.solved, self.name, Screen()).rstrip()

    def __repr__(self) -> str:
        return f"<Result {self.name}: {len(self.answers)} entries, {'sure' if self.sure else 'not all sure'}>"

    def _repr_html_(self) -> str:
        return page.fragment(self.solved)

    def __copy__(self) -> Result:
        return self

    def __deepcopy__(self, memo: object) -> Result:
        """Itself: nothing of it changes."""
        return self

    def __reduce__(self) -> str:
        raise UsageError("a result stays in the process that solved; give another its json(), or save it as a file")
