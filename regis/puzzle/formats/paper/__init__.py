"""Printed puzzles: reads the grid and clues from a PDF, photograph, or scan."""
