"""Measuring: `archive` says which puzzles, `run` solves them, `records` adds up, `report` says it."""

from regis.evaluation.runner import INTERRUPTED, Plan, run

__all__ = ["INTERRUPTED", "Plan", "run"]
