"""Why a picture cannot be read."""


class UnreadablePicture(Exception):
    """A word of `page_objects` for why nothing can be read."""
