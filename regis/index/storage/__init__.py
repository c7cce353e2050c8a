"""Files of an index: parts of arrays, packed or not, the manifest, checks, and publication."""
