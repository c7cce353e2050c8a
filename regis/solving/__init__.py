"""From the lists of candidates to a filled grid: `fillers` fill, `pipeline` is the whole of it."""
