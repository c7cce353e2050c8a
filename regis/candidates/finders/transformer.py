"""`transformer`: what the transformer thinks of every answer of the length (`dense`, models.transformer)."""

from __future__ import annotations

from regis.candidates import dense
from regis.index import schema

FINDER = dense.finder("transformer", schema.TRANSFORMER)
