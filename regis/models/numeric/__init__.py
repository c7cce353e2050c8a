"""Arithmetic on arrays: sorted search, the largest few, log probabilities."""
