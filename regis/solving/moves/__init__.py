"""Steps that improve or qualify a filled grid: reviews of given letters, reader pass, perturbations, letter swaps."""
