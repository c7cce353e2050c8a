"""From a clue to one list of probabilities: `finders` find, `ranking` weighs.

What no fitting tells stands in files of its own: `said`, words of the clue; `quips`, parts of quotations.
"""
