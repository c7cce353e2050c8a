"""Themes: answers that are known phrases, all changed in the same way."""
