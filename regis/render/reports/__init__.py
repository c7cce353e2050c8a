"""What the commands beside `solve` show as text: reasons, hints, the index, downloads, tables."""
