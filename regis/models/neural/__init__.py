"""Networks: two clue encoders, the cross-encoder, the reranker, and how their weights and vectors are kept.

`bag_encoder` and `transformer` make vectors of clues; answers have theirs in `vector_table` or, in fewer bits, in
`product_quantization`. `bert` is the network below `transformer` and `cross_encoder`, `tensor_file` its file.
"""
