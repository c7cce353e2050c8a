"""What an index teaches: the `ranker` when it is built; `encoders` and `cross_encoder` when it is asked to; `strings`.

All read the index as it was before its newest year, so that what is learned has been tried on clues it did not hold.
`train` puts them together, `checkpoints` keeps what takes hours.
"""
