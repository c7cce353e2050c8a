"""The tables of an index, one set per answer length: layout, writer, readers, and learned models."""
