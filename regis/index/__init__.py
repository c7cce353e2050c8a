"""The index: `Index` opens a folder on the disk and hands out its partitions, relations and models.

`storage/` keeps files (arrays, manifest, publication), `tables/` what is in them for each answer length, `relations`
what dictionaries say, and `layers/` merges what a person adds. Imports go down in that order.
"""

from regis.index.index import Index
from regis.index.relations import Relations
from regis.index.storage.manifest import Manifest, SourceRecord
from regis.index.tables.partition import Partition

__all__ = ["Index", "Manifest", "Partition", "Relations", "SourceRecord"]
