"""Rebus squares: cells that hold several letters, the same in both directions or others across than down."""
