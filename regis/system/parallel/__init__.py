"""Who does many tasks: this process, processes of this machine, or the workers of a cluster, behind one function."""
