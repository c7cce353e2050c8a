"""From clues to a filled grid: `retrieval` makes lists of candidates, fillers fill, `pipeline` runs it all."""
