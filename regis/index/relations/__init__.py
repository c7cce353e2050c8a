"""What thesauri and dictionaries say: built from their entries, merged as arrays, looked up by the hash of a word."""
