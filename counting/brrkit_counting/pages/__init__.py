"""Pages for readers: of what was counted, and of a list."""
