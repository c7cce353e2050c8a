"""Benchmarks: `archive` chooses puzzles, `runner` solves them, `records` adds up, `report` renders."""

from regis.evaluation.runner import INTERRUPTED_REASON, BenchmarkPlan, run_benchmark

__all__ = ["INTERRUPTED_REASON", "BenchmarkPlan", "run_benchmark"]
