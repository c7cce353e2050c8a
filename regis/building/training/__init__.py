"""What an index teaches: the ranker when it is built, encoders and the reader on request.

All read the index as it was before its newest year, so that what is learned is tried on clues it did not hold. `train`
puts them together, `checkpoints` keeps what takes hours.
"""
