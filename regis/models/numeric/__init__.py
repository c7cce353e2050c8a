"""Arithmetic on arrays that every room above shares: sorted search, the largest few, probabilities in logs."""
