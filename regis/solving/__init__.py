"""From clues to a filled grid: `retrieval` makes lists of candidates, fillers fill, `pipeline` is the whole of it."""
