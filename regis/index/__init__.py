"""The index: `Index` opens a folder and hands out its partitions, relations, and models."""

from regis.index.index import Index
from regis.index.relations import Relations
from regis.index.storage.manifest import Manifest, SourceRecord
from regis.index.tables.partition import Partition

__all__ = ["Index", "Manifest", "Partition", "Relations", "SourceRecord"]
