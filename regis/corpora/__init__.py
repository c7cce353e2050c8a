"""What an index is made of: public corpora, their downloads, and (in `readers`) how each kind is read."""
