"""Strings that no list has: the pieces that new answers are made of, and the words that answers are cut into."""
