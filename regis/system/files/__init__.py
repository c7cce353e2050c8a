"""Files: written whole or not at all, locked while they are read, checked, unpacked within bounds, cached as arrays."""
