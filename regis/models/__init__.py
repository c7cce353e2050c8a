"""What is known of clues and strings beside the index: features, encoders, letter and phrase models, the reranker."""
