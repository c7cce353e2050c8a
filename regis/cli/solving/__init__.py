"""What `regis solve` is asked for, and how a worker turns one puzzle into what is said of it."""
