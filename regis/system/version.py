"""The version of Regis."""

__version__ = "0.1.0"
