"""Moves: the loop that all share, their plan, and those that read or check; some have rooms of their own."""
