"""Layers: what a person adds, stored separately and merged with the tables below."""
