"""Pictures of pages: squares found and laid flat, text read by a network, in a process of its own."""
