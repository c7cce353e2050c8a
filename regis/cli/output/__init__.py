"""What a command says while it works and in the end: results, sentences, bars, a grid as it is filled, a folder."""
