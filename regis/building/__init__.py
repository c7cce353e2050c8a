"""Building an index: from corpora, from additions, by training, by distilling."""
