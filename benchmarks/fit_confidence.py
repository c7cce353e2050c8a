"""Confidence if clues fit nothing: `python benchmarks/fit_confidence.py ARCHIVE --index DIR --per-weekday 2`.

Solves each plain puzzle of an archive as it is, with a share of its clues shuffled among its entries, with German
clues, and with none. Prints how many letters are right, mean confidence, and how many letters called 90% sure are
wrong: with the constants of regis/solving/settings.py that lower confidence if neither clues nor crossings explain a
grid, without them, and with those that fit these grids best (by log loss, each grid weighted equally).
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple
from unittest import mock

import cli_options
import numpy as np
import plain_puzzles
from scipy.optimize import minimize

from regis.evaluation import score
from regis.evaluation.archive import ArchivePuzzle
from regis.index import Index
from regis.puzzle import Puzzle
from regis.solving import pipeline
from regis.solving import report as confidence
from regis.solving.filler import Beliefs, Fill
from regis.solving.settings import CONFIDENCE

SHUFFLED_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
GERMAN_CLUES = (
    "Laubbaum", "Hafenstadt in Belgien", "Teil der Woche", "persönliches Fürwort", "Gewürz", "nicht heiß",
    "Oper von Verdi", "Laut der Kuh", "engl. Bier", "Musikzeichen", "Held der Ilias", "kleines Boot", "Farbton",
    "Gebirge in Asien", "Abk.: Nummer", "Stoffart", "Vogel des Nordens", "Speisefisch", "Abendkleid", "Männerstimme",
)  # fmt: skip
THRESHOLDS = np.arange(0.0, 0.45, 0.05)


class Grid(NamedTuple):
    """A solved grid: its unexplained share, and its letters, with their uncorrected log odds."""

    shift: str
    unexplained: float
    log_odds: np.ndarray
    is_right: np.ndarray


def shift_clues(puzzle: Puzzle, seed: int) -> Iterator[tuple[str, Puzzle]]:
    """Yield a puzzle with each kind of clues."""
    for share in SHUFFLED_SHARES:
        generator = random.Random(seed)
        slots = [slot for slot in puzzle.clues if generator.random() < share]
        clues = [puzzle.clues[slot] for slot in slots]
        generator.shuffle(clues)
        yield f"{share:.0%} shuffled", replace(puzzle, clues={**puzzle.clues, **dict(zip(slots, clues, strict=True))})
    generator = random.Random(seed)
    yield "German", replace(puzzle, clues={slot: generator.choice(GERMAN_CLUES) for slot in puzzle.clues})
    yield "none", replace(puzzle, clues={})


def solve_shifted(item: ArchivePuzzle, index: Index, seconds: float | None) -> Iterator[Grid]:
    """Solve one puzzle with each kind of clues."""
    puzzle, truth = plain_puzzles.read_solved(item.file)
    for shift, shifted in shift_clues(puzzle, zlib.crc32(item.file.name.encode())):
        scale, odds = confidence.temperature_scale, list[Mapping[object, float]]()

        def keep_base(fill: Fill, puzzle: Puzzle, beliefs: Beliefs, unexplained: float) -> Fill:
            odds.append(scale(fill, puzzle, beliefs).confidence)  # noqa: B023
            return scale(fill, puzzle, beliefs, unexplained)  # noqa: B023

        with mock.patch.object(pipeline, "temperature_scale", keep_base):
            solved = pipeline.solve(shifted, index, seconds=seconds)
        p = np.clip(np.array(list(odds[0].values())), 1e-6, 1 - 1e-6)
        right = score.find_right_cells(solved.fill, puzzle, truth)
        is_right = np.array([cell in right for cell in odds[0]])
        yield Grid(shift, solved.unexplained_share, np.log(p / (1 - p)), is_right)


def scale_log_odds(grid: Grid, constants: np.ndarray) -> np.ndarray:
    """Return the letters' log odds for (threshold, loss, shift)."""
    excess = max(grid.unexplained - constants[0], 0.0)
    return np.asarray(grid.log_odds * np.exp(-constants[1] * excess) - constants[2] * excess)


def log_loss(grids: list[Grid], constants: np.ndarray) -> float:
    """Return the mean over grids of the mean log loss of their letters, nats."""
    signed = ((2 * grid.is_right - 1) * scale_log_odds(grid, constants) for grid in grids)
    return float(np.mean([np.logaddexp(0, -values).mean() for values in signed]))


def fit_constants(grids: list[Grid]) -> np.ndarray:
    """Return the (threshold, loss, shift) with the least log loss."""
    fits = []
    for threshold in THRESHOLDS:
        fit = minimize(lambda x, t=threshold: log_loss(grids, np.array([t, *np.abs(x)])), (5, 5), method="Nelder-Mead")
        fits.append((round(fit.fun, 5), -threshold, np.array([threshold, *np.abs(fit.x)])))
    return min(fits, key=lambda fit: fit[:2])[2]


def main() -> None:
    parser = cli_options.archive_parser(__doc__, with_sample=True)
    parser.add_argument("--seconds", type=float, help="most seconds for a grid")
    arguments = parser.parse_args()
    index, items = Index.open(arguments.index), plain_puzzles.read_items(arguments)
    grids = [grid for item in items for grid in solve_shifted(item, index, arguments.seconds)]
    heading = "mean confidence, and how many of those 90 % sure are wrong"
    print(f"{len(items)} puzzles, index {index.fingerprint}; {heading}")
    names = ("max_unexplained_share", "unexplained_loss", "unexplained_shift")
    as_it_is = np.array([getattr(CONFIDENCE, name) for name in names])
    rows = {"without": np.array([1.0, 0.0, 0.0]), "as it is": as_it_is, "fitted": fit_constants(grids)}
    print(f"{'clues':<14} {'right':>6} {'unexpl.':>7}" + "".join(f"  {name:>16}" for name in rows))
    for shift in dict.fromkeys(grid.shift for grid in grids):
        of = [grid for grid in grids if grid.shift == shift]
        line = f"{shift:<14} {np.concatenate([grid.is_right for grid in of]).mean():6.3f}"
        line += f" {np.mean([grid.unexplained for grid in of]):7.2f}"
        for constants in rows.values():
            p = 1 / (1 + np.exp(-np.concatenate([scale_log_odds(grid, constants) for grid in of])))
            is_sure = p >= 0.9
            wrong = int((is_sure & ~np.concatenate([grid.is_right for grid in of])).sum())
            line += f"  {p.mean():.3f} {wrong:>4}/{int(is_sure.sum()):<5}"
        print(line)
    for name, constants in rows.items():
        print(f"{name}: log loss {log_loss(grids, constants):.4f}, constants {np.round(constants, 2).tolist()}")


if __name__ == "__main__":
    main()
