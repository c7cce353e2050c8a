"""Making an index: built from corpora, added to, taught (`training`), distilled."""
