"""How likely each string of letters is as an answer on no list."""
