"""Rebus squares: cells that hold several letters, the same both ways or not."""
