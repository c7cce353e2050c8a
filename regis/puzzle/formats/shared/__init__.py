"""What formats share: the document that they read and write, its texts, squares, size, entries and clues."""
