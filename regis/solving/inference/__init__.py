"""Probability of a grid: messages between slots and cells, the evidence for a filled grid, local search, confidence."""
