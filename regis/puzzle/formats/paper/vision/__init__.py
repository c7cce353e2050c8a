"""Pictures of pages: squares found and laid flat, text read by a network, in a process of its own."""


class UnreadablePicture(Exception):
    """Why nothing can be read, to be said behind the file's name."""
