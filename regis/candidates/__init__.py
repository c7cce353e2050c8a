"""From a clue to one list of probabilities: `finders` find, `ranking` weighs, a `candidate_list` results."""
