"""Pages for readers: about estimates, and about a list."""
