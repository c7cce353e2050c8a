"""What the finders found, weighed: a probability for every answer and for none of them, in one list a query.

`ranker` asks the finders and makes the lists, `scoring` weighs, by the columns of `feature_table` and the `weights`
that were fitted; `clue_similarity` adds columns once the best are known. What no fitting tells stands in files of its
own: `clue_overlap`, words of the clue; `quips`, parts of quotations.
"""
