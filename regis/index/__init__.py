"""The index: what it looks like on disk (`tables`, `manifest`), how it is made (`writing`) and used (`reading`)."""

from regis.index.manifest import Manifest, SourceRecord
from regis.index.partition import Partition
from regis.index.reader import Index
from regis.index.relations import Relations

__all__ = ["Index", "Manifest", "Partition", "Relations", "SourceRecord"]
