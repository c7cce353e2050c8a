"""Regis solves American-style crosswords offline, from an index of past clues, titles and words."""

__version__ = "0.1.0"
