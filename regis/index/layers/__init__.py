"""Layers: what a person adds, stored apart and merged with the tables below."""
