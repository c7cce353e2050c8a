"""The ranker, fitted on the hidden newest year: what its clues retrieve, the weights of evidence, the reranker."""
