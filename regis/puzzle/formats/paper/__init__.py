"""Printed puzzles: reads the grid and clues from a PDF, photograph, or scan."""

PAPER_EXTRA = "paper"  # with the libraries that read pictures
