"""Layers: what a person adds lies on top of what is there, and is merged into the tables that are solved with.

`layer_files` has the entries, `stacking` the merged index, `merge` the tables of one length.
"""
