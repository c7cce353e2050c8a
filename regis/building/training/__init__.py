"""What an index teaches: the `weights` of the finders, when it is built, and the clue `encoder`, when it is asked to.

They read the index as it was before its newest year, so that what is learned has been tried on clues it did not hold.
`phrases` are what new answers are made of. `course` puts them together.
"""

from regis.building.training.train import learn, learn_encoder

__all__ = ["learn", "learn_encoder"]
