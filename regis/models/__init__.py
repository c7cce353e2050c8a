"""What is known of clues and strings beside the index, in four rooms of their own.

numeric/   arrays: sorted search, the largest few, sums of probabilities in logs
text/      clues: their words as features, what their form says, the entries they name, how publishers write them
neural/    networks and their vectors: the clue encoders, the cross-encoder, the reranker, quantisation
strings/   letters and pieces: the letter model, the phrase model, how a string is cut into words
"""
