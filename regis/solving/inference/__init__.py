"""Probability of a grid: messages between slots and cells, evidence of a filled grid and of a reader, confidence."""
