"""From a clue to one list of probabilities: `finders` find, `ranking` weighs, and a `candidate_list` results."""
