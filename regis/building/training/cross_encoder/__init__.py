"""The cross-encoder, called the reader before people: its hard negatives, its lessons, how far its odds are trusted."""
