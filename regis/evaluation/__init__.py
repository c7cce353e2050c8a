"""Benchmarks: `archive` chooses puzzles, `runner` solves them, `records` adds up results, and `report` renders them."""

from regis.evaluation.runner import INTERRUPTED_REASON, BenchmarkPlan, run_benchmark

__all__ = ["INTERRUPTED_REASON", "BenchmarkPlan", "run_benchmark"]
