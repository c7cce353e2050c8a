"""From clues to a filled grid: `retrieval` makes lists of candidates, fillers fill grids, `pipeline` runs it all."""
