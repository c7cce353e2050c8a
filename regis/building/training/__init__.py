"""What an index teaches: the `weights` of the finders, when it is built, and the clue encoders, when it is asked to.

They read the index as it was before its newest year, so that what is learned has been tried on clues it did not hold.
`segmentation` learns what new answers are made of. `train` puts them together.
"""
