"""Pictures of pages: squares found and laid flat, text read by a network, in a process of its own."""


class UnreadablePicture(Exception):
    """A word of `page_objects` for why nothing can be read."""
