"""From the words of a command line to a command: what a command is, its options, the parser made of them."""
