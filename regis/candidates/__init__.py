"""From a clue to one list of probabilities: `finders` find, `ranking` weighs."""
