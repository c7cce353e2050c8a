"""Networks that encode clues, read answers, and rerank lists; and how their weights and vectors are stored."""
