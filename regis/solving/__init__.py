"""From clues to a filled grid: `asking` makes lists of candidates, `fillers` fill, `pipeline` is the whole of it."""
