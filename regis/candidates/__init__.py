"""From a clue to one list of probabilities: `finders` find, `ranking` weighs, a `candidate_list` is what comes out.

`finder` says what a finder is, `query` what it is asked. `unlisted_prior` says what a clue tells of answers in no list,
`answer_similarity` which answers go together.
"""
