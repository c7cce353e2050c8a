"""The tables of an index, one set for each answer length: their layout (`schema`), who writes and who reads them.

A `Partition` is one such set, read column by column; `answer_vectors` are an encoder's rows for its answers, and
`key_order` searches its clues by their keys. What was learned from all of them is read by `learned_models`.
"""
