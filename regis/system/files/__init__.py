"""Files: written whole or not at all, locked, checked, unpacked within bounds, mapped as arrays."""
