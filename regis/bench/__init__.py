"""Measuring: `archive` says which puzzles, `run` solves them, `tally` adds up, `report` says it."""

from regis.bench.runner import INTERRUPTED, Plan, run

__all__ = ["INTERRUPTED", "Plan", "run"]
