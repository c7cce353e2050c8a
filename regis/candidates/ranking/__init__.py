"""What the finders found, weighed: a probability for every answer and for none of them, one list per query."""
