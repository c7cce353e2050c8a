"""The probability of a grid: messages between slots and cells, and evidence."""
