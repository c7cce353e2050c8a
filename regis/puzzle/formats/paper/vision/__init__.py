"""Recognizes pictures of pages in a separate process: rectifies the grid, then reads the text with a neural network."""


class UnreadablePicture(Exception):
    """The reason why a picture can't be read, worded to follow the file's name."""
