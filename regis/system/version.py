"""The version of Regis, once."""

__version__ = "0.1.0"
