"""Models of clues and strings, apart from the index."""
