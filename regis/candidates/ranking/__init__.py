"""What the finders found, weighed: a probability for every answer and for none of them, in one list a query.

`ranker` asks the finders and makes the lists, `scoring` weighs, by the columns and fitted numbers of `weights`;
`clue_similarity` adds columns once the best are known, `clue_overlap` discounts answers that say words of the clue.
"""
