"""Many tasks, done by this process, other processes, or a cluster, behind one function."""
