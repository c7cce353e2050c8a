"""Moves on a filled grid: their plan, and those that read or check."""
