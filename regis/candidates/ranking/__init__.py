"""The finders' results, weighed: one list per query, with a probability for every answer and for none of them."""
