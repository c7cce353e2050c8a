"""A clue's text: hashed features, form, references to entries, and publishers' styles."""
