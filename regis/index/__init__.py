"""The index: what it looks like on disk (`schema`, `manifest`), how it is made (`writer`) and used (`index`)."""

from regis.index.index import Index
from regis.index.manifest import Manifest, SourceRecord
from regis.index.partition import Partition
from regis.index.relations import Relations

__all__ = ["Index", "Manifest", "Partition", "Relations", "SourceRecord"]
