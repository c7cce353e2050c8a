"""A puzzle as it is printed: what is drawn and written on pages, the grid and the clues that are read from that."""
