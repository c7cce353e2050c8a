"""What an index teaches: the `weights` of the finders, when it is built, and the clue `encoder`, when it is asked to.

Both read the index as it was before its newest year, so that what is learned has been tried on clues it did not hold.
`course` puts the two together.
"""

from regis.learn.weights import fit, learn

__all__ = ["fit", "learn"]
