"""Your progress in each puzzle, kept in the data folder for every browser you use, and your solving times.

Each square has the number of its last change. A browser sends the squares it changed, with the last number it knows,
and gets those that others changed since. So two browsers at once lose no letter.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from regis.errors import OutputError
from regis.puzzle import Cell
from regis.system.files.atomic import write_file

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FINAL_ENDS = ("solved", "helped", "revealed")  # how a puzzle can end
ENDS = ("", "full", *FINAL_ENDS)
PROGRESS_SUFFIX = ".progress.json"

Squares = dict[Cell, list[Any]]


class SentProgress(NamedTuple):
    """A browser's changed squares, [row, column, text, pencil, mark] each, and its clock, help, and end."""

    last_number: int  # number of the last change it knows
    squares: Squares
    seconds: int
    round: int  # number of restarts of a finished puzzle
    end: str  # one of `ENDS`
    counts: dict[str, int]  # of help taken


class ProgressFiles:
    """The progress in one folder, which may not exist yet; without a folder, nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._folder, self._lock = folder, threading.Lock()

    def merge(self, puzzle_id: str, about: dict[str, Any], update: SentProgress) -> dict[str, Any]:
        """Merge a browser's progress into what is kept; return what the browser doesn't know yet."""
        with self._lock:
            old = self.read(puzzle_id)
            numbered = {(square[0], square[1]): square for square in old.get("squares", [])}
            number = old.get("number", 0) + bool(update.squares)
            numbered |= {cell: [*square, number] for cell, square in update.squares.items()}
            merged = _merge_state(old, update) | {"number": number, "squares": list(numbered.values()), "about": about}
            is_kept = not (old or update.squares) or _differ_little(old, merged) or self._write(puzzle_id, merged)
        changed = [
            square[:-1]
            for cell, square in numbered.items()
            if square[-1] > update.last_number and cell not in update.squares
        ]
        state = {key: merged[key] for key in ("number", "seconds", "round", "finished", "counts")}
        return state | {"squares": changed, "kept": is_kept}

    def read(self, puzzle_id: str) -> dict[str, Any]:
        """Read a puzzle's progress; {} if it can't be read."""
        with suppress(OSError, ValueError, RecursionError):
            if self._folder is not None:
                found = json.loads((self._folder / (puzzle_id + PROGRESS_SUFFIX)).read_bytes())
                return found if isinstance(found, dict) else {}
        return {}

    def read_all(self) -> dict[str, dict[str, Any]]:
        """Read the progress of every puzzle, the latest first."""
        paths = self._folder.glob("*" + PROGRESS_SUFFIX) if self._folder else ()
        try:
            by_age = sorted(paths, key=lambda path: path.stat().st_mtime, reverse=True)
        except OSError:
            by_age = []
        names = [path.name.removesuffix(PROGRESS_SUFFIX) for path in by_age]
        return {name: progress for name in names if (progress := self.read(name))}

    def _write(self, puzzle_id: str, progress: dict[str, Any]) -> bool:
        with suppress(OSError, OutputError):
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True)
                write_file(self._folder / (puzzle_id + PROGRESS_SUFFIX), json.dumps(progress).encode())
                return True
        return False


def _differ_little(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Return whether only a few seconds passed, too few to save: losing them does no harm."""
    return old | {"seconds": 0} == new | {"seconds": 0} and new["seconds"] - old["seconds"] < 15


def _merge_state(old: dict[str, Any], update: SentProgress) -> dict[str, Any]:
    """Merge clock, help, and end: the later round counts, and within a round the larger values."""
    state: dict[str, Any] = {
        "seconds": update.seconds,
        "round": update.round,
        "finished": update.end,
        "counts": update.counts,
    }
    kept_round = old.get("round", -1)
    if kept_round > update.round:
        state = {key: old[key] for key in state}
    elif kept_round == update.round:
        counts = {x: max(old["counts"].get(x, 0), update.counts.get(x, 0)) for x in old["counts"] | update.counts}
        finished = old["finished"] if old["finished"] in FINAL_ENDS else update.end
        state |= {"seconds": max(update.seconds, old["seconds"]), "counts": counts, "finished": finished}
    result = old.get("result")
    if result is None and state["finished"] in FINAL_ENDS:
        result = {"end": state["finished"], "seconds": state["seconds"], "day": date.today().isoformat()}
    return old | state | {"result": result}


def summarize(progress: dict[str, Any]) -> dict[str, Any]:
    """Summarize a puzzle's progress for a list: what it is, how many squares are filled, how it ended."""
    n_filled = sum(bool(square[2]) for square in progress["squares"])
    about: dict[str, Any] = progress["about"]
    return about | {"filled": n_filled, "finished": progress["finished"]}


def list_statistics(all_progress: dict[str, dict[str, Any]], today: date) -> dict[str, Any]:
    """List solved puzzles and times by size and weekday, and the streak in days.

    A puzzle counts once, if it was solved with no letter shown, on the weekday of its date.
    """
    seconds_by_kind: dict[tuple[str, int], list[int]] = defaultdict(list)
    days = set()
    for progress in all_progress.values():
        result, about = progress.get("result"), progress["about"]
        if result and result["end"] == "solved":
            weekday = date.fromisoformat(about["date"]).weekday() if about["date"] else len(WEEKDAYS)
            seconds_by_kind[about["size"], weekday].append(result["seconds"])
            days.add(date.fromisoformat(result["day"]))
    rows = [
        {
            "size": size,
            "day": (*WEEKDAYS, "")[weekday],
            "solved": len(times),
            "median": median(times),
            "best": min(times),
        }
        for (size, weekday), times in sorted(seconds_by_kind.items(), key=lambda item: (len(item[0][0]), item[0]))
    ]
    streaks = {day: _streak_to(day, days) for day in days}
    current = streaks.get(today) or streaks.get(today - timedelta(days=1)) or 0
    return {"rows": rows, "streak": current, "longest": max(streaks.values(), default=0)}


def _streak_to(day: date, days: set[date]) -> int:
    n_days = 0
    while day - timedelta(days=n_days) in days:
        n_days += 1
    return n_days
