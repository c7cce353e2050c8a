"""Many tasks behind one function, done by this process, other processes, or a cluster."""
