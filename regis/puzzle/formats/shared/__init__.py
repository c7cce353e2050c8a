"""What formats share: documents, texts, squares, sizes, entries, and clues."""
