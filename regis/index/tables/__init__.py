"""The tables of an index, one set for each answer length: their layout (`schema`), who writes and who reads them.

A `Partition` is one such set, read array by array; `answer_vectors` are an encoder's rows for its answers, `vocabulary`
the words of clues whose texts are not kept. What was learned from all of them is read by `learned_models`.
"""
