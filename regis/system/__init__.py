"""The machine: paths, terminals, files, processes."""
