"""The clue encoders while they are learned: the answers' side that both share, the base encoder, the transformer."""
