"""Measuring: `archive` says which puzzles, `run_benchmark` solves them, `records` adds up, `report` says it."""

from regis.evaluation.runner import INTERRUPTED_REASON, BenchmarkPlan, run_benchmark

__all__ = ["INTERRUPTED_REASON", "BenchmarkPlan", "run_benchmark"]
