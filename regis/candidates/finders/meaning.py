"""`meaning`: what the base encoder thinks of every answer of the length (`dense`, models.embedding)."""

from __future__ import annotations

from regis.candidates import dense
from regis.index import schema

FINDER = dense.finder("meaning", schema.ENCODER, 0.7)
