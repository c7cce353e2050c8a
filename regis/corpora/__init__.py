"""What an index is made of: the public corpora, how they come here, and (in `readers`) how each kind is read."""
